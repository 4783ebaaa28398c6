#include "session/gpu.h"

#include <gmock/gmock.h>

#include "reports/words/notes.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

Gpu card() {
  Gpu gpu;
  gpu.id = "GPU-1";
  gpu.driver = "580.1";
  gpu.ecc = true;
  gpu.mig = false;
  gpu.power_limit_watts = 700;
  gpu.pcie_generation = 5;
  return gpu;
}

/// 2 s of work at 300 W, with an idle card at 100 W around it: 0.01 s before it, 0.04 s after it.
TEST(JoulesOfWork, LeaveOutThoseOfTheIdleCard) {
  const auto at = [](double seconds) {
    return Clock::time_point(
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  };
  const EnergyReading before{.joules = 50, .at = at(7)};
  const EnergyReading after{.joules = 50 + 600 + 5, .at = at(9.05)};
  const EnergyReading idle{.joules = 50 + 600 + 5 + 10, .at = at(9.15)};
  EXPECT_NEAR(joules_of_work(before, after, idle, 2), 600, 1e-6);
  EXPECT_NEAR(joules_of_work(before, after, idle, 2.1), 605, 1e-6)
      << "clocks differ a little: nothing is added";
}

TEST(GpuWarnings, CountAProgramForEachNumberOfRanks) {
  Gpu gpu = card();
  gpu.compute_mode = "exclusive process";
  BackendRecord backend;
  backend.name = "cuda";
  backend.available = true;
  backend.device_id = gpu.id;
  const std::optional<Nvml> nvml{std::in_place};
  const auto warned = [&](std::size_t rank_counts) {
    return note_texts(gpu_warnings({gpu}, {backend}, rank_counts, nvml));
  };
  EXPECT_THAT(warned(1), testing::IsEmpty());
  EXPECT_THAT(warned(2), testing::ElementsAre(testing::AllOf(
                             HasSubstr("2 programs of this run"),
                             HasSubstr("and select cases of one number of ranks with --filter"))));
}

TEST(CountOthers, NeedsOneThatIsOurs) {
  const auto ours = [](std::int64_t pid) { return pid < 10; };
  EXPECT_EQ(count_others({std::vector<std::int64_t>{3}, {}}, ours).value, 0);
  EXPECT_EQ(count_others({std::vector<std::int64_t>{30, 3, 4, 31}, {}}, ours).value, 2);
  EXPECT_FALSE(count_others({std::vector<std::int64_t>{}, {}}, ours));
  const auto strangers = count_others({std::vector<std::int64_t>{30, 31}, {}}, ours);
  EXPECT_FALSE(strangers);
  EXPECT_THAT(strangers.unknown, HasSubstr("of 2 processes"));
  EXPECT_EQ(count_others({{}, "Not Supported"}, ours).unknown, "Not Supported");
}

}  // namespace
}  // namespace breakeven
