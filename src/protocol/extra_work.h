// Makes a backend do more than its own work, to test whether a regression check finds a change of that size:
// docs/worker-protocol.md.
#pragma once

namespace breakeven {

/// The environment variable that requests extra work: 0.05 means 5 % more in every run.
inline constexpr const char* extra_work_variable = "BREAKEVEN_EXTRA_WORK";

/// The entry among the libraries of a hello that confirms extra work, so that the longer times are not taken
/// for the backend's own.
inline constexpr const char* extra_work_library = "extra work";

}  // namespace breakeven
