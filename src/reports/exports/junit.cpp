// --junit: JUnit XML for CI systems (GitLab, Jenkins, Azure Pipelines, actions of GitHub), as Jenkins'
// junit-10.xsd has it: https://github.com/jenkinsci/xunit-plugin
//
// For results: a test suite for each backend of each file, a test case for each of its cases; `time` is the
// time spent inside samples. A run that did not finish has an additional error, since a run that was killed
// would otherwise look good. For verdicts: a test case for each case and backend, whose time is the head's
// median.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "reports/document/descriptions.h"
#include "reports/document/numbers.h"
#include "reports/document/verdict_findings.h"
#include "reports/exports/format.h"
#include "reports/exports/named_cases.h"
#include "reports/exports/xml.h"
#include "reports/metrics.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// JUnit's name for a status; empty if the test passed.
std::string_view junit_outcome(Status status) {
  switch (status) {
    case Status::ok:
      return "";
    case Status::wrong:
    case Status::implausible:
      return "failure";
    case Status::unsupported:
      return "skipped";
    case Status::out_of_memory:
    case Status::failed:
    case Status::timed_out:
    case Status::interrupted:
      return "error";
  }
  return "error";
}

std::string_view junit_outcome(FindingKind kind) {
  switch (kind) {
    case FindingKind::slower:
    case FindingKind::wrong:
      return "failure";
    case FindingKind::incomparable:
    case FindingKind::missing:
      return "error";
    case FindingKind::inconclusive:
    case FindingKind::unsupported:
      return "skipped";
    case FindingKind::not_slower:
    case FindingKind::faster:
    case FindingKind::added:
    case FindingKind::same:
      break;
  }
  return "";
}

/// Test cases, by their outcome.
struct JunitCounts {
  std::size_t tests = 0;
  std::map<std::string_view, std::size_t> by_outcome = {};

  void add(std::string_view outcome) {
    ++tests;
    ++by_outcome[outcome];
  }
  std::string of(std::string_view outcome) const {
    const auto found = by_outcome.find(outcome);
    return fmt::format("{}", found == by_outcome.end() ? 0 : found->second);
  }
};

/// Writes a time without an exponent, which neither xs:decimal nor Jenkins' SUREFIRE_TIME allows.
std::string junit_time(double seconds, int digits) {
  return fmt::format("{:.{}f}", seconds, digits);
}

XmlElement junit_suite(const std::string& name, const JunitCounts& counts, const std::string& time,
                       const std::string& created, const std::string& machine) {
  return {.name = "testsuite",
          .attributes = {{"name", name},
                         {"tests", fmt::format("{}", counts.tests)},
                         {"failures", counts.of("failure")},
                         {"errors", counts.of("error")},
                         {"skipped", counts.of("skipped")},
                         {"time", time},
                         {"timestamp", created},
                         {"hostname", machine}}};
}

XmlElement junit_test(const std::string& name, const std::string& classname) {
  return {.name = "testcase", .attributes = {{"name", name}, {"classname", classname}}};
}

XmlElement junit_text(const std::string& text) {
  return {.name = "system-out", .text = text};
}

XmlElement junit_problem(std::string_view outcome, std::string_view type, const std::string& message) {
  return {.name = std::string(outcome), .attributes = {{"type", std::string(type)}, {"message", message}}};
}

// ---- results

constexpr int digits_of_results = 6;

/// The seconds spent inside the samples, as far as the file tells; empty if no sample was taken.
std::optional<double> sampled_seconds(const CaseResult& result) {
  if (!result.seconds || result.seconds->samples.empty()) return std::nullopt;
  double sum = 0;
  for (const double sample : result.seconds->samples)
    sum += sample * static_cast<double>(result.seconds->iterations);
  // A sum of more than a day for one case is not a measurement, and could have hundreds of digits.
  return std::isfinite(sum) && sum >= 0 && sum < 86400 ? std::optional(sum) : std::nullopt;
}

/// The measurements in one line.
std::string junit_measured(const CaseResult& result) {
  std::vector<std::string> parts;
  if (const auto timed = speed(result)) {
    parts.push_back(format_seconds(timed->seconds));
    if (timed->low && timed->high)
      parts.push_back(
          fmt::format("95 % interval {} to {}", format_seconds(*timed->low), format_seconds(*timed->high)));
  }
  if (const auto gflops = result.gflops()) parts.push_back(fmt::format("{} GFLOP/s", format_number(*gflops)));
  if (result.fit) parts.push_back(describe_fit(*result.fit));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Some readers show the message, others the text.
XmlElement problem_with_text(std::string_view outcome, std::string_view type, const std::string& message) {
  XmlElement problem = junit_problem(outcome, type, message);
  problem.text = message;
  return problem;
}

XmlElement test_of(const NamedCase& named, const std::string& classname) {
  const CaseResult& result = *named.result;
  XmlElement test = junit_test(named.name, classname);
  if (const auto time = sampled_seconds(result))
    test.attributes.emplace_back("time", junit_time(*time, digits_of_results));
  if (const auto outcome = junit_outcome(result.status); !outcome.empty())
    test.children.push_back(problem_with_text(outcome, name(result.status), explain(result)));
  std::string said = result.status == Status::ok ? junit_measured(result) : "";
  for (const std::string& warning : result.warnings)
    said += (said.empty() ? "warning: " : "\nwarning: ") + printable(warning);
  if (!said.empty()) test.children.push_back(junit_text(said));
  return test;
}

struct ResultSuite {
  std::string name;  // unique
  const Result* run = nullptr;
  const BackendRecord* backend = nullptr;
  JunitCounts counts = {};
  double seconds = 0;
  std::vector<XmlElement> tests = {};
};

XmlElement suite_of(ResultSuite suite) {
  XmlElement element = junit_suite(suite.name, suite.counts, junit_time(suite.seconds, digits_of_results),
                                   suite.run->created, machine_name(*suite.run));
  XmlElement properties{.name = "properties"};
  const auto property = [&](const char* key, const std::string& value) {
    if (!value.empty())
      properties.children.push_back({.name = "property", .attributes = {{"name", key}, {"value", value}}});
  };
  property("machine", describe_host(suite.run->host));
  property("os", printable(suite.run->host.os));
  property("breakeven", printable(suite.run->tool_version));
  if (suite.backend != nullptr) property("backend", describe_backend(*suite.backend));
  if (!properties.children.empty()) element.children.push_back(std::move(properties));
  for (XmlElement& test : suite.tests) element.children.push_back(std::move(test));
  return element;
}

ResultSuite incomplete_suite(const Result& run, const std::string& name) {
  ResultSuite suite{.name = name, .run = &run};
  suite.counts.add("error");
  XmlElement& test = suite.tests.emplace_back(junit_test(name, "breakeven"));
  test.children.push_back(problem_with_text(
      "error", "interrupted",
      "the run did not come to its end: cases may be missing; continue it with `breakeven run --resume`"));
  return suite;
}

std::vector<ResultSuite> suites_of(std::span<const Result> results) {
  std::vector<ResultSuite> suites;
  UniqueNames names;
  std::unordered_map<std::string, std::size_t> of_backend;  // of the run that is under way
  const Result* run = nullptr;
  for (const NamedCase& named : named_cases(results)) {
    if (run != named.run) of_backend.clear();
    run = named.run;
    const auto [found, fresh] = of_backend.try_emplace(named.result->backend, suites.size());
    if (fresh)
      suites.push_back({.name = names.take("breakeven." + printable(named.result->backend)).text,
                        .run = run,
                        .backend = backend_of(named)});
    ResultSuite& suite = suites[found->second];
    suite.counts.add(junit_outcome(named.result->status));
    suite.seconds += sampled_seconds(*named.result).value_or(0);
    suite.tests.push_back(test_of(named, suite.name));
  }
  for (const Result& each : results) {
    if (!each.complete) suites.push_back(incomplete_suite(each, names.take("the run came to its end").text));
  }
  return suites;
}

FormattedReport results_junit(std::span<const Result> results) {
  XmlElement root{.name = "testsuites"};
  JunitCounts counts;
  double seconds = 0;
  for (ResultSuite& suite : suites_of(results)) {
    counts.tests += suite.counts.tests;
    for (const auto& [outcome, count] : suite.counts.by_outcome) counts.by_outcome[outcome] += count;
    seconds += suite.seconds;
    root.children.push_back(suite_of(std::move(suite)));
  }
  root.attributes = {{"name", "breakeven"},
                     {"tests", fmt::format("{}", counts.tests)},
                     {"failures", counts.of("failure")},
                     {"errors", counts.of("error")},
                     {"time", junit_time(seconds, digits_of_results)}};
  return {.text = xml_document(root)};
}

// ---- verdicts

constexpr int digits_of_verdicts = 9;

XmlElement test_of(const CaseVerdict& c, UniqueNames& names) {
  XmlElement test = junit_test(names.take(printable(fmt::format("{}/{}", c.id, c.backend))).text, c.op);
  if (c.head_seconds && std::isfinite(*c.head_seconds))
    test.attributes.emplace_back("time", junit_time(*c.head_seconds, digits_of_verdicts));
  const FindingKind kind = finding_kind(c);
  std::vector<std::string> parts;
  for (std::string part : {describe_change(c), describe_times(c), describe_details(c), describe_notes(c)}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  const std::string text = fmt::format("{}: {}", name(kind), fmt::join(parts, "; "));
  const std::string_view outcome = junit_outcome(kind);
  test.children.push_back(outcome.empty() ? junit_text(text) : junit_problem(outcome, name(kind), text));
  return test;
}

FormattedReport verdicts_junit(const Verdicts& verdicts) {
  JunitCounts counts;
  for (const CaseVerdict& c : verdicts.cases) counts.add(junit_outcome(finding_kind(c)));
  XmlElement suite =
      junit_suite("breakeven " + verdicts.kind, counts, junit_time(verdicts.wall_seconds, digits_of_verdicts),
                  verdicts.created, verdicts.host.name);
  UniqueNames names;
  for (const CaseVerdict& c : verdicts.cases) suite.children.push_back(test_of(c, names));
  std::string said = headline(verdicts);
  for (const std::string& warning : verdicts.warnings) said += "\nwarning: " + warning;
  if (!verdicts.complete) said += "\nincomplete: it ended before every case was decided";
  suite.children.push_back(junit_text(said));
  return {.text = xml_document({.name = "testsuites", .children = {std::move(suite)}})};
}

const FormatRegistration junit_format({.option = "--junit",
                                       .meaning = "JUnit XML, which CI services read",
                                       .measured = from_results_alone<results_junit>,
                                       .verdicts = verdicts_junit});

}  // namespace
}  // namespace breakeven
