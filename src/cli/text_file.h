#pragma once

#include <string>

namespace breakeven {

/// "-" is standard output. Throws CommandError where it cannot be written.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace breakeven
