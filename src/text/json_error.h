#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// Returns nlohmann_json's error message without its own prefixes: "line 3, column 5: invalid literal; last
/// read: 'nul'". Long quotations of the text are shortened.
std::string json_error_text(std::string_view message);

}  // namespace breakeven
