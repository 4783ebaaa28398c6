// The table of metrics: every measured value that is one number per case. Exports, tables and pages get
// names, units and values from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/document/document.h"
#include "results/result.h"
#include "verdicts/measured_cases.h"

namespace breakeven {

struct CaseMetric {
  std::string_view name;     // unique; the name of a CSV column
  std::string_view help;     // a sentence
  std::string_view heading;  // of a column in tables
  CellKind cell = CellKind::number;
  std::optional<double> (*value)(const MeasuredCase&) = nullptr;
  std::string_view unit = {};         // a base unit: "seconds"; empty if it has none
  std::string_view openmetrics = {};  // the name in OpenMetrics, ending with the unit; empty: not exported
};

/// All metrics, in the order in which tables show them.
std::span<const CaseMetric> metrics();
/// Returns the metric with this name. Throws std::out_of_range if there is none.
const CaseMetric& find_metric(std::string_view name);

/// The value; empty if it is unknown or not finite.
std::optional<double> value_of(const CaseMetric& metric, const MeasuredCase& measured);

/// The time of one iteration in seconds: the median and its 95 % interval.
struct Speed {
  double seconds = 0;
  std::optional<double> low, high;
};
/// The speed of a result; empty unless the status is ok. All its values, their reciprocals and 1e9 times them
/// are finite and above 0.
std::optional<Speed> speed(const CaseResult& result);

}  // namespace breakeven
