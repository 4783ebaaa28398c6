#include <gmock/gmock.h>

#include <limits>

#include "reports/document/names.h"
#include "unit/reports_sample.h"

namespace breakeven::descriptions_test {
namespace {

using testing::HasSubstr;

TEST(Descriptions, TitlesAreWhatPeopleCallAProblem) {
  CaseResult r = sample::product("a", 64, 1);
  r.parameters.set("batch", std::int64_t{8});
  r.parameters.set("transpose_a", true);
  EXPECT_EQ(problem_title(r), "64 x 64 x 64 f32, batch 8, A^T");
  r.label = "QKV\n";
  EXPECT_EQ(problem_title(r), "QKV : 64 x 64 x 64 f32, batch 8, A^T");
}

TEST(Descriptions, AConvolutionSaysWhatIsUnusual) {
  CaseResult r;
  r.op = "conv2d";
  r.dtype = "f32";
  r.parameters = {{"n", 8},      {"c", 64},       {"h", 56},     {"w", 56},           {"k", 64},
                  {"r", 3},      {"s", 3},        {"stride", 1}, {"stride_w", -1},    {"pad", 1},
                  {"pad_w", -1}, {"dilation", 1}, {"groups", 1}, {"pass", "forward"}, {"dtype", "f32"}};
  EXPECT_EQ(problem_title(r), "8x64x56x56, 64 3x3, stride 1, pad 1, forward f32");
  r.parameters.set("stride_w", std::int64_t{2});
  r.parameters.set("groups", std::int64_t{4});
  r.parameters.set("dilation", std::int64_t{2});
  r.parameters.set("pass", std::string("backward_data"));
  EXPECT_EQ(problem_title(r),
            "8x64x56x56, 64 3x3, stride 1x2, pad 1, dilation 2, groups 4, backward data f32");
}

TEST(Descriptions, WhatThisVersionDoesNotKnowStillHasATitle) {
  CaseResult r = sample::product("a", 64, 1);
  r.parameters = {{"m", 64}};
  EXPECT_EQ(problem_title(r), "m=64 f32") << "other parameters";
  EXPECT_EQ(problem_title(sample::training("a")), "network=mlp batch=128 target_accuracy=0.9 f32")
      << "another operation";
  r.op = "other";
  r.parameters = {};
  r.dtype = "";
  EXPECT_EQ(problem_title(r), r.id);
}

TEST(Descriptions, ExplainWhatHasNoReason) {
  CaseResult r = sample::product("a", 64, 1);
  r.status = Status::wrong;
  EXPECT_EQ(explain(r), "no reason was given");
  r.verification = Verification{};
  r.verification->error = 0.5;
  r.verification->tolerance = 0.001;
  EXPECT_EQ(explain(r), "error 0.500 is above the tolerance 0.00100");
  r.verification->error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(explain(r), HasSubstr("error unknown"));
  r.verification->detail = "element 7";
  EXPECT_EQ(explain(r), "element 7");
  r.reason = "value 7 is NaN";
  EXPECT_EQ(explain(r), "value 7 is NaN");
}

TEST(Descriptions, SayWhatIsKnownOfMachinesAndNoMore) {
  Host host = sample::result({}).host;
  EXPECT_EQ(describe_host(host), "A CPU, 2 cores, 2 threads");
  host.cores = 1;
  host.threads = 0;
  host.memory_bytes = std::int64_t{16} << 30U;
  EXPECT_EQ(describe_host(host), "A CPU, 1 core, 16.0 GiB");
  EXPECT_EQ(describe_host({}), "");

  Gpu gpu;
  gpu.id = "GPU-1";
  gpu.unreadable = {{"name", "no permission"}};
  EXPECT_EQ(describe_gpu(gpu), "GPU-1: cannot be described: no permission");
  gpu.name = "A GPU";
  gpu.memory_bytes = std::int64_t{80} << 30U;
  gpu.power_limit_watts = 400;
  gpu.power_limit_default_watts = 700;
  gpu.ecc = false;
  EXPECT_EQ(describe_gpu(gpu), "A GPU (GPU-1): 80.0 GiB, 400 W of 700 W, ECC off");

  BackendRecord backend = sample::backend("openblas", true);
  backend.libraries = {{"OpenBLAS", "0.3.21"}};
  backend.device_name = "x\ny";
  EXPECT_EQ(describe_backend(backend), "openblas 0.1.0 (OpenBLAS 0.3.21) on x y");
}

TEST(Descriptions, SayWhatFits) {
  EXPECT_EQ(describe_fit({.largest = 8192, .refused = 8200, .limit = "memory"}),
            "the largest that fits: 8192; 8200 does not: memory");
  EXPECT_EQ(describe_fit({.largest = 8192, .refused = 0, .limit = ""}), "the largest that fits: 8192");
}

TEST(Descriptions, ConfigsWithoutATitleHaveNone) {
  Result result = sample::result({});
  EXPECT_EQ(config_title(result), "Which is faster?");
  for (const char* config : {"", "{", "[]", "{}", R"({"title": 3})"}) {
    result.config = config;
    EXPECT_EQ(config_title(result), "") << config;
  }
}

}  // namespace
}  // namespace breakeven::descriptions_test
