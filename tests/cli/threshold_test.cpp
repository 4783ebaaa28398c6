// Tests `breakeven threshold`, end to end: simulated backends, whose times at every size are known.
#include <algorithm>
#include <csignal>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class ThresholdCommand : public DriverTest {
 protected:
  /// The costs of a: 0.1 ns per operation; and of b: a tenth of that plus `fixed` seconds. With 0.1 ms, both
  /// take equally long at 82.2.
  std::string costs(const std::string& fixed = "1e-4", const std::string& more = "") const {
    const auto path = write("cost.json", R"({"a": {"fixed": 0, "per_flop": 1e-10, "per_byte": 0},
                             "b": {"fixed": )" +
                                             fixed + R"(, "per_flop": 1e-11, "per_byte": 0}})");
    return fmt::format("cost={},noise=0.005,process_noise=0.01,seed=1{}", path.string(), more);
  }
  std::filesystem::path question(const std::string& challenger = R"({"backends": ["b"]})",
                                 const std::string& more = "") const {
    return write("question.json",
                 R"({"title": "From which size on is b faster?", "measure": {"max_seconds": 0.5},
      "threshold": {"parameter": "m", "baseline": {"backends": ["a"]}, "challenger": )" +
                     challenger + more + R"(},
      "workloads": [{"op": "matmul", "m": {"from": 8, "to": 1024, "factor": 2}, "n": "m", "k": "m", "dtype": "f32"}]})");
  }
  Outcome threshold(const std::vector<std::string>& more, const std::string& simulated) const {
    std::vector<std::string> arguments{"threshold", question(), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return breakeven(arguments, simulated);
  }
};

TEST_F(ThresholdCommand, FindsAKnownCrossing) {
  const Outcome outcome = breakeven(
      {"threshold", question(), "--out", file("found.json"), "--markdown", file("found.md")}, costs());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("From which size on is b faster?"),
                                 HasSubstr("b is faster than a from m = 8")));
  const Json found = parse_file(file("found.json"));
  EXPECT_EQ(found.at("schema"), "breakeven.threshold/1");
  EXPECT_TRUE(found.at("complete"));
  const Json& answer = found.at("answers").at(0);
  EXPECT_EQ(answer.at("answer"), "from_value");
  const Json& change = answer.at("changes").at(0);
  EXPECT_NEAR(change.at("crossing").get<double>(), 82.2, 1.5);
  EXPECT_LE(change.at("earliest"), change.at("from"));
  EXPECT_GE(change.at("latest"), change.at("from"));
  EXPECT_LT(answer.at("launches").get<int>(), 60);
  EXPECT_EQ(answer.at("points").at(0).at("baseline").at("backend"), "a");
  EXPECT_THAT(text_of(file("found.md")), AllOf(HasSubstr("| m | a | b | ahead | launches |"),
                                               HasSubstr("b is faster than a from m = 8")));

  // The report prints the same; forms for results alone state that they leave it out.
  EXPECT_EQ(breakeven({"report", file("found.json")}).out, outcome.out);
  const Outcome answers = breakeven({"report", file("found.json"), "--answers", "-"});
  EXPECT_THAT(answers.out, HasSubstr(": " + answer.at("in_words").get<std::string>()));
  EXPECT_THAT(breakeven({"report", file("found.json"), "--list-charts"}).out,
              StartsWith("threshold-matmul-m"));
  EXPECT_THAT(with_status(2, breakeven({"report", file("found.json"), "--csv", file("found.csv")})).err,
              HasSubstr("--csv: 1 threshold file left out, and nothing else was given"));
  EXPECT_FALSE(exists(file("found.csv")));
  with_status(0, breakeven({"report", file("found.json"), "--out", file("copy.json")}));
  EXPECT_EQ(parse_file(file("copy.json")), found);
}

/// If an hour of b costs ten times as much as one of a, b is never cheaper, because it is at most ten times
/// as fast. At twice the price it is cheaper from where it is twice as fast.
TEST_F(ThresholdCommand, AnswersInCostToo) {
  const auto priced = [&](double per_hour) {
    const std::string rest = R"(, "currency": "EUR", "source": "an offer", "date": "2026-11-01"})";
    const std::string challenger =
        fmt::format(R"({{"backends": ["b"], "price": {{"per_hour": {}{}}})", per_hour, rest);
    return write("question.json",
                 R"({"measure": {"max_seconds": 0.5}, "threshold": {"parameter": "m", "in": ["time", "cost"],
      "baseline": {"backends": ["a"], "price": {"per_hour": 1)" +
                     rest + R"(}, "challenger": )" + challenger + R"(},
      "workloads": [{"op": "matmul", "m": {"from": 8, "to": 1024, "factor": 2}, "n": "m", "k": "m", "dtype": "f32"}]})");
  };
  const Outcome twice = with_status(0, breakeven({"threshold", priced(2), "--quiet", "--out", "-"}, costs()));
  const Json found = parse(twice.out);
  ASSERT_EQ(found.at("answers").size(), 2U);
  EXPECT_EQ(found.at("challenger").at("price").at("source"), "an offer");
  EXPECT_EQ(found.at("answers").at(0).at("in"), "time");
  EXPECT_NEAR(found.at("answers").at(0).at("changes").at(0).at("crossing").get<double>(), 82.2, 2);
  const Json& cost = found.at("answers").at(1);
  EXPECT_EQ(cost.at("in"), "cost");
  // 2 m^3 1e-10 = 2 (1e-4 + 2 m^3 1e-11): m = 107.7.
  EXPECT_NEAR(cost.at("changes").at(0).at("crossing").get<double>(), 107.7, 2.5);
  EXPECT_THAT(cost.at("in_words"), HasSubstr("b costs less than a from m = 10"));
  const Json& largest = cost.at("points").back();
  EXPECT_NEAR(largest.at("challenger").at("cost").get<double>(),
              largest.at("challenger").at("seconds").get<double>() / 1800, 1e-9);

  const Outcome dearer = breakeven({"threshold", priced(20)}, costs());
  EXPECT_THAT(dearer.out, AllOf(HasSubstr("a costs less than b at every value measured"),
                                HasSubstr("20 EUR an hour (an offer")));
}

/// b uses half the power of a.
TEST_F(ThresholdCommand, AnswersInEnergyWhereItIsKnown) {
  const auto path = write("cost.json", R"({"a": {"fixed": 0, "per_flop": 1e-10, "per_byte": 0, "watts": 200},
      "b": {"fixed": 1e-4, "per_flop": 1e-11, "per_byte": 0, "watts": 100}})");
  const std::string simulated = fmt::format("cost={},noise=0.005,process_noise=0.01,seed=1", path.string());
  const auto config = question(R"({"backends": ["b"]})", R"(, "in": "energy")");
  const Outcome outcome = breakeven({"threshold", config, "--quiet", "--out", "-"}, simulated);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json found = parse(outcome.out);
  const Json& answer = found.at("answers").at(0);
  // 2 (2 m^3 1e-10) = 1e-4 + 2 m^3 1e-11: m = 64.1.
  EXPECT_NEAR(answer.at("changes").at(0).at("crossing").get<double>(), 64.1, 1.5);
  EXPECT_THAT(answer.at("in_words"), HasSubstr("b uses less energy than a from m = 6"));

  const Outcome unknown = with_status(4, breakeven({"threshold", config, "--quiet", "--out", "-"}, costs()));
  EXPECT_THAT(parse(unknown.out).at("answers").at(0).at("points").at(0).at("reason"),
              HasSubstr("a (baseline): energy unknown: "));
  EXPECT_THAT(
      unknown.err,
      ContainsRegex("No value of m could be measured on both sides[.] m [0-9]+: a [(]baseline[)]: energy"));
}

TEST_F(ThresholdCommand, SaysWhereThereIsNone) {
  const Json always = parse(threshold({"--out", "-"}, costs("0")).out);
  EXPECT_EQ(always.at("answers").at(0).at("answer"), "always");
  const Outcome never = with_status(0, threshold({"--out", "-"}, costs("10")));
  EXPECT_THAT(parse(never.out).at("answers").at(0).at("in_words"),
              HasSubstr("a is faster than b at every value measured, from m = 8 to 1,024: by "));
}

TEST_F(ThresholdCommand, ASideIsWhateverOfItsListIsHere) {
  const auto config = question(R"({"backends": ["nowhere", "b", "elsewhere"]})");
  const Outcome outcome = breakeven({"threshold", config, "--out", file("found.json")}, costs());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      outcome.err,
      HasSubstr("left out, not here: nowhere: there is no program breakeven-backend-nowhere; elsewhere: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2)
      << "one note for all of them, and the file: " << outcome.err;
  EXPECT_THAT(parse_file(file("found.json")).at("answers").at(0).at("in_words"), StartsWith("b is faster"));
}

TEST_F(ThresholdCommand, ASideThatIsNotThereIsAFailure) {
  const Outcome outcome = breakeven({"threshold", question(R"({"backends": ["openbals"]})")}, costs());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the challenger has no backend that is available here"),
                                 HasSubstr("; did you mean 'openblas'?")));
  EXPECT_EQ(processes("b"), 0);
}

TEST_F(ThresholdCommand, ANameThatNoBackendHasNeedsNoGpu) {
  EXPECT_THAT(with_status(2, breakeven({"threshold", question(R"({"backends": ["cudaa"]})")}, costs())).err,
              HasSubstr("; did you mean 'cuda'?"));
}

TEST_F(ThresholdCommand, WithoutAGpuItSaysWhatToRunWhere) {
  const auto config = question(R"({"backends": ["cuda"]})");
  Launch started = launch({"threshold", config, "--out", file("found.json")}, costs());
  started.environment.emplace_back("CUDA_VISIBLE_DEVICES", "");
  EXPECT_THAT(with_status(4, cli_tests::run(started)).err,
              AllOf(HasSubstr("The challenger needs a backend for GPUs, and none is available here (cuda: "),
                    HasSubstr("breakeven threshold " + config.string()),
                    HasSubstr("--from-results CPU.json GPU.json --parameter m")));
}

/// The exit status that docs/commands.md gives to answers from results.
int status_from_results(const Json& found) {
  const auto any = [](const Json& list, const auto& holds) {
    return std::any_of(list.begin(), list.end(), holds);
  };
  const bool open = any(found.at("answers"), [&](const Json& answer) {
    const auto rests_on_no_interval = [&](const Json& change) {
      return any(answer.at("points"), [&](const Json& point) {
        return change.at("ci_low") <= point.at("value") && point.at("value") <= change.at("ci_high") &&
               !point.at("log_ratios").empty() && !point.contains("ci_low");
      });
    };
    return answer.at("answer") == "unclear" || answer.at("answer") == "neither" ||
           any(answer.at("changes"), rests_on_no_interval);
  });
  return open ? 3 : 0;
}

/// Compares the processors in results/.
TEST_F(ThresholdCommand, FromResultsOfTwoMachines) {
  const std::filesystem::path results = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results";
  const auto of = [&](const char* machine, const char* config) -> std::string {
    return results / machine / config;
  };
  const Outcome batches = breakeven({"threshold", "--from-results", of("xeon-amx-2-cores", "inference.json"),
                                     of("epyc-zen4-2-cores", "inference.json"), "--parameter", "batch",
                                     "--out", file("found.json")});
  EXPECT_THAT(batches.out,
              AllOf(HasSubstr("Inference by the CNN, f32"), HasSubstr("Inference by the transformer, f32"),
                    HasSubstr("Zen 4, 2 cores"), HasSubstr("from results measured on two machines")));
  const Json found = parse_file(file("found.json"));
  EXPECT_EQ(batches.status, status_from_results(found)) << batches.err;
  EXPECT_TRUE(found.at("from_results"));
  EXPECT_EQ(found.at("answers").size(), 4U);
  EXPECT_EQ(found.at("answers").at(0).at("points").size(), 4U) << "batches 1, 8, 64, 512";
  EXPECT_EQ(found.at("challenger").at("name"), "Zen 4, 2 cores");
  EXPECT_THAT(breakeven({"report", file("found.json")}).out, HasSubstr("Inference by the CNN, f32"));
  EXPECT_EQ(breakeven({"report", file("found.json"), "--html", file("found.html")}).status, 0);

  const Outcome products = breakeven({"threshold", "--from-results", of("epyc-zen4-2-cores", "matmul.json"),
                                      of("epyc-zen5-2-cores", "matmul.json"), "--parameter", "m", "--label",
                                      of("epyc-zen5-2-cores", "matmul.json") + "=the new one", "--out", "-"});
  const Json sizes = parse(products.out);
  EXPECT_EQ(products.status, status_from_results(sizes)) << products.err;
  ASSERT_EQ(sizes.at("answers").size(), 2U) << "bf16 and f32";
  EXPECT_EQ(sizes.at("answers").at(1).at("title"), "matmul, m = n = k, f32");
  EXPECT_EQ(sizes.at("answers").at(1).at("points").size(), 7U);
  EXPECT_EQ(sizes.at("challenger").at("name"), "the new one");
}

/// Most of an H200's times are of too few samples for an interval: the crossing may be anywhere between two
/// measured values.
TEST_F(ThresholdCommand, FromResultsWithoutIntervalsIsNotSure) {
  const std::filesystem::path folder =
      std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "tests" / "recorded" / "few-samples";
  with_status(3, breakeven({"threshold", "--from-results", folder / "cpu.json", folder / "gpu.json",
                            "--parameter", "m", "--out", file("found.json")}));
  const Json found = parse_file(file("found.json"));
  EXPECT_THAT(found.at("warnings").at(1), HasSubstr("17 of 32 times have no interval"));
  const Json& answer = found.at("answers").at(3);
  EXPECT_THAT(answer.at("in_words"), HasSubstr("from m = 242 (between 64 and 1,024, interpolated)"));
  EXPECT_EQ(answer.at("changes").at(0).at("earliest"), 65);
  EXPECT_EQ(answer.at("changes").at(0).at("latest"), 1024);
}

/// Two batches were measured on both machines: the answer is between them, in time and in money.
TEST_F(ThresholdCommand, FromResultsAnswersWithTwoValuesAndInMoney) {
  const std::filesystem::path results = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results";
  const auto prices = [&](const std::string& name, const std::string& gpu) {
    const auto offer = [](const std::string& device, const char* per_hour) {
      return R"({"device": ")" + device + R"(", "per_hour": )" + per_hour +
             R"(, "currency": "USD", "source": "an example", "date": "2026-11-24"})";
    };
    return write(name, R"({"prices": [)" + offer("AMD EPYC", "0.1") + "," + offer(gpu, "3.5") + "]}");
  };
  const auto found_with = [&](const std::filesystem::path& offers, const std::string& out) {
    return breakeven({"threshold", "--from-results", results / "epyc-zen5-2-cores" / "inference.json",
                      results / "xeon-h200-16-cores" / "gpu-vs-pytorch-eager.json", "--parameter", "batch",
                      "--prices", offers, "--out", out, "--html", file("found.html")});
  };
  const Outcome priced = with_status(0, found_with(prices("prices.json", "NVIDIA H200"), file("found.json")));
  EXPECT_THAT(priced.out, HasSubstr("Inference by the MLP, f32, by cost"));
  const Json found = parse_file(file("found.json"));
  ASSERT_EQ(found.at("answers").size(), 6U) << "three networks, in time and in money";
  const Json& mlp = found.at("answers").at(2);
  EXPECT_THAT(mlp.at("in_words"),
              AllOf(HasSubstr("H200 is faster than Zen 5, 2 cores from a batch between 1 and 64"),
                    HasSubstr("At 1 Zen 5, 2 cores is faster, by 1.2x")));
  EXPECT_EQ(mlp.at("changes").at(0).at("by_bisection"), true);
  EXPECT_FALSE(mlp.at("changes").at(0).contains("interpolated"));
  const Json& in_money = found.at("answers").at(5);
  EXPECT_EQ(in_money.at("in"), "cost");
  EXPECT_THAT(in_money.at("in_words"),
              HasSubstr("Zen 5, 2 cores costs less than H200 at both values measured, batch 1 and 64"));
  EXPECT_EQ(found.at("challenger").at("price").at("per_hour"), 3.5);
  EXPECT_THAT(breakeven({"report", file("found.json"), "--markdown", "-"}).out,
              HasSubstr("batch between 1 and 64"));
  EXPECT_THAT(read_file(file("found.html")), HasSubstr("costs less than H200"));

  const Outcome refused =
      with_status(2, found_with(prices("other.json", "NVIDIA H20"), file("nothing.json")));
  EXPECT_THAT(refused.err, HasSubstr("H200: there is no price for 'NVIDIA H200' (near: 'NVIDIA H20')"));
  EXPECT_FALSE(std::filesystem::exists(file("nothing.json")));
}

TEST_F(ThresholdCommand, FromResultsWithinALimitOfLatency) {
  const std::filesystem::path results = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results";
  const Outcome outcome = with_status(
      0, breakeven({"threshold", "--from-results", results / "epyc-zen5-2-cores" / "inference.json",
                    results / "xeon-h200-16-cores" / "gpu-vs-pytorch-eager.json", "--p99", "200us", "--out",
                    file("found.json")}));
  EXPECT_THAT(outcome.out,
              HasSubstr("Inference by the CNN, f32, 99 % within 200 µs: Zen 5, 2 cores answers "));
  const Json within = parse_file(file("found.json")).at("p99");
  EXPECT_DOUBLE_EQ(within.at("limit"), 2e-4);
  const auto largest_of = [&](const char* device, const char* backend) {
    for (const Json& one : within.at("largest_batches")) {
      if (one.at("device") == device && one.at("backend") == backend &&
          one.at("title") == "infer, network mlp, f32")
        return one.at("batch").get<int>();
    }
    return -1;
  };
  EXPECT_EQ(largest_of("Zen 5, 2 cores", "onednn"), 8);
  EXPECT_EQ(largest_of("H200", "cuda"), 64);
  EXPECT_THAT(breakeven({"report", file("found.json"), "--answers", "-"}).out,
              HasSubstr("H200 answers batches up to 64, the largest measured"));
}

TEST_F(ThresholdCommand, FromResultsRefusesWhatMeansNothing) {
  const std::filesystem::path results = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results";
  const std::string zen4 = results / "epyc-zen4-2-cores" / "matmul.json";
  const std::string zen5 = results / "epyc-zen5-2-cores" / "matmul.json";
  const std::string threads = results / "epyc-zen5-2-cores" / "break-even-threads.json";
  const auto refused = [&](std::vector<std::string> arguments, int status, const std::string& words) {
    arguments.insert(arguments.begin(), "threshold");
    arguments.insert(arguments.end(), {"--out", file("nothing.json")});
    const Outcome outcome = breakeven(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(file("nothing.json")));
  };
  refused({"--from-results", zen4, zen5}, 2, "needs --parameter");
  refused({"--from-results", zen4, zen4, "--parameter", "m"}, 2, "that is one side");
  refused({"--from-results", zen4, zen5, "--parameter", "mm"}, 2, "no case of");
  refused({"--from-results", zen4, zen5, "--parameter", "batch"}, 4, "2 or more values of batch");
  refused({"--from-results", zen4, zen5, "--parameter", "m", "--p99", "5ms"}, 2, "--p99 needs latencies");
  refused({"--from-results", zen4, zen5, "--p99", "5"}, 2, "'5' is not a duration such as 5ms or 200us");
  refused({"--from-results", zen4, threads, "--parameter", "m"}, 2, "needs two results; 1 file skipped");
  refused({"--from-results", zen4, "--parameter", "m"}, 2, "--from-results needs 2 values at once");
  refused({}, 2, "CONFIG is missing");
  refused({"--from-results", "-", "-", "--parameter", "m"}, 2, "- is given twice");
  for (const std::vector<std::string>& of_measuring : {std::vector<std::string>{"--filter", "f32"},
                                                       {"--seconds", "1"},
                                                       {"--minutes", "1"},
                                                       {"--threads", "1"},
                                                       {"--library-defaults"},
                                                       {"--launcher", "srun -n {ranks}"}}) {
    std::vector<std::string> arguments{"--from-results", zen4, zen5, "--parameter", "m"};
    arguments.insert(arguments.end(), of_measuring.begin(), of_measuring.end());
    refused(arguments, 2, "--from-results cannot be used with " + of_measuring[0]);
  }
  refused({question(), "--label", "a.json=a"}, 2, "--label requires --from-results");
  refused({question(), "--prices", "prices.json"}, 2, "--prices requires --from-results");
}

TEST_F(ThresholdCommand, WrongResultsHaveNoSpeed) {
  const Outcome outcome = threshold({"--out", "-"}, costs("1e-4", ",backend=b,at=verify,fault=wrong"));
  EXPECT_EQ(outcome.status, 1);
  const Json found = parse(outcome.out);
  EXPECT_EQ(found.at("answers").at(0).at("answer"), "unclear");
  const Json& point = found.at("answers").at(0).at("points").at(0);
  EXPECT_TRUE(point.at("wrong"));
  EXPECT_THAT(point.at("reason"), HasSubstr("b (challenger): wrong: element 0 is"));
}

TEST_F(ThresholdCommand, InterruptedItLeavesWhatIsKnown) {
  Process process(
      launch({"threshold", question(), "--out", file("part.json"), "--quiet"}, costs("1e-4", ",spin=1")));
  ASSERT_TRUE(eventually([&] { return processes("b") > 3; }));
  process.send(SIGINT);
  with_status(130, process.wait());
  const Json found = parse_file(file("part.json"));
  EXPECT_FALSE(found.at("complete"));
  EXPECT_FALSE(found.at("answers").at(0).at("points").empty());
}

TEST_F(ThresholdCommand, AFileThatCannotBeWrittenIsToldBeforeAnythingIsMeasured) {
  EXPECT_THAT(with_status(2, threshold({"--out", file("question.json") / "found.json"}, costs())).err,
              HasSubstr("--out"));
  EXPECT_EQ(processes("a"), 0);
}

TEST_F(ThresholdCommand, UnlikePrecisionIsRefusedUnlessAskedForAndThenSaid) {
  const std::string challenger = R"({"backends": ["b"], "parameters": {"dtype": "bf16"}})";
  EXPECT_THAT(with_status(2, breakeven({"threshold", question(challenger)}, costs())).err,
              AllOf(HasSubstr("question.json: /threshold"), HasSubstr("compares f32 with bf16"),
                    HasSubstr("unlike_precision")));
  const Outcome asked = breakeven(
      {"threshold", question(challenger, R"(, "unlike_precision": true)"), "--markdown", "-"}, costs());
  EXPECT_EQ(asked.status, 0) << asked.err;
  EXPECT_THAT(asked.out, HasSubstr("different types"));
}

TEST_F(ThresholdCommand, FilterKeepsQuestions) {
  const auto both = write("both.json", R"({
      "threshold": {"parameter": "m", "baseline": {"backends": ["a"]}, "challenger": {"backends": ["b"]}},
      "workloads": [{"op": "matmul", "m": {"from": 8, "to": 1024, "factor": 2}, "n": "m", "k": "m",
                     "dtype": ["f64", "f32"]}]})");
  const Outcome outcome = breakeven(
      {"threshold", both, "--filter", "/f32$", "--seconds", "0.01", "--quiet", "--out", "-"}, costs());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json answers = parse(outcome.out).at("answers");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers.at(0).at("title"), "matmul, m = n = k, f32");
  EXPECT_THAT(with_status(2, breakeven({"threshold", both, "--filter", "bf16"}, costs())).err,
              HasSubstr("--filter bf16: finds none of the cases"));
  EXPECT_EQ(breakeven({"threshold", both, "--filter", "("}, costs()).status, 2);
  EXPECT_EQ(breakeven({"threshold", both, "--seconds", "0"}, costs()).status, 2);
}

TEST_F(ThresholdCommand, TimeThatIsUpLeavesAnswersUnclear) {
  const Outcome outcome = threshold({"--minutes", "0.0001", "--out", "-"}, costs());
  const Json answer = parse(outcome.out).at("answers").at(0);
  EXPECT_EQ(answer.at("answer"), "unclear");
  EXPECT_EQ(outcome.status, 3) << "even if not one launch was done in time";
}

}  // namespace
}  // namespace breakeven::cli_tests
