// Formats a command for the user's next step, in shell syntax.
#pragma once

#include <string>
#include <vector>

namespace breakeven {

/// "build/breakeven report quick.json": this program, as it was called, with these arguments. Words are
/// quoted if a shell would interpret them.
std::string command_to_paste(const std::vector<std::string>& arguments);

/// The word, in quotes if a shell needs them.
std::string quoted_for_shell(const std::string& word);

}  // namespace breakeven
