#include "backends/onednn/tuning.h"

#include <algorithm>

#include "host/steady_clock.h"

namespace breakeven::onednn {

double seconds_of(Way& way) {
  const auto start = Clock::now();
  way.run();
  return seconds_since(start);
}

bool challenger_wins(Way& champion, Way& challenger, const std::function<double(Way&)>& time) {
  constexpr double race_seconds = 0.04;
  constexpr double is_long = 0.05;  // neither a cold start nor a few per cent of noise matter then
  // A case with such runs has few samples. Repeating runs that cannot change the winner would take longer.
  constexpr double is_very_long = 0.25;
  constexpr int fewest_rounds = 2;
  constexpr int most_rounds = 200;
  constexpr double hopeless = 1.5, hopeless_if_long = 1.1;
  constexpr double noise = 0.02;

  // Disturbances make a run longer, so the shortest run is the best estimate.
  double best_champion = time(champion);
  double best_challenger = time(challenger);
  const double longest = std::max(best_champion, best_challenger);
  if (longest < is_long) {
    best_champion = time(champion);
    best_challenger = time(challenger);
  }
  const double decisive = longest < is_long ? hopeless : hopeless_if_long;
  const auto wins = [&] { return best_challenger < (1 - noise) * best_champion; };
  double spent = best_champion + best_challenger;
  for (int round = 1; round < most_rounds; ++round) {
    const bool decided = best_challenger > decisive * best_champion ||
                         best_champion > decisive * best_challenger || (longest >= is_very_long && !wins());
    if (spent > race_seconds && (decided || round >= fewest_rounds)) break;
    const double first = time(champion);
    const double second = time(challenger);
    best_champion = std::min(best_champion, first);
    best_challenger = std::min(best_challenger, second);
    spent += first + second;
  }
  return wins();
}

}  // namespace breakeven::onednn
