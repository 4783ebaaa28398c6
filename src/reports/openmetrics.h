// For Prometheus and what else reads OpenMetrics 1.0
// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md).
#pragma once

#include <span>

#include "reports/tool_report.h"

namespace breakeven {

/// Gauges `breakeven_run_...` of each file and `breakeven_case_...` of each case: the status of every one,
/// and what is known of those that are ok. All are gauges, so that the older text format of Prometheus, which
/// the node exporter's textfile collector reads, takes them as well. No series is there twice; unknown is
/// left out.
FormattedReport openmetrics_report(std::span<const Result> results);

}  // namespace breakeven
