// --openmetrics: for Prometheus and other readers of OpenMetrics 1.0
// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md).
//
// Gauges `breakeven_run_...` for each file and `breakeven_case_...` for each case: the status of every case,
// and the known values of those that are ok. All are gauges, so that readers of the older text format of
// Prometheus, such as the node exporter's textfile collector, accept them as well. No series appears twice;
// unknown values are left out.

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <cmath>
#include <string_view>
#include <utility>

#include "reports/exports/format.h"
#include "reports/exports/named_cases.h"
#include "reports/metrics.h"
#include "reports/text.h"

namespace breakeven {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

/// The labels as text. A last label is added if another series would have the same labels.
std::string label_set(Labels labels, std::size_t number) {
  if (number > 1) labels.emplace_back("number", fmt::format("{}", number));
  std::string text;
  for (const auto& [name, value] : labels) {
    std::string shown = printable(value);  // has no newline
    for (const char* special : {"\\", "\""})
      boost::algorithm::replace_all(shown, special, std::string("\\") + special);
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, shown);
  }
  return text;
}

std::string case_labels(const NamedCase& named) {
  const CaseResult& result = *named.result;
  return label_set({{"machine", named.machine},
                    {"backend", result.backend},
                    {"device", result.device},
                    {"op", result.op},
                    {"dtype", result.dtype},
                    {"id", result.id}},
                   named.number);
}

/// The lines of one metric, after its description; empty if it has no series.
class MetricFamily {
 public:
  MetricFamily(std::string name, std::string_view unit, std::string_view help)
      : name_(std::move(name)), head_(fmt::format("# TYPE {} gauge\n", name_)) {
    if (!unit.empty()) head_ += fmt::format("# UNIT {} {}\n", name_, unit);
    head_ += fmt::format("# HELP {} {}\n", name_, help);
  }
  void add(const std::string& labels, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) lines_ += fmt::format("{}{{{}}} {}\n", name_, labels, *value);
  }
  std::string text() const { return lines_.empty() ? "" : head_ + lines_; }

 private:
  std::string name_, head_, lines_;
};

std::string run_metrics(std::span<const Result> results) {
  MetricFamily time("breakeven_run_timestamp_seconds", "seconds", "When the run began, since 1970.");
  MetricFamily complete("breakeven_run_complete", "",
                        "1 where the run came to its end, 0 where cases may be missing.");
  UniqueNames known;
  for (const Result& run : results) {
    const Labels labels{{"machine", machine_name(run)},
                        {"cpu", run.host.cpu},
                        {"os", run.host.os},
                        {"kernel", run.host.kernel},
                        {"breakeven", run.tool_version}};
    const std::string unique = label_set(labels, known.take(label_set(labels, 1)).number);
    time.add(unique, unix_seconds(run.created));
    const bool is_part = run.shard && run.shard->shard.count > 1;
    complete.add(unique, run.complete && !is_part ? 1 : 0);
  }
  return time.text() + complete.text();
}

std::string case_status(const std::vector<NamedCase>& cases, const std::vector<std::string>& labels) {
  MetricFamily family("breakeven_case_status", "", "Always 1; the label status says how the case ended.");
  for (std::size_t i = 0; i < cases.size(); ++i)
    family.add(fmt::format("{},status=\"{}\"", labels[i], name(cases[i].result->status)), 1);
  return family.text();
}

std::string case_metric(const CaseMetric& metric, const std::vector<NamedCase>& cases,
                        const std::vector<std::string>& labels) {
  MetricFamily family(fmt::format("breakeven_case_{}", metric.openmetrics), metric.unit, metric.help);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].result->status == Status::ok)
      family.add(labels[i], metric.value({.run = cases[i].run, .result = cases[i].result}));
  }
  return family.text();
}

FormattedReport openmetrics_report(std::span<const Result> results) {
  const std::vector<NamedCase> cases = named_cases(results);
  std::vector<std::string> labels;
  labels.reserve(cases.size());
  for (const NamedCase& named : cases) labels.push_back(case_labels(named));
  FormattedReport report{.text = run_metrics(results) + case_status(cases, labels)};
  for (const CaseMetric& metric : metrics()) {
    if (!metric.openmetrics.empty()) report.text += case_metric(metric, cases, labels);
  }
  report.text += "# EOF\n";
  return report;
}

const FormatRegistration openmetrics_format({.option = "--openmetrics",
                                             .meaning = "OpenMetrics text, for Prometheus",
                                             .writes = {from_results_alone<openmetrics_report>}});

}  // namespace
}  // namespace breakeven
