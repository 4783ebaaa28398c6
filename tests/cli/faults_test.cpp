// Tests that a faulty backend costs one case: every fault of the simulated backend, at every request.
#include <algorithm>

#include "cli/driver.h"
#include "unit/idx_files.h"

namespace breakeven::cli_tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

/// The expected effect of a fault.
struct Expected {
  std::string fault, status, reason;
  int exit_status = 4;
  bool restarted = true;  // the worker cannot be used any more
};

/// Faults that can occur at any request.
std::vector<Expected> general_faults() {
  return {{"exit", "failed", "ended with exit status 7"},
          {"signal", "failed", "was killed by signal 9"},
          {"signal,number=11", "failed", "was killed by signal 11"},
          {"rubbish", "failed", "broke the protocol: not a JSON object"},
          {"print", "failed", "sent a line that nobody asked for: \"Some Library 1.0 greets you\""},
          {"twice", "failed", "broke the protocol: sent a line that nobody asked for: \"{\"ok\":true"},
          {"long_line", "failed", "broke the protocol: sent a line of more than"},
          {"many_keys", "failed", "broke the protocol: more than 4096 keys in \"{\"ok\":true,\"0\":0"},
          {"deep", "failed", "broke the protocol: more than 32 levels of lists and objects"},
          {"nul", "failed", "broke the protocol: not a JSON object"},
          {"half_line", "failed", "ended with exit status 0"},
          {"close", "failed", "closed its output without ending"},
          {"hang", "timed_out", "no answer within 3 s"},
          {"refuse", "failed", "it was told to refuse", 4, false},
          {"refuse,status=out_of_memory", "out_of_memory", "it was told to refuse", 4, false},
          {"refuse,status=unsupported", "unsupported", "it was told to refuse", 0, false},
          {"refuse,status=nonsense", "failed", "'status' of a refusal is 'nonsense'"}};
}

std::vector<Expected> faults_at(const std::string& request) {
  auto faults = general_faults();
  if (request == "verify") {
    faults.push_back({"wrong", "wrong", "element 0 is", 1, false});
    faults.push_back({"nan", "wrong", "element 0 is nan", 1, false});
    faults.push_back({"fewer_elements", "wrong", "values were shown where", 1, false});
  }
  if (request == "sample") {
    faults.push_back({"null_seconds", "failed", "'seconds' is of the wrong type"});
    faults.push_back({"negative_seconds", "failed", "'seconds' is -1 and must be from 1e-10"});
    faults.push_back({"zero_seconds", "failed", "'seconds' is 0 and must be from 1e-10"});
    faults.push_back({"infinite_seconds", "failed", "broke the protocol"});
    faults.push_back({"negative_cpu_seconds", "failed", "'cpu_seconds' is -1 and must not be below 0"});
    faults.push_back({"no_newline", "timed_out", "no answer within 3 s"});
    faults.push_back({"wrong_iterations", "failed", "iterations where"});
  }
  if (request == "epoch") {
    faults.push_back({"null_seconds", "failed", "'seconds' is of the wrong type"});
    faults.push_back({"negative_seconds", "failed", "'seconds' is -1 and must be from 1e-10"});
    faults.push_back({"accuracy_of_2", "failed", "'accuracy' is 2 and must be from 0 to 1"});
  }
  return faults;
}

struct At {
  std::string request, nth;  // nth: settings that select one of several such requests
  Expected expected;
  friend void PrintTo(const At& at, std::ostream* out) {
    *out << at.request << at.nth << ' ' << at.expected.fault;
  }
};

std::vector<At> faults_while_measuring() {
  std::vector<At> all;
  for (const auto& fault : faults_at("prepare")) all.push_back({"prepare", "", fault});
  for (const auto& fault : faults_at("verify")) all.push_back({"verify", "", fault});
  for (const auto& fault : faults_at("sample")) {
    all.push_back({"sample", ",nth=1", fault});  // the first call, which does not count
    all.push_back({"sample", ",nth=6", fault});
  }
  return all;
}

std::string name_of_fault(const testing::TestParamInfo<At>& at) {
  return test_name(at.param.request + at.param.nth + "_" + at.param.expected.fault);
}

class FaultWhileMeasuring : public DriverTest, public testing::WithParamInterface<At> {};

TEST_P(FaultWhileMeasuring, CostsOneCase) {
  const auto& [request, nth, expected] = GetParam();
  const auto path =
      products({8, 16, 24}, {"a", "b"}, {{"timeout_seconds", expected.status == "timed_out" ? 3 : 20}});
  const Outcome outcome =
      breakeven({"run", path, "--out", file("out.json")},
                fmt::format("backend=a,case=m=16/,at={}{},fault={}", request, nth, expected.fault));
  EXPECT_EQ(outcome.status, expected.exit_status) << outcome.err;
  const Json result = parse_file(file("out.json"));
  EXPECT_EQ(result.at("complete"), true);
  ASSERT_EQ(result.at("cases").size(), 6U);
  EXPECT_THAT(not_ok(result), ElementsAre(HasSubstr(product_id(16) + " a " + expected.status + ": ")));
  const Json lost = find_case(result, product_id(16), "a");
  EXPECT_THAT(lost.at("reason").get<std::string>(), HasSubstr(expected.reason));
  EXPECT_TRUE(lost.at("gflops").is_null());
  for (const auto& c : result.at("cases")) {
    if (c.at("status") == "ok") {
      EXPECT_GE(c.at("seconds").at("samples").size(), 6U) << c;
    }
  }
  // Memory may have been short because the other program held it: all end, and it is measured alone.
  const bool is_alone = expected.status == "out_of_memory";
  EXPECT_EQ(processes("a"), expected.restarted || is_alone ? 2 : 1)
      << "the one that is asked what it is measures";
  EXPECT_EQ(processes("b"), is_alone ? 2 : 1);
  EXPECT_THAT(outcome.out, HasSubstr(expected.reason.substr(0, 20))) << "the reason is shown to people";
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultWhileMeasuring, testing::ValuesIn(faults_while_measuring()),
                         name_of_fault);

/// The process of a later launch fails to answer the first request: its case is lost.
class FaultAtGreeting : public DriverTest, public testing::WithParamInterface<At> {};

TEST_P(FaultAtGreeting, CostsOneCase) {
  const auto& expected = GetParam().expected;
  const auto path = products({8, 16, 24}, {"a", "b"},
                             {{"timeout_seconds", expected.status == "timed_out" ? 3 : 20}, {"launches", 2}});
  const Outcome outcome = breakeven({"run", path, "--out", file("out.json")},
                                    fmt::format("backend=a,at=hello,process=2,fault={}", expected.fault));
  const Json result = parse_file(file("out.json"));
  if (expected.status == "out_of_memory") {  // measured alone, it has enough
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(not_ok(result), IsEmpty());
    return;
  }
  EXPECT_EQ(processes("a"), 3);
  EXPECT_EQ(outcome.status, expected.exit_status) << outcome.err;
  EXPECT_THAT(not_ok(result), ElementsAre(MatchesRegex(fmt::format(".*m=8/.* a {}: .*", expected.status))));
  EXPECT_THAT(find_case(result, product_id(8), "a").at("reason").get<std::string>(),
              HasSubstr(expected.reason));
}

/// The process that describes the backend fails: the backend is not available, and the reason is shown.
TEST_P(FaultAtGreeting, OfTheFirstProcessMakesTheBackendUnavailable) {
  const auto& expected = GetParam().expected;
  if (expected.fault == "hang") GTEST_SKIP() << "a greeting may take minutes";
  const std::string simulated = "backend=a,at=hello,fault=" + expected.fault;
  const auto path = products({8});
  const Outcome outcome = breakeven({"run", path, "--out", file("out.json")}, simulated);
  EXPECT_EQ(outcome.status, 0) << "one config serves every machine";
  const Json result = parse_file(file("out.json"));
  ASSERT_EQ(result.at("backends").size(), 2U);
  EXPECT_EQ(result.at("backends")[0].at("available"), false);
  EXPECT_THAT(result.at("backends")[0].at("reason").get<std::string>(), HasSubstr(expected.reason));
  EXPECT_EQ(result.at("cases").size(), 1U);

  const Outcome named = breakeven({"run", path, "--backends", "a", "--out", file("named.json")}, simulated);
  EXPECT_EQ(named.status, 4);
  EXPECT_THAT(named.err, HasSubstr(expected.reason));
}

std::vector<At> faults_at_greeting() {
  std::vector<At> all;
  for (const auto& fault : general_faults()) all.push_back({"hello", "", fault});
  all.push_back({"hello", "", {"protocol", "failed", "speaks protocol 2, and this driver 1"}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultAtGreeting, testing::ValuesIn(faults_at_greeting()), name_of_fault);

/// At `release` and `quit`, everything has been measured.
class FaultAfterMeasuring : public DriverTest, public testing::WithParamInterface<At> {};

TEST_P(FaultAfterMeasuring, CostsNothing) {
  const auto& [request, nth, expected] = GetParam();
  const auto path =
      products({8, 16}, {"a", "b"}, {{"timeout_seconds", expected.status == "timed_out" ? 3 : 20}});
  with_status(0, breakeven({"run", path, "--out", file("out.json")},
                           fmt::format("backend=a,at={},fault={}", request, expected.fault)));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))), IsEmpty());
}

std::vector<At> faults_after_measuring() {
  std::vector<At> all;
  for (const char* request : {"release", "quit"}) {
    for (const auto& fault : general_faults()) all.push_back({request, "", fault});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultAfterMeasuring, testing::ValuesIn(faults_after_measuring()),
                         name_of_fault);

/// Megabytes on standard error are read and dropped, at any request.
class Chatter : public DriverTest, public testing::WithParamInterface<std::string> {};

TEST_P(Chatter, OnStandardErrorCostsNothing) {
  const Outcome outcome = breakeven({"run", products({8}), "--out", file("out.json"), "--quiet"},
                                    fmt::format("backend=a,fault=chatter,nth=1,at={}", GetParam()));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(not_ok(parse_file(file("out.json"))), IsEmpty());
  EXPECT_EQ(outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(Requests, Chatter,
                         testing::Values("hello", "prepare", "verify", "sample", "release", "quit"),
                         [](const auto& request) { return request.param; });

/// Tests of whole trainings.
class EpochTest : public DriverTest {
 protected:
  /// Runs one training of `a` and `b` on a small data set. The epochs of `a` have the fault.
  Outcome train(const std::string& fault, double timeout_seconds) {
    std::filesystem::create_directories(file("data"));
    write_dataset(file("data"), 64, 32);
    const auto path = config({{{"op", "train"},
                               {"network", "mlp"},
                               {"batch", 4},
                               {"epochs", 3},
                               {"data", file("data").string()},
                               {"dtype", "f32"}}},
                             {"a", "b"}, {{"timeout_seconds", timeout_seconds}});
    return breakeven({"run", path, "--out", file("out.json")}, fault);
  }
};

class FaultInEpoch : public EpochTest, public testing::WithParamInterface<At> {};

TEST_P(FaultInEpoch, CostsOneCase) {
  const auto& expected = GetParam().expected;
  const Outcome outcome = train("backend=a,at=epoch,nth=2,fault=" + expected.fault, 20);
  EXPECT_EQ(outcome.status, expected.exit_status) << outcome.err;
  const Json result = parse_file(file("out.json"));
  EXPECT_THAT(not_ok(result), ElementsAre(HasSubstr(" a " + expected.status + ": ")));
  EXPECT_THAT(not_ok(result), ElementsAre(HasSubstr(expected.reason)));
  EXPECT_EQ(result.at("cases")[1].at("training").at("epochs"), 3) << "of b";
}

std::vector<At> faults_in_epochs() {
  std::vector<At> all;
  for (const auto& fault : faults_at("epoch")) {
    if (fault.fault != "hang") all.push_back({"epoch", "", fault});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultInEpoch, testing::ValuesIn(faults_in_epochs()), name_of_fault);

/// An epoch may take sixty times as long as any other request.
using SlowFaultInEpoch = EpochTest;

TEST_F(SlowFaultInEpoch, HangingCostsOneCase) {
  with_status(4, train("backend=a,at=epoch,nth=2,fault=hang", 1));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))),
              ElementsAre(HasSubstr(" a timed_out: no answer within 60 s")));
}

/// Later launches are fresh processes. If one is lost, the samples of the first are kept.
using LaterLaunch = DriverTest;

TEST_F(LaterLaunch, LostCostsOneCase) {
  const auto path = products({8, 16}, {"a", "b"}, {{"launches", 3}});
  with_status(4, breakeven({"run", path, "--out", file("out.json")},
                           "backend=a,case=m=16/,process=3,at=sample,fault=exit"));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))), ElementsAre(HasSubstr(product_id(16) + " a failed")));
  const Json kept = find_case(parse_file(file("out.json")), product_id(8), "a");
  EXPECT_EQ(kept.at("seconds").at("launches").size(), 3U);
}

using QuietRun = DriverTest;

TEST_F(QuietRun, SaysWhyNoneIsGood) {
  const std::vector<std::string> quiet{"run", products({8, 16}, {"a"}), "--out", file("out.json"), "--quiet"};
  EXPECT_EQ(with_status(4, breakeven(quiet, "fault=refuse,at=prepare,status=failed")).err,
            fmt::format("breakeven: none of 2 results is good; {} on a: failed: it was told to refuse\n",
                        product_id(8)));
  EXPECT_EQ(with_status(4, breakeven(quiet, "fault=refuse,at=prepare,status=failed,case=m=8")).err, "");
  EXPECT_THAT(with_status(1, breakeven(quiet, "fault=wrong,at=verify")).err,
              HasSubstr("none of 2 results is good; matmul/m=8/n=8/k=8/f32 on a: wrong: "));
}

}  // namespace
}  // namespace breakeven::cli_tests
