#include "reports/openmetrics.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <utility>

#include "reports/text.h"

namespace breakeven {
namespace {

struct Label {
  std::string_view name;
  std::string value;
};

std::string label_text(const Label& label) {
  std::string text = fmt::format("{}=\"", label.name);
  for (const char c : printable(label.value)) {  // which has no newline
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text + '"';
}

/// With a last label where another series would have the same ones.
std::string label_set(const std::vector<Label>& labels, std::size_t number) {
  std::vector<std::string> texts;
  texts.reserve(labels.size() + 1);
  for (const Label& label : labels) texts.push_back(label_text(label));
  if (number > 1) texts.push_back(label_text({"number", fmt::format("{}", number)}));
  return fmt::format("{}", fmt::join(texts, ","));
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

/// The lines of one metric, under its description; nothing where it has no series.
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

/// Seconds since 1970 of "2026-11-01T12:00:00Z"; nothing for what is no such time.
std::optional<double> unix_seconds(const std::string& utc) {
  std::tm fields{};
  std::istringstream in(utc);
  in >> std::get_time(&fields, "%Y-%m-%dT%H:%M:%SZ");
  return in ? std::optional(static_cast<double>(timegm(&fields))) : std::nullopt;
}

std::string run_metrics(std::span<const Result> results) {
  MetricFamily time("breakeven_run_timestamp_seconds", "seconds", "When the run began, since 1970.");
  MetricFamily complete("breakeven_run_complete", "",
                        "1 where the run came to its end, 0 where cases may be missing.");
  UniqueNames known;
  for (const Result& run : results) {
    const std::vector<Label> labels{{"machine", machine_name(run)},
                                    {"cpu", run.host.cpu},
                                    {"os", run.host.os},
                                    {"kernel", run.host.kernel},
                                    {"breakeven", run.tool_version}};
    const std::string unique = label_set(labels, known.take(label_set(labels, 1)).number);
    time.add(unique, unix_seconds(run.created));
    complete.add(unique, run.complete ? 1 : 0);
  }
  return time.text() + complete.text();
}

std::string case_status(const std::vector<NamedCase>& cases, const std::vector<std::string>& labels) {
  MetricFamily family("breakeven_case_status", "", "Always 1; the label status says how the case ended.");
  for (std::size_t i = 0; i < cases.size(); ++i)
    family.add(fmt::format("{},status=\"{}\"", labels[i], name(cases[i].result->status)), 1);
  return family.text();
}

/// What a case is asked for where it is ok. The unit is the end of the name, as OpenMetrics has it.
struct CaseMetric {
  std::string_view name, unit, help;
  std::optional<double> (*value)(const CaseResult&);
};

std::optional<double> median_seconds(const CaseResult& result) {
  const auto timed = speed(result);
  return timed ? std::optional(timed->seconds) : std::nullopt;
}

std::optional<double> per_second(double count, const CaseResult& result) {
  const auto seconds = median_seconds(result);
  return seconds && count > 0 ? std::optional(count / *seconds) : std::nullopt;
}

const std::vector<CaseMetric>& case_metrics() {
  static const std::vector<CaseMetric> all{
      {"seconds", "seconds", "Wall time of one iteration: the median of the samples.", median_seconds},
      {"ci_low_seconds", "seconds", "Lower end of the 95 % confidence interval of that median.",
       [](const CaseResult& r) { return speed(r).value_or(Speed{}).low; }},
      {"ci_high_seconds", "seconds", "Upper end of the 95 % confidence interval of that median.",
       [](const CaseResult& r) { return speed(r).value_or(Speed{}).high; }},
      {"cpu_seconds", "seconds", "CPU time of all threads in one iteration.",
       [](const CaseResult& r) { return r.cpu_seconds; }},
      {"device_seconds", "seconds", "Time of one iteration on the device alone.",
       [](const CaseResult& r) { return r.device_seconds; }},
      {"joules", "joules", "Energy of one iteration.", [](const CaseResult& r) { return r.joules; }},
      {"flop_per_second", "", "Floating-point operations a second, a multiply-add counted as two.",
       [](const CaseResult& r) { return per_second(r.flop, r); }},
      {"bytes_per_second", "", "Bytes that must move at least, a second.",
       [](const CaseResult& r) { return per_second(r.bytes, r); }},
      {"samples_per_second", "", "Images or sequences that training or inference takes in, a second.",
       [](const CaseResult& r) { return per_second(static_cast<double>(r.samples), r); }},
      {"latency_p50_seconds", "seconds", "Median of the latencies of single batches of inference.",
       [](const CaseResult& r) { return r.latency ? std::optional(r.latency->p50) : std::nullopt; }},
      {"latency_p99_seconds", "seconds", "99th percentile of the latencies of single batches of inference.",
       [](const CaseResult& r) { return r.latency ? std::optional(r.latency->p99) : std::nullopt; }},
      {"accuracy_ratio", "ratio", "Fraction of the test set that the trained network gets right.",
       [](const CaseResult& r) { return r.training ? r.training->accuracy : std::nullopt; }},
      {"to_accuracy_seconds", "seconds", "Time of training steps up to the accuracy asked for.",
       [](const CaseResult& r) { return r.training ? r.training->seconds_to_accuracy : std::nullopt; }},
      {"fit_largest", "", "The largest size that fits into the device's memory.",
       [](const CaseResult& r) {
         return r.fit ? std::optional(static_cast<double>(r.fit->largest)) : std::nullopt;
       }},
      {"verify_error", "", "Largest error found, in units of a typical element of the result.",
       [](const CaseResult& r) {
         return r.verification ? std::optional(r.verification->error) : std::nullopt;
       }},
  };
  return all;
}

std::string case_metric(const CaseMetric& metric, const std::vector<NamedCase>& cases,
                        const std::vector<std::string>& labels) {
  MetricFamily family(fmt::format("breakeven_case_{}", metric.name), metric.unit, metric.help);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].result->status == Status::ok) family.add(labels[i], metric.value(*cases[i].result));
  }
  return family.text();
}

}  // namespace

FormattedReport openmetrics_report(std::span<const Result> results) {
  const std::vector<NamedCase> cases = named_cases(results);
  std::vector<std::string> labels;
  labels.reserve(cases.size());
  for (const NamedCase& named : cases) labels.push_back(case_labels(named));
  FormattedReport report{.text = run_metrics(results) + case_status(cases, labels)};
  for (const CaseMetric& metric : case_metrics()) report.text += case_metric(metric, cases, labels);
  report.text += "# EOF\n";
  return report;
}

namespace {

const FormatRegistration openmetrics_format({.option = "--openmetrics",
                                             .meaning = "OpenMetrics text, for Prometheus,",
                                             .measured = results_alone<openmetrics_report>});

}  // namespace
}  // namespace breakeven
