// Files that contradict themselves, or hold what cannot be: every command that reads results refuses them, in
// the same words, which name the file, the place and both values.
#include <algorithm>
#include <functional>
#include <set>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// An edit of a result that some run wrote, and what is said of it.
struct Edit {
  std::string name;
  std::function<void(Json& result)> change;
  std::string said;
};

using Change = std::function<void(Json&)>;

/// Edits of the first case, which is ok, and of its timing.
Change to_case(const Change& change) {
  return [=](Json& result) { change(result.at("cases").at(0)); };
}
Change to_seconds(const Change& change) {
  return to_case([=](Json& c) { change(c.at("seconds")); });
}
Change set_in_case(const std::string& pointer, const Json& value) {
  return to_case([=](Json& c) { c[Json::json_pointer(pointer)] = value; });
}
Change set_in_seconds(const std::string& key, const Json& value) {
  return set_in_case("/seconds/" + key, value);
}
Change set_in_file(const std::string& pointer, const Json& value) {
  return [=](Json& result) { result[Json::json_pointer(pointer)] = value; };
}
void scale(Json& number, double factor) {
  number = number.get<double>() * factor;
}
Change scale_times(const std::vector<std::string>& keys, double factor) {
  return to_seconds([=](Json& seconds) {
    for (const std::string& key : keys) {
      if (key == "samples")
        for (Json& sample : seconds.at(key)) scale(sample, factor);
      else
        scale(seconds.at(key), factor);
    }
  });
}
Change set_samples(double value) {
  return to_seconds([=](Json& seconds) {
    for (Json& sample : seconds.at("samples")) sample = value;
  });
}
Change with_own_speed(double first) {
  return to_seconds([=](Json& seconds) {
    seconds["own_speed"] = Json::array();
    for (std::size_t i = 0; i < seconds.at("samples").size(); ++i)
      seconds["own_speed"].push_back(i == 0 ? first : 1.0);
  });
}
Change with_status(const std::string& status) {
  return to_case([=](Json& c) {
    c["status"] = status;
    c["reason"] = "because";
    if (status == "wrong") c["gflops"] = c["gbps"] = nullptr;
  });
}
Change with_training(const std::function<void(Json&)>& change) {
  return to_case([=](Json& c) {
    c["training"] = {{"loss", {2.0, 1.0}},
                     {"loss_stride", 4},
                     {"steps", 7},
                     {"accuracy", 0.9},
                     {"epoch_seconds", {1.0, 2.0}},
                     {"epoch_accuracy", {0.8, 0.9}}};
    change(c["training"]);
  });
}

const std::vector<std::string> all_times{"median", "ci_low", "ci_high", "samples"};

std::vector<Edit> edits() {
  return {
      {"the median halved", scale_times({"median"}, 0.5), "samples whose median is"},
      {"the median and its interval halved", scale_times({"median", "ci_low", "ci_high"}, 0.5),
       "a median of"},
      {"the median a tenth higher", scale_times({"median"}, 1.1), "a median of"},
      {"a sample that moves the median", to_seconds([](Json& s) {
         for (std::size_t i = 0; i < s.at("samples").size(); i += 2) scale(s["samples"][i], 3);
       }),
       "a median of"},
      {"the interval's ends exchanged", to_seconds([](Json& s) { std::swap(s["ci_low"], s["ci_high"]); }),
       "an interval from"},
      {"an interval below the median", to_seconds([](Json& s) { s["ci_high"] = s["ci_low"]; }),
       "does not contain its median"},
      {"an interval beyond the samples", scale_times({"ci_high"}, 10), "an interval from"},
      {"no interval", to_seconds([](Json& s) { s["ci_low"] = s["ci_high"] = nullptr; }),
       "has no interval, and"},
      {"an interval of no width", to_seconds([](Json& s) { s["ci_low"] = s["ci_high"] = s["median"]; }),
       "and its middle samples are from"},
      {"half an interval", set_in_seconds("ci_low", nullptr), "a ci_low of null and a ci_high of"},
      {"a sample of 0", set_in_seconds("samples/0", 0), "a sample of 0 s"},
      {"all samples 0", set_samples(0), "a sample of 0 s"},
      {"negative samples", set_samples(-1e-3), "a sample of -0.001 s"},
      {"an unknown sample", set_in_seconds("samples/1", nullptr), "a sample of nan s"},
      {"a sample of 1e308 s", set_in_seconds("samples/0", 1e308), "a sample of 1e+308 s"},
      {"times of 1e-300 s", scale_times(all_times, 1e-300), "and a clock gives"},
      {"times of 1e300 s", scale_times(all_times, 1e300), "and a clock gives"},
      {"times of picoseconds", scale_times(all_times, 1e-9), "and a clock gives"},
      {"no samples", to_seconds([](Json& s) { s["samples"] = s["launches"] = Json::array(); }), "no samples"},
      {"a launch too long", to_seconds([](Json& s) { s["launches"][0] = s["launches"][0].get<int>() + 1; }),
       "do not add up to its"},
      {"a launch less", to_seconds([](Json& s) { s["launches"].erase(0); }), "do not add up to its"},
      {"a launch of -1", to_seconds([](Json& s) {
         s["launches"] = {static_cast<int>(s["samples"].size()) + 1, -1};
       }),
       "one has -1 samples"},
      {"a launch of 0", to_seconds([](Json& s) { s["launches"].push_back(0); }), "one has 0 samples"},
      {"visits of several launches", to_seconds([](Json& s) { s["visits"] = s["launches"]; }), "visits"},
      {"visits that do not add up", to_seconds([](Json& s) {
         s["launches"] = {s["samples"].size()};
         s["visits"] = {1, 1};
       }),
       "2 visits that do not add up to its"},
      {"the throttled sample -1", set_in_seconds("throttled", {-1}), "the throttled sample -1"},
      {"a throttled sample beyond the last", set_in_seconds("throttled", {100'000}),
       "the throttled sample 100000"},
      {"throttled samples that fall", set_in_seconds("throttled", {2, 1}), "which must rise"},
      {"an own speed of 2", with_own_speed(2), "an own_speed of 2"},
      {"an own speed below 0", with_own_speed(-0.5), "an own_speed of -0.5"},
      {"one own speed for all", set_in_seconds("own_speed", {1.0}), "and 1 of own_speed"},
      {"-5 iterations", set_in_seconds("iterations", -5), "-5 iterations"},
      {"0 iterations", set_in_seconds("iterations", 0), "0 iterations"},
      {"samples of centuries", set_in_seconds("iterations", 1'000'000'000'000'000), "iterations of"},
      {"ok and not correct", set_in_case("/verify/correct", false), "a verification that is not correct"},
      {"an error of 1e9", set_in_case("/verify/error", 1e9), "the error 1000000000 and the tolerance"},
      {"an error below 0", set_in_case("/verify/error", -1), "has the error -1"},
      {"a tolerance of everything", set_in_case("/verify/tolerance", 1e30), "has the tolerance 1e+30"},
      {"an unknown error", set_in_case("/verify/error", nullptr), "the error nan and the tolerance"},
      {"ok and never verified", set_in_case("/verify", nullptr), "no verification"},
      {"nothing verified", to_case([](Json& c) {
         c["verify"]["elements"] = c["verify"]["losses"] = c["verify"]["projections"] = 0;
       }),
       "0 verified values"},
      {"wrong and correct", with_status("wrong"), "the status wrong, and a verification that is correct"},
      {"failed with a rate", with_status("failed"), "gflops, and no time and work that give any"},
      {"ok with a reason", with_status("ok"), "the status ok, and a reason why it is not"},
      {"ok without a time", set_in_case("/seconds", nullptr), "the status ok, and no seconds"},
      {"another dtype", set_in_case("/dtype", "f64"), "the dtype f64, and f32 among its parameters"},
      {"another dtype among the parameters", set_in_case("/params/dtype", "f64"),
       "the dtype f32, and f64 among its parameters"},
      {"no dtype among the parameters", to_case([](Json& c) { c["params"].erase("dtype"); }),
       "and none among its parameters"},
      {"another id", set_in_case("/id", "matmul/m=1/n=1/k=1/f32"), "and the parameters of 'matmul/m=64/n=64"},
      {"another parameter", set_in_case("/params/m", 65), "and the parameters of 'matmul/m=65/n=64"},
      {"a parameter of -1", set_in_case("/params/m", -1), "has m = -1, which must be at least 1"},
      {"an unknown operation", set_in_case("/op", "benchmark"), "and the operation benchmark"},
      {"a newer parameter, and another one", to_case([](Json& c) {
         c["params"]["sparsity"] = 4;
         c["params"]["m"] = 640;
       }),
       "and the parameter m=640"},
      {"FLOPs by 1000", to_case([](Json& c) { scale(c["flop"], 1000); }), "FLOPs, and its parameters give"},
      {"a rate by 1000", to_case([](Json& c) { scale(c["gflops"], 1000); }),
       "gflops, and its time and work give"},
      {"FLOPs and their rate by 1000", to_case([](Json& c) {
         scale(c["flop"], 1000);
         scale(c["gflops"], 1000);
       }),
       "FLOPs, and its parameters give"},
      {"bytes below 0", to_case([](Json& c) { scale(c["bytes"], -1); }), "bytes, and its parameters give"},
      {"images of a product", set_in_case("/samples_per_iteration", 64), "64 samples per iteration"},
      {"CPU seconds below 0", set_in_case("/cpu_seconds", -1), "cpu_seconds of -1"},
      {"joules below 0", set_in_case("/joules", -3), "joules of -3"},
      {"joules of nothing", set_in_case("/joules", 1e-300), "joules of 1e-300"},
      {"CPU seconds of many machines", set_in_case("/cpu_seconds", 1e6),
       "cpu_seconds of 1000000 in an iteration"},
      {"a device that takes longer than all", set_in_case("/device_seconds", 1e3),
       "device_seconds of 1000 in an iteration"},
      {"communication that takes longer than all", set_in_case("/communication_seconds", 1e3),
       "communication_seconds of 1000 in an iteration"},
      {"latencies of 0", set_in_case("/latency", {{"p50", 0}, {"p99", 1e-3}, {"count", 10}}),
       "a latency of 0 s (p50)"},
      {"latencies of a product", to_case([](Json& c) {
         c["latency"] = {{"p50", c["seconds"]["median"]}, {"p99", c["seconds"]["median"]}, {"count", 10}};
       }),
       "has a latency, which matmul does not have"},
      {"training of a product", with_training([](Json& /*training*/) {}),
       "has a training, which matmul does not have"},
      {"a size of products", set_in_case("/fit", {{"largest", 10}, {"refused", 11}, {"limit", ""}}),
       "has a fit, which matmul does not have"},
      {"stolen five times over", set_in_case("/conditions/steal_percent", 500), "steal_percent of 500"},
      {"on the CPU -1", set_in_case("/conditions/cpus", {0, -1}), "the CPU -1"},
      {"a rank with -7 threads", set_in_case("/conditions/ranks", {{{"host", "n"}, {"threads", -7}}}),
       "a rank with -7 threads"},
      {"a 99th percentile below the median",
       set_in_case("/latency", {{"p50", 2e-3}, {"p99", 1e-3}, {"count", 10}}), "a latency of 0.002 s (p50)"},
      {"latencies of no iteration", set_in_case("/latency", {{"p50", 1e-3}, {"p99", 1e-3}, {"count", 0}}),
       "over 0 iterations"},
      {"more steps than losses", with_training([](Json& t) { t["steps"] = 100; }),
       "2 losses of 4 steps each"},
      {"more epochs than accuracies", with_training([](Json& t) { t["epoch_seconds"].push_back(1.0); }),
       "3 times of epochs and 2 accuracies"},
      {"an accuracy of 2", with_training([](Json& t) {
         t["epoch_accuracy"] = {0.5, 2.0};
       }),
       "an accuracy of 2"},
      {"another last accuracy", with_training([](Json& t) { t["accuracy"] = 0.5; }),
       "an accuracy of 0.5, and 0.9 after its last epoch"},
      {"an accuracy reached in between", with_training([](Json& t) { t["seconds_to_accuracy"] = 1.5; }),
       "1.5 s to its accuracy"},
      {"as many threads as of the run", set_in_case("/threads", {{"chosen", 16}, {"of", 16}}),
       "16 of 16 threads chosen"},
      {"a size that fits and was refused",
       set_in_case("/fit", {{"largest", 10}, {"refused", 9}, {"limit", ""}}),
       "10 as the largest size that fits, and 9 refused"},
      {"another device", set_in_case("/device", "gpu"), "the device 'gpu', and its backend 'cpu'"},
      {"a backend that was not there", set_in_file("/backends/0/available", false),
       "its backend was not available"},
      {"a backend twice", [](Json& r) { r["backends"].push_back(r["backends"][0]); }, "twice"},
      {"no backends", set_in_file("/backends", Json::array()), "its backend is not in the list of backends"},
      {"a GPU that is not there", set_in_file("/backends/0/device_id", "GPU-1"),
       "on the GPU 'GPU-1', which the host does not have"},
      {"a GPU twice", set_in_file("/host/gpus", {{{"id", "GPU-1"}}, {{"id", "GPU-1"}}}),
       "the GPU 'GPU-1' twice"},
      {"a GPU with memory of -1", set_in_file("/host/gpus", {{{"id", "GPU-1"}, {"memory_bytes", -1}}}),
       "memory_bytes of -1"},
      {"a case not measured in a whole run", to_case([](Json& c) {
         c["status"] = "interrupted";
         c["seconds"] = c["gflops"] = c["gbps"] = nullptr;
       }),
       "the status interrupted, and the run is complete"},
      {"a lowest speed above the usual",
       set_in_file("/machine_speed", {{"rounds", 9}, {"slow_rounds", 5}, {"median", 0.5}, {"lowest", 0.9}}),
       "a median of 0.5, and a lowest share of 0.9"},
      {"no slow round, and half the speed",
       set_in_file("/machine_speed", {{"rounds", 9}, {"slow_rounds", 0}, {"median", 1}, {"lowest", 0.5}}),
       "0 slow rounds, and a lowest share of 0.5"},
      {"a best time above the usual",
       set_in_file("/machine_speed", {{"rounds", 9},
                                      {"slow_rounds", 0},
                                      {"median", 1},
                                      {"lowest", 1},
                                      {"best_seconds", {{"l2", 2e-9}}},
                                      {"median_seconds", {{"l2", 1e-9}}}}),
       "a best time of 2e-09 s"},
      {"sampling before it began", set_in_file("/sampling", {{"wall_seconds", -1}, {"sample_seconds", 1}}),
       "wall_seconds of -1"},
      {"a config that is a number", set_in_file("/config", 5), "/config must be an object, or a list"},
      {"a plan of no shard", set_in_file("/shard_plan", Json::object()),
       "/shard_plan is there, and no shard"},
      {"a case twice", [](Json& r) { r["cases"].push_back(r["cases"][0]); }, "repeats"},
      {"-3 threads", set_in_file("/host/threads", -3), "has -3 threads"},
      {"0 threads", set_in_file("/host/threads", 0), "/host/threads is 0"},
      {"more threads than CPUs", set_in_file("/host/threads", 100'000), "has 100000 threads and"},
      {"more cores than CPUs", set_in_file("/host/cores", 100'000), "has 100000 cores and"},
      {"memory of -1", set_in_file("/host/memory_bytes", -1), "has -1 memory_bytes"},
      {"a quota of 0", set_in_file("/host/cpu_quota", 0), "has a cpu_quota of 0"},
      {"made yesterday", set_in_file("/created", "yesterday"), "/created is 'yesterday'"},
      {"made in 2999", set_in_file("/created", "2999-01-01T00:00:00Z"), "/created is '2999-01-01T00:00:00Z'"},
      {"made on 30 February", set_in_file("/created", "2026-02-30T00:00:00Z"),
       "/created is '2026-02-30T00:00:00Z'"},
  };
}

class Contradictions : public DriverTest {
 protected:
  Contradictions() {
    breakeven::cli_tests::with_status(0,
                                      breakeven({"run", config_, "--out", good_, "--quiet"}, "noise=0.01"));
  }

  /// Every command that reads results, each once with the file, beside good ones where it needs several.
  std::vector<std::vector<std::string>> commands(const std::string& of) const {
    return {{"report", of},
            {"compare", good_, of},
            {"compare", of, good_},
            {"rank", good_, of},
            {"fleet", good_, of},
            {"threshold", "--from-results", good_, of, "--parameter", "m"},
            {"history", "add", file("store").string(), of, "--commit", "c"},
            {"merge", good_, of, "--out", file("merged.json").string()},
            {"run", config_, "--resume", of, "--out", file("resumed.json").string()}};
  }

  const std::string config_ = products({64, 128}, {"a"}, {{"launches", 5}, {"max_seconds", 0.3}}).string();
  const std::string good_ = file("good.json").string();
};

TEST_F(Contradictions, AreRefusedAlikeByEveryCommand) {
  const Json good = parse_file(good_);
  std::set<std::string> names;
  for (const Edit& edit : edits()) {
    EXPECT_TRUE(names.insert(edit.name).second) << edit.name;
    Json edited = good;
    edit.change(edited);
    const std::string path = write("edited.json", edited.dump()).string();
    std::set<std::string> said;
    for (const std::vector<std::string>& command : commands(path)) {
      const Outcome outcome = breakeven(command);
      EXPECT_EQ(outcome.status, 2) << edit.name << ": " << command.front() << outcome.out.substr(0, 300);
      EXPECT_EQ(outcome.out, "") << edit.name << ": " << command.front();
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
      said.insert(outcome.err);
    }
    EXPECT_THAT(said, testing::ElementsAre(AllOf(HasSubstr("edited.json: /"), HasSubstr(edit.said))))
        << edit.name;
  }
  EXPECT_GE(names.size(), 100U);
  EXPECT_FALSE(exists(file("store")));
}

/// So that the commands above are refused for the edits alone.
TEST_F(Contradictions, AreNotSeenInWhatARunWrote) {
  const std::string copy = write("edited.json", text_of(good_)).string();
  for (const std::vector<std::string>& command : commands(copy)) {
    const Outcome outcome = breakeven(command);
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("edited.json: /"))) << command.front();
  }
}

TEST_F(Contradictions, AreNotSeenInARunOfSeveralConfigs) {
  Json second = parse_file(config_);
  second["workloads"][0]["m"] = {32};
  const std::string both = file("both.json").string();
  breakeven::cli_tests::with_status(
      0, breakeven({"run", config_, write("second.json", second.dump()).string(), "--out", both, "--quiet"},
                   "noise=0.01"));
  breakeven::cli_tests::with_status(0, breakeven({"report", both}));
  breakeven::cli_tests::with_status(0, breakeven({"compare", both, both, "--fail-on", "slower"}));
}

}  // namespace
}  // namespace breakeven::cli_tests
