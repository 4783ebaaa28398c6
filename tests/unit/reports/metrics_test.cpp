#include "reports/metrics.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "unit/reports_sample.h"

namespace breakeven {
namespace {

TEST(Metrics, AreDescribedOnce) {
  std::set<std::string_view> names;
  for (const CaseMetric& metric : metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_THAT(std::string(metric.help), testing::EndsWith(".")) << metric.name;
    EXPECT_FALSE(metric.heading.empty()) << metric.name;
    // OpenMetrics requires that the name of a metric with a unit ends with the unit.
    if (!metric.openmetrics.empty() && !metric.unit.empty()) {
      EXPECT_TRUE(metric.openmetrics.ends_with(metric.unit)) << metric.name;
    }
  }
  EXPECT_THROW(find_metric("nonesuch"), std::out_of_range);
}

TEST(Metrics, UnknownIsNoValue) {
  CaseResult r = sample::product("a", 64, 1, std::nullopt);
  r.joules = std::numeric_limits<double>::quiet_NaN();
  r.training = Training{};
  r.training->loss = {1, std::numeric_limits<double>::infinity()};
  r.flop = 0;
  for (const char* name :
       {"seconds_ci_low", "spread", "joules", "loss_last", "accuracy", "latency_p50", "cpu_mhz", "iterations",
        "epoch_seconds", "gflops", "flop_per_second", "samples_per_iteration", "roofline_share", "gpu_watts"})
    EXPECT_EQ(value_of(find_metric(name), {.result = &r}), std::nullopt) << name;
  EXPECT_EQ(value_of(find_metric("flop"), {.result = &r}), 0);
  const CaseResult wrong = sample::refused(r, Status::wrong, "no");
  EXPECT_EQ(value_of(find_metric("seconds"), {.result = &wrong}), std::nullopt);
}

TEST(Metrics, ASpeedIsWhatAllUnitsCanHold) {
  for (const double seconds : {1e-9, 1.0, 1e5})
    EXPECT_TRUE(speed(sample::product("a", 64, seconds))) << seconds;
  for (const double seconds : {0.0, -1.0, 1e300, 1e-310, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(speed(sample::product("a", 64, seconds))) << seconds;
  CaseResult wrong = sample::product("a", 64, 1);
  wrong.status = Status::wrong;
  EXPECT_FALSE(speed(wrong)) << "a wrong answer has none";
  EXPECT_EQ(speed(sample::product("a", 64, 1, std::nullopt)).value_or(Speed{}).low, std::nullopt);
}

}  // namespace
}  // namespace breakeven
