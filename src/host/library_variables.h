// The environment variables of numerical libraries, frameworks and their runtimes: one row each, used by the
// driver and by the backend programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven {

struct LibraryVariables {
  std::string_view library;  // library, framework or runtime; the cblas backends look it up by its name
  std::vector<std::string_view> beginnings;  // prefixes of the names of its variables
  std::string_view kernels = {};             // the variable that selects its kernels; empty: none
  /// The variable that sets how long idle threads spin, and the value that breakeven sets: long enough to
  /// stay awake from one parallel loop to the next, short enough to be asleep during another backend's
  /// sample.
  std::string_view spin = {}, short_spin = {};
  bool of_ranks = false;  // only cases of several ranks use it
  /// Prefixes of variables that change what a case itself says: its number of threads or its precision.
  /// oneDNN even computes wrong results with OMP_DYNAMIC. Backend programs do not get them.
  std::vector<std::string_view> withheld = {};
  std::string_view thread_limit = {};  // the variable that limits the number of threads of a program
};

const std::vector<LibraryVariables>& library_variables();

/// The variables, with values, that keep idle threads from spinning for long. Those already set in the
/// environment are left out, because the user's setting has priority.
std::vector<std::pair<std::string, std::string>> missing_spin_settings();

/// The variable that selects the kernels of `library`; empty if there is none.
std::string_view kernels_variable(std::string_view library);

/// True if backend programs do not get a variable of this name.
bool is_withheld(std::string_view name);

/// A limit that the user has set to the number of threads of a program.
struct ThreadLimit {
  std::string variable;
  int most = 1;
};
/// The limit in this process's environment; empty if there is none, or a value that OpenMP ignores.
std::optional<ThreadLimit> thread_limit();

/// True if a variable of this name influences a library: which kernels it selects, how many threads, which
/// precision, how ranks communicate. Variables that only name an installation folder or a version do not, nor
/// do those that are withheld.
bool steers_libraries(std::string_view name);

/// True if only cases of several ranks depend on a variable of this name.
bool steers_ranks_alone(std::string_view name);

/// The variables in `environment` (in the format of environ(7), ended by a null pointer) that influence
/// libraries, or would if they were not withheld, by name. They may be set in a profile or a container
/// without the user's knowledge.
std::map<std::string, std::string> steering_variables(const char* const* environment);

/// Injects a slowdown, to try whether a regression check finds it: with 0.05, the driver lets programs run 5
/// % more iterations than count. Programs do not get it.
inline constexpr const char* extra_work_variable = "BREAKEVEN_EXTRA_WORK";

/// Set if backend programs must run their library as any caller gets it, without selecting its kernels.
/// `--library-defaults` sets it, or the user.
inline constexpr const char* library_defaults_variable = "BREAKEVEN_LIBRARY_DEFAULTS";

}  // namespace breakeven
