// Tests the table of topics, and the answers on those that only configs ask about.
#include "reports/document/topics.h"

#include <gmock/gmock.h>

#include "reports/document/names.h"
#include "unit/reports_sample.h"

namespace breakeven::topics_test {
namespace {

using sample::on_gpu;
using sample::product;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Statement>& said) {
  std::vector<std::string> all;
  for (const Statement& one : said) all.push_back(one.text);
  return all;
}

/// The statements on a topic, as a report makes them. They contain texts alone.
std::vector<Statement> on(Focus focus, const std::vector<CaseResult>& cases) {
  const std::vector<Result> results{sample::result(cases)};
  return statements_on(focus, Measurements(runs_of(results)));
}

CaseResult with(CaseResult c, const std::string& parameter, const Value& value) {
  c.parameters.set(parameter, value);
  c.id += "/" + parameter + "=" + to_string(value);
  return c;
}

TEST(Topics, CompareFrameworksWithTheFastestLibrary) {
  const auto said = on(Focus::frameworks,
                       {product("openblas", 64, 9e-6), product("onednn", 64, 1e-6),
                        product("pytorch", 64, 2e-6), product("jax", 64, 4e-6), product("onednn", 128, 2e-6),
                        product("pytorch", 128, 4e-6), product("tensorflow", 256, 1e-6)});
  EXPECT_THAT(texts(said),
              ElementsAre("On average PyTorch takes 2.0x and JAX 4.0x (over 1 of 2) as long as the "
                          "fastest library without a framework."));
  EXPECT_EQ(said[0].in_short, "PyTorch 2.0x, JAX 4.0x");
  EXPECT_EQ(said[0].figures.at(0).value, "2.0x");
  EXPECT_THAT(on(Focus::frameworks, {product("pytorch", 64, 1), on_gpu(product("cuda", 64, 1))}), IsEmpty())
      << "they are on two devices";
}

TEST(Topics, SayWhetherTheGpusLibrariesBeatEveryVariantOfAFramework) {
  const auto said =
      on(Focus::gpu_libraries,
         {on_gpu(product("cuda", 64, 1e-6)), on_gpu(product("pytorch-cuda", 64, 5e-6)),
          on_gpu(product("pytorch-cuda-compiled", 64, 2e-6)), on_gpu(product("cuda", 128, 1e-6)),
          on_gpu(product("pytorch-cuda", 128, 1e-6)), on_gpu(product("pytorch-cuda-compiled", 128, 3e-6)),
          on_gpu(product("cuda", 256, 3e-6)), on_gpu(product("pytorch-cuda", 256, 6e-6)),
          on_gpu(product("pytorch-cuda-compiled", 256, 1e-6)), product("onednn", 64, 1),
          product("pytorch", 64, 2)});
  EXPECT_THAT(
      texts(said),
      ElementsAre("On the GPU, CUDA is faster than the fastest variant of PyTorch for 1 of 3 problems and "
                  "slower for 1; for 1 they are not distinguishable.",
                  "On the GPU, on average PyTorch (cuda, compiled) takes 1.3x and PyTorch (cuda) 2.2x as "
                  "long as the fastest library without a framework."));
  EXPECT_EQ(said[0].in_short, "faster for 1 of 3, slower for 1");
  EXPECT_EQ(said[1].in_short, said[0].in_short) << "they are one answer";
}

TEST(Topics, MarkAMeanAsRoughByTheRuleOfLibraries) {
  const auto said = [](std::int64_t rough) {
    std::vector<CaseResult> cases;
    for (std::int64_t m = 1; m <= 10; ++m) {
      cases.push_back(product("onednn", m, 1e-6));
      cases.push_back(product("pytorch", m, 3e-6, m <= rough ? std::nullopt : std::optional(0.01)));
    }
    return on(Focus::frameworks, cases).at(0).in_short;
  };
  EXPECT_EQ(said(1), "PyTorch 3.0x");
  EXPECT_EQ(said(2), "PyTorch ~3.0x") << "more than a tenth of the ratios have no interval";
}

TEST(Topics, SayWhatOperandsFromMemoryCost) {
  const auto operands = [](std::int64_t m, double seconds, const char* kind) {
    return with(product("onednn", m, seconds), "operands", std::string(kind));
  };
  const auto said = on(Focus::operands, {operands(64, 1e-6, "reused"), operands(64, 3e-6, "rotating"),
                                         operands(128, 4e-6, "reused"), operands(128, 4e-6, "rotating"),
                                         operands(256, 1e-6, "rotating")});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0].text,
              HasSubstr("With operands read from memory, matrix products take 1.7x as long as with "
                        "the same operands in each run (2 problems: 1.00x to 3.0x)."));
  EXPECT_THAT(said[0].text, HasSubstr("The most is for 64 x 64 x 64"));
  EXPECT_EQ(said[0].in_short, "matrix products 1.7x");
}

TEST(Topics, SayWhatAGraphGains) {
  const auto infer = [](double seconds, bool graph) {
    return with(on_gpu(sample::inference("cuda", 1, seconds)), "graph", graph);
  };
  EXPECT_THAT(texts(on(Focus::graphs, {infer(2e-5, false), infer(1e-5, true)})),
              ElementsAre("As one CUDA graph, inference batches of CUDA run 2.0x as fast as call by call."));
}

TEST(Topics, SayLatenciesBesideRates) {
  std::vector<CaseResult> cases;
  for (const std::int64_t batch : {1, 8, 64}) {
    cases.push_back(sample::inference("onednn", batch, 1e-5 * static_cast<double>(batch == 1 ? 10 : batch)));
    cases.back().latency = Latency{.p50 = batch == 1 ? 1e-4 : 6.4e-4, .p99 = 1e-3, .count = 100};
  }
  const auto said = on(Focus::latency, cases);
  EXPECT_THAT(
      texts(said),
      ElementsAre("Inference by the MLP: median latency 100 µs at batch 1 (oneDNN: 99 % within 1.00 ms, "
                  "10,000 images/s), 640 µs at batch 64 (oneDNN: 99 % within 1.00 ms, 100,000 images/s)."));
  EXPECT_EQ(said[0].in_short, "100 µs at batch 1");
  // Its samples are faster on average, its calls are not.
  cases.push_back(sample::inference("openblas", 1, 1e-5));
  cases.back().latency = Latency{.p50 = 2e-4, .p99 = 1e-3, .count = 100};
  EXPECT_THAT(texts(on(Focus::latency, cases)), ElementsAre(HasSubstr("100 µs at batch 1 (oneDNN:")));
}

CaseResult training_step(const char* backend, Parameters given, double seconds) {
  given.set("dtype", std::string("f32"));
  CaseResult c = sample::measured_case("train", given, seconds);
  c.backend = backend;
  c.samples = given.integer("batch");
  c.seconds->median = seconds;
  return c;
}

TEST(Topics, SayHowLongAStepTakesAndAnAccuracy) {
  const Parameters mlp{{"network", "mlp"}, {"batch", std::int64_t{128}}};
  const Parameters cnn{{"network", "cnn"}, {"batch", std::int64_t{128}}};
  const Parameters target{{"network", "cnn"}, {"batch", std::int64_t{64}}, {"target_accuracy", 0.9}};
  std::vector<CaseResult> cases{
      training_step("blis", mlp, 2e-3), training_step("onednn", mlp, 1e-3),
      training_step("onednn", cnn, 3e-2),
      training_step("onednn", {{"network", "mlp"}, {"batch", std::int64_t{16}}}, 1e-4)};
  for (const double seconds : {120.0, 95.0}) {
    cases.push_back(training_step(seconds > 100 ? "blis" : "onednn", target, 0.02));
    cases.back().training = Training{};
    cases.back().training->seconds_to_accuracy = seconds;
  }
  const auto said = on(Focus::training, cases);
  EXPECT_THAT(texts(said),
              ElementsAre("A training step of batch 128 takes 1.00 ms for the MLP (oneDNN) and 30.0 ms "
                          "for the CNN (oneDNN), each with its fastest backend.",
                          "The CNN reaches 90 % accuracy after 95.0 s of training steps with oneDNN, "
                          "batch 64."));
  EXPECT_EQ(said[0].in_short, "1.00 ms a step, 95.0 s to 90 %");
  EXPECT_EQ(said[1].in_short, said[0].in_short);
  for (CaseResult& c : cases) {
    if (c.training) c.training->seconds_to_accuracy.reset();
  }
  EXPECT_THAT(on(Focus::training, cases).at(1).text, HasSubstr("No backend reached 90 % accuracy"));
}

TEST(Topics, SayHowFastBytesGetToAGpuAndBack) {
  const auto copy = [](const char* direction, const char* memory, std::int64_t bytes, double seconds) {
    CaseResult c = on_gpu(sample::measured_case("copy",
                                                {{"direction", std::string(direction)},
                                                 {"bytes", bytes},
                                                 {"memory", std::string(memory)},
                                                 {"dtype", std::string("f32")}},
                                                seconds));
    c.seconds->median = seconds;
    return c;
  };
  constexpr std::int64_t large = std::int64_t{1} << 30;
  const auto said = on(Focus::transfers,
                       {copy("to_device", "pinned", 4096, 8e-6),
                        copy("to_device", "pinned", large, static_cast<double>(large) / 50e9),
                        copy("to_device", "pageable", large, static_cast<double>(large) / 10e9),
                        copy("from_device", "pinned", 4096, 9e-6), copy("within", "pinned", large, 1e-6)});
  EXPECT_THAT(texts(said),
              ElementsAre("Bytes get to the GPU at up to 50.0 GB/s from pinned memory and 10.0 GB/s from "
                          "pageable memory; 4 KiB takes 8.00 µs.",
                          "Bytes get from the GPU at up to 0.455 GB/s to pinned memory; 4 KiB takes "
                          "9.00 µs."));
}

TEST(Topics, SayTheRateOfEachDtype) {
  constexpr double operations = 2.0 * 1024 * 1024 * 1024;
  const CaseResult f32 = on_gpu(product("cuda", 1024, operations / 50e12));
  const CaseResult bf16 = sample::in_dtype(on_gpu(product("cuda", 1024, operations / 600e12)), "bf16");
  CaseResult less_exact = with(bf16, "fast_accumulation", true);
  less_exact.seconds->median /= 2;
  EXPECT_THAT(texts(on(Focus::rates, {f32, bf16, less_exact})),
              ElementsAre("Matrix products on the GPU reach up to 600 TFLOP/s in bf16 and 50.0 in f32."));
}

TEST(Topics, SayWhatEachStepOfOptimisationGains) {
  const auto step = [](const std::string& dtype, bool tuned, double seconds) {
    CaseResult c = sample::measured_case(
        "train",
        {{"network", std::string("mlp")}, {"batch", std::int64_t{64}}, {"tuned", tuned}, {"dtype", dtype}},
        seconds);
    c.backend = "cuda";
    c.samples = 64;
    c.seconds->median = seconds;
    return on_gpu(c);
  };
  const auto said =
      on(Focus::steps, {step("f32", false, 1e-3), step("bf16", false, 5e-4), step("bf16", true, 3.2e-4)});
  EXPECT_THAT(texts(said),
              ElementsAre("Training the MLP: 64,000 images per second in f32 with CUDA. Each step over "
                          "the one before: bf16 2.0x, bf16 + tuned 1.6x. All steps: 3.1x."));
  EXPECT_EQ(said.at(0).figures.at(0).meaning, "all steps: Training the MLP");
}

TEST(Topics, AreNoneWhereNothingWasMeasured) {
  for (std::size_t i = 0; i < names_of(Focus{}).size(); ++i) {
    const auto focus = static_cast<Focus>(i);
    EXPECT_THAT(on(focus, {}), IsEmpty()) << name(focus);
    EXPECT_EQ(missing_text(focus).empty(), focus == Focus::libraries) << name(focus);
  }
}

TEST(Topics, AreFoundWithoutAQuestionOrAsked) {
  const auto found = [&](std::optional<Focus> asked) {
    std::vector<Focus> all;
    for (const Topic& topic : topics_of(Measurements({}), asked)) all.push_back(topic.focus);
    return all;
  };
  EXPECT_THAT(found(std::nullopt), ElementsAre(Focus::gpu, Focus::scaling, Focus::exchange, Focus::ceilings,
                                               Focus::precision, Focus::batch, Focus::capacity));
  EXPECT_EQ(found(Focus::batch), found(std::nullopt)) << "once";
  EXPECT_THAT(found(Focus::steps), testing::Contains(Focus::steps));
}

// ---- what configs ask

std::optional<Focus> focus_of_config(const std::string& config) {
  Result result;
  result.config = config;
  return config_focus(result);
}

TEST(ConfigFocus, IsWhatAllConfigsAsk) {
  EXPECT_EQ(focus_of_config(R"({"asks": "operands"})"), Focus::operands);
  EXPECT_EQ(focus_of_config(R"([{"asks": "gpu"}, {"asks": "gpu"}])"), Focus::gpu);
  EXPECT_EQ(focus_of_config(R"([{"asks": "gpu"}, {"asks": "batch"}])"), std::nullopt);
  EXPECT_EQ(focus_of_config(R"([{"asks": "gpu"}, {}])"), std::nullopt);
  for (const char* older :
       {"", "{}", "[]", "null", "{", R"({"asks": 1})", R"({"asks": "of a newer version"})"})
    EXPECT_EQ(focus_of_config(older), std::nullopt) << older;
}

}  // namespace
}  // namespace breakeven::topics_test
