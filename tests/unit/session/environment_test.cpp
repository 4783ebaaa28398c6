#include "session/environment.h"

#include <gmock/gmock.h>

namespace breakeven {
namespace {

using testing::DoubleNear;
using testing::Optional;

HostCounters counted(double busy, double steal, double total) {
  HostCounters made{};
  made.busy_seconds = busy;
  made.steal_seconds = steal;
  made.total_seconds = total;
  return made;
}

TEST(ConditionsOfIntervals, AreTheSharesOfAllTogether) {
  CountedOnHost all;
  add_interval(all, counted(100, 10, 1000), counted(101, 10.1, 1002), 0.6);
  add_interval(all, counted(200, 10, 2000), counted(201, 10.1, 2002), 0.6);
  const Conditions c = conditions_of(all);
  EXPECT_THAT(c.steal_percent, Optional(DoubleNear(5, 1e-9)));
  EXPECT_THAT(c.other_cpu_percent, Optional(DoubleNear(20, 1e-9))) << "2 s less our own 1.2 s, of 4 s";
}

/// Both are counted in ticks, at different moments.
TEST(ConditionsOfIntervals, OwnTimeBeyondTheBusyTimeIsNoOtherProgram) {
  CountedOnHost all;
  add_interval(all, counted(100, 0, 1000), counted(101, 0, 1002), 1.1);
  EXPECT_THAT(conditions_of(all).other_cpu_percent, Optional(0.0));
}

TEST(ConditionsOfIntervals, OfAFewTicksAreUnknown) {
  CountedOnHost all;
  add_interval(all, counted(100, 0, 1000), counted(100.1, 0, 1000.1), 0);
  const Conditions c = conditions_of(all);
  EXPECT_FALSE(c.steal_percent);
  EXPECT_EQ(c.unreadable.at("other_cpu_percent"), "the case was too short for the kernel's tick");
}

TEST(ConditionsOfIntervals, OfCountersThatCouldNotBeReadOnceAreUnknown) {
  CountedOnHost all;
  HostCounters quiet = counted(100, 0, 1000), later = counted(101, 0, 1002);
  quiet.throttled_seconds = 3;
  later.throttled_seconds = 5;
  add_interval(all, quiet, later, 0);
  EXPECT_THAT(conditions_of(all).throttled_seconds, Optional(2.0));
  add_interval(all, {}, counted(102, 0, 1004), 0);
  const Conditions c = conditions_of(all);
  EXPECT_FALSE(c.throttled_seconds);
  EXPECT_EQ(c.unreadable.at("steal_percent"), "/proc/stat cannot be read");
  EXPECT_TRUE(c.unreadable.contains("thermal_throttles"));
}

}  // namespace
}  // namespace breakeven
