#include "backends/onednn/tuning.h"

#include <algorithm>

#include "host/steady_clock.h"

namespace breakeven::onednn {
namespace {

double seconds_of(Way& way) {
  const auto start = Clock::now();
  way.run();
  return seconds_since(start);
}

}  // namespace

bool challenger_wins(Way& champion, Way& challenger) {
  constexpr double race_seconds = 0.04;
  constexpr double is_long = 0.05;  // neither a cold start nor a few per cent of noise matter then
  constexpr int fewest_rounds = 2;
  constexpr int most_rounds = 200;
  constexpr double hopeless = 1.5, hopeless_if_long = 1.1;
  constexpr double noise = 0.02;

  // Disturbances make a run longer, so the shortest run is the best estimate.
  double best_champion = seconds_of(champion);
  double best_challenger = seconds_of(challenger);
  const bool are_long = std::max(best_champion, best_challenger) >= is_long;
  if (!are_long) {
    best_champion = seconds_of(champion);
    best_challenger = seconds_of(challenger);
  }
  const double decisive = are_long ? hopeless_if_long : hopeless;
  double spent = best_champion + best_challenger;
  for (int round = 1; round < most_rounds; ++round) {
    const bool decided =
        best_challenger > decisive * best_champion || best_champion > decisive * best_challenger;
    if (spent > race_seconds && (decided || round >= fewest_rounds)) break;
    const double first = seconds_of(champion);
    const double second = seconds_of(challenger);
    best_champion = std::min(best_champion, first);
    best_challenger = std::min(best_challenger, second);
    spent += first + second;
  }
  return best_challenger < (1 - noise) * best_champion;
}

}  // namespace breakeven::onednn
