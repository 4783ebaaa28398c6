// Tests which cases and which backends are measured, and what the command line refuses.
#include <algorithm>
#include <set>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

using SelectionTest = DriverTest;

std::vector<std::string> ids(const Json& cases) {
  std::vector<std::string> all;
  for (const auto& c : cases) all.push_back(c.at("id"));
  return all;
}

TEST_F(SelectionTest, ANamedBackendMustExist) {
  const auto config = products({8});
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", config.string()},
        {"selftest", config.string()},
        {"gate", config.string(), "--base", file("backends"), "--head", file("backends")}}) {
    const auto refusal = [&](const std::string& named) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--backends", named, "--out", file("out.json").string()});
      const Outcome outcome = breakeven(arguments);
      EXPECT_EQ(outcome.status, 2) << command[0];
      EXPECT_EQ(logged().size(), 0U) << command[0] << ": nothing was started";
      return outcome.err;
    };
    EXPECT_EQ(refusal("a,openbals"),
              "breakeven: --backends openbals: there is no such backend; did you mean 'openblas'?\n");
    EXPECT_EQ(refusal("OpenBLAS"),
              "breakeven: --backends OpenBLAS: there is no such backend; did you mean 'openblas'?\n");
    EXPECT_EQ(
        refusal("nosuchbackend"),
        "breakeven: --backends nosuchbackend: there is no such backend; `breakeven devices` lists those "
        "that are here\n");
  }
}

/// An option that takes a list takes one word, not the config or the files behind it.
TEST_F(SelectionTest, AListLeavesTheWordsBehindIt) {
  const std::string config = products({8}).string();
  const Outcome run = with_status(0, breakeven({"run", "--backends", "a", config, "--out", file("r.json")}));
  EXPECT_THAT(run.err, Not(HasSubstr("is missing")));
  const std::string result = file("r.json").string();
  EXPECT_EQ(parse_file(result).at("cases").size(), 1U);
  with_status(0, breakeven({"run", "--backends", "a", "--backends", "b", config, "--out", "-"}));
  const std::string side = file("backends").string();
  with_status(0, breakeven({"gate", "--base", side, "--head", side, "--base-env", "A=1", "--base-env", "B=2",
                            "--head-env", "A=2", config, "--check"}));
  with_status(0, breakeven({"compare", "--allow", "library", result, result}));
  with_status(0, breakeven({"report", "--label", result + "=mine", result}));
  EXPECT_THAT(breakeven({"report", "--chart", "nosuch=x.svg", result}).err, HasSubstr("there is no chart"));
}

/// `merge` joins results of `run` alone.
TEST_F(SelectionTest, AGateAndASelftestHaveNoShards) {
  const std::string side = file("backends").string();
  for (std::vector<std::string> command :
       {std::vector<std::string>{"gate", "--base", side, "--head", side}, {"selftest"}}) {
    command.insert(command.end(), {products({8, 16}), "--shard", "1/2"});
    EXPECT_THAT(with_status(2, breakeven(command)).err, HasSubstr("there is no option '--shard'"));
  }
}

TEST_F(SelectionTest, TheFirstFolderWithABackendCounts) {
  std::filesystem::create_directories(file("first"));
  std::filesystem::create_symlink(SIMULATED_BACKEND, file("first") / "breakeven-backend-a");
  const auto programs = [&](const std::string& folders) {
    Launch asked = launch({"run", products({8}), "--out", "-"});
    std::find_if(asked.environment.begin(), asked.environment.end(), [](const auto& variable) {
      return variable.first == "BREAKEVEN_BACKENDS";
    })->second = folders;
    const Json result = parse(with_status(0, cli_tests::run(asked)).out);
    std::vector<std::string> all;
    for (const Json& backend : result.at("backends")) all.push_back(backend.at("program"));
    return all;
  };
  const std::string first = file("first").string();
  const std::string usual = file("backends").string();
  EXPECT_THAT(programs(first + ":" + usual),
              testing::ElementsAre(first + "/breakeven-backend-a", usual + "/breakeven-backend-b"));
  EXPECT_THAT(programs(usual + ":" + first),
              testing::ElementsAre(usual + "/breakeven-backend-a", usual + "/breakeven-backend-b"));
}

/// The project has this backend, but there is no program here.
TEST_F(SelectionTest, ABackendThatWasNotBuiltHasARemedy) {
  if (exists(std::filesystem::path(BREAKEVEN_DRIVER).parent_path() / "breakeven-backend-mkl"))
    GTEST_SKIP() << "mkl was built";
  EXPECT_THAT(
      with_status(4, breakeven({"run", products({8}), "--backends", "a,mkl", "--out", "-"})).err,
      AllOf(HasSubstr("--backends mkl: not available: was not built here; "),
            AnyOf(HasSubstr("; run scripts/setup-libraries mkl"), HasSubstr("; Intel builds MKL for x86-64")),
            Not(HasSubstr("found:"))));
}

/// Each waits for the other, when both are asked what they are, and when both are started for the next
/// launch.
TEST_F(SelectionTest, ScriptsAreStartedAllAtOnce) {
  const auto script = [&](const std::string& own, const std::string& other) {
    const std::string name = "backends/breakeven-backend-" + own;
    write(name, fmt::format(
                    "#!/bin/bash\n"
                    "mkdir -p '{0}' '{1}'\n"
                    "start=$(ls '{0}' | wc -l)\n"
                    "touch \"{0}/$start\"\n"
                    "for i in $(seq 150); do [ -e \"{1}/$start\" ] && exec -a \"$0\" '{2}'; sleep 0.1; done\n"
                    "echo 'the other was not started' >&2\nexit 1\n",
                    file(own).string(), file(other).string(), file("backends/breakeven-backend-a").string()));
    std::filesystem::permissions(file(name), std::filesystem::perms::owner_all);
  };
  script("first", "second");
  script("second", "first");
  const Json result = result_of_run(products({8}, {"first", "second"}, {{"launches", 2}}));
  EXPECT_EQ(result.at("cases").size(), 2U);
  EXPECT_THAT(not_ok(result), IsEmpty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file("first")), {}), 2);
}

TEST_F(SelectionTest, ConformanceTakesTheNameOfABackend) {
  EXPECT_EQ(breakeven({"conformance", "a"}, "supports=matmul").out.find("there is no"), std::string::npos);
  EXPECT_GT(processes("a"), 0);
  const Outcome outcome = with_status(2, breakeven({"conformance", "openbals"}));
  EXPECT_EQ(outcome.err, "breakeven: openbals: there is no such backend; did you mean 'openblas'?\n");
}

TEST_F(SelectionTest, AnAbsentBackendOfAConfigIsListedAndLeftOut) {
  const Json result = result_of_run(products({8}, {"a", "cuda-nosuch"}));
  ASSERT_EQ(result.at("backends").size(), 2U);
  EXPECT_EQ(result.at("backends")[1].at("available"), false);
  EXPECT_THAT(result.at("backends")[1].at("reason").get<std::string>(), HasSubstr("there is no program"));
  EXPECT_EQ(result.at("cases").size(), 1U);
}

TEST_F(SelectionTest, ABackendIsAskedForWhatItHasUnlessItIsNamed) {
  const std::string simulated =
      "cost=" + write("cost.json", R"({"a": {"supports": "triad"}, "b": {"supports": "matmul"}})").string();
  const auto mixed =
      write("mixed.json", R"({"measure": {"max_seconds": 0.05, "timeout_seconds": 20}, "workloads": [
      {"op": "matmul", "m": 8, "n": 8, "k": 8}, {"op": "read", "bytes": 65536}]})");
  const Json of_found = result_of_run(mixed, simulated);
  EXPECT_EQ(find_case(of_found, product_id(8), "b").at("status"), "ok");
  EXPECT_THAT(not_ok(of_found), Each(Not(HasSubstr("unsupported"))));
  const Outcome named = breakeven({"run", mixed, "--backends", "a,b", "--out", "-"}, simulated);
  const Json of_named = parse(named.out);
  EXPECT_EQ(of_named.at("cases").size(), 4U);
  EXPECT_EQ(find_case(of_named, product_id(8), "b").at("status"), "ok");
  EXPECT_THAT(not_ok(of_named), UnorderedElementsAre(product_id(8) + " a unsupported: a has no matmul",
                                                     "read/bytes=65536/f32 a unsupported: a has no read",
                                                     "read/bytes=65536/f32 b unsupported: b has no read"));
}

TEST_F(SelectionTest, NoBackendAtAllIsIncomplete) {
  const Outcome outcome = with_status(
      4, breakeven({"run", products({8}, {"nosuch", "a"}), "--out", "-"}, "fault=exit,at=hello,backend=a"));
  EXPECT_THAT(outcome.err, HasSubstr("no backend is available here"));
  EXPECT_EQ(breakeven({"run", products({8}, {"nosuch"}), "--out", "-"}).status, 2) << "mistyped";
}

TEST_F(SelectionTest, AResultIsNoConfig) {
  const auto result = write("mine.json", R"({"schema": "breakeven.result/1"})").string();
  const auto verdicts = write("verdicts.json", R"({"schema": "breakeven.verdict/1"})").string();
  for (const char* command : {"run", "list", "threshold"}) {
    const Outcome outcome = breakeven({command, result});
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("mine.json: is a result of `breakeven run`, not a config")) << command;
  }
  EXPECT_THAT(breakeven({"rank", result, "--mix", verdicts}).err,
              HasSubstr("verdicts.json: is a verdict of `breakeven gate` or `compare`, not a config"));
}

TEST_F(SelectionTest, AFilterThatFindsNothingIsAnError) {
  for (const char* command : {"run", "list"}) {
    EXPECT_THAT(with_status(2, breakeven({command, products({8}), "--filter", "conv"})).err,
                HasSubstr("--filter conv: finds none of the cases"));
  }
}

TEST_F(SelectionTest, ABadExpressionIsAnError) {
  EXPECT_EQ(with_status(2, breakeven({"list", products({8}), "--filter", "m=(8"})).err,
            "breakeven: --filter m=(8: has an opening ( without a closing ); add it, or write \\( for a "
            "bracket\n");
}

TEST_F(SelectionTest, NoExpressionTakesLongToSearch) {  // a search that backtracks takes years for these
  for (const char* filter : {"(.+)+f64$", "([a-z0-9/=]+)*bf17", "(.*)*dconv", "(?:.?){500}Z"}) {
    EXPECT_THAT(with_status(2, breakeven({"list", "quick", "--filter", filter})).err,
                HasSubstr("finds none"));
  }
}

TEST_F(SelectionTest, ShardsTogetherAreAllCases) {
  const auto path = products({8, 16, 24, 32, 40});
  std::vector<std::string> together;
  for (const char* shard : {"1/2", "2/2"}) {
    const Outcome outcome = breakeven({"run", path, "--shard", shard, "--backends", "a", "--out", "-"});
    EXPECT_EQ(outcome.status, 0);
    for (const auto& id : ids(parse(outcome.out).at("cases"))) together.push_back(id);
  }
  EXPECT_THAT(together, UnorderedElementsAreArray(ids(parse(breakeven({"list", path, "--json"}).out))));
}

TEST_F(SelectionTest, ImpossibleShardsAreErrors) {
  for (const char* shard : {"0/2", "3/2", "1", "1/0", "a/b", "-1/2", "1/2/3", "9999999/9999999", "7/9"})
    EXPECT_EQ(breakeven({"list", products({8}), fmt::format("--shard={}", shard)}).status, 2) << shard;
}

TEST_F(SelectionTest, ImpossibleThreadsAreErrors) {
  for (const char* threads : {"-1", "100000", "two", "99999999999999999999"}) {
    const Outcome outcome =
        breakeven({"run", products({8}), "--out", "-", fmt::format("--threads={}", threads)});
    EXPECT_EQ(outcome.status, 2) << threads;
    EXPECT_THAT(outcome.err, HasSubstr("threads"));
  }
}

TEST_F(SelectionTest, ZeroThreadsIsThePhysicalCores) {
  const Outcome outcome = with_status(0, breakeven({"run", products({8}), "--out", "-", "--threads", "0"}));
  EXPECT_GE(parse(outcome.out).at("host").at("threads"), 1);
}

TEST_F(SelectionTest, ImpossibleOptionsAreErrors) {
  for (const char* option :
       {"--seconds=0", "--seconds=-1", "--seconds=x", "--seconds=inf", "--seconds=nan"}) {
    const Outcome outcome = breakeven({"run", products({8}), "--out", "-", option});
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("is not a number above 0 and up to 86400")) << option;
  }
  for (const char* option : {"--precision=0", "--precision=2", "--nosuch"})
    EXPECT_EQ(breakeven({"run", products({8}), "--out", "-", option}).status, 2) << option;
}

TEST_F(SelectionTest, DevicesAsJson) {
  const Outcome outcome = with_status(0, breakeven({"devices", "--json"}, "fault=exit,at=hello,backend=b"));
  const Json devices = parse(outcome.out);
  EXPECT_GE(devices.at("host").at("cores"), 1);
  for (const auto& backend : devices.at("backends")) {
    for (const char* key : {"name", "available", "reason", "version", "device", "libraries"})
      EXPECT_TRUE(backend.contains(key)) << key << " of " << backend;
    if (backend.at("name") == "a") {
      EXPECT_EQ(backend.at("available"), true);
      EXPECT_EQ(backend.at("libraries").at("simulated"), "1.0");
    }
    if (backend.at("name") == "b") {
      EXPECT_EQ(backend.at("available"), false);
      EXPECT_EQ(backend.at("reason"), "ended with exit status 7");
    }
  }
}

TEST_F(SelectionTest, ListAsJsonHasWorkAndBytes) {
  const Outcome outcome = with_status(0, breakeven({"list", products({16}), "--json"}));
  const Json cases = parse(outcome.out);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].at("id"), product_id(16));
  EXPECT_EQ(cases[0].at("flop"), 2 * 16 * 16 * 16);
  EXPECT_EQ(cases[0].at("bytes"), 3 * 16 * 16 * 4);
}

TEST_F(SelectionTest, ListsTenThousandCases) {
  const Json hundred{{"from", 1}, {"to", 100}, {"step", 1}};
  const auto path = config({{{"op", "matmul"}, {"m", hundred}, {"n", hundred}, {"k", 8}, {"dtype", "f32"}}});
  const Outcome outcome = with_status(0, breakeven({"list", path, "--json"}));
  const auto all = ids(parse(outcome.out));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 10'000U);
}

TEST_F(SelectionTest, ABillionCombinationsAreRefusedAtOnce) {
  const Json steps{{"from", 1}, {"to", 16777216}, {"step", 1}};
  const Json factors{{"from", 1}, {"to", 16777216}, {"factor", 1.0000000001}};
  const auto path =
      config({{{"op", "matmul"}, {"m", steps}, {"n", steps}, {"k", factors}, {"dtype", "f32"}}});
  Process process(launch({"list", path}));
  const Outcome outcome = process.wait(std::chrono::seconds(20));
  EXPECT_TRUE(outcome.in_time);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/workloads/0"));
}

}  // namespace
}  // namespace breakeven::cli_tests
