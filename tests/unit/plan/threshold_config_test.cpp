#include "plan/threshold_config.h"

#include <gmock/gmock.h>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class ThresholdConfigFile : public testing::Test {
 protected:
  ThresholdConfig read(const std::string& threshold, const std::string& workload = products) const {
    const std::string key = threshold.empty() ? "" : "\"threshold\": " + threshold + ", ";
    return read_threshold_config(
        folder_.write("c.json", "{" + key + "\"title\": \"From when?\", \"workloads\": [" + workload + "]}"));
  }
  void expect_refused(const std::string& threshold, const std::string& words,
                      const std::string& workload = products) const {
    EXPECT_THAT([&] { read(threshold, workload); }, ThrowsMessage<ConfigError>(HasSubstr(words)))
        << threshold;
  }

  static constexpr const char* products =
      R"({"op": "matmul", "m": {"from": 16, "to": 100, "factor": 2}, "n": "m", "k": 64, "dtype": ["f32", "f64"]})";
  static constexpr const char* sides =
      R"("baseline": {"backends": ["a", "b"], "threads": 1}, "challenger": {"backends": ["c"]})";
  static std::string asked(const std::string& parameter = "m", const std::string& more = "") {
    return "{\"parameter\": \"" + parameter + "\", " + more + sides + "}";
  }
  TemporaryFolder folder_;
};

TEST_F(ThresholdConfigFile, IsAQuestionForEachCombinationOfTheOthers) {
  const ThresholdConfig config = read(asked("m", R"("multiple": 8, "width": 0.1, )"));
  EXPECT_EQ(config.title, "From when?");
  EXPECT_EQ(config.parameter, "m");
  EXPECT_EQ(config.multiple, 8);
  EXPECT_EQ(config.width, 0.1);
  EXPECT_THAT(config.sides[0].backends, ElementsAre("a", "b"));
  EXPECT_EQ(config.sides[0].threads, 1);
  EXPECT_EQ(config.sides[1].threads, 0);
  ASSERT_EQ(config.questions.size(), 2U);
  const ThresholdQuestion& first = config.questions[0];
  EXPECT_EQ(first.title, "matmul, m = n, k 64, f32");
  EXPECT_EQ(config.questions[1].title, "matmul, m = n, k 64, f64");
  EXPECT_EQ(first.from, 16);
  EXPECT_EQ(first.to, 64) << "the last value of the range";
  EXPECT_EQ(first.factor, 2);
  EXPECT_EQ(first.at(0, 50).problem.id(), "matmul/m=50/n=50/k=64/f32");
  EXPECT_EQ(first.at(1, 50).problem.id(), "matmul/m=50/n=50/k=64/f32");
}

TEST_F(ThresholdConfigFile, GivesASideItsOwnParameters) {
  const std::string unlike =
      R"({"parameter": "m", "baseline": {"backends": ["a"]}, "challenger": {"backends": ["a"], "parameters": {"dtype": "bf16"}})";
  const char* one_type =
      R"({"op": "matmul", "m": {"from": 16, "to": 100, "factor": 2}, "n": "m", "k": 64, "dtype": "f32"})";
  const ThresholdConfig config = read(unlike + R"(, "unlike_precision": true})", one_type);
  ASSERT_EQ(config.questions.size(), 1U);
  EXPECT_TRUE(config.unlike_precision);
  EXPECT_EQ(config.questions[0].at(0, 32).problem.dtype(), Dtype::f32);
  EXPECT_EQ(config.questions[0].at(1, 32).problem.dtype(), Dtype::bf16);
  EXPECT_EQ(config.questions[0].title, "matmul, m = n, k 64, bf16 against f32");
  expect_refused(unlike + "}", "compares f32 with bf16", one_type);
  expect_refused(unlike + R"(, "unlike_precision": true})", "one side fewer combinations");
}

std::string priced(const std::string& first, const std::string& second) {
  return R"({"parameter": "m", "in": ["time", "cost"], "baseline": {"backends": ["a"])" + first +
         R"(}, "challenger": {"backends": ["c"])" + second + "}}";
}

TEST_F(ThresholdConfigFile, HasPricesForWhatIsAskedInCost) {
  const std::string cheap =
      R"(, "price": {"per_hour": 0.1, "currency": "EUR", "source": "an offer", "date": "2026-11-01"})";
  const std::string dear =
      R"(, "price": {"per_hour": 2.5, "currency": "EUR", "source": "another", "date": "2026-11-02"})";
  const ThresholdConfig config = read(priced(cheap, dear));
  EXPECT_THAT(config.in, ElementsAre(Metric::time, Metric::cost));
  EXPECT_EQ(config.sides[1].price->per_hour, 2.5);
  EXPECT_EQ(config.sides[1].price->from.source, "another");

  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = dear;
    return changed.replace(changed.find(from), from.size(), to);
  };
  expect_refused(priced(cheap, ""), "/threshold/challenger: 'price' is missing, and the cost is asked for");
  expect_refused(priced(cheap, with("EUR", "USD")), "is 'USD', and the baseline's is 'EUR'; convert one");
  expect_refused(priced(cheap, with("2.5", "0")), "/threshold/challenger/price/per_hour: is 0; it must be");
  expect_refused(priced(cheap, with("2.5", "-1")), "/threshold/challenger/price/per_hour: is -1");
  expect_refused(priced(cheap, with("2026-11-02", "2026-02-30")), "/price/date: is '2026-02-30'");
  expect_refused(priced(cheap, with("2026-11-02", "last week")), "/price/date: is 'last week'");
  expect_refused(priced(cheap, with(R"("source": "another", )", "")), "/price: 'source' is missing");
}

TEST_F(ThresholdConfigFile, SaysWhatIsWrongAndWhere) {
  expect_refused("", "c.json: 'threshold' is missing");
  expect_refused("[]", "/threshold");
  expect_refused(asked("n"), "must be a range of whole numbers");
  expect_refused(asked("batch"), "/workloads/0: has no range of 'batch'");
  expect_refused(asked("dtype"), "must be a range of whole numbers");
  expect_refused(asked("mm"), "has no range of 'mm'");
  expect_refused(asked("m", R"("multiple": 0, )"), "/threshold/multiple: is 0");
  expect_refused(asked("m", R"("width": 1.5, )"), "/threshold/width: is 1.5");
  expect_refused(asked("m", R"("in": "money", )"),
                 "/threshold/in: is \"money\"; it must be \"time\", \"energy\" or \"cost\"");
  expect_refused(asked("m", R"("in": [], )"), "/threshold/in: is []");
  expect_refused(asked("m", R"("in": ["time", "time"], )"), "/threshold/in: has \"time\" twice");
  expect_refused(asked("m", R"("unlike_precision": 1, )"), "must be true or false");
  expect_refused(asked("m", R"("wdith": 0.1, )"), "width");
  expect_refused(R"({"parameter": "m", "baseline": {"backends": ["a"]}})", "'challenger' is missing");
  expect_refused(R"({"parameter": "m", "baseline": {}, "challenger": {"backends": ["a"]}})",
                 "/threshold/baseline: 'backends' is missing");
  expect_refused(
      R"({"parameter": "m", "baseline": {"backends": ["a"], "threads": 0}, "challenger": {"backends": ["a"]}})",
      "/threshold/baseline/threads");
  expect_refused(
      R"({"parameter": "m", "baseline": {"backends": ["a"], "parameters": {"m": 3}}, "challenger": {"backends": ["a"]}})",
      "is the parameter that the threshold looks for");
  expect_refused(
      R"({"parameter": "m", "baseline": {"backends": ["a"], "parameters": {"k": [3]}}, "challenger": {"backends": ["a"]}})",
      "must be one value");
  expect_refused(
      R"({"parameter": "m", "baseline": {"backends": ["a"], "parameters": {"kk": 3}}, "challenger": {"backends": ["a"]}})",
      "kk");
}

TEST_F(ThresholdConfigFile, SaysWhatASideMayHave) {
  const auto with = [](const std::string& baseline) {
    return R"({"parameter": "m", "baseline": )" + baseline + R"(, "challenger": {"backends": ["a"]}})";
  };
  expect_refused(with("[]"), "/threshold/baseline: is []; it must be an object, {...}");
  expect_refused(with(R"({"backends": ["a"], "thread": 1})"), "/threshold/baseline/thread: unknown key");
  expect_refused(with(R"({"backends": []})"),
                 "/threshold/baseline/backends: is []; it must be a list of names");
  expect_refused(with(R"({"backends": ["a"], "parameters": [3]})"),
                 "/threshold/baseline/parameters: is [3]; it must be an object, {...}");
  expect_refused(with(R"({"backends": ["a"], "parameters": {"k": {"from": 1}}})"),
                 "/threshold/baseline/parameters/k: must be one value, which this side has in place of the");
  expect_refused(with(R"({"backends": ["a"], "price": {"per_hour": 1, "per_day": 2}})"),
                 "/threshold/baseline/price/per_day: unknown key 'per_day'");
  EXPECT_EQ(read(with(R"({"backends": ["a"], "threads": 65537})")).sides[0].threads, 65536)
      << "more than any machine has";
}

TEST_F(ThresholdConfigFile, AsksForTimeByTheDefaults) {
  const ThresholdConfig config = read(asked());
  EXPECT_THAT(config.in, ElementsAre(Metric::time));
  EXPECT_EQ(config.multiple, 1);
  EXPECT_EQ(config.width, 0.04);
  EXPECT_FALSE(config.unlike_precision);
  EXPECT_FALSE(config.sides[0].price);
  EXPECT_THAT(read(asked("m", R"("in": ["energy", "time"], )")).in,
              ElementsAre(Metric::energy, Metric::time));
  EXPECT_EQ(config.measure, Measure());
  EXPECT_THAT(config.json, HasSubstr("\"From when?\""));
}

TEST_F(ThresholdConfigFile, TakesTheWidthsBetween0And1) {
  EXPECT_EQ(read(asked("m", R"("width": 0.999, )")).width, 0.999);
  for (const char* width : {"0", "1", "-0.1", "\"0.1\""})
    expect_refused(asked("m", std::string("\"width\": ") + width + ", "),
                   std::string("/threshold/width: is ") + width +
                       "; it must be a fraction above 0 and below 1, as in 0.04");
}

TEST_F(ThresholdConfigFile, LooksAbove0) {
  const std::string padded =
      R"({"op": "conv2d", "n": 1, "c": 1, "h": 8, "w": 8, "k": 1, "r": 1, "s": 1, "pad": {"from": 0, "to": 2, "step": 1}})";
  expect_refused(asked("pad"), "/workloads/0/pad/from: is 0; a threshold is looked for above 0", padded);
  const std::string rates =
      R"({"op": "train", "network": "mlp", "batch": 1, "learning_rate": {"from": 0.1, "to": 0.4, "factor": 2}})";
  expect_refused(asked("learning_rate"), "must be a range of whole numbers, as in {\"from\": 16", rates);
}

TEST_F(ThresholdConfigFile, MayGoInSteps) {
  const ThresholdConfig config =
      read(asked(),
           R"({"op": "matmul", "m": {"from": 10, "to": 39, "step": 10}, "n": 1, "k": 1, "dtype": "f32"})");
  ASSERT_EQ(config.questions.size(), 1U);
  EXPECT_EQ(config.questions[0].from, 10);
  EXPECT_EQ(config.questions[0].to, 30);
  EXPECT_EQ(config.questions[0].factor, 2) << "of the search, which has no use for the step";
}

/// Rows that contain only labels have no parameter.
TEST_F(ThresholdConfigFile, GoesWithRowsThatHaveOnlyLabels) {
  folder_.write("s.json", R"({"source": "a test", "columns": ["label"], "rows": [["x"], ["y"]]})");
  const ThresholdConfig config = read(
      asked(),
      R"({"op": "matmul", "shapes": "s.json", "m": {"from": 16, "to": 64, "factor": 2}, "n": 8, "k": 8})");
  ASSERT_EQ(config.questions.size(), 2U);
  EXPECT_EQ(config.questions[1].at(1, 17).problem.id(), "matmul/m=17/n=8/k=8/f32");
  EXPECT_EQ(config.questions[1].at(1, 17).label, "y");
}

/// The workload and the shapes that replace its values for one side are each small.
TEST_F(ThresholdConfigFile, RefusesASideOfTooManyCases) {
  std::string rows, values;
  for (int i = 1; i <= 500; ++i) {
    rows += (i == 1 ? "[" : ", [") + std::to_string(i) + "]";
    values += (i == 1 ? "" : ", ") + std::to_string(i);
  }
  folder_.write("many.json", R"({"source": "here", "columns": ["batch"], "rows": [)" + rows + "]}");
  folder_.write("one.json", R"({"source": "here", "columns": ["batch"], "rows": [[1]]})");
  expect_refused(
      R"({"parameter": "m", "baseline": {"backends": ["a"]}, "challenger": {"backends": ["a"], "parameters": {"shapes": "many.json"}}})",
      "/threshold/challenger/parameters: make 750000 cases of a workload, and at most 100000 are possible",
      R"({"op": "matmul", "m": {"from": 16, "to": 64, "factor": 2}, "n": [)" + values +
          R"(], "k": 64, "dtype": "f32", "shapes": "one.json"})");
}

TEST_F(ThresholdConfigFile, IsAConfigThatRunMeasuresToo) {
  const Config scan = read_config(
      folder_.write("s.json", "{\"threshold\": " + asked() + ", \"workloads\": [" + products + "]}"));
  EXPECT_EQ(scan.cases.size(), 6U);
  EXPECT_THAT(scan.backends, IsEmpty());
}

}  // namespace
}  // namespace breakeven
