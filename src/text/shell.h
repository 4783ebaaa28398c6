// Words of commands that are shown to users, who paste them into a shell.
#pragma once

#include <string>

namespace breakeven {

/// The word, in quotes if a shell would interpret it.
std::string shell_word(const std::string& word);

/// The same for a file. One whose name begins like an option gets "./" before it.
std::string shell_file(const std::string& path);

}  // namespace breakeven
