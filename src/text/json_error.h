#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// What nlohmann_json says is wrong, without its own prefixes: "line 3, column 5: invalid literal; last read:
/// 'nul'". What it quotes of the text is cut.
std::string json_error_text(std::string_view message);

}  // namespace breakeven
