// How a backend says that its times are simulated: docs/worker-protocol.md.
#pragma once

namespace breakeven {

/// Among the libraries of a greeting: the seconds that the program reports have not passed, and are not held
/// against the driver's clock. Results carry a warning.
inline constexpr const char* simulated_clock_library = "simulated clock";

}  // namespace breakeven
