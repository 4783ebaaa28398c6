// Tests that the time in which the driver was stopped does not count towards a time limit.
#include "session/running_time.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

using namespace std::chrono_literals;

class RunningTimeTest : public testing::Test {
 protected:
  /// A wait that was planned to be 100 ms long and took `taken`.
  void wait(RunningTime::Clock::duration taken) {
    now_ += taken;
    time_.add(now_, 100ms);
  }

  RunningTime::Clock::time_point now_{1h};
  RunningTime time_{now_};
};

TEST_F(RunningTimeTest, IsTheSumOfTheWaits) {
  for (int i = 0; i < 10; ++i) wait(100ms);
  wait(3ms);
  wait(0ms);
  EXPECT_EQ(time_.counted(), 1003ms);
}

TEST_F(RunningTimeTest, CountsAWaitThatIsALittleLate) {
  wait(150ms);
  EXPECT_EQ(time_.counted(), 150ms);
}

TEST_F(RunningTimeTest, CountsAStopAsTheWaitThatWasPlanned) {
  wait(40ms);
  wait(10h);
  wait(60ms);
  EXPECT_EQ(time_.counted(), 200ms);
}

}  // namespace
}  // namespace breakeven
