// For github-action-benchmark (https://github.com/benchmark-action/github-action-benchmark): the list that
// its tool `customSmallerIsBetter` reads.
#pragma once

#include <span>

#include "reports/tool_report.h"

namespace breakeven {

/// An entry for each case that has a speed: nanoseconds an iteration, in `range` the further end of the 95 %
/// interval, in `extra` what a chart shows below. Failed cases cannot be said, and are left out.
FormattedReport github_benchmark_report(std::span<const Result> results);

}  // namespace breakeven
