#include "backends/onednn/tuning.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace breakeven::onednn {
namespace {

/// A way whose runs take given seconds, the last of them from then on.
class TimedWay final : public Way {
 public:
  explicit TimedWay(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  void run() override { ++runs_; }
  std::string name() const override { return "timed"; }
  double next_seconds() {
    run();
    return seconds_[std::min(runs_, seconds_.size()) - 1];
  }
  std::size_t runs() const { return runs_; }

 private:
  std::vector<double> seconds_;
  std::size_t runs_ = 0;
};

double simulated(Way& way) {
  return dynamic_cast<TimedWay&>(way).next_seconds();
}

bool wins(double challenger_seconds, double champion_seconds) {
  TimedWay champion({champion_seconds});
  TimedWay challenger({challenger_seconds});
  return challenger_wins(champion, challenger, simulated);
}

TEST(OnednnRace, IsWonByMoreThanNoise) {
  for (const double seconds : {1e-6, 1e-3, 0.06, 0.2, 0.3, 10.0}) {
    EXPECT_TRUE(wins(0.97 * seconds, seconds)) << seconds;
    EXPECT_FALSE(wins(0.99 * seconds, seconds)) << seconds;
    EXPECT_FALSE(wins(2 * seconds, seconds)) << seconds;
  }
}

TEST(OnednnRace, OfShortRunsForgetsColdStarts) {
  TimedWay champion({1e-3});
  TimedWay challenger({0.02, 0.9e-3});
  EXPECT_TRUE(challenger_wins(champion, challenger, simulated));
}

/// The number of rounds that a race of these runs takes.
std::size_t rounds(double champion_seconds, double challenger_seconds) {
  TimedWay champion({champion_seconds});
  TimedWay challenger({challenger_seconds});
  challenger_wins(champion, challenger, simulated);
  EXPECT_EQ(champion.runs(), challenger.runs());
  return challenger.runs();
}

TEST(OnednnRace, OfVeryLongRunsRepeatsThemOnlyIfTheChallengerLeadsByALittle) {
  EXPECT_EQ(rounds(4, 3), 1U);
  EXPECT_EQ(rounds(4, 3.8), 2U);
  EXPECT_EQ(rounds(4, 4), 1U);
  EXPECT_EQ(rounds(4, 4.2), 1U);
  EXPECT_EQ(rounds(4, 5), 1U);
  EXPECT_EQ(rounds(0.2, 0.2), 2U);
}

TEST(OnednnRace, OfVeryLongRunsForgivesTheChampionADisturbance) {
  TimedWay champion({4.3, 4});
  TimedWay challenger({4.1, 4});
  EXPECT_FALSE(challenger_wins(champion, challenger, simulated));
}

TEST(OnednnRace, MakesAWayOnlyWhenItsTurnHasCome) {
  std::size_t alive = 0;
  std::size_t most_alive = 0;
  class Counted final : public Way {
   public:
    Counted(std::size_t& alive, std::size_t& most) : alive_(alive) { most = std::max(most, ++alive_); }
    ~Counted() override { --alive_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    Counted(Counted&&) = delete;
    Counted& operator=(Counted&&) = delete;
    void run() override {}
    std::string name() const override { return "counted"; }

   private:
    std::size_t& alive_;
  };
  const std::vector<Maker<Way>> makers(4, [&] { return std::make_unique<Counted>(alive, most_alive); });
  EXPECT_EQ(choose(makers, true).candidates, 4U);
  EXPECT_EQ(most_alive, 2U);
  EXPECT_EQ(choose(makers, false).algorithm(), "counted");
}

}  // namespace
}  // namespace breakeven::onednn
