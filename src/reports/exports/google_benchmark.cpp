// --google-benchmark: Google Benchmark's JSON, for its compare.py and many dashboards.
//
// A row for each case that has a time and a CPU time, with its median as `real_time`, and a row with
// `error_occurred` for each case that failed or was wrong. Left out are cases that a backend does not
// support, that have no time (`fits`), or whose CPU time is unknown, because the format requires a number
// there.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/document/names.h"
#include "reports/exports/named_cases.h"
#include "reports/metrics.h"
#include "reports/text.h"
#include "results/algorithm.h"
#include "results/reading.h"

namespace breakeven {
namespace {

/// Makes one row for a case, not one for each sample: dashboards treat each row as a benchmark, and
/// compare.py's U-test treats rows as independent, which samples of one process are not. Without a time the
/// row is a failure.
///
/// Google Benchmark writes 0 for the times of a failure. The unit is then seconds, unlike the nanoseconds of
/// all other rows, because compare.py compares only rows of one unit. Otherwise a failure would look
/// infinitely fast.
Json google_row(const NamedCase& named, std::size_t index, const std::optional<Speed>& timed) {
  const CaseResult& result = *named.result;
  Json row{{"name", named.name},
           {"family_index", index},
           {"per_family_instance_index", 0},
           {"run_name", named.name},
           {"run_type", "iteration"},
           {"repetitions", 1},
           {"repetition_index", 0},
           {"threads", 1}};
  if (!timed) {
    row["error_occurred"] = true;
    row["error_message"] = fmt::format("{}: {}", name(result.status), explain(result));
  }
  row["iterations"] = timed ? result.seconds->iterations : 0;
  row["real_time"] = timed ? timed->seconds * 1e9 : 0;
  row["cpu_time"] = timed ? *result.cpu_seconds * 1e9 : 0;
  row["time_unit"] = timed ? "ns" : "s";
  if (timed) {
    if (timed->low) row["real_time_ci_low"] = *timed->low * 1e9;
    if (timed->high) row["real_time_ci_high"] = *timed->high * 1e9;
    for (const auto& [key, metric] : {std::pair{"FLOP/s", "flop_per_second"},
                                      {"bytes_per_second", "bytes_per_second"},
                                      {"items_per_second", "samples_per_second"},
                                      {"device_seconds", "device_seconds"},
                                      {"joules", "joules"}})
      set_known(row, key, value_of(find_metric(metric), {.result = &result}));
  }
  const std::string label =
      joined_known({printable(result.label), printable(algorithm_with_threads(result))}, ", ");
  if (!label.empty()) row["label"] = label;
  return row;
}

/// A value that all results have in common; empty if they differ.
template <typename Get>
auto common(std::span<const Result> results, Get get) -> std::optional<decltype(get(results.front()))> {
  if (results.empty()) return std::nullopt;
  auto first = get(results.front());
  const bool same = std::ranges::all_of(results, [&](const Result& run) { return get(run) == first; });
  return same ? std::optional(std::move(first)) : std::nullopt;
}

/// The highest clock seen. The nominal one, which Google Benchmark reports, is not in result files.
std::optional<double> highest_mhz(const Result& run) {
  std::optional<double> highest;
  for (const CaseResult& result : run.cases) {
    // A value above a terahertz is not a clock, and may not fit into an integer.
    if (const auto mhz = result.conditions.cpu_mhz; mhz && *mhz > 0 && *mhz < 1e6)
      highest = std::max(highest.value_or(*mhz), *mhz);
  }
  return highest;
}

std::string governor(const Result& run) {
  const auto found = run.host.settings.find("governor");
  return found == run.host.settings.end() || found->second.rfind("unknown", 0) == 0 ? "" : found->second;
}

Json google_context(std::span<const Result> results) {
  std::vector<std::string> machines;
  for (const Result& run : results) {
    std::string machine = machine_name(run);
    if (std::ranges::find(machines, machine) == machines.end()) machines.push_back(std::move(machine));
  }
  Json context = Json::object();
  const auto common_text = [&](auto get) {
    return common(results, [&](const Result& run) { return printable(get(run)); }).value_or("");
  };
  const auto add = [&](const char* key, auto get) {
    if (const std::string text = common_text(get); !text.empty()) context[key] = text;
  };
  add("date", [](const Result& run) { return run.created; });
  context["host_name"] = fmt::format("{}", fmt::join(machines, ", "));
  context["executable"] = "breakeven";
  if (const auto cpus = common(results, [](const Result& run) { return run.host.cpus; }); cpus && *cpus > 0)
    context["num_cpus"] = *cpus;
  if (const auto mhz = common(results, highest_mhz); mhz && *mhz) context["mhz_per_cpu"] = std::lround(**mhz);
  if (const std::string found = common_text(governor); !found.empty())
    context["cpu_scaling_enabled"] = found != "performance";
  // These are not in result files, but Bencher's reader requires the lists.
  context["caches"] = Json::array();
  context["load_avg"] = Json::array();
  if (const std::string build = common_text([](const Result& run) { return run.tool_build; }); !build.empty())
    context["library_build_type"] = build == "Debug" ? "debug" : "release";
  context["json_schema_version"] = 1;
  // Values that the format does not have are put where --benchmark_context puts them.
  add("cpu", [](const Result& run) { return run.host.cpu; });
  add("os", [](const Result& run) { return run.host.os; });
  add("kernel", [](const Result& run) { return run.host.kernel; });
  add("breakeven_version", [](const Result& run) { return run.tool_version; });
  return context;
}

FormattedReport google_benchmark_report(std::span<const Result> results) {
  const auto row = [](const NamedCase& named, std::size_t index) {
    const CaseResult& result = *named.result;
    const bool has_cpu_time = result.cpu_seconds && std::isfinite(*result.cpu_seconds * 1e9);
    const auto timed = has_cpu_time ? speed(result) : std::nullopt;
    const bool has_failed = result.status != Status::ok && result.status != Status::unsupported;
    return timed || has_failed ? google_row(named, index, timed).dump() : "";
  };
  const std::string context = google_context(results).dump();
  FormattedReport report =
      json_report(results, fmt::format("{{\n\"context\": {},\n\"benchmarks\": [", context), row, "]\n}\n");
  expect_readable(report.text, "--google-benchmark", "give fewer or smaller files");  // `compare` reads it
  return report;
}

const FormatRegistration google_benchmark_format(
    {.option = "--google-benchmark",
     .meaning = "Google Benchmark's JSON, which its compare.py reads",
     .writes = {from_results_alone<google_benchmark_report>}});

}  // namespace
}  // namespace breakeven
