#include "reports/verdicts_junit.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/text.h"
#include "reports/tool_report.h"
#include "reports/verdict_findings.h"
#include "reports/xml.h"

namespace breakeven {
namespace {

/// The element that says so; empty for what has passed.
std::string_view outcome(FindingKind kind) {
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

/// Without an exponent, which not all readers know.
std::string plain_seconds(double value) {
  return fmt::format("{:.9f}", value);
}

XmlElement test_case(const CaseVerdict& c, UniqueNames& names) {
  XmlElement element{
      .name = "testcase",
      .attributes = {{"name", names.take(printable(fmt::format("{}/{}", c.id, c.backend))).text},
                     {"classname", c.op}},
      .children = {},
      .text = {}};
  if (c.head_seconds && std::isfinite(*c.head_seconds))
    element.attributes.emplace_back("time", plain_seconds(*c.head_seconds));
  const FindingKind kind = finding_kind(c);
  std::vector<std::string> parts;
  for (std::string part : {describe_change(c), describe_times(c), describe_details(c)}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  const std::string text = fmt::format("{}", fmt::join(parts, "; "));
  if (const std::string_view said = outcome(kind); !said.empty()) {
    element.children.push_back({.name = std::string(said),
                                .attributes = {{"type", std::string(name(kind))},
                                               {"message", fmt::format("{}: {}", name(kind), text)}},
                                .children = {},
                                .text = {}});
  } else {
    element.children.push_back({.name = "system-out",
                                .attributes = {},
                                .children = {},
                                .text = fmt::format("{}: {}", name(kind), text)});
  }
  return element;
}

}  // namespace

std::string verdicts_junit(const Verdicts& verdicts) {
  std::map<std::string_view, std::size_t> counts;
  for (const CaseVerdict& c : verdicts.cases) ++counts[outcome(finding_kind(c))];
  const auto count = [&](std::string_view said) { return fmt::format("{}", counts[said]); };
  const std::string all = fmt::format("{}", verdicts.cases.size());
  XmlElement suite{.name = "testsuite",
                   .attributes = {{"name", "breakeven " + verdicts.kind},
                                  {"tests", all},
                                  {"failures", count("failure")},
                                  {"errors", count("error")},
                                  {"skipped", count("skipped")},
                                  {"time", plain_seconds(verdicts.wall_seconds)},
                                  {"timestamp", verdicts.created},
                                  {"hostname", verdicts.host.name}},
                   .children = {},
                   .text = {}};
  suite.children.reserve(verdicts.cases.size() + 1);
  UniqueNames names;
  for (const CaseVerdict& c : verdicts.cases) suite.children.push_back(test_case(c, names));
  std::string said = headline(verdicts);
  for (const std::string& warning : verdicts.warnings) said += "\nwarning: " + warning;
  if (!verdicts.complete) said += "\nincomplete: it ended before every case was decided";
  suite.children.push_back({.name = "system-out", .attributes = {}, .children = {}, .text = said});
  XmlElement suites{.name = "testsuites", .attributes = {}, .children = {}, .text = {}};
  suites.children.push_back(std::move(suite));
  return xml_document(suites);
}

}  // namespace breakeven
