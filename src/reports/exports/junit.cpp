// --junit: JUnit XML for CI systems (GitLab, Jenkins, Azure Pipelines, actions of GitHub), as Jenkins'
// junit-10.xsd has it: https://github.com/jenkinsci/xunit-plugin
//
// For results: a test suite for each backend of each file, a test case for each of its cases; `time` is the
// time spent inside samples. A run that did not finish has an additional error, since a run that was killed
// would otherwise look good. For verdicts: a test case for each case and backend, whose time is the head's
// median.
#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "reports/document/descriptions.h"
#include "reports/document/numbers.h"
#include "reports/document/verdict_findings.h"
#include "reports/exports/format.h"
#include "reports/exports/named_cases.h"
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
      break;
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

/// A test case. Times have no exponent, which neither xs:decimal nor Jenkins' SUREFIRE_TIME allows.
struct JunitTest {
  std::string name, classname;
  std::string time = {};             // empty: not known
  std::string_view outcome = {};     // empty: it passed
  std::string_view type = {};        // of the problem, if it did not
  std::string message = {};          // likewise
  std::string message_as_text = {};  // some readers show the message, others the text
  std::string output = {};           // lines
};

struct JunitSuite {
  std::string name, time, created, machine;
  std::vector<std::pair<const char*, std::string>> properties = {};  // those without a value are left out
  std::vector<JunitTest> tests = {};
  std::string output = {};

  std::size_t count(std::string_view outcome) const {
    return static_cast<std::size_t>(std::count_if(
        tests.begin(), tests.end(), [&](const JunitTest& test) { return test.outcome == outcome; }));
  }
};

// ---- as XML

using Tree = boost::property_tree::ptree;
using Attributes = std::vector<std::pair<const char*, std::string>>;

/// What is put into it may be any bytes: what comes out is well formed.
Tree element(const Attributes& attributes, const std::string& text = {}) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(xml_text(line));
  Tree made(fmt::format("{}", fmt::join(lines, "\n")));
  Tree values;
  for (const auto& [name, value] : attributes) values.push_back({name, Tree(xml_text(value))});
  if (!values.empty()) made.push_back({"<xmlattr>", std::move(values)});
  return made;
}

Tree test_element(const JunitTest& test) {
  Attributes attributes{{"name", test.name}, {"classname", test.classname}};
  if (!test.time.empty()) attributes.emplace_back("time", test.time);
  Tree made = element(attributes);
  if (!test.outcome.empty())
    made.push_back(
        {std::string(test.outcome),
         element({{"type", std::string(test.type)}, {"message", test.message}}, test.message_as_text)});
  if (!test.output.empty()) made.push_back({"system-out", element({}, test.output)});
  return made;
}

Tree suite_element(const JunitSuite& suite) {
  const auto count = [&](std::string_view outcome) { return fmt::format("{}", suite.count(outcome)); };
  Tree made = element({{"name", suite.name},
                       {"tests", fmt::format("{}", suite.tests.size())},
                       {"failures", count("failure")},
                       {"errors", count("error")},
                       {"skipped", count("skipped")},
                       {"time", suite.time},
                       {"timestamp", suite.created},
                       {"hostname", suite.machine}});
  Tree properties;
  for (const auto& [name, value] : suite.properties) {
    if (!value.empty()) properties.push_back({"property", element({{"name", name}, {"value", value}})});
  }
  if (!properties.empty()) made.push_back({"properties", std::move(properties)});
  for (const JunitTest& test : suite.tests) made.push_back({"testcase", test_element(test)});
  if (!suite.output.empty()) made.push_back({"system-out", element({}, suite.output)});
  return made;
}

FormattedReport junit_report(const std::vector<JunitSuite>& suites, const Attributes& attributes) {
  Tree root = element(attributes);
  for (const JunitSuite& suite : suites) root.push_back({"testsuite", suite_element(suite)});
  std::ostringstream out;
  Tree document;
  document.push_back({"testsuites", std::move(root)});
  boost::property_tree::write_xml(out, document,
                                  boost::property_tree::xml_writer_make_settings<std::string>(' ', 1));
  return {.text = out.str()};
}

// ---- results

/// The seconds spent inside the samples, as far as the file tells; empty if no sample was taken.
std::optional<double> sampled_seconds(const CaseResult& result) {
  if (!result.seconds || result.seconds->samples.empty()) return std::nullopt;
  double sum = 0;
  for (const double sample : result.seconds->samples)
    sum += sample * static_cast<double>(result.seconds->iterations);
  // A sum of more than a day for one case is not a measurement, and could have hundreds of digits.
  return std::isfinite(sum) && sum >= 0 && sum < 86400 ? std::optional(sum) : std::nullopt;
}

/// The measurements in one line, and each warning in one.
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
  for (const std::string& warning : result.warnings) lines.push_back("warning: " + printable(warning));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string six_digits(double seconds) {
  return fmt::format("{:.6f}", seconds);
}

JunitTest test_of(const CaseResult& result, const std::string& name, const std::string& classname) {
  const auto time = sampled_seconds(result);
  JunitTest test{.name = name,
                 .classname = classname,
                 .time = time ? six_digits(*time) : "",
                 .outcome = junit_outcome(result.status),
                 .type = breakeven::name(result.status),
                 .output = measured_text(result)};
  if (!test.outcome.empty()) test.message = test.message_as_text = explain(result);
  return test;
}

JunitSuite suite_of(const Result& run, const std::string& name) {
  return {.name = name,
          .time = {},
          .created = run.created,
          .machine = machine_name(run),
          .properties = {{"machine", describe_host(run.host)},
                         {"os", printable(run.host.os)},
                         {"breakeven", printable(run.tool_version)}}};
}

FormattedReport results_junit(std::span<const Result> results) {
  std::vector<JunitSuite> suites;
  std::vector<double> seconds;  // of each suite
  UniqueNames names;
  std::map<std::pair<const Result*, std::string>, std::size_t> index;  // by backend of a run
  for (const NamedCase& named : named_cases(results)) {
    const CaseResult& result = *named.result;
    const auto [at, is_new] = index.try_emplace({named.run, result.backend}, suites.size());
    if (is_new) {
      suites.push_back(suite_of(*named.run, names.take("breakeven." + printable(result.backend)).text));
      seconds.push_back(0);
      if (const BackendRecord* backend = backend_of(named))
        suites.back().properties.emplace_back("backend", describe_backend(*backend));
    }
    JunitSuite& suite = suites[at->second];
    suite.tests.push_back(test_of(result, named.name, suite.name));
    seconds[at->second] += sampled_seconds(result).value_or(0);
  }
  for (const Result& run : results) {
    if (run.complete) continue;
    const std::string message =
        "the run did not come to its end: cases may be missing; continue it with `breakeven run --resume`";
    JunitSuite& suite = suites.emplace_back(suite_of(run, names.take("the run came to its end").text));
    seconds.push_back(0);
    suite.tests.push_back({.name = suite.name,
                           .classname = "breakeven",
                           .outcome = "error",
                           .type = "interrupted",
                           .message = message,
                           .message_as_text = message});
  }
  std::size_t tests = 0, failures = 0, errors = 0;
  double sum = 0;
  for (std::size_t i = 0; i < suites.size(); ++i) {
    suites[i].time = six_digits(seconds[i]);
    sum += seconds[i];
    tests += suites[i].tests.size();
    failures += suites[i].count("failure");
    errors += suites[i].count("error");
  }
  return junit_report(suites, {{"name", "breakeven"},
                               {"tests", fmt::format("{}", tests)},
                               {"failures", fmt::format("{}", failures)},
                               {"errors", fmt::format("{}", errors)},
                               {"time", six_digits(sum)}});
}

// ---- verdicts

FormattedReport verdicts_junit(const Verdicts& verdicts) {
  JunitSuite suite{.name = "breakeven " + verdicts.kind,
                   .time = fmt::format("{:.9f}", verdicts.wall_seconds),
                   .created = verdicts.created,
                   .machine = verdicts.host.name,
                   .output = headline(verdicts)};
  UniqueNames names;
  for (const CaseVerdict& c : verdicts.cases) {
    const FindingKind kind = finding_kind(c);
    JunitTest& test = suite.tests.emplace_back();
    test = {.name = names.take(printable(fmt::format("{}/{}", c.id, c.backend))).text,
            .classname = c.op,
            .outcome = junit_outcome(kind),
            .type = name(kind)};
    if (c.head_seconds && std::isfinite(*c.head_seconds)) test.time = fmt::format("{:.9f}", *c.head_seconds);
    (test.outcome.empty() ? test.output : test.message) =
        fmt::format("{}: {}", name(kind),
                    joined_known({describe_change(c), describe_times(c), describe_details(c)}, "; "));
  }
  for (const std::string& warning : verdicts.warnings) suite.output += "\nwarning: " + warning;
  if (!verdicts.complete) suite.output += "\nincomplete: it ended before every case was decided";
  return junit_report({suite}, {});
}

const FormatRegistration junit_format({.option = "--junit",
                                       .meaning = "JUnit XML, which CI services read",
                                       .measured = from_results_alone<results_junit>,
                                       .verdicts = verdicts_junit});

}  // namespace
}  // namespace breakeven
