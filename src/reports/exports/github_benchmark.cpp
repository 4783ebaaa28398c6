// --github: the list that the tool `customSmallerIsBetter` of github-action-benchmark reads
// (https://github.com/benchmark-action/github-action-benchmark).
//
// An entry for each case that has a speed: nanoseconds per iteration, in `range` the larger half of the 95 %
// interval, in `extra` the text that a chart shows below. The format has no failed cases, so they are left
// out.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/exports/named_cases.h"
#include "reports/metrics.h"
#include "reports/text.h"
#include "results/algorithm.h"

namespace breakeven {
namespace {

/// Formats an interval with one number, because the action accepts only one number after the sign
/// (extractRangeInfo.ts).
std::string github_range(const Speed& timed) {
  const double half_width = std::max(*timed.high - timed.seconds, timed.seconds - *timed.low);
  return fmt::format("± {}", std::max(half_width, 0.0) * 1e9);
}

std::string github_extra(const NamedCase& named, const Speed& timed) {
  const CaseResult& result = *named.result;
  std::vector<std::string> lines;
  if (!result.label.empty()) lines.push_back(printable(result.label));
  if (timed.low && timed.high)
    lines.push_back(
        fmt::format("95 % interval: {} to {}", format_seconds(*timed.low), format_seconds(*timed.high)));
  if (const auto gflops = result.gflops()) lines.push_back(fmt::format("{} GFLOP/s", format_number(*gflops)));
  if (const std::string algorithm = algorithm_with_threads(result); !algorithm.empty())
    lines.push_back("algorithm: " + printable(algorithm));
  if (const BackendRecord* backend = find_backend(named.run->backends, result.backend))
    lines.push_back(describe_backend(*backend));
  lines.push_back(fmt::format("{}: {}", named.machine, describe_host(named.run->host)));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string github_entry(const NamedCase& named, std::size_t) {
  const auto timed = speed(*named.result);
  if (!timed) return "";
  Json entry{{"name", named.name}, {"unit", "ns"}, {"value", timed->seconds * 1e9}};
  if (timed->low && timed->high) entry["range"] = github_range(*timed);
  entry["extra"] = github_extra(named, *timed);
  return entry.dump();
}

FormattedReport github_benchmark_report(std::span<const Result> results) {
  return json_report(results, "[", github_entry, "]\n");
}

const FormatRegistration github_benchmark_format(
    {.option = "--github",
     .meaning = "JSON for github-action-benchmark (customSmallerIsBetter)",
     .writes = {from_results_alone<github_benchmark_report>}});

}  // namespace
}  // namespace breakeven
