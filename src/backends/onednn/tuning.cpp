#include "backends/onednn/tuning.h"

#include <algorithm>

#include "host/steady_clock.h"

namespace breakeven::onednn {
namespace {

/// The shortest run of each: disturbances make a run longer, so it is the best estimate.
struct Shortest {
  double champion, challenger;

  void keep(double champion_run, double challenger_run) {
    champion = std::min(champion, champion_run);
    challenger = std::min(challenger, challenger_run);
  }
  bool challenger_wins() const {
    constexpr double noise = 0.02;
    return challenger < (1 - noise) * champion;
  }
  /// True if one takes more than `factor` times as long as the other.
  bool is_decided_by(double factor) const {
    return challenger > factor * champion || champion > factor * challenger;
  }
};

constexpr double hopeless_if_long = 1.1;

/// Continues a race whose runs are not very long.
Shortest run_in_turn(Way& champion, Way& challenger, const std::function<double(Way&)>& time,
                     Shortest shortest) {
  constexpr double race_seconds = 0.04;
  constexpr double is_long = 0.05;  // seconds; neither a cold start nor a few per cent of noise matter then
  constexpr double hopeless = 1.5;
  constexpr int fewest_rounds = 2;
  constexpr int most_rounds = 200;
  const bool are_long = std::max(shortest.champion, shortest.challenger) >= is_long;
  const auto run_both = [&] {
    const double first = time(champion);
    return Shortest{.champion = first, .challenger = time(challenger)};
  };
  if (!are_long) shortest = run_both();
  double spent = shortest.champion + shortest.challenger;
  for (int round = 1; round < most_rounds; ++round) {
    const bool decided = shortest.is_decided_by(are_long ? hopeless_if_long : hopeless);
    if (spent > race_seconds && (decided || round >= fewest_rounds)) break;
    const Shortest runs = run_both();
    shortest.keep(runs.champion, runs.challenger);
    spent += runs.champion + runs.challenger;
  }
  return shortest;
}

}  // namespace

double seconds_of(Way& way) {
  const auto start = Clock::now();
  way.run();
  return seconds_since(start);
}

bool Race::challenger_wins(Way& champion, Way& challenger) {
  // A case with such runs has few samples, and a race of many runs would take longer than all of them.
  constexpr double is_very_long = 0.25;
  const double first = champion_seconds_ >= is_very_long ? champion_seconds_ : time_(champion);
  Shortest shortest{.champion = first, .challenger = time_(challenger)};
  if (first < is_very_long) {
    shortest = run_in_turn(champion, challenger, time_, shortest);
  } else if (!shortest.is_decided_by(hopeless_if_long)) {
    // Only a second run of the slower one may change the winner.
    if (shortest.challenger_wins()) {
      shortest.champion = std::min(shortest.champion, time_(champion));
    } else {
      shortest.challenger = std::min(shortest.challenger, time_(challenger));
    }
  }
  const bool wins = shortest.challenger_wins();
  champion_seconds_ = wins ? shortest.challenger : shortest.champion;
  return wins;
}

}  // namespace breakeven::onednn
