// --bencher: Bencher Metric Format for Bencher (https://bencher.dev), whose `json` adapter reads it.
//
// An entry for each case that has a speed or a size that fits: `latency` in nanoseconds and `throughput` in
// iterations a second, each with the bounds of its 95 % interval where there is one; `energy` in joules an
// iteration; `largest-fit`. Failed cases cannot be said, and are left out.
#include <cmath>

#include "reports/exports/format.h"
#include "reports/exports/named_cases.h"
#include "reports/metrics.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

Json bencher_measure(double value, const std::optional<double>& lower, const std::optional<double>& upper) {
  Json measure{{"value", value}};
  set_known(measure, "lower_value", lower);
  set_known(measure, "upper_value", upper);
  return measure;
}

std::optional<double> scaled(const std::optional<double>& seconds, double factor) {
  return seconds ? std::optional(*seconds * factor) : std::nullopt;
}

std::optional<double> inverse(const std::optional<double>& seconds) {
  return seconds ? std::optional(1 / *seconds) : std::nullopt;
}

Json bencher_measures(const CaseResult& result) {
  Json measures = Json::object();
  if (result.status != Status::ok) return measures;
  if (const auto timed = speed(result)) {
    measures["latency"] =
        bencher_measure(timed->seconds * 1e9, scaled(timed->low, 1e9), scaled(timed->high, 1e9));
    measures["throughput"] = bencher_measure(1 / timed->seconds, inverse(timed->high), inverse(timed->low));
    if (result.joules && std::isfinite(*result.joules))
      measures["energy"] = bencher_measure(*result.joules, std::nullopt, std::nullopt);
  }
  if (result.fit)
    measures["largest-fit"] =
        bencher_measure(static_cast<double>(result.fit->largest), std::nullopt, std::nullopt);
  return measures;
}

FormattedReport bencher_report(std::span<const Result> results) {
  FormattedReport report;
  std::vector<std::string> entries;
  for (const NamedCase& named : named_cases(results)) {
    const Json measures = bencher_measures(*named.result);
    if (measures.empty()) {
      ++report.cases_left_out;
    } else {
      entries.push_back(Json(named.name).dump() + ": " + measures.dump());
    }
  }
  report.text = json_lines("{", entries, "}\n");
  return report;
}

const FormatRegistration bencher_format({.option = "--bencher",
                                         .meaning = "Bencher Metric Format, for bencher.dev",
                                         .measured = from_results_alone<bencher_report>});

}  // namespace
}  // namespace breakeven
