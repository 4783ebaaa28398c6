#include <gmock/gmock.h>

#include "worker/timing.h"

namespace breakeven {
namespace {

class CountedRuns final : public Prepared {
 public:
  void run() override { ++runs; }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }
  int runs = 0;
};

/// How often a sample of three iterations runs the case.
int runs_of_sample(const SampleMode& mode) {
  CountedRuns prepared;
  const answer::Sample sample = take_sample(prepared, "counted", 3, mode);
  EXPECT_EQ(sample.iterations, 3);
  EXPECT_EQ(sample.latencies.size(), mode.each_iteration ? 3U : 0U);
  return prepared.runs;
}

/// The first iteration on a device waits until that switches from another process's work.
TEST(TakeSample, LatenciesOnADeviceBeginWithAnIterationThatIsNotTimed) {
  EXPECT_EQ(runs_of_sample({.transfer = {}, .each_iteration = true, .on_device = true}), 4);
  EXPECT_EQ(runs_of_sample({.transfer = {}, .each_iteration = true}), 3);
  EXPECT_EQ(runs_of_sample({.transfer = {}, .on_device = true}), 3);
  EXPECT_EQ(
      runs_of_sample({.transfer = {}, .each_iteration = true, .on_device = true, .device_seconds = false}), 3)
      << "energy is measured around exactly these";
}

}  // namespace
}  // namespace breakeven
