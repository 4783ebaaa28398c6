// --junit: JUnit XML for CI systems (GitLab, Jenkins, Azure Pipelines, GitHub actions), according to Jenkins'
// junit-10.xsd: https://github.com/jenkinsci/xunit-plugin
//
// For results: a test suite for each backend of each file, and a test case for each of its cases, whose
// `time` is the time spent inside samples. A run that did not finish has an additional error, because
// otherwise a run that was killed would look successful. For verdicts: a test case for each case and backend,
// whose time is the head's median. For a history: a test case for each series, whose time is the newest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "reports/document/builders.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/verdict_findings.h"
#include "reports/exports/history_findings.h"
#include "reports/exports/named_cases.h"
#include "reports/metrics.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "results/counted_samples.h"

namespace breakeven {
namespace {

/// JUnit's name for a status; empty if the test passed.
std::string_view junit_outcome(Status status) {
  using enum Status;
  if (status == ok) return "";
  if (status == wrong || status == implausible) return "failure";
  return status == unsupported ? "skipped" : "error";
}

std::string_view junit_outcome(FindingKind kind) {
  using enum FindingKind;
  if (kind == wrong || kind == slower) return "failure";
  if (kind == inconclusive || kind == unsupported) return "skipped";
  const bool is_good = kind == not_slower || kind == faster || kind == added || kind == same;
  return is_good ? "" : "error";
}

using Attributes = std::vector<std::pair<const char*, std::string>>;

struct JunitTest {
  std::string name, classname;
  std::optional<double> seconds = {};
  std::string_view outcome = {};  // empty if it passed
  std::string_view type = {};     // of the problem; empty if it passed
  std::string message = {};       // empty if it passed
  std::string output = {};        // lines
};

struct JunitSuite {
  std::string name, created, machine;
  int digits = 6;               // of times
  bool message_as_text = true;  // as well, because readers show either the message or the text
  double seconds = 0;
  Attributes properties = {};  // without a value: left out
  std::vector<JunitTest> tests = {};
  std::string output = {};
};

// ---- as XML

std::string lines_of_xml(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(xml_text(line));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

/// Adds an element, whose text or elements `add_content` adds. A result file's tests are many: as a tree of
/// elements they take ten times the memory of their text.
template <typename AddContent>
void add_element(std::string& out, std::size_t depth, std::string_view name, const Attributes& attributes,
                 const AddContent& add_content) {
  const std::string line_start = '\n' + std::string(depth, ' ');
  out += fmt::format("{}<{}", line_start, name);
  for (const auto& [attribute, value] : attributes)
    out += fmt::format(" {}=\"{}\"", attribute, xml_text(value));
  out += '>';
  const std::size_t start = out.size();
  add_content();
  if (out.size() == start) {
    out.insert(start - 1, 1, '/');
    return;
  }
  const bool has_elements = out.ends_with('>');  // in text, ">" is escaped
  out += fmt::format("{}</{}>", has_elements ? line_start : "", name);
}

void add_element(std::string& out, std::size_t depth, std::string_view name, const Attributes& attributes,
                 const std::string& text = {}) {
  add_element(out, depth, name, attributes, [&] { out += lines_of_xml(text); });
}

/// Formats a time without an exponent, which neither xs:decimal nor Jenkins' SUREFIRE_TIME allows.
std::string time_text(double seconds, int digits) {
  return fmt::format("{:.{}f}", seconds, digits);
}

std::string number_of_tests(std::span<const JunitSuite> suites, std::string_view outcome) {
  std::ptrdiff_t count = 0;
  for (const JunitSuite& suite : suites)
    count += std::ranges::count(suite.tests, outcome, &JunitTest::outcome);
  return fmt::format("{}", count);
}

void add_test(std::string& out, const JunitSuite& suite, const JunitTest& test) {
  Attributes attributes{{"name", test.name}, {"classname", test.classname}};
  if (test.seconds) attributes.emplace_back("time", time_text(*test.seconds, suite.digits));
  add_element(out, 2, "testcase", attributes, [&] {
    if (!test.outcome.empty())
      add_element(out, 3, test.outcome, {{"type", std::string(test.type)}, {"message", test.message}},
                  suite.message_as_text ? test.message : "");
    if (!test.output.empty()) add_element(out, 3, "system-out", {}, test.output);
  });
}

void add_suite(std::string& out, const JunitSuite& suite) {
  const Attributes attributes{{"name", suite.name},
                              {"tests", fmt::format("{}", suite.tests.size())},
                              {"failures", number_of_tests({&suite, 1}, "failure")},
                              {"errors", number_of_tests({&suite, 1}, "error")},
                              {"skipped", number_of_tests({&suite, 1}, "skipped")},
                              {"time", time_text(suite.seconds, suite.digits)},
                              {"timestamp", suite.created},
                              {"hostname", suite.machine}};
  const auto has_value = [](const auto& property) { return !property.second.empty(); };
  add_element(out, 1, "testsuite", attributes, [&] {
    if (std::ranges::any_of(suite.properties, has_value))
      add_element(out, 2, "properties", {}, [&] {
        for (const auto& [name, value] : suite.properties)
          if (!value.empty()) add_element(out, 3, "property", {{"name", name}, {"value", value}});
      });
    for (const JunitTest& test : suite.tests) add_test(out, suite, test);
    if (!suite.output.empty()) add_element(out, 2, "system-out", {}, suite.output);
  });
}

FormattedReport junit_report(const std::vector<JunitSuite>& suites, const Attributes& attributes) {
  std::string out = R"(<?xml version="1.0" encoding="utf-8"?>)";
  add_element(out, 0, "testsuites", attributes, [&] {
    for (const JunitSuite& suite : suites) add_suite(out, suite);
  });
  return {.text = std::move(out) + '\n'};
}

// ---- results

/// The seconds spent inside the samples, from the data in the file; empty if no sample was taken.
std::optional<double> sampled_seconds(const CaseResult& result) {
  if (!result.seconds) return std::nullopt;
  const SampleFigures figures = sample_figures(*result.seconds);
  const double sum = figures.seconds;
  // A sum of more than a day for one case is not a measurement, and might have hundreds of digits.
  return figures.count > 0 && sum >= 0 && sum < 86400 ? std::optional(sum) : std::nullopt;
}

/// The measurements in one line, and one line for each warning.
std::string measured_text(const CaseResult& result) {
  std::vector<std::string> parts, lines;
  if (const auto timed = speed(result)) {
    parts.push_back(format_seconds(timed->seconds));
    if (timed->low && timed->high)
      parts.push_back(
          fmt::format("95 % interval {} to {}", format_seconds(*timed->low), format_seconds(*timed->high)));
  }
  const bool is_ok = result.status == Status::ok;
  if (const auto gflops = result.gflops(); gflops && is_ok)
    parts.push_back(fmt::format("{} GFLOP/s", format_number(*gflops)));
  if (result.fit && is_ok) parts.push_back(describe_fit(*result.fit));
  if (!parts.empty()) lines.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  for (const Note& warning : result.warnings) lines.push_back("warning: " + printable(note_text(warning)));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

JunitTest test_of(const CaseResult& result, const std::string& name, const std::string& classname) {
  const std::string_view outcome = junit_outcome(result.status);
  return {.name = name,
          .classname = classname,
          .seconds = sampled_seconds(result),
          .outcome = outcome,
          .type = breakeven::name(result.status),
          .message = outcome.empty() ? "" : explain(result),
          .output = measured_text(result)};
}

JunitSuite suite_of(const Result& run, const std::string& name) {
  return {.name = name,
          .created = run.created,
          .machine = machine_name(run),
          .properties = {{"machine", describe_host(run.host)},
                         {"os", printable(run.host.os)},
                         {"breakeven", printable(run.tool_version)}}};
}

FormattedReport results_junit(std::span<const Result> results) {
  std::vector<JunitSuite> suites;
  UniqueNames names;
  std::map<std::pair<const Result*, std::string>, std::size_t> index;  // by run and backend
  for (const NamedCase& named : named_cases(results)) {
    const CaseResult& result = *named.result;
    const auto [at, is_new] = index.try_emplace({named.run, result.backend}, suites.size());
    if (is_new) {
      suites.push_back(suite_of(*named.run, names.take("breakeven." + printable(result.backend)).text));
      if (const BackendRecord* backend = find_backend(named.run->backends, result.backend))
        suites.back().properties.emplace_back("backend", describe_backend(*backend));
    }
    JunitSuite& suite = suites[at->second];
    suite.tests.push_back(test_of(result, named.name, suite.name));
    suite.seconds += suite.tests.back().seconds.value_or(0);
  }
  for (const Result& run : results) {
    if (run.complete) continue;
    JunitSuite& suite = suites.emplace_back(suite_of(run, names.take("the run came to its end").text));
    suite.tests.push_back({.name = suite.name,
                           .classname = "breakeven",
                           .outcome = "error",
                           .type = "interrupted",
                           .message =
                               "the run did not come to its end: cases may be missing; continue it with "
                               "`breakeven run --resume`"});
  }
  std::size_t tests = 0;
  double seconds = 0;
  for (const JunitSuite& suite : suites) {
    tests += suite.tests.size();
    seconds += suite.seconds;
  }
  return junit_report(suites, {{"name", "breakeven"},
                               {"tests", fmt::format("{}", tests)},
                               {"failures", number_of_tests(suites, "failure")},
                               {"errors", number_of_tests(suites, "error")},
                               {"time", time_text(seconds, 6)}});
}

// ---- verdicts

FormattedReport verdicts_junit(const Verdicts& verdicts) {
  JunitSuite suite{.name = "breakeven " + verdicts.kind,
                   .created = verdicts.created,
                   .machine = verdicts.host.name,
                   .digits = 9,
                   .message_as_text = false,
                   .seconds = verdicts.wall_seconds,
                   .output = headline(verdicts)};
  UniqueNames names;
  for (const CaseVerdict& c : verdicts.cases) {
    const FindingKind kind = finding_kind(c);
    const std::string text = fmt::format(
        "{}: {}", name(kind),
        joined_known({describe_change(c), describe_times(c), describe_details(c), describe_notes(c)}, "; "));
    const std::string_view outcome = junit_outcome(kind);
    const bool has_time = c.head_seconds && std::isfinite(*c.head_seconds);
    suite.tests.push_back({.name = names.take(printable(fmt::format("{}/{}", c.id, c.backend))).text,
                           .classname = c.op,
                           .seconds = has_time ? c.head_seconds : std::nullopt,
                           .outcome = outcome,
                           .type = name(kind),
                           .message = outcome.empty() ? "" : text,
                           .output = outcome.empty() ? text : ""});
  }
  for (const Note& warning : verdicts.warnings) suite.output += "\nwarning: " + note_text(warning);
  if (!verdicts.complete) suite.output += "\nincomplete: it ended before every case was decided";
  return junit_report({suite}, {});
}

// ---- a history

FormattedReport history_junit(const CheckedHistory& checked) {
  const History& history = *checked.check.history;
  JunitSuite suite{.name = "breakeven history",
                   .created = history.runs.empty() ? "" : history.runs.back().time,
                   .machine = history.machines.size() == 1 ? history.machines.front().name : "",
                   .digits = 9,
                   .message_as_text = false,
                   .output = document_of(checked).title};
  std::map<const Series*, const HistoryFinding*> worst;
  const std::vector<HistoryFinding> findings = history_findings(checked.check);
  for (const HistoryFinding& finding : findings) worst.try_emplace(finding.series, &finding);
  UniqueNames names;
  suite.tests.reserve(history.series.size());
  for (const Series& series : history.series) {
    JunitTest& test = suite.tests.emplace_back(
        JunitTest{.name = names.take(printable(fmt::format("{}/{}", series.case_id, series.backend))).text,
                  .classname = series.case_id.substr(0, series.case_id.find('/'))});
    if (!series.measurements.empty() && series.measurements.back().status == Status::ok)
      test.seconds = series.measurements.back().seconds;
    const auto found = worst.find(&series);
    if (found == worst.end()) continue;
    const HistoryFinding& finding = *found->second;
    if (finding.fails) {
      test.outcome = finding.is_error ? "error" : "failure";
      test.type = finding.kind;
      test.message = fmt::format("{}: {}", finding.kind, finding.text);
    } else {
      test.output = fmt::format("{}: {}", finding.kind, finding.text);
    }
  }
  return junit_report({suite}, {});
}

const FormatRegistration junit_format({.option = "--junit",
                                       .meaning = "JUnit XML, which CI services read",
                                       .writes = {from_results_alone<results_junit>, verdicts_junit,
                                                  history_junit}});

}  // namespace
}  // namespace breakeven
