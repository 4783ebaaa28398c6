// The environment variables of numerical libraries, of the frameworks and of what they run on: one row each,
// for the driver and for the backend programs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven {

struct LibraryVariables {
  std::string_view library;  // or what it runs on; the cblas backends look it up by their name
  std::vector<std::string_view> beginnings;  // of the names of its variables
  std::string_view kernels = {};             // the variable that names the kernels it takes; empty: none does
  /// The variable that says how long its idle threads spin, and the value that breakeven gives it: long
  /// enough to stay awake from one parallel loop to the next, short enough to be asleep in another's sample.
  std::string_view spin = {}, short_spin = {};
};

const std::vector<LibraryVariables>& library_variables();

/// Names and values that keep idle threads from spinning for long, without those that the environment has
/// already: what a user set wins.
std::vector<std::pair<std::string, std::string>> missing_spin_settings();

/// The variable that names the kernels `library` takes; empty where it has none.
std::string_view kernels_variable(std::string_view library);

/// Set for backend programs that are to run their library as any caller gets it, without choosing its
/// kernels: by `--library-defaults`, or by the user.
inline constexpr const char* library_defaults_variable = "BREAKEVEN_LIBRARY_DEFAULTS";

}  // namespace breakeven
