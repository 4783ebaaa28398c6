#include "plan/config.h"

#include <gmock/gmock.h>

#include <set>

#include "unit/messages.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> ids(const Config& config) {
  std::vector<std::string> all;
  for (const PlannedCase& planned : config.cases) all.push_back(planned.problem.id());
  return all;
}

Config read_text(const std::string& text) {
  const TemporaryFolder folder;
  return read_config(folder.write("a.json", text));
}

Config read_workload(const std::string& entry) {
  return read_text("{\"workloads\": [" + entry + "]}");
}

TEST(Config, DefaultsAreTheDesigns) {
  const Config config = read_workload(R"({"op": "matmul", "m": 2, "n": 3, "k": 4})");
  EXPECT_EQ(config.title, "a");
  EXPECT_THAT(config.backends, IsEmpty());
  EXPECT_EQ(config.measure, Measure());
  EXPECT_EQ(config.measure.precision, 0.02);
  EXPECT_EQ(config.measure.max_seconds, 3);
  EXPECT_EQ(config.measure.seed, 1U);
  EXPECT_THAT(ids(config), ElementsAre("matmul/m=2/n=3/k=4/f32"));
  EXPECT_THAT(config.json, HasSubstr("\"workloads\""));
}

TEST(Config, ReadsEveryKey) {
  const Config config = read_text(R"({"$schema": "x", "title": "Why?", "backends": ["openblas", "blis-0.9"],
      "measure": {"precision": 0.1, "max_seconds": 5, "launches": 3, "cache": "cold", "placement": "free",
                  "seed": 9007199254740991, "timeout_seconds": 0.5, "energy_seconds": 0,
                  "library_defaults": true},
      "workloads": [{"op": "matmul", "m": 2, "n": 3, "k": 4}]})");
  EXPECT_EQ(config.title, "Why?");
  EXPECT_THAT(config.backends, ElementsAre("openblas", "blis-0.9"));
  EXPECT_EQ(config.measure, (Measure{.precision = 0.1,
                                     .max_seconds = 5,
                                     .launches = 3,
                                     .cold_cache = true,
                                     .placed = false,
                                     .seed = 9007199254740991,
                                     .timeout_seconds = 0.5,
                                     .energy_seconds = 0,
                                     .library_defaults = true}));
}

TEST(Config, FirstKeyVariesSlowest) {
  EXPECT_THAT(ids(read_workload(R"({"op": "matmul", "dtype": ["f64", "f32"], "k": 1, "m": [3, 2], "n": 1})")),
              ElementsAre("matmul/m=3/n=1/k=1/f64", "matmul/m=2/n=1/k=1/f64", "matmul/m=3/n=1/k=1/f32",
                          "matmul/m=2/n=1/k=1/f32"));
}

TEST(Config, RangesIncludeTheirEnds) {
  const auto sizes = [](const std::string& range) {
    std::vector<std::int64_t> m;
    for (const PlannedCase& planned :
         read_workload(R"({"op": "matmul", "n": 1, "k": 1, "m": )" + range + "}").cases)
      m.push_back(planned.problem.parameters.integer("m"));
    return m;
  };
  EXPECT_THAT(sizes(R"({"from": 64, "to": 4096, "factor": 2})"),
              ElementsAre(64, 128, 256, 512, 1024, 2048, 4096));
  EXPECT_THAT(sizes(R"({"from": 1, "to": 1000000, "factor": 10})"),
              ElementsAre(1, 10, 100, 1000, 10000, 100000, 1000000));
  EXPECT_THAT(sizes(R"({"from": 3, "to": 47, "factor": 2})"), ElementsAre(3, 6, 12, 24));
  EXPECT_THAT(sizes(R"({"from": 64, "to": 256, "factor": 1.4142135623730951})"),
              ElementsAre(64, 91, 128, 181, 256));
  EXPECT_THAT(sizes(R"({"from": 1, "to": 4, "factor": 1.2})"), ElementsAre(1, 2, 3, 4));  // once each
  EXPECT_THAT(sizes(R"({"from": 10, "to": 30, "step": 10})"), ElementsAre(10, 20, 30));
  EXPECT_THAT(sizes(R"({"from": 10, "to": 29, "step": 10})"), ElementsAre(10, 20));
  EXPECT_THAT(sizes(R"({"from": 7, "to": 7, "factor": 2})"), ElementsAre(7));
}

TEST(Config, ReferencesAreOfTheSameCombination) {
  EXPECT_THAT(ids(read_workload(R"({"op": "matmul", "m": [2, 3], "n": "m", "k": "n"})")),
              ElementsAre("matmul/m=2/n=2/k=2/f32", "matmul/m=3/n=3/k=3/f32"));
  EXPECT_THAT(ids(read_workload(R"({"op": "matmul", "k": "n", "n": ["m", 9], "m": 4})")),
              ElementsAre("matmul/m=4/n=4/k=4/f32", "matmul/m=4/n=9/k=9/f32"));
  EXPECT_THAT(ids(read_workload(R"({"op": "matmul", "m": 5, "n": 6, "k": "batch"})")),
              ElementsAre("matmul/m=5/n=6/k=1/f32"))
      << "a parameter that is not given has its default";
  EXPECT_THAT(ids(read_workload(R"({"op": "matmul", "m": 5, "n": 5, "k": 5,
                                    "transpose_a": [false, true], "transpose_b": "transpose_a"})")),
              ElementsAre("matmul/m=5/n=5/k=5/f32", "matmul/m=5/n=5/k=5/transpose_a/transpose_b/f32"));
}

TEST(Config, ShapesAreRowsTimesTheRest) {
  const TemporaryFolder folder;
  folder.write("shapes/s.json", R"({"source": "a test", "columns": ["label", "m", "n", "k"],
                                    "rows": [["first", 1, 2, 3], ["second", 4, 5, 6]]})");
  const Config config = read_config(folder.write(
      "a.json",
      R"({"workloads": [{"op": "matmul", "dtype": ["f32", "bf16"], "shapes": "shapes/s.json", "batch": "k"}]})"));
  EXPECT_THAT(ids(config), ElementsAre("matmul/m=1/n=2/k=3/batch=3/f32", "matmul/m=4/n=5/k=6/batch=6/f32",
                                       "matmul/m=1/n=2/k=3/batch=3/bf16", "matmul/m=4/n=5/k=6/batch=6/bf16"));
  EXPECT_EQ(config.cases[0].label, "first");
  EXPECT_EQ(config.cases[3].label, "second");
}

TEST(Config, TheSameCaseIsKeptOnceWithAllItsLabels) {
  const TemporaryFolder folder;
  folder.write("s.json", R"({"source": "a test", "columns": ["label", "m", "n", "k"],
                             "rows": [["a", 1, 1, 1], ["b", 2, 2, 2], ["c", 1, 1, 1], ["a", 1, 1, 1]]})");
  const Config config = read_config(folder.write(
      "a.json",
      R"({"workloads": [{"op": "matmul", "m": 1, "n": 1, "k": 1}, {"op": "matmul", "shapes": "s.json"},
                                  {"op": "matmul", "m": 1, "n": 1, "k": 1, "batch": 1}]})"));
  EXPECT_THAT(ids(config), ElementsAre("matmul/m=1/n=1/k=1/f32", "matmul/m=2/n=2/k=2/f32"));
  EXPECT_EQ(config.cases[0].label, "a, c");
  EXPECT_EQ(config.cases[1].label, "b");
}

TEST(Config, ABatchPerRankMergesWithTheWholeBatch) {
  const Config config = read_text(R"({"workloads": [
      {"op": "train", "network": "mlp", "batch": 64, "ranks": [1, 2], "batch_per_rank": true},
      {"op": "train", "network": "mlp", "batch": [64, 128], "ranks": [1, 2]}]})");
  EXPECT_THAT(ids(config),
              ElementsAre("train/network=mlp/batch=64/f32", "train/network=mlp/batch=128/ranks=2/f32",
                          "train/network=mlp/batch=64/ranks=2/f32", "train/network=mlp/batch=128/f32"));
}

TEST(Config, SeveralBecomeOne) {
  const TemporaryFolder folder;
  const auto a = folder.write("a.json", R"({"title": "A?", "backends": ["x", "y"],
                                            "workloads": [{"op": "matmul", "m": [1, 2], "n": 1, "k": 1}]})");
  const auto b = folder.write("b.json", R"({"title": "B?", "backends": ["y", "z"], "measure": {"seed": 1},
                                            "workloads": [{"op": "matmul", "m": [2, 3], "n": 1, "k": 1}]})");
  const auto c = folder.write("c.json", R"({"workloads": [{"op": "matmul", "m": 1, "n": 1, "k": 1}]})");
  const auto d = folder.write("d.json", R"({"measure": {"seed": 2},
                                            "workloads": [{"op": "matmul", "m": 1, "n": 1, "k": 1}]})");
  const Config both = read_configs({a, b});
  EXPECT_EQ(both.title, "A?; B?");
  EXPECT_THAT(both.backends, ElementsAre("x", "y", "z"));
  EXPECT_THAT(ids(both),
              ElementsAre("matmul/m=1/n=1/k=1/f32", "matmul/m=2/n=1/k=1/f32", "matmul/m=3/n=1/k=1/f32"));
  EXPECT_EQ(Json::parse(both.json).size(), 2U);
  EXPECT_THAT(read_configs({a, c}).backends, IsEmpty()) << "c asks for every contender";
  EXPECT_EQ(read_configs({a}).json, read_config(a).json);
  EXPECT_EQ(message_of<ConfigError>([&] {
              read_configs({a, d});
            }),
            d.string() + ": /measure: differs from that of " + a.string() +
                "; make them the same, or run the configs one by one");
}

TEST(Config, DataLiesBesideTheConfig) {
  const TemporaryFolder folder;
  const auto data = [&](const std::string& given) {
    const Config config = read_config(folder.write(
        "configs/a.json",
        R"({"workloads": [{"op": "infer", "network": "mlp", "batch": 1, "data": ")" + given + R"("}]})"));
    return config.cases.at(0).problem.parameters.text("data");
  };
  EXPECT_EQ(data("images"), (folder.path() / "configs/images").string());
  EXPECT_EQ(data("../images"), (folder.path() / "images").string());
  EXPECT_EQ(data("/images"), "/images");
}

TEST(Config, OneAndOnePointNothingAreTheSameNumber) {
  const std::string train = R"({"op": "train", "network": "mlp", "batch": 1, "learning_rate": )";
  EXPECT_EQ(ids(read_workload(train + "1}")), ids(read_workload(train + "1.0}")));
  EXPECT_EQ(ids(read_workload(train + "0}")),
            ids(read_workload(R"({"op": "train", "network": "mlp", "batch": 1})")))
      << "the default, given as an integer";
}

TEST(Config, AtTheLimit) {
  const std::string entry = R"({"op": "matmul", "m": {"from": 1, "to": 1000, "step": 1}, "k": 1, "n": )";
  EXPECT_EQ(read_workload(entry + R"({"from": 1, "to": 100, "step": 1}})").cases.size(), most_cases);
  EXPECT_THROW(read_workload(entry + R"({"from": 1, "to": 101, "step": 1}})"), ConfigError);
}

}  // namespace
}  // namespace breakeven
