#include <gmock/gmock.h>

#include "reports/document/cards.h"
#include "unit/reports_sample.h"

namespace breakeven::work_sentences_test {
namespace {

using sample::product;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Statement>& said) {
  std::vector<std::string> all;
  for (const Statement& one : said) all.push_back(one.text);
  return all;
}

std::vector<std::string> gpu_texts(const std::vector<CaseResult>& cases) {
  const std::vector<Result> results{sample::result(cases)};
  const std::vector<Timed> all = timed_results(cases_of(runs_of(results)));
  return texts(gpu_statements(families_of(all)));
}

TEST(WorkSentences, SayFromWhereOnAGpuWins) {
  EXPECT_THAT(gpu_texts(sample::with_gpu(2e-4)),
              ElementsAre("Matrix products: the GPU (CUDA) wins from m = 256 up; 2.0x at m = 512."));
  EXPECT_THAT(
      gpu_texts(sample::with_gpu(0)),
      ElementsAre("Matrix products: the GPU (CUDA) wins at every m measured, from 64 up; 10x at m = 64."));
  EXPECT_THAT(gpu_texts(sample::with_gpu(1)),
              ElementsAre("Matrix products: the GPU (CUDA) is faster at none of 4 values of m."));
  EXPECT_THAT(gpu_texts(sample::with_gpu(0.9 * 128e-6)),
              ElementsAre("Matrix products: the GPU (CUDA) wins from m = 256 up; 3.1x at m = 512."))
      << "at 128 the intervals overlap: a tie is not ahead";
  std::vector<CaseResult> back_and_forth = sample::with_gpu(0);
  back_and_forth.back() = sample::on_gpu(product("cuda", 512, 1));
  EXPECT_THAT(gpu_texts(back_and_forth),
              ElementsAre("Matrix products: the GPU (CUDA) is faster at 3 of 4 values of m, 10x at m = 64."));
  EXPECT_THAT(gpu_texts({product("a", 64, 1), product("a", 128, 1), product("a", 256, 1)}), IsEmpty());
}

/// With too few samples for an interval, noise may be as large as a small lead.
TEST(WorkSentences, CallNoWinWhatMayBeNoise) {
  std::vector<CaseResult> cases = sample::with_gpu(0.8 * 128e-6);  // at 128, 1.1x
  for (CaseResult& c : cases) {
    if (c.device != "cpu") c.seconds->ci_low = c.seconds->ci_high = std::nullopt;
  }
  EXPECT_THAT(gpu_texts(cases),
              ElementsAre("Matrix products: the GPU (CUDA) wins from m = 256 up; ~3.3x at m = 512."));
}

TEST(WorkSentences, NameTheGpusLibraryWhereItIsOne) {
  std::vector<CaseResult> cases = sample::with_gpu(2e-4);
  cases.push_back(sample::on_gpu(product("pytorch-cuda", 512, 1e-4)));
  EXPECT_THAT(
      gpu_texts(cases),
      ElementsAre("Matrix products: the GPU wins from m = 256 up; 5.1x at m = 512 with PyTorch (cuda)."));
}

TEST(WorkSentences, SayHowSlowlyTheCpuRanThatAGpuBeats) {
  std::vector<CaseResult> cases = sample::with_gpu(2e-4);
  for (CaseResult& c : cases) {
    const bool is_shown = c.backend == "onednn";  // BLIS is not the fastest
    c.seconds->samples.assign(10, c.seconds->median);
    c.seconds->own_speed.assign(10, is_shown ? (c.parameters.integer("m") == 64 ? 0.16 : 0.58) : 0.05);
  }
  EXPECT_THAT(
      gpu_texts(cases),
      ElementsAre("Matrix products: the GPU (CUDA) wins from m = 256 up; 2.0x at m = 512. The CPU ran at "
                  "16 to 58 % of its own speed: on a quiet machine its times may be as short as 16 % of "
                  "these."));
  for (CaseResult& c : cases) c.seconds->own_speed.assign(10, 0.45);
  EXPECT_THAT(gpu_texts(cases),
              ElementsAre("Matrix products: there is no baseline for the GPU. The CPU ran at 45 % of its own "
                          "speed: on a quiet machine its times may be as short as 45 % of these."));
  for (CaseResult& c : cases) c.seconds->own_speed.assign(10, 0.96);
  EXPECT_THAT(gpu_texts(cases), ElementsAre(testing::EndsWith("2.0x at m = 512.")));
}

TEST(WorkSentences, OnlyEqualDtypesAreCompared) {
  std::vector<CaseResult> cases = sample::with_gpu(2e-4);
  for (CaseResult& c : cases) {
    if (c.device != "cpu") c = sample::in_dtype(c, "bf16");
  }
  EXPECT_THAT(gpu_texts(cases), IsEmpty());
}

TEST(WorkSentences, SayWhatABatchBrings) {
  std::vector<CaseResult> cases{sample::inference("blis", 1, 9e-4)};
  for (const std::int64_t batch : {1, 8, 64})
    cases.push_back(
        sample::inference("onednn", batch, batch == 1 ? 2e-4 : 1e-5 * static_cast<double>(batch)));
  const std::vector<Result> results{sample::result(cases)};
  const std::vector<Timed> all = timed_results(cases_of(runs_of(results)));
  const auto said = batch_statements(families_of(all));
  EXPECT_THAT(texts(said),
              ElementsAre("Inference by the MLP: 5,000 images/s at batch 1, 100,000 at batch 64 (20x)."));
  EXPECT_EQ(said[0].in_short, "20x from batch 1 to 64");
  EXPECT_EQ(said[0].figures.at(1).value, "8") << "the smallest that is nearly as good";
}

TEST(WorkSentences, SayWhatLowerPrecisionBrings) {
  const std::vector<Result> results{
      sample::result({product("onednn", 64, 1e-6), product("blis", 64, 3e-6), product("onednn", 128, 1e-6),
                      sample::in_dtype(product("onednn", 64, 2.5e-7), "bf16"),
                      sample::in_dtype(product("onednn", 128, 2e-6), "bf16")})};
  EXPECT_THAT(texts(precision_statements(timed_results(cases_of(runs_of(results))))),
              ElementsAre("Matrix products run 1.4x as fast in bf16 as in f32 (2 problems: 0.50x to 4.0x)."));
  const std::vector<Result> alike{
      sample::result({product("onednn", 64, 1e-6), sample::in_dtype(product("onednn", 64, 1e-7), "s8"),
                      product("onednn", 128, 2e-6), sample::in_dtype(product("onednn", 128, 2e-7), "s8")})};
  EXPECT_THAT(texts(precision_statements(timed_results(cases_of(runs_of(alike))))),
              ElementsAre("Matrix products run 10x as fast in s8 as in f32 (2 problems, 10x in each)."));
}

TEST(WorkSentences, SayWhatADeviceDoesAtMost) {
  const Parameters f32{{"dtype", "f32"}};
  CaseResult launch = product("native", 1, 2e-6);
  launch.op = "launch";
  launch.id = "launch/f32";
  launch.parameters = {{"waits", true}, {"dtype", "f32"}};
  CaseResult other = launch;
  other.backend = "pytorch";
  other.seconds->median = 3e-6;
  CaseResult hurried = launch;
  hurried.parameters = {{"waits", false}, {"dtype", "f32"}};
  hurried.seconds->median = 1e-6;
  const std::vector<Result> results{
      sample::result({sample::measured_case("peak", f32, sample::measured_case("peak", f32, 1).flop / 425e9),
                      sample::measured_case("read", {{"bytes", std::int64_t{1} << 28U}, {"dtype", "f32"}},
                                            (1 << 28) / 48.1e9),
                      launch, other, hurried})};
  const Runs runs = runs_of(results);
  EXPECT_THAT(texts(ceiling_statements(Measurements(runs))),
              ElementsAre("At most 425 GFLOP/s in f32. Memory moves up to 43.7 GB/s.",
                          "Starting work that does nothing, and waiting for it, takes 2.00 µs (native)."))
      << "48.1 GB/s in the best of three samples";
}

/// The samples of a ceiling in this many GB/s or GFLOP/s: the best, and the median.
CaseResult ceiling(const char* op, const Parameters& given, double best, double median) {
  CaseResult c = sample::measured_case(op, given, 1);
  const double amount = (c.op == "peak" ? c.flop : c.bytes) * 1e-9;
  c.seconds->samples = {amount / best, amount / median};
  c.seconds->median = amount / median;
  return c;
}

TEST(WorkSentences, SayWhatMemoryUsuallyMoves) {
  const auto memory = [](const char* op, unsigned log_bytes, double best, double median) {
    return ceiling(op, {{"bytes", std::int64_t{1} << log_bytes}, {"dtype", "f32"}}, best, median);
  };
  const auto said = [](const std::vector<CaseResult>& cases) {
    const std::vector<Result> results{sample::result(cases)};
    return texts(ceiling_statements(Measurements(runs_of(results))));
  };
  EXPECT_THAT(said({memory("read", 20, 200, 190), memory("read", 28, 52, 50), memory("read", 30, 47, 45)}),
              ElementsAre("Memory moves up to 50.0 GB/s."))
      << "the largest array need not be the fastest; the smallest is in a cache";
  EXPECT_THAT(said({memory("read", 30, 76, 45)}),
              ElementsAre("Memory moves up to 45.0 GB/s (76.0 in the best sample)."));
}

TEST(WorkSentences, SayRatesInTheirUnits) {
  const auto peaks = [](const char* device, double scale) {
    std::vector<CaseResult> cases;
    for (const auto& [dtype, gflops] :
         {std::pair{"bf16", 988.0}, std::pair{"f32", 65.9}, std::pair{"s8", 1980.0}})
      cases.push_back(ceiling("peak", {{"dtype", dtype}}, gflops * scale, gflops * scale));
    for (CaseResult& c : cases) c.device = device;
    const std::vector<Result> results{sample::result(cases)};
    return texts(ceiling_statements(Measurements(runs_of(results))));
  };
  EXPECT_THAT(peaks("cpu", 1),
              ElementsAre("At most 988 GFLOP/s in bf16, 65.9 in f32 and 1,980 GOP/s in s8."));
  EXPECT_THAT(peaks("gpu", 1000),
              ElementsAre("The GPU reaches at most 988 TFLOP/s in bf16, 65.9 in f32 and 1,980 TOP/s in s8."));
}

TEST(WorkSentences, SayHowFastRanksExchangeData) {
  const auto exchange = [](std::int64_t bytes, double seconds) {
    CaseResult c = sample::measured_case(
        "all_reduce", {{"bytes", bytes}, {"ranks", std::int64_t{2}}, {"dtype", "f32"}}, seconds / 1.1);
    c.backend = "native";
    return c;
  };
  const std::vector<Result> results{
      sample::result({exchange(1024, 1.39e-6), exchange(1 << 20, 0.25e-3), exchange(1 << 22, 2e-3)})};
  const auto said = exchange_statements(timed_results(cases_of(runs_of(results))));
  EXPECT_THAT(texts(said),
              ElementsAre("all_reduce on 2 ranks (native): up to 4.19 GB/s of bus bandwidth, at 1 "
                          "MiB; 1 KiB takes 1.39 µs."));
  EXPECT_EQ(said[0].in_short, "all_reduce: 4.19 GB/s");
}

TEST(WorkSentences, SayWhatFits) {
  CaseResult fit = product("onednn", 64, 1);
  fit.seconds.reset();
  fit.fit = Fit{.largest = 65'536, .refused = 65'544, .limit = "memory"};
  const std::vector<Result> results{sample::result({fit, product("blis", 64, 1)})};
  const auto said = fit_statements(runs_of(results));
  EXPECT_THAT(texts(said),
              ElementsAre(testing::HasSubstr("the largest that fits: 65536; 65544 does not: memory.")));
  EXPECT_EQ(said[0].in_short, "65,536");
}

}  // namespace
}  // namespace breakeven::work_sentences_test
