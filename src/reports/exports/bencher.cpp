// --bencher: Bencher Metric Format, which the `json` adapter of Bencher (https://bencher.dev) reads.
//
// An entry for each case that has a speed or a largest size that fits: `latency` in nanoseconds and
// `throughput` in iterations per second, each with the bounds of its 95 % interval if there is one; `energy`
// in joules per iteration; `largest-fit`. The format has no failed cases, so they are left out.
#include <cmath>

#include "reports/exports/named_cases.h"
#include "reports/metrics.h"

namespace breakeven {
namespace {

Json bencher_measure(double value, std::optional<double> low = {}, std::optional<double> high = {}) {
  Json measure{{"value", value}};
  set_known(measure, "lower_value", low);
  set_known(measure, "upper_value", high);
  return measure;
}

Json bencher_measures(const CaseResult& result) {
  Json measures = Json::object();
  if (result.status != Status::ok) return measures;
  if (const auto timed = speed(result)) {
    const auto nanoseconds = [](std::optional<double> s) {
      return s ? std::optional(*s * 1e9) : std::nullopt;
    };
    const auto inverse = [](std::optional<double> s) { return s ? std::optional(1 / *s) : std::nullopt; };
    measures["latency"] =
        bencher_measure(timed->seconds * 1e9, nanoseconds(timed->low), nanoseconds(timed->high));
    measures["throughput"] = bencher_measure(1 / timed->seconds, inverse(timed->high), inverse(timed->low));
    if (result.joules && std::isfinite(*result.joules)) measures["energy"] = bencher_measure(*result.joules);
  }
  if (result.fit) measures["largest-fit"] = bencher_measure(static_cast<double>(result.fit->largest));
  return measures;
}

FormattedReport bencher_report(std::span<const Result> results) {
  const auto entry = [](const NamedCase& named, std::size_t) {
    const Json measures = bencher_measures(*named.result);
    return measures.empty() ? "" : Json(named.name).dump() + ": " + measures.dump();
  };
  return json_report(results, "{", entry, "}\n");
}

const FormatRegistration bencher_format({.option = "--bencher",
                                         .meaning = "Bencher Metric Format, for bencher.dev",
                                         .writes = {from_results_alone<bencher_report>}});

}  // namespace
}  // namespace breakeven
