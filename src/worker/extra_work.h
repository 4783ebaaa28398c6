// Work that a backend does in addition to its own on request: a change of known size, to test whether a
// regression check finds it.
#pragma once

#include <memory>
#include <optional>

#include "protocol/messages.h"
#include "worker/backend.h"

namespace breakeven {

/// The requested extra work (protocol/messages.h), as a fraction of each run's time; empty if none is
/// requested. Throws std::runtime_error if the value is not a number above 0 and up to 10.
std::optional<double> extra_work();

/// The same case with more work in every run. On the host it is arithmetic that lasts `share` of a run's
/// time, which is measured before and between the first few samples. On a device it is more runs of the case
/// itself, one for every 1 / `share` runs.
std::unique_ptr<Prepared> with_extra_work(std::unique_ptr<Prepared> prepared, double share, bool on_host);

}  // namespace breakeven
