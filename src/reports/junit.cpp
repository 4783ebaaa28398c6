#include "reports/junit.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "reports/comparison.h"
#include "reports/text.h"
#include "reports/units.h"
#include "reports/verdicts_junit.h"
#include "reports/xml.h"

namespace breakeven {
namespace {

/// What JUnit calls a status; empty where the test passed.
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

struct JunitCounts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(std::string_view outcome, const std::optional<double>& time) {
    ++tests;
    if (outcome == "failure") ++failures;
    if (outcome == "error") ++errors;
    if (outcome == "skipped") ++skipped;
    seconds += time.value_or(0);
  }
  void add(const JunitCounts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }
};

/// Without an exponent, which neither xs:decimal nor Jenkins' SUREFIRE_TIME has.
std::string junit_time(double seconds) {
  return fmt::format("{:.6f}", seconds);
}

/// What was spent inside the samples, as far as the file tells; nothing where no sample was taken.
std::optional<double> sampled_seconds(const CaseResult& result) {
  if (!result.seconds || result.seconds->samples.empty()) return std::nullopt;
  double sum = 0;
  for (const double sample : result.seconds->samples)
    sum += sample * static_cast<double>(result.seconds->iterations);
  // More than a day for one case is no measurement, and would be hundreds of digits.
  return std::isfinite(sum) && sum >= 0 && sum < 86400 ? std::optional(sum) : std::nullopt;
}

/// One line of what was measured.
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

XmlElement junit_problem(std::string_view outcome, std::string_view type, const std::string& message) {
  return {.name = std::string(outcome),
          .attributes = {{"type", std::string(type)}, {"message", message}},
          .text = message};
}

XmlElement junit_case(const NamedCase& named, const std::string& classname) {
  const CaseResult& result = *named.result;
  XmlElement element{.name = "testcase", .attributes = {{"name", named.name}, {"classname", classname}}};
  if (const auto time = sampled_seconds(result)) element.attributes.emplace_back("time", junit_time(*time));
  if (const auto outcome = junit_outcome(result.status); !outcome.empty())
    element.children.push_back(junit_problem(outcome, name(result.status), explain(result)));
  std::string said = result.status == Status::ok ? junit_measured(result) : "";
  for (const std::string& warning : result.warnings)
    said += (said.empty() ? "warning: " : "\nwarning: ") + printable(warning);
  if (!said.empty()) element.children.push_back({.name = "system-out", .text = said});
  return element;
}

std::vector<std::pair<std::string, std::string>> junit_suite_attributes(const std::string& name,
                                                                        const JunitCounts& counts,
                                                                        const Result& run) {
  return {{"name", name},
          {"tests", fmt::format("{}", counts.tests)},
          {"failures", fmt::format("{}", counts.failures)},
          {"errors", fmt::format("{}", counts.errors)},
          {"skipped", fmt::format("{}", counts.skipped)},
          {"time", junit_time(counts.seconds)},
          {"timestamp", run.created},
          {"hostname", machine_name(run)}};
}

struct JunitSuite {
  std::string name;  // unique
  const Result* run = nullptr;
  const BackendRecord* backend = nullptr;
  JunitCounts counts = {};
  std::vector<XmlElement> cases = {};
};

XmlElement junit_suite(JunitSuite suite) {
  XmlElement element{.name = "testsuite",
                     .attributes = junit_suite_attributes(suite.name, suite.counts, *suite.run)};
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
  for (XmlElement& test : suite.cases) element.children.push_back(std::move(test));
  return element;
}

/// Cases that were not measured are not in the file: without this a run that was killed would look good.
JunitSuite junit_incomplete(const Result& run, const std::string& name) {
  JunitSuite suite{.name = name, .run = &run};
  XmlElement test{.name = "testcase", .attributes = {{"name", name}, {"classname", "breakeven"}}};
  test.children.push_back(junit_problem(
      "error", "interrupted",
      "the run did not come to its end: cases may be missing; go on with `breakeven run --resume`"));
  suite.counts.add("error", std::nullopt);
  suite.cases.push_back(std::move(test));
  return suite;
}

std::vector<JunitSuite> junit_suites(std::span<const Result> results) {
  std::vector<JunitSuite> suites;
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
    JunitSuite& suite = suites[found->second];
    suite.counts.add(junit_outcome(named.result->status), sampled_seconds(*named.result));
    suite.cases.push_back(junit_case(named, suite.name));
  }
  for (const Result& each : results) {
    if (!each.complete) suites.push_back(junit_incomplete(each, names.take("the run came to its end").text));
  }
  return suites;
}

}  // namespace

FormattedReport junit_report(std::span<const Result> results) {
  XmlElement root{.name = "testsuites"};
  JunitCounts counts;
  for (JunitSuite& suite : junit_suites(results)) {
    counts.add(suite.counts);
    root.children.push_back(junit_suite(std::move(suite)));
  }
  root.attributes = {{"name", "breakeven"},
                     {"tests", fmt::format("{}", counts.tests)},
                     {"failures", fmt::format("{}", counts.failures)},
                     {"errors", fmt::format("{}", counts.errors)},
                     {"time", junit_time(counts.seconds)}};
  return {.text = xml_document(root)};
}

namespace {

const FormatRegistration junit_format({.option = "--junit",
                                       .meaning = "JUnit XML, as CI services read it,",
                                       .measured = results_alone<junit_report>,
                                       .verdicts = [](const Verdicts& verdicts) -> FormattedReport {
                                         return {.text = verdicts_junit(verdicts)};
                                       }});

}  // namespace
}  // namespace breakeven
