// How a backend is told to do more than its own work, so that it can be found out whether a regression check
// would see a change of that size: docs/worker-protocol.md.
#pragma once

namespace breakeven {

/// The environment variable that asks for it: 0.05 is 5 % more in every run.
inline constexpr const char* extra_work_variable = "BREAKEVEN_EXTRA_WORK";

/// Among the libraries of a greeting, where it is heeded: times that are longer on purpose must not be taken
/// for the backend's own.
inline constexpr const char* extra_work_library = "extra work";

}  // namespace breakeven
