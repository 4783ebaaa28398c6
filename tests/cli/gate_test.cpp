// Tests the regression gate from outside: two folders of simulated backends whose times are known.
#include <csignal>
#include <fstream>
#include <map>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;

class GateTest : public DriverTest {
 protected:
  GateTest() {
    for (const char* side : {"base", "head"}) {
      std::filesystem::create_directories(file(side));
      for (const char* name : {"a", "b"}) add(side, name);
    }
  }

  void add(const std::string& side, const std::string& name) const {
    std::filesystem::create_symlink(SIMULATED_BACKEND, file(side) / ("breakeven-backend-" + name));
  }

  std::vector<std::string> arguments(const std::filesystem::path& config,
                                     std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"gate",   config.string(),      "--base", file("base").string(),
                                 "--head", file("head").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Runs a gate. The base behaves as `base` says and the head as `head` says, each with its own log.
  Outcome gate(const std::filesystem::path& config, const std::string& base, const std::string& head,
               std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--head-env",
                               fmt::format("BREAKEVEN_SIMULATED=log={}{}{}", file("head.log").string(),
                                           head.empty() ? "" : ",", head),
                               "--out", file("verdicts.json").string()});
    return breakeven(arguments(config, std::move(more)), base);
  }

  Json verdicts() const { return parse_file(file("verdicts.json")); }

  /// The number of cases with each verdict.
  std::map<std::string, int> counts() const {
    std::map<std::string, int> made;
    const Json all = verdicts();
    for (const Json& c : all.at("cases")) ++made[c.at("verdict").get<std::string>()];
    return made;
  }

  const std::string noise_ = "noise=0.02,process_noise=0.005";
};

using Counts = std::map<std::string, int>;

TEST_F(GateTest, FindsNothingWhereNothingChanged) {
  const Outcome outcome = with_status(0, gate(products({8, 16, 32}), noise_, noise_));
  EXPECT_EQ(counts(), (Counts{{"same", 6}}));
  EXPECT_THAT(outcome.out, HasSubstr("PASS: none of 6 cases is slower"));
  EXPECT_EQ(
      verdicts().at("notes"),
      Json::array({"No matrix product here has an odd size or a thin shape; such products can get slower "
                   "alone. The config odd-shapes has them."}));
}

TEST_F(GateTest, FindsWhatGotSlower) {
  with_status(1, gate(products({8, 16, 32}), noise_, noise_ + ",factor=1.06"));
  EXPECT_EQ(counts(), (Counts{{"slower", 6}}));
  const Json all = verdicts();
  for (const Json& c : all.at("cases")) {
    EXPECT_THAT(c.at("ratio").at("low").get<double>(), Le(1.06 * 1.02));
    EXPECT_THAT(c.at("ratio").at("high").get<double>(), Ge(1.06 / 1.02));
  }
}

TEST_F(GateTest, IsGladOfWhatGotFaster) {
  with_status(0, gate(products({8, 16}), noise_, noise_ + ",factor=0.9"));
  EXPECT_EQ(counts(), (Counts{{"faster", 4}}));
}

TEST_F(GateTest, LeavesSmallChangesToTheThreshold) {
  const auto config = products({8, 16});
  EXPECT_EQ(gate(config, noise_, noise_ + ",factor=1.06", {"--threshold", "12%"}).status, 0);
  EXPECT_EQ(counts(), (Counts{{"same", 4}}));
  EXPECT_EQ(gate(config, noise_, noise_ + ",factor=1.06", {"--threshold", "0.02"}).status, 1);
}

TEST_F(GateTest, SaysWhereItCannotTell) {
  with_status(3, gate(products({8}), "process_noise=0.5,seed=1", "process_noise=0.5,seed=2"));
  const Json all = verdicts();
  for (const Json& c : all.at("cases")) {
    EXPECT_EQ(c.at("verdict"), "inconclusive");
    EXPECT_THAT(c.at("reason").get<std::string>(), HasSubstr("launches differ too much after"));
  }
}

/// Every launch is a fresh process on both sides, and a note says which shapes the config does not try.
TEST_F(GateTest, KeepsEveryLaunchInPairs) {
  const Outcome outcome = gate(products({8}), noise_, noise_);
  EXPECT_THAT(outcome.out, HasSubstr("odd-shapes"));
  const Json all = verdicts();
  EXPECT_EQ(all.at("notes").size(), 1U);
  // One more process describes the backend.
  const std::size_t launches_of_a = find_case(all, product_id(8), "a").at("launches").size();
  EXPECT_EQ(processes("a"), static_cast<int>(launches_of_a) + 1);
  ASSERT_THAT(all.at("cases"), SizeIs(2)) << "of two backends";
  for (const Json& c : all.at("cases")) {
    const Json& launches = c.at("launches");
    EXPECT_THAT(launches, SizeIs(Ge(4U)));
    // Simulated times are not probed for a slow machine.
    EXPECT_THAT(c.dump(), Not(HasSubstr("this machine ran at")));
    // Their number depends on how long the launch took to start.
    for (const Json& launch : launches) {
      EXPECT_THAT(launch.at("base"), SizeIs(launch.at("head").size()));
      EXPECT_EQ(launch.at("base").size() % 2, 0U) << "either side is first equally often";
    }
  }
}

TEST_F(GateTest, SamplesBothSidesInTurn) {
  // One log for both sides, so that it shows their order.
  EXPECT_EQ(breakeven(arguments(products({8}, {"a"})), noise_).status, 0);
  int longest = 0, in_a_row = 0;
  pid_t before = 0;
  for (const Logged& entry : logged()) {
    if (entry.request != "sample") continue;
    in_a_row = entry.process == before ? in_a_row + 1 : 1;
    before = entry.process;
    longest = std::max(longest, in_a_row);
  }
  EXPECT_GT(longest, 0);
  EXPECT_LE(longest, 6) << "calibration takes a few; of the samples that count at most two are in a row";
}

TEST_F(GateTest, ReportsABackendThatOneSideLacks) {
  std::filesystem::remove(file("head") / "breakeven-backend-b");
  EXPECT_THAT(with_status(4, gate(products({8}), noise_, noise_)).err,
              HasSubstr("the head has no b: there is no breakeven-backend-b in"));
  EXPECT_EQ(counts(), (Counts{{"same", 1}, {"incomparable", 1}}));
  EXPECT_EQ(gate(products({8}), noise_, noise_, {"--backends", "a,b"}).status, 4);
}

TEST_F(GateTest, CountsNoBackendThatIsNew) {
  std::filesystem::remove(file("base") / "breakeven-backend-b");
  EXPECT_EQ(gate(products({8}), noise_, noise_).status, 0);
  EXPECT_EQ(gate(products({8}), noise_, noise_ + ",fault=wrong,at=verify,backend=b").status, 1)
      << "but it must be right";
}

TEST_F(GateTest, CountsNoCaseThatIsNew) {
  EXPECT_EQ(
      gate(products({8, 16}), noise_ + ",fault=refuse,status=unsupported,case=16,at=prepare", noise_).status,
      0);
  EXPECT_EQ(counts(), (Counts{{"same", 2}, {"incomparable", 2}}));
  const Json all = verdicts();
  for (const Json& c : all.at("cases")) {
    if (c.at("id") != product_id(16)) continue;
    EXPECT_EQ(c.at("presence"), "only_head");
    EXPECT_THAT(c.at("reason").get<std::string>(), HasSubstr("not supported in the base: it was told"));
  }
}

TEST_F(GateTest, WantsACaseThatIsNewToBeRight) {
  EXPECT_EQ(gate(products({16}), noise_ + ",fault=refuse,status=unsupported,at=prepare",
                 noise_ + ",fault=wrong,at=verify")
                .status,
            1);
}

TEST_F(GateTest, ThatIsWrongMidwayFails) {
  with_status(1,
              gate(products({8, 16}, {"a"}), noise_, noise_ + ",fault=wrong,at=verify,process=4,case=m=8/"));
  const Json all = verdicts();
  const Json& wrong = all.at("cases").at(0);
  EXPECT_EQ(wrong.at("verdict"), "incomparable");
  EXPECT_EQ(wrong.at("head_status"), "wrong");
  EXPECT_EQ(wrong.at("ratio"), nullptr);
  EXPECT_EQ(all.at("cases").at(1).at("verdict"), "same") << "the rest is kept";
}

TEST_F(GateTest, ThatDiesMidwayCostsOneCase) {
  for (const std::string side : {"base", "head"}) {
    for (const char* log : {"log", "head.log"}) std::filesystem::remove(file(log));
    const std::string fault = noise_ + ",fault=exit,at=sample,process=4,case=m=8/";
    const Outcome outcome = side == "base" ? gate(products({8, 16}, {"a"}), fault, noise_)
                                           : gate(products({8, 16}, {"a"}), noise_, fault);
    EXPECT_EQ(outcome.status, 4) << side;
    EXPECT_EQ(counts(), (Counts{{"same", 1}, {"incomparable", 1}})) << side;
    EXPECT_THAT(verdicts().at("cases").at(0).at("reason").get<std::string>(),
                HasSubstr("ended with exit status 7"));
  }
}

TEST_F(GateTest, TakesOneFolderForBothSides) {
  with_status(
      0, breakeven({"gate", products({8}, {"a"}), "--base", file("base"), "--head", file("base")}, noise_));
}

TEST_F(GateTest, ComparesTwoBackendsByName) {
  const std::string a = file("base").string() + ":a", b = file("base").string() + ":b";
  const Outcome outcome = breakeven({"gate", products({8, 16}), "--base", a, "--head", b, "--head-env",
                                     "BREAKEVEN_SIMULATED=factor=1.1", "--out", file("verdicts.json")},
                                    noise_);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(counts(), (Counts{{"slower", 2}}));
  const Json all = verdicts();
  EXPECT_EQ(all.at("base").at("backend"), "a");
  EXPECT_EQ(all.at("head").at("backend"), "b");
  EXPECT_EQ(all.at("base").at("backends").size(), 1U);
  for (const Json& c : all.at("cases")) EXPECT_EQ(c.at("backend"), "a → b");
  EXPECT_THAT(outcome.out, HasSubstr(b));
}

/// The verdict file names each side's library and the file from which it was loaded.
TEST_F(GateTest, SaysFromWhichFileEachSidesLibraryWasLoaded) {
  gate(products({8}, {"a"}), noise_ + ",library_file=/usr/lib/libold.so",
       noise_ + ",version=2.0,library_file=/usr/lib/libnew.so");
  const Json all = verdicts();
  EXPECT_EQ(all.at("base").at("backends").at(0).at("library_files").at("simulated"), "/usr/lib/libold.so");
  EXPECT_EQ(all.at("head").at("backends").at(0).at("library_files").at("simulated"), "/usr/lib/libnew.so");
}

/// A note that both sides give on every case becomes one warning.
TEST_F(GateTest, SaysOnceWhatHoldsForAllCases) {
  const std::string unchecked = ",fault=no_projections,at=verify";
  gate(products({16, 24, 32}, {"a"}), noise_ + unchecked, noise_ + unchecked);
  const Json all = verdicts();
  EXPECT_THAT(all.at("warnings").dump(), HasSubstr("3 cases of a: "));
  EXPECT_THAT(all.at("warnings").dump(), HasSubstr(" elements of the result were checked, not all of it"));
  ASSERT_THAT(all.at("cases"), SizeIs(3));
  for (const Json& c : all.at("cases")) EXPECT_THAT(c.at("notes"), IsEmpty()) << c.at("notes");
}

TEST_F(GateTest, ComparesTwoBackendsOfTwoFoldersWhateverTheConfigNames) {
  with_status(0, breakeven({"gate", products({8}, {"b"}), "--base", file("base").string() + ":a", "--head",
                            file("head").string() + ":a"},
                           noise_));
}

TEST_F(GateTest, TakesFoldersOfAnyName) {
  const std::string base = file("it's \"mine\" \\ $(HOME):a"), head = file("head");
  std::filesystem::rename(file("base"), base);
  for (const std::string backend : {"", ":b"}) {
    with_status(
        0, breakeven({"gate", products({8}), "--base", base + backend, "--head", head + backend}, noise_));
  }
}

TEST_F(GateTest, RefusesNamesThatItCannotUse) {
  const std::string base = file("base").string(), head = file("head").string();
  add("head", "openblas");
  const auto refusal = [&](const std::string& of_base, const std::string& of_head,
                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"gate", products({8}).string(), "--base", of_base, "--head", of_head};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = breakeven(all, noise_);
    EXPECT_EQ(outcome.status, 2) << of_base << " " << of_head;
    EXPECT_THAT(logged(), IsEmpty()) << "nothing was started";
    return outcome.err;
  };
  EXPECT_THAT(refusal(base + ":a", head + ":opnblas"), HasSubstr("did you mean 'openblas'?"));
  EXPECT_THAT(refusal(base + ":zzzzz", head + ":a"), HasSubstr("there are a, b"));
  EXPECT_THAT(refusal(base + ":a", head), HasSubstr(fmt::format("give --head {}:a", head)));
  EXPECT_THAT(refusal(base, head + ":b"), HasSubstr(fmt::format("give --base {}:b", base)));
  EXPECT_THAT(refusal(base + ":", head + ":a"), HasSubstr("no backend is named after the colon"));
  EXPECT_THAT(refusal("nowhere:a", head + ":a"), HasSubstr("nowhere is not a folder"));
  EXPECT_THAT(refusal(base + ":a", head + ":a", {"--backends", "a"}), HasSubstr("leave it out"));
}

TEST_F(GateTest, NeedsBothBackendsThatAreNamed) {
  write("base/breakeven-backend-broken", "#!/bin/sh\necho no such library >&2\nexit 1\n");
  std::filesystem::permissions(file("base") / "breakeven-backend-broken", std::filesystem::perms::owner_all);
  const Outcome outcome = breakeven({"gate", products({8}), "--base", file("base").string() + ":a", "--head",
                                     file("base").string() + ":broken"},
                                    noise_);
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("the head has no broken"));
}

/// With LD_PRELOAD, products are computed by another library than the one that is named.
TEST_F(GateTest, SaysWhereAnotherLibraryIsMeasured) {
  const std::string why = why_unavailable("openblas");
  if (!why.empty()) GTEST_SKIP() << why;
  const auto library = planted("planted-cblas");
  if (!exists(library)) GTEST_SKIP() << "nothing to preload was built";
  const Outcome outcome =
      breakeven({"gate", products({64}, {"a"}, {{"own_speed", "ignored"}}), "--base", ":openblas", "--head",
                 ":openblas", "--head-env", "LD_PRELOAD=" + library.string(), "--minutes", "0.2", "--out",
                 file("verdicts.json")});
  const Json all = verdicts();
  const Json& base = all.at("base").at("backends").at(0);
  const Json& head = all.at("head").at("backends").at(0);
  EXPECT_THAT(base.at("library_files").at("openblas").get<std::string>(), HasSubstr("openblas"));
  EXPECT_EQ(head.at("library_files").at("openblas"), canonical(library).string());
  EXPECT_THAT(all.at("warnings").dump(), HasSubstr("openblas: head: cblas_sgemm comes from"));
  EXPECT_THAT(outcome.out, HasSubstr("cblas_sgemm comes from"));
}

/// Uses the backends beside the driver.
TEST_F(GateTest, ComparesTwoRealBackendsOfThisBreakeven) {
  const std::string why = why_unavailable("openblas");
  if (!why.empty()) GTEST_SKIP() << why;
  const Outcome outcome =
      breakeven({"gate", products({64}, {"a"}, {{"own_speed", "ignored"}}), "--base", ":reference", "--head",
                 ":openblas", "--minutes", "0.5", "--out", file("verdicts.json")});
  const Json verdict = verdicts().at("cases").at(0);
  const bool passes = verdict.at("verdict") == "faster" || verdict.value("not_slower", false);
  EXPECT_EQ(verdict.at("backend"), "reference → openblas");
  // On a busy machine, the time may not suffice for a verdict.
  EXPECT_THAT(verdict.at("verdict").get<std::string>(), testing::AnyOf("faster", "inconclusive"));
  EXPECT_EQ(outcome.status, passes ? 0 : 3) << outcome.out << outcome.err;
}

TEST_F(GateTest, GivesEachSideItsThreads) {
  const Outcome outcome = with_status(
      2, gate(products({8}, {"a"}), noise_, noise_, {"--base-threads", "1", "--head-threads", "100000"}));
  EXPECT_THAT(outcome.err, HasSubstr("100000"));
}

TEST_F(GateTest, EachSideSaysItsThreadsAndItsName) {
  const Outcome outcome =
      with_status(0, gate(products({8}, {"a"}), noise_, noise_,
                          {"--head-threads", "1", "--threads", "1", "--base-name", "502af31 \"A product\""}));
  const Json all = verdicts();
  EXPECT_EQ(all.at("base").at("threads"), 1);
  EXPECT_EQ(all.at("head").at("threads"), 1);
  EXPECT_EQ(all.at("base").at("name"), "502af31 \"A product\"");
  EXPECT_FALSE(all.at("head").contains("name"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("base +502af31 \"A product\" +1 +a 1.0"));
}

/// Options are checked before the programs of the sides are built.
TEST_F(GateTest, ChecksItsOptionsAlone) {
  const auto check = [&](const std::string& config, const std::vector<std::string>& more) {
    std::vector<std::string> all{"gate", config, "--base", "nowhere", "--head", "nowhere", "--check"};
    all.insert(all.end(), more.begin(), more.end());
    return breakeven(all);
  };
  const auto config = products({8}).string();
  EXPECT_EQ(check(config, {"--minutes", "1", "--out", file("out.json")}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(file("out.json")));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--minute", "1"},
                                                {"--head-env", "no value"},
                                                {"--head-threads", "100000"},
                                                {"--filter", "nothing"},
                                                {"--threshold", "3 apples"}})
    EXPECT_EQ(check(config, wrong).status, 2) << wrong[0];
  EXPECT_THAT(with_status(2, check(file("confg.json"), {})).err, HasSubstr("did you mean '" + config + "'?"));
}

TEST_F(GateTest, EndsAtItsTimeLimit) {
  with_status(3, gate(products({8, 16, 32}), "spin=1,process_noise=0.5,fixed=0.02",
                      "spin=1,process_noise=0.5,fixed=0.02", {"--minutes", "0.05"}));
  const Json all = verdicts();
  EXPECT_LE(all.at("wall_seconds").get<double>(), 30);
  EXPECT_THAT(all.dump(), HasSubstr("time ran out"));
}

TEST_F(GateTest, InterruptedReportsWhatIsDecided) {
  const auto config = products({8, 16}, {"a"});
  // Size 8 is decided after four launches; 16 never is.
  const std::string slow = "spin=1,fixed=0.002,process_noise=0.5";
  Process running(launch(arguments(config, {"--out", file("verdicts.json")}), slow));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 100; }));
  running.send(SIGINT);
  with_status(130, running.wait());
  const Json all = verdicts();
  EXPECT_EQ(all.at("complete"), false);
  EXPECT_THAT(all.at("cases").at(0).at("launches"), Not(IsEmpty()));
  EXPECT_THAT(all.at("cases").at(0).at("reason").get<std::string>(), HasSubstr("interrupted after"));
}

TEST_F(GateTest, KilledLeavesWhatWasMeasured) {
  Process running(launch(arguments(products({8, 16}, {"a"}), {"--out", file("verdicts.json")}),
                         "spin=1,fixed=0.002,process_noise=0.5"));
  // The file is empty at first, because it is checked before the measurement that it can be written.
  ASSERT_TRUE(eventually([&] {
    std::error_code missing;
    const auto size = std::filesystem::file_size(file("verdicts.json"), missing);
    return !missing && size > 0;
  }));
  running.send(SIGKILL);
  running.wait();
  const Json all = verdicts();
  EXPECT_EQ(all.at("complete"), false);
  EXPECT_THAT(all.at("cases"), SizeIs(2)) << "what is missing is in the file, too";
}

struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  std::string error;
};

class GateBadInput : public GateTest, public testing::WithParamInterface<BadInput> {};

TEST_P(GateBadInput, IsRefused) {
  EXPECT_THAT(with_status(2, breakeven(arguments(products({8}), GetParam().arguments))).err,
              HasSubstr(GetParam().error));
  EXPECT_THAT(logged(), IsEmpty()) << "nothing was started";
}

INSTANTIATE_TEST_SUITE_P(
    Options, GateBadInput,
    testing::Values(BadInput{"Threshold", {"--threshold", "3 apples"}, "neither a percentage such as 3%"},
                    BadInput{"NoThreshold", {"--threshold", "0"}, "neither a percentage"},
                    BadInput{"Environment", {"--head-env", "no value"}, "must be NAME=VALUE"},
                    BadInput{"Output", {"--out", "./config.json/out.json"}, "cannot be written"},
                    BadInput{
                        "OutputIsTheConfig", {"--junit", "./config.json"}, "is an input of this command"},
                    BadInput{"NoOutput", {"--markdown", ""}, "--markdown: is empty"},
                    BadInput{"Minutes", {"--minutes", "-1"}, "is not a number above 0"}),
    [](const auto& of) { return of.param.name; });

TEST_F(GateTest, NeedsFoldersOfPrograms) {
  const auto config = products({8}).string();
  Outcome outcome = breakeven({"gate", config, "--base", file("nowhere"), "--head", file("head")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is not a folder"));
  std::filesystem::create_directories(file("empty"));
  outcome = breakeven({"gate", config, "--base", file("base"), "--head", file("empty")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("holds no program breakeven-backend-NAME"));
}

}  // namespace
}  // namespace breakeven::cli_tests
