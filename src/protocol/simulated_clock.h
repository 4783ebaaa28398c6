// Lets a backend report that its times are simulated: docs/worker-protocol.md.
#pragma once

namespace breakeven {

/// The entry among the libraries of a hello that marks simulated time. The reported seconds have not passed,
/// and are not checked against the driver's clock. Results carry a warning.
inline constexpr const char* simulated_clock_library = "simulated clock";

}  // namespace breakeven
