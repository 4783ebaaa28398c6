// Tests the CUDA backend beyond its conformance, from config to result: on a machine with a GPU, and on an
// emulated device (tests/emulated_cuda).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cli/driver.h"
#include "unit/idx_files.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class GpuWork : public DriverTest {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable("cuda"); !reason.empty()) GTEST_SKIP() << reason;
    std::filesystem::create_directories(file("data"));
    write_dataset(file("data"), 64, 32);
  }

  /// A network's workload with these parameters, on a few images.
  Json network(const Json& parameters) const {
    Json workload{{"batch", 4}, {"data", file("data").string()}};
    workload.update(parameters);
    return workload;
  }

  using Variables = std::vector<std::pair<std::string, std::string>>;
  /// The result of these workloads, computed one after another in one worker, each timed only briefly.
  Json measured(const Json& workloads, const Json& measure = Json::object(),
                const Variables& variables = {{"EMULATED_CUDA_MEMORY", "268435456"}}) const {
    Json settings{{"max_seconds", 0.01}, {"timeout_seconds", 100}};
    settings.update(measure);
    Launch launched = launch({"run", config(workloads, {"cuda"}, settings), "--out", "-"});
    launched.environment.insert(launched.environment.end(), variables.begin(), variables.end());
    // The emulated device with the address sanitizer takes more than a minute.
    const Outcome outcome = Process(launched).wait(std::chrono::seconds(500));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse(outcome.out);
  }
};

/// Verifies that the losses of training, or the logits, are those of the reference.
TEST_F(GpuWork, EachNetworkIsRight) {
  const Json networks{"mlp", "lenet", "cnn", "transformer"};
  const Json result = measured(
      Json::array({network({{"op", "train"}, {"batch", 2}, {"network", networks}, {"dtype", "f16"}}),
                   network({{"op", "infer"}, {"batch", 2}, {"network", networks}, {"dtype", "bf16"}})}));
  EXPECT_EQ(result.at("cases").size(), 8U);
  EXPECT_THAT(not_ok(result), IsEmpty());
}

class SlowGpuWork : public GpuWork {};

TEST_F(SlowGpuWork, NetworksAreRightHoweverTheirDataMovesAndTheirKernelsStart) {
  const Json ways{{"network", {"mlp", "lenet", "transformer"}},
                  {"transfer", {"resident", "each", "once"}},
                  {"graph", {true, false}}};
  Json training = network({{"op", "train"}, {"dtype", "f16"}});
  training.update(ways);
  Json inference = network({{"op", "infer"}, {"dtype", "f32"}});
  inference.update(ways);
  const Json result = measured(Json::array({training, inference}));
  EXPECT_EQ(result.at("cases").size(), 36U);
  EXPECT_THAT(not_ok(result), IsEmpty());
}

TEST_F(SlowGpuWork, StepsOfTheLadderAreRight) {
  const Json networks{"mlp", "transformer"};
  const Json steps = network({{"op", "train"},
                              {"network", networks},
                              {"tuned", {true, false}},
                              {"fused", {true, false}},
                              {"dtype", "bf16"}});
  const Json types = network({{"op", "train"},
                              {"network", networks},
                              {"optimizer", "adam"},
                              {"dtype", {"f32", "tf32", "f16", "bf16"}}});
  const Json result = measured(Json::array({steps, types}));
  EXPECT_EQ(result.at("cases").size(), 16U);
  EXPECT_THAT(not_ok(result), IsEmpty());
}

TEST_F(GpuWork, BandwidthIsOfWhatWasWritten) {
  const Json copies{{"op", "copy"},
                    {"bytes", {4096, 1 << 20}},
                    {"direction", {"to_device", "from_device"}},
                    {"memory", {"pinned", "pageable"}}};
  const Json within{
      {"op", "copy"}, {"direction", "within"}, {"bytes", {4096, 1 << 20}}, {"tuned", {true, false}}};
  const auto array = [](const char* op) -> Json {
    return {{"op", op}, {"bytes", {4096, 1 << 20}}, {"tuned", {true, false}}, {"dtype", {"f32", "f64"}}};
  };
  const Json result =
      measured(Json::array({copies, within, array("triad"), array("read")}), {{"cache", "cold"}});
  EXPECT_EQ(result.at("cases").size(), 28U);
  EXPECT_THAT(not_ok(result), IsEmpty());
}

/// The algorithm is the first one named, or the fastest of those that accept the problem; the result names
/// it.
TEST_F(GpuWork, AlgorithmsAreNamed) {
  const Json result = measured(Json::array(
      {{{"op", "matmul"}, {"m", 64}, {"n", 64}, {"k", 64}, {"tuned", {true, false}}, {"dtype", "f32"}}}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  const auto algorithm = [&](const std::string& id) {
    return find_case(result, id, "cuda").at("algorithm").get<std::string>();
  };
  EXPECT_THAT(algorithm(product_id(64)),
              AnyOf(HasSubstr("; tuned: best of "), HasSubstr("; tuned: there is one")));
  EXPECT_THAT(algorithm("matmul/m=64/n=64/k=64/tuned=false/f32"), HasSubstr("the first named, not tuned"));
}

/// The losses of two epochs are the same whether the rows of many steps are on the device in advance, or each
/// step sends its own images.
TEST_F(GpuWork, RowsTakenAheadAreThoseOfTheSteps) {
  const Json result = measured(Json::array({network({{"op", "train"},
                                                     {"network", "mlp"},
                                                     {"transfer", {"resident", "each"}},
                                                     {"tuned", false},
                                                     {"epochs", 2},
                                                     {"dtype", "f32"}})}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  ASSERT_EQ(result.at("cases").size(), 2U);
  const auto losses = [&](std::size_t row) {
    return result.at("cases").at(row).at("training").at("loss").get<std::vector<double>>();
  };
  const auto resident = losses(0);
  const auto each = losses(1);
  const std::size_t both = std::min(resident.size(), each.size());
  ASSERT_GT(both, 20U);
  for (std::size_t i = 0; i < both; ++i) EXPECT_NEAR(resident[i], each[i], 1e-4 * each[i]) << "step " << i;
}

/// Both ways to accumulate f8e4m3 are within their own tolerance, and separate cases.
TEST_F(GpuWork, FastAccumulationIsACaseOfItsOwn) {
  const Json result = measured(Json::array({{{"op", "matmul"},
                                             {"m", 64},
                                             {"n", 64},
                                             {"k", {64, 1024}},
                                             {"fast_accumulation", {true, false}},
                                             {"dtype", "f8e4m3"}}}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  const auto verified = [&](const std::string& id) { return find_case(result, id, "cuda").at("verify"); };
  const Json fast = verified("matmul/m=64/n=64/k=1024/fast_accumulation/f8e4m3");
  const Json exact = verified("matmul/m=64/n=64/k=1024/f8e4m3");
  EXPECT_GT(fast.at("tolerance"), exact.at("tolerance"));
  if (std::getenv("BREAKEVEN_EMULATED_CUDA") != nullptr) {
    EXPECT_GT(fast.at("error"), 2 * exact.at("error").get<double>());  // its accumulators are short, too
  }
}

/// Times that include launches are marked as such.
class GpuLaunchesThatBlock : public GpuWork,
                             public testing::WithParamInterface<std::array<const char*, 3>> {};

TEST_P(GpuLaunchesThatBlock, AreTimedByTheHost) {
  const auto& [variable, value, words] = GetParam();
  const Json product{{"op", "matmul"}, {"m", 64}, {"n", 64}, {"k", 64}, {"dtype", "f32"}};
  const Json convolution{{"op", "conv2d"}, {"n", 2}, {"c", 16}, {"h", 14},  {"w", 14},
                         {"k", 16},        {"r", 3}, {"s", 3},  {"pad", 1}, {"pass", "forward"},
                         {"dtype", "f32"}};
  const Json result = measured(Json::array({product, convolution}), Json::object(), {{variable, value}});
  EXPECT_THAT(not_ok(result), IsEmpty());
  ASSERT_EQ(result.at("cases").size(), 2U);
  for (const Json& row : result.at("cases")) {
    EXPECT_THAT(row.at("warnings").dump(), HasSubstr("by the host's clock and include launches"));
    EXPECT_THAT(row.at("warnings").dump(), HasSubstr(words));
    // On a loaded machine, the driver may believe no sample that had further runs.
    EXPECT_TRUE(row.at("device_seconds").is_null() || row.at("device_seconds") > 0) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Because, GpuLaunchesThatBlock,
    testing::Values(std::array{"CUDA_LAUNCH_BLOCKING", "1", "CUDA_LAUNCH_BLOCKING is set; unset it"},
                    std::array{"BREAKEVEN_CUDA_GATE", "0", "BREAKEVEN_CUDA_GATE is 0; unset it"}),
    [](const auto& tested) { return test_name(tested.param[0]); });

/// In a profiler, launches block without the program's knowledge: the gate gives up.
TEST_F(GpuWork, AGateThatGivesUpIsSeen) {
  if (std::getenv("BREAKEVEN_EMULATED_CUDA") == nullptr) GTEST_SKIP() << "only the emulated device blocks so";
  const Json product{{"op", "matmul"}, {"m", 64}, {"n", 64}, {"k", 64}, {"dtype", "f32"}};
  const Json result = measured(Json::array({product}), Json::object(), {{"EMULATED_CUDA_BLOCKING", "1"}});
  EXPECT_THAT(not_ok(result), IsEmpty());
  EXPECT_THAT(result.at("cases").at(0).at("warnings").dump(), HasSubstr("measure without one"));
}

/// A device that has not begun when the gate opens has waited for nothing.
TEST_F(GpuWork, AGateThatIsNotReachedIsSeen) {
  if (std::getenv("BREAKEVEN_EMULATED_CUDA") == nullptr) GTEST_SKIP() << "only the emulated device does so";
  const Json product{{"op", "matmul"}, {"m", 64}, {"n", 64}, {"k", 64}, {"dtype", "f32"}};
  const Json result =
      measured(Json::array({product}), Json::object(), {{"EMULATED_CUDA_UNREACHED_GATES", "1"}});
  EXPECT_THAT(not_ok(result), IsEmpty());
  EXPECT_THAT(result.at("cases").at(0).at("warnings").dump(),
              HasSubstr("the device did not begin work before the host waited for it"));
}

/// A product is launched as a graph if a call takes the host longer than the device. cuBLASLt here names
/// four algorithms with a workspace, one of which refuses, and another one without: the others are named
/// several times, and race once.
TEST_F(GpuWork, ProductsThatWaitForTheHostAreLaunchedAsGraphs) {
  if (std::getenv("BREAKEVEN_EMULATED_CUDA") == nullptr) GTEST_SKIP() << "of the emulated device's cuBLASLt";
  const Json product{
      {"op", "matmul"},         {"m", 16},       {"n", 16}, {"k", 16}, {"operands", {"reused", "rotating"}},
      {"tuned", {true, false}}, {"dtype", "f32"}};
  const Json result = measured(Json::array({product}), Json::object(),
                               {{"EMULATED_CUDA_SLOW_CALLS", "200"}, {"EMULATED_CUDA_SLOWDOWN", "0.1"}});
  EXPECT_THAT(not_ok(result), IsEmpty());
  ASSERT_EQ(result.at("cases").size(), 4U);
  for (const Json& row : result.at("cases")) {
    const auto algorithm = row.at("algorithm").get<std::string>();
    if (row.at("id").get<std::string>().find("tuned=false") == std::string::npos) {
      EXPECT_THAT(algorithm, ContainsRegex("KiB; as a CUDA graph; tuned: best of 4, the first took [0-9.]+x; "
                                           "by the host's clock: (the device's fastest took [0-9.]+x, )?"
                                           "the call took [0-9.]+x"));
    } else {
      EXPECT_THAT(algorithm, AllOf(HasSubstr("KiB; the first named, not tuned"), Not(HasSubstr("graph"))));
    }
  }
}

/// Not everything that libraries do can be recorded: it is called.
TEST_F(GpuWork, ProductsThatCannotBeRecordedAreCalled) {
  if (std::getenv("BREAKEVEN_EMULATED_CUDA") == nullptr) GTEST_SKIP() << "only the emulated device fails so";
  const Json product{{"op", "matmul"}, {"m", 16}, {"n", 16}, {"k", 16}, {"dtype", "f32"}};
  const Json result = measured(Json::array({product}), Json::object(),
                               {{"EMULATED_CUDA_SLOW_CALLS", "200"},
                                {"EMULATED_CUDA_SLOWDOWN", "0.1"},
                                {"EMULATED_CUDA_UNRECORDABLE", "1"}});
  EXPECT_THAT(not_ok(result), IsEmpty());
  EXPECT_THAT(result.at("cases").at(0).at("algorithm").get<std::string>(),
              AllOf(HasSubstr("KiB; tuned: best of 4, "), Not(HasSubstr("graph"))));
}

/// cuDNN's first plans here cannot be built, need more memory than there is, or fail when called.
TEST_F(GpuWork, PlansThatCannotRunArePassedOver) {
  if (std::getenv("BREAKEVEN_EMULATED_CUDA") == nullptr) GTEST_SKIP() << "of the emulated device's plans";
  const Json convolution{{"op", "conv2d"},
                         {"n", 2},
                         {"c", 16},
                         {"h", 14},
                         {"w", 14},
                         {"k", 16},
                         {"r", 3},
                         {"s", 3},
                         {"pad", 1},
                         {"pass", "forward"},
                         {"tuned", {true, false}},
                         {"dtype", "f32"}};
  const Json result = measured(Json::array({convolution}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  ASSERT_EQ(result.at("cases").size(), 2U);
  const auto algorithm = [&](std::size_t row) {
    return result.at("cases").at(row).at("algorithm").get<std::string>();
  };
  EXPECT_THAT(algorithm(0),
              AllOf(HasSubstr("tuned: best of 2, "), ContainsRegex(", N(HWC|CHW) took [0-9.]+x")));
  EXPECT_THAT(algorithm(1), HasSubstr("emulated plan 3, workspace 3 KiB, NHWC; the first named, not tuned"));
}

TEST_F(GpuWork, WhatFitsIsFoundByAsking) {
  const Json result =
      measured(Json::array({{{"op", "fits"}, {"of", "matmul"}, {"dtype", {"f64", "bf16", "f8e4m3", "s8"}}}}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  EXPECT_EQ(result.at("cases").size(), 4U);
  for (const Json& found : result.at("cases")) {
    const Json& fit = found.at("fit");
    EXPECT_GT(fit.at("largest"), 1000) << found;
    EXPECT_GT(fit.at("refused"), fit.at("largest")) << found;
    // On all but the largest GPUs the limit is memory; otherwise it is a limit of the library.
    EXPECT_THAT(
        fit.at("limit").get<std::string>(),
        AnyOf(HasSubstr("of the device's memory"), HasSubstr("out of memory"), HasSubstr("library limit")))
        << found;
  }
}

}  // namespace
}  // namespace breakeven::cli_tests
