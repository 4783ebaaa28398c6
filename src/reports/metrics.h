// The table of metrics: everything measured that is one number per case. Exports, tables and pages take
// names, units and values from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/document/cell_kind.h"
#include "results/result.h"
#include "verdicts/roofline.h"

namespace breakeven {

/// One case on one backend; points into its result file.
struct MeasuredCase {
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
  std::optional<Roofline> roofline = {};  // where the device's ceilings are known
};

struct Metric {
  std::string_view name;         // unique; of a CSV column
  std::string_view openmetrics;  // its name there, which ends with the unit; empty: it is not exported
  std::string_view unit;         // a base unit: "seconds"; empty: none
  std::string_view help;         // a sentence
  std::string_view heading;      // of a column in tables
  CellKind cell = CellKind::number;
  std::optional<double> (*value)(const MeasuredCase&) = nullptr;
};

/// In the order in which tables show them.
std::span<const Metric> metrics();
/// Throws std::out_of_range.
const Metric& find_metric(std::string_view name);

/// The value; empty if it is unknown or not finite.
std::optional<double> value_of(const Metric& metric, const MeasuredCase& measured);

/// Seconds of one iteration: the median and its 95 % interval.
struct Speed {
  double seconds = 0;
  std::optional<double> low, high;
};
/// The speed of a result; empty unless the status is ok. All its values, their inverses and 1e9 times them
/// are finite and above 0.
std::optional<Speed> speed(const CaseResult& result);

}  // namespace breakeven
