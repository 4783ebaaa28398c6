// Work that a backend does beside its own, when asked to: a change of known size, by which it can be found
// out whether a regression check would see one.
#pragma once

#include <memory>
#include <optional>

#include "protocol/extra_work.h"
#include "worker/backend.h"

namespace breakeven {

/// What the environment asks for (protocol/extra_work.h), as a part of each run's time; nothing where it does
/// not. Throws std::runtime_error where it is no number above 0 and up to 10.
std::optional<double> extra_work();

/// The same case with so much more to do in every run. On the host it is arithmetic that lasts `share` of a
/// run's time, which is measured before and between the first few samples; on a device it is more runs of the
/// case itself, one for every 1 / `share`.
std::unique_ptr<Prepared> with_extra_work(std::unique_ptr<Prepared> prepared, double share, bool on_host);

}  // namespace breakeven
