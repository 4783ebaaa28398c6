// Wraps one ranking as the answer to a command.
#pragma once

#include <utility>

#include "rank/rank.h"

namespace breakeven {

inline Rankings alone(Ranking ranking) {
  Rankings rankings;
  rankings.all.push_back(std::move(ranking));
  return rankings;
}

}  // namespace breakeven
