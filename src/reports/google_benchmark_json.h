// For what reads Google Benchmark's JSON: its compare.py, and many a dashboard.
#pragma once

#include <span>

#include "reports/tool_report.h"

namespace breakeven {

/// A row for each case that has a time and a CPU time, its median as `real_time`; a row with `error_occurred`
/// for each that failed or was wrong. Left out: cases that a backend does not support, that have no time
/// (`fits`), or whose CPU time is not known, as the form must have a number there.
FormattedReport google_benchmark_json_report(std::span<const Result> results);

}  // namespace breakeven
