// The largest batches within a limit of latency.
#include "verdicts/latency_limit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven {
namespace {

using testing::ElementsAre;

CaseResult infers(const char* backend, std::int64_t batch, double p99) {
  CaseResult c = sample::inference(backend, batch, p99 / 2);
  c.latency = Latency{.p50 = p99 / 2, .p99 = p99, .count = 100};
  return c;
}

std::vector<std::string> within(double seconds, const std::vector<Result>& results) {
  std::vector<std::string> texts;
  const auto limit = batches_within(seconds, results);
  if (!limit) return {"no latencies"};
  for (const LargestBatch& one : limit->answers)
    texts.push_back(fmt::format("{}; {} of {}; {}; {}; {}/s", one.backend, one.batch, one.largest, one.p99,
                                one.title, one.samples_per_second));
  return texts;
}

TEST(LatencyLimit, FindsTheLargestBatchOfEachBackend) {
  const std::vector<Result> results{
      sample::result({infers("onednn", 1, 1e-3), infers("onednn", 8, 4e-3), infers("onednn", 64, 8e-3),
                      infers("openblas", 1, 2e-3), infers("openblas", 8, 5e-3), infers("blis", 1, 6e-3)})};
  EXPECT_THAT(within(5e-3, results),
              ElementsAre("onednn; 8 of 64; 0.004; infer, network mlp, f32; 4000/s",
                          "openblas; 8 of 8; 0.005; infer, network mlp, f32; 3200/s",
                          "blis; 0 of 1; 0.006; infer, network mlp, f32; 333.3333333333333/s"));
}

TEST(LatencyLimit, LeavesOutWhatHasNoLatencyOrNoTime) {
  CaseResult wrong = infers("onednn", 1, 1e-3);
  wrong.status = Status::wrong;
  EXPECT_THAT(within(1, {sample::result({sample::product("onednn", 64, 1), wrong})}),
              ElementsAre("no latencies"));
}

}  // namespace
}  // namespace breakeven
