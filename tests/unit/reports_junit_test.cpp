#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <set>
#include <sstream>

#include "reports/junit.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;
using Tree = boost::property_tree::ptree;

Tree junit_suites(std::span<const Result> results) {
  std::istringstream in(junit_report(results).text);
  Tree tree;
  boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  return tree.get_child("testsuites");
}

std::string junit_attribute(const Tree& element, const std::string& name) {
  return element.get<std::string>("<xmlattr>." + name, "");
}

std::vector<Tree> junit_children(const Tree& parent, const std::string& name) {
  std::vector<Tree> all;
  for (const auto& [key, child] : parent) {
    if (key == name) all.push_back(child);
  }
  return all;
}

TEST(JunitReport, HasASuiteForEachBackend) {
  CaseResult r = sample::product("a", 64, 0.5);
  r.seconds->samples = {0.5, 0.25};
  r.seconds->iterations = 2;
  r.warnings = {"it was warm"};
  Result run = sample::result({r, sample::product("b", 64, 1), sample::product("a", 128, 1)});
  run.backends = {sample::backend("a", true)};
  const Tree root = junit_suites(std::array{run});
  const auto all = junit_children(root, "testsuite");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(junit_attribute(all[0], "name"), "breakeven.a");
  EXPECT_EQ(junit_attribute(all[0], "tests"), "2");
  EXPECT_EQ(junit_attribute(all[0], "hostname"), "host");
  EXPECT_EQ(junit_attribute(root, "tests"), "3");
  const auto cases = junit_children(all[0], "testcase");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(junit_attribute(cases[0], "name"), "matmul/m=64/f32/a");
  EXPECT_EQ(junit_attribute(cases[0], "classname"), "breakeven.a");
  EXPECT_EQ(junit_attribute(cases[0], "time"), "1.500000");
  EXPECT_EQ(junit_attribute(cases[1], "time"), "") << "there were no samples";
  EXPECT_THAT(cases[0].get<std::string>("system-out"), HasSubstr("500 ms"));
  EXPECT_THAT(cases[0].get<std::string>("system-out"), HasSubstr("warning: it was warm"));
}

TEST(JunitReport, EveryStatusHasItsOutcome) {
  const std::vector<std::pair<Status, std::string>> outcomes{
      {Status::wrong, "failure"},       {Status::implausible, "failure"}, {Status::unsupported, "skipped"},
      {Status::out_of_memory, "error"}, {Status::failed, "error"},        {Status::timed_out, "error"},
      {Status::interrupted, "error"}};
  std::vector<CaseResult> cases{sample::product("a", 64, 1)};
  for (const auto& [status, outcome] : outcomes) {
    cases.push_back(sample::refused(sample::product("a", 64, 1), status, "because"));
    cases.back().id = name(status);
  }
  const Tree root = junit_suites(std::array{sample::result(cases)});
  const auto all = junit_children(junit_children(root, "testsuite").at(0), "testcase");
  ASSERT_EQ(all.size(), outcomes.size() + 1);
  for (const char* outcome : {"failure", "error", "skipped"}) EXPECT_EQ(all[0].count(outcome), 0U);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ASSERT_EQ(all[i + 1].count(outcomes[i].second), 1U) << name(outcomes[i].first);
    EXPECT_EQ(junit_attribute(all[i + 1].get_child(outcomes[i].second), "type"), name(outcomes[i].first));
    EXPECT_EQ(junit_attribute(all[i + 1].get_child(outcomes[i].second), "message"), "because");
  }
  EXPECT_EQ(junit_attribute(root, "failures"), "2");
  EXPECT_EQ(junit_attribute(root, "errors"), "4");
  EXPECT_EQ(junit_attribute(junit_children(root, "testsuite").at(0), "skipped"), "1");
}

TEST(JunitReport, ARunThatWasKilledDoesNotLookGood) {
  Result run = sample::result({sample::product("a", 64, 1)});
  run.complete = false;
  const Tree root = junit_suites(std::array{run});
  EXPECT_EQ(junit_attribute(root, "errors"), "1");
  EXPECT_EQ(junit_children(root, "testsuite").size(), 2U);
}

TEST(JunitReport, HostileFilesMakeNoOtherForm) {
  const Result run = sample::hostile();
  const Tree root = junit_suites(std::array{run, run});
  std::set<std::string> names;
  std::set<std::string> suite_names;
  for (const Tree& suite : junit_children(root, "testsuite")) {
    EXPECT_TRUE(suite_names.insert(junit_attribute(suite, "name")).second);
    for (const Tree& test : junit_children(suite, "testcase"))
      EXPECT_TRUE(names.insert(junit_attribute(test, "name")).second) << junit_attribute(test, "name");
  }
  EXPECT_EQ(names.size(), 2 * run.cases.size() + 2) << "and one for each run that did not end";
}

}  // namespace
}  // namespace breakeven
