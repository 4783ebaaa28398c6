// What counts towards a time limit: not the time in which the driver was stopped.
#include <gtest/gtest.h>

#include "session/running_time.h"

namespace breakeven {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class RunningTimeTest : public testing::Test {
 protected:
  /// A wait that was planned to be 100 ms long and took `taken`.
  void wait(RunningTime::Clock::duration taken) {
    now_ += taken;
    time_.add(now_, milliseconds(100));
  }

  RunningTime::Clock::time_point now_{hours(1)};
  RunningTime time_{now_};
};

TEST_F(RunningTimeTest, IsTheSumOfTheWaits) {
  for (int i = 0; i < 10; ++i) wait(milliseconds(100));
  wait(milliseconds(3));
  wait(milliseconds(0));
  EXPECT_EQ(time_.counted(), milliseconds(1003));
}

TEST_F(RunningTimeTest, CountsAWaitThatIsALittleLate) {
  wait(milliseconds(150));
  EXPECT_EQ(time_.counted(), milliseconds(150));
}

TEST_F(RunningTimeTest, CountsAStopAsTheWaitThatWasPlanned) {
  wait(milliseconds(40));
  wait(hours(10));
  wait(milliseconds(60));
  EXPECT_EQ(time_.counted(), milliseconds(200));
}

}  // namespace
}  // namespace breakeven
