// For Bencher (https://bencher.dev): Bencher Metric Format, which its `json` adapter reads.
#pragma once

#include <span>

#include "reports/tool_report.h"

namespace breakeven {

/// An entry for each case that has a speed or a size that fits: `latency` in nanoseconds and `throughput` in
/// iterations a second, each with the bounds of its 95 % interval where there is one; `energy` in joules an
/// iteration; `largest-fit`. Failed cases cannot be said, and are left out.
FormattedReport bencher_report(std::span<const Result> results);

}  // namespace breakeven
