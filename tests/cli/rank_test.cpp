// Tests `breakeven rank`, end to end: results of simulated backends on machines that differ in their names.
#include <algorithm>
#include <map>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RankCommand : public DriverTest {
 protected:
  static constexpr const char* usual_work =
      R"({"op": "matmul", "m": [8, 16], "n": "m", "k": "m", "dtype": "f32", "weight": 100})";

  /// The results that `run` wrote for a mix on a machine `factor` times as slow as usual.
  std::filesystem::path machine(const std::string& name, double factor,
                                const std::string& workloads = usual_work) const {
    const auto path = file(name + ".json");
    const Outcome outcome = breakeven(
        {"run", mix(workloads), "--out", path, "--quiet"},
        fmt::format("noise=0.001,process_noise=0.002,fixed=1e-5,per_flop=1e-11,per_byte=1e-10,factor={}",
                    factor));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    Json result = parse_file(path);
    result["host"]["name"] = name;
    result["host"]["cpu"] = "CPU of " + name;
    result["host"]["cores"] = result["host"]["threads"] = 2;
    result["host"].erase("cpu_identity");
    return write(name + ".json", result.dump());
  }
  std::filesystem::path mix(const std::string& workloads = usual_work) const {
    return write("mix.json",
                 R"({"title": "Our week", "backends": ["a"], "measure": {"max_seconds": 0.3, "launches": 3},
      "workloads": [)" +
                     workloads + "]}");
  }
  std::filesystem::path prices(const std::string& of_fast, const std::string& currency = "USD") const {
    return write(
        "prices.json",
        R"({"prices": [{"device": "CPU of slow", "per_hour": 1, "currency": "USD", "source": "a page", "date": "2026-10-01"},
      {"device": "CPU of fast", "per_hour": )" +
            of_fast + R"(, "currency": ")" + currency + R"(", "source": "a page", "date": "2026-10-01"}]})");
  }
};

TEST_F(RankCommand, OrdersMachinesByTimeAndByCost) {
  const auto slow = machine("slow", 2);
  const auto fast = machine("fast", 1);
  const Outcome by_time = with_status(0, breakeven({"rank", slow, fast, "--mix", mix(), "--out", "-"}));
  const Json written = parse(by_time.out);
  EXPECT_EQ(written.at("schema"), "breakeven.rank/2");
  const Json time = written.at("rankings").at(0);
  EXPECT_EQ(time.at("ranking").at(0).at("host").at("name"), "fast");
  EXPECT_NEAR(time.at("ranking").at(1).at("behind").at("value").get<double>(), 2, 0.05);
  EXPECT_EQ(time.at("ranking").at(0).at("cases").at(0).at("weight"), 100);

  EXPECT_THAT(
      with_status(0, breakeven({"rank", slow, fast, "--mix", mix(), "--prices", prices("3"), "--by", "cost"}))
          .out,
      AllOf(HasSubstr("Our week"), HasSubstr("CPU of slow, 2 cores takes the least cost."),
            HasSubstr("runs of the mix for 1 USD")));
  const Outcome markdown = breakeven({"rank", slow, fast, "--prices", prices("3"), "--markdown", "-"});
  EXPECT_THAT(markdown.out, AllOf(HasSubstr("| CPU of fast, "),
                                  HasSubstr("geometric mean of the 2 cases that all machines have"),
                                  HasSubstr("| 3.00 | USD | a page | 2026-10-01 |")));
  const Outcome html = with_status(
      0, breakeven({"rank", slow, fast, "--prices", prices("3"), "--html", file("ranking.html")}));
  EXPECT_EQ(html.out, "");
  EXPECT_THAT(text_of(file("ranking.html")),
              AllOf(HasSubstr("<!doctype html>"), HasSubstr("takes the least time")));
  EXPECT_THAT(breakeven({"rank", slow, fast, "--prices", prices("3"), "--list-charts"}).out,
              AllOf(HasSubstr("ranking-time  "), HasSubstr("ranking-cost  "), HasSubstr("ranking-front  ")));
  EXPECT_THAT(breakeven({"rank", slow, fast, "--chart", "ranking-tim=x.svg"}).err,
              HasSubstr("did you mean 'ranking-time'?"));
}

TEST_F(RankCommand, SkipsFilesOfAnotherKindAndTakesLabels) {
  const auto slow = machine("slow", 2);
  const auto fast = machine("fast", 1);
  const Outcome outcome = with_status(
      0, breakeven({"rank", slow, mix(), fast, "--label", slow.string() + "=the old box", "--out", "-"}));
  EXPECT_THAT(outcome.err, HasSubstr("1 file skipped: " + mix().string() + " is a config\n"));
  const Json ranking = parse(outcome.out).at("rankings").at(0);
  EXPECT_EQ(ranking.at("ranking").at(1).at("name"), "the old box");
  EXPECT_EQ(ranking.at("ranking").at(1).at("host").at("name"), "the old box");
  const Outcome report = breakeven({"report", slow, fast, mix(), "--label", slow.string() + "=the old box"});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("the old box"));
  EXPECT_THAT(report.err, HasSubstr("is a config"));
}

TEST_F(RankCommand, MachinesHaveTheNamesThatTheirFilesRecord) {
  const auto named = [&](const std::string& name, double factor) {
    const auto path = file(name + ".json");
    const Outcome outcome =
        breakeven({"run", mix(), "--machine", name, "--out", path, "--quiet"},
                  fmt::format("noise=0.001,process_noise=0.002,fixed=1e-5,per_flop=1e-11,factor={}", factor));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return path;
  };
  const auto slow = named("old box", 2);
  const auto fast = named("new box", 1);
  EXPECT_EQ(parse_file(slow).at("host").at("machine"), "old box");
  EXPECT_THAT(breakeven({"rank", slow, fast, "--answers", "-"}).out,
              AllOf(HasSubstr("new box takes the least time."), HasSubstr("old box takes")));
  EXPECT_THAT(breakeven({"rank", slow, fast, "--label", fast.string() + "=labelled", "--answers", "-"}).out,
              HasSubstr("labelled takes the least time."));
  EXPECT_THAT(breakeven({"report", slow, fast, "--answers", "-"}).out, HasSubstr("new box"));
  EXPECT_EQ(breakeven({"history", "add", file("h.db"), slow, "--commit", "c"}).status, 0);
  EXPECT_THAT(breakeven({"history", "check", file("h.db"), "--machine", "nowhere"}).err,
              HasSubstr("old box"));
  const auto continued = file("continued.json");
  EXPECT_EQ(breakeven({"run", mix(), "--resume", slow, "--out", continued, "--quiet"}).status, 0);
  EXPECT_EQ(parse_file(continued).at("host").at("machine"), "old box") << "a run that continues another";
  EXPECT_THAT(with_status(2, breakeven({"run", mix(), "--machine", ""})).err,
              HasSubstr("--machine: is empty"));
}

/// Ranks everything in the folder, like a first-time user.
TEST_F(RankCommand, TakesAllOfTheResultsFolder) {
  std::vector<std::string> arguments{"rank"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results")) {
    const bool is_of_all_work = entry.path().parent_path().string().ends_with("-2-cores");  // not the cards'
    if (is_of_all_work && entry.path().extension() == ".json") arguments.push_back(entry.path());
  }
  const Outcome ranked = with_status(0, breakeven(arguments));
  EXPECT_THAT(ranked.err, AllOf(HasSubstr("are each a table of a gate's quality"),
                                HasSubstr("more are each an answer of `breakeven threshold`")));
  EXPECT_EQ(std::count(ranked.err.begin(), ranked.err.end(), '\n'), 1) << "one note";
  EXPECT_THAT(ranked.out, HasSubstr("Zen 4, 2 cores"));
  arguments[0] = "report";
  arguments.insert(arguments.end(), {"--csv", file("all.csv")});
  EXPECT_THAT(with_status(0, breakeven(arguments)).err,
              HasSubstr("gate-quality.json are each a table of a gate's quality"));
}

/// A processor moves nothing: its result without transfers counts for the mix, that of a GPU does not.
TEST_F(RankCommand, AProcessorStandsForWhatMovesItsData) {
  const std::filesystem::path results = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results";
  const auto ranked = [&](const char* transfer) {
    const auto mix = write("served.json", R"({"title": "Served", "workloads": [
        {"op": "infer", "network": "mlp", "batch": 1, "dtype": "f32", "transfer": ")" +
                                              std::string(transfer) + R"("}]})");
    return breakeven({"rank", results / "epyc-zen5-2-cores" / "inference.json",
                      results / "epyc-zen4-2-cores" / "inference.json",
                      results / "xeon-h200-16-cores" / "gpu-vs-pytorch-eager.json", "--mix", mix, "--out",
                      "-"});
  };
  const auto places = [](const Outcome& outcome) {
    std::map<std::string, Json> all;
    const Json ranking = parse(outcome.out).at("rankings").at(0);
    for (const Json& one : ranking.at("ranking")) all[one.at("name")] = one.at("place");
    return all;
  };
  const auto moved = places(with_status(0, ranked("each")));
  EXPECT_EQ(moved.at("H200"), nullptr) << "its inputs were there already";
  EXPECT_EQ(moved.at("Zen 5, 2 cores"), 1);
  const Outcome resident = with_status(0, ranked("resident"));
  EXPECT_EQ(places(resident).at("H200"), 2);
  EXPECT_THAT(resident.out, HasSubstr("the inputs of inference were already on the GPU"));
  EXPECT_THAT(ranked("each").out, Not(HasSubstr("already on the GPU")));
}

TEST_F(RankCommand, LeavesOutMachinesThatAnswerTooLate) {
  const std::filesystem::path results = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results";
  const auto mix = write("served.json", R"({"title": "Served", "workloads": [
      {"op": "infer", "network": "mlp", "batch": 1, "dtype": "f32"}]})");
  const auto ranked = [&](const char* limit) {
    return breakeven({"rank", results / "epyc-zen5-2-cores" / "inference.json",
                      results / "xeon-h200-16-cores" / "gpu-vs-pytorch-eager.json", "--mix", mix, "--p99",
                      limit});
  };
  EXPECT_THAT(with_status(0, ranked("5ms")).out, Not(HasSubstr("the limit is")));
  EXPECT_THAT(with_status(4, ranked("25us")).out,
              HasSubstr("are answered within 28.3 µs, and the limit is 25.0 µs"));
  EXPECT_THAT(with_status(2, breakeven({"rank", results / "epyc-zen5-2-cores" / "matmul.json", "--mix", mix,
                                        "--p99", "5ms"}))
                  .err,
              HasSubstr("--p99 needs latencies"));
}

TEST_F(RankCommand, ColdCachesAreNotRankedBesideWarmOnes) {
  const auto warm = machine("warm", 1);
  const auto cold = machine("cold", 1);
  Json result = parse_file(cold);
  result["config"]["measure"]["cache"] = "cold";
  write("cold.json", result.dump());
  EXPECT_THAT(with_status(2, breakeven({"rank", warm, cold})).err,
              HasSubstr("one of warm with warm caches, one of cold with cold ones; rank either kind alone"));
}

TEST_F(RankCommand, WhatNobodyMeasuredAndOneMachineAreNoRanking) {
  const auto fast = machine("fast", 1);
  const auto slow = machine("slow", 2);
  EXPECT_THAT(with_status(4, breakeven({"rank", fast})).out, HasSubstr("nothing to rank it against"));
  const auto other = mix(R"({"op": "matmul", "m": 32, "n": 32, "k": 32, "dtype": "f32"})");
  EXPECT_THAT(with_status(4, breakeven({"rank", fast, slow, "--mix", other})).out,
              HasSubstr("Not measured on any machine"));
}

TEST_F(RankCommand, PredictsWhatAMachineLacksAndSaysHowFarThatIsOff) {
  const auto with_ceilings = [&](const std::string& name, double factor, bool has_work) {
    const std::string ceilings =
        R"({"op": "peak", "dtype": "f32"}, {"op": "read", "bytes": 65536, "dtype": "f32"})";
    const std::string work = R"({"op": "matmul", "m": [256, 512], "n": "m", "k": "m", "dtype": "f32"})";
    const auto path = machine(name, factor, ceilings + (has_work ? ", " + work : ""));
    mix(work);
    return path;
  };
  const auto one = with_ceilings("one", 1, true);
  const auto two = with_ceilings("two", 2, true);
  const auto fresh = with_ceilings("fresh", 0.5, false);
  const Outcome json = with_status(
      0, breakeven({"rank", one, two, fresh, "--mix", file("mix.json"), "--predict-missing", "--out", "-"}));
  const Json ranking = parse(json.out).at("rankings").at(0);
  const Json first = ranking.at("ranking").at(0);
  EXPECT_EQ(first.at("host").at("name"), "fresh");
  EXPECT_EQ(first.at("predicted"), false);
  EXPECT_EQ(first.at("cases").at(0).at("predicted"), true);
  EXPECT_EQ(ranking.at("ranking").at(1).at("cases").at(0).at("predicted"), false);
  // Twice as fast in everything: it reaches the same fraction of its ceilings as the others.
  EXPECT_NEAR(ranking.at("ranking").at(1).at("seconds").at("value").get<double>() /
                  first.at("seconds").at("value").get<double>(),
              2, 0.1);
  const Json error = ranking.at("prediction_errors").at(0);
  EXPECT_EQ(error.at("roofline"), "ceilings");
  EXPECT_EQ(error.at("devices"), 2);
  EXPECT_LT(error.at("p95_factor").get<double>(), 1.1);
  EXPECT_THAT(
      breakeven({"rank", one, two, fresh, "--mix", file("mix.json"), "--predict-missing", "--answers", "-"})
          .out,
      AllOf(HasSubstr("takes the least time"), HasSubstr("predicted from each other by the ceilings")));
  const Outcome without = breakeven({"rank", one, two, fresh, "--mix", file("mix.json")});
  EXPECT_THAT(without.out, HasSubstr("none of these cases was measured on it"));
  EXPECT_THAT(breakeven({"rank", one, two, "--predict-missing"}).err, HasSubstr("needs --mix"));
}

TEST_F(RankCommand, PredictsADeviceFromItsDatasheet) {
  const auto processor = [](const std::string& name, int operations) {
    return fmt::format(
        R"({{"name": "{}", "cores": 2, "sockets": 1, "ghz": 3, "operations_per_cycle": {{"f32": {}}},
        "memory_channels": 2, "memory_mega_transfers": 3200, "architecture": "A", "watts": 100,
        "source": "a page", "date": "2021-02"}})",
        name, operations);
  };
  const auto devices =
      write("devices.json",
            fmt::format(R"({{"devices": [], "processors": [{}, {}, {}]}})", processor("CPU of slow", 16),
                        processor("CPU of fast", 32), processor("wanted", 64)));
  const auto slow = machine("slow", 2);
  const auto fast = machine("fast", 1);
  const Outcome outcome =
      breakeven({"rank", "--devices", devices, "--predict", "wanted", slow, fast, "--out", "-"});
  const Json ranking = parse(outcome.out).at("rankings").at(0).at("ranking");
  ASSERT_EQ(ranking.size(), 3U) << outcome.err;
  std::map<std::string, bool> predicted;
  for (const Json& row : ranking) predicted[row.at("name").get<std::string>()] = row.at("predicted");
  EXPECT_EQ(std::count_if(predicted.begin(), predicted.end(), [](const auto& row) { return row.second; }), 1);
  EXPECT_TRUE(predicted["predicted: wanted, 2 cores"]);

  EXPECT_THAT(with_status(2, breakeven({"rank", slow, fast, "--predict", "wanted"})).err,
              HasSubstr("--predict needs datasheets"));
  EXPECT_THAT(with_status(2, breakeven({"rank", slow, fast, "--predict", "wantd", "--devices", devices})).err,
              HasSubstr("--predict: the catalogue has no 'wantd'; did you mean 'wanted'?"));
}

/// The slower machine needs less energy.
TEST_F(RankCommand, OrdersMachinesByEnergy) {
  const auto with_energy = [&](const std::string& name, double factor, double joules) {
    Json result = parse_file(machine(name, factor));
    for (Json& one : result["cases"]) one["joules"] = joules;
    return write(name + ".json", result.dump());
  };
  const auto slow = with_energy("slow", 2, 1);
  const auto fast = with_energy("fast", 1, 3);
  const auto first = [&](const char* by) {
    return parse(breakeven({"rank", slow, fast, "--by", by, "--out", "-"}).out)
        .at("rankings")
        .at(0)
        .at("ranking")
        .at(0)
        .at("host");
  };
  EXPECT_EQ(first("energy").at("name"), "slow");
  EXPECT_EQ(first("time").at("name"), "fast");
}

TEST_F(RankCommand, BadInputIsToldByNameAndPlace) {
  const auto fast = machine("fast", 1);
  const auto slow = machine("slow", 2);
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    std::vector<std::string> arguments{"rank", fast, slow};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = breakeven(arguments);
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_EQ(outcome.out, "");
  };
  refused({"--by", "cost"}, "--by cost needs prices");
  refused({"--by", "beauty"}, "--by");
  refused({"--prices", prices("0")}, "prices.json: /prices/1/per_hour: is 0");
  refused({"--prices", prices("-3")}, "/prices/1/per_hour: is -3");
  refused({"--prices", prices("3", "EUR")}, "/prices/1/currency: is 'EUR'");
  refused(
      {"--prices", write("named.json", R"({"prices": [{"machine": "CPU of fats, 2 cores", "per_hour": 1,
      "currency": "USD", "source": "a page", "date": "2026-10-01"}]})")},
      "named.json: no machine here is called 'CPU of fats, 2 cores'; did you mean 'CPU of fast, 2 cores'?");
  refused({"--use", "0"}, "--use");
  refused({"--prices", file("nowhere.json")}, "there is no such file");
  refused({"--mix", mix(R"({"op": "matmul", "m": 8, "n": 8, "k": 8, "weight": 0})")},
          "/workloads/0/weight: is 0");
  refused({"--out", file("prices.json") / "x.json"}, "--out");
  refused({"--label", "nowhere.json=a"}, "not among those that are read");
  refused({"--label", fast.string() + "="}, "must be FILE=NAME");
  refused({"--label", "fast"}, "--label fast: must be FILE=NAME");
  refused({"--label", fast.string() + "=x", "--label", slow.string() + "=x"}, "would both be called 'x'");
  refused({write("old.json", R"({"schema": "breakeven.result/99"})")}, "is of schema 'breakeven.result/99'");
}

}  // namespace
}  // namespace breakeven::cli_tests
