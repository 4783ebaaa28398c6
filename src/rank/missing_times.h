// Predicts the times that a ranking lacks: of devices in the catalogue, and of cases not measured on a
// machine.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "rank/rank.h"
#include "statistics/estimate.h"

namespace breakeven {

/// A result with its seconds, for one run or for all training steps up to a target.
struct TimedCase {
  const CaseResult* result = nullptr;
  Estimate seconds;
};
/// Times by case id and by the candidate's index in the ranking.
using TimesOfCases = std::map<std::string, std::map<std::size_t, TimedCase>>;

/// Adds the devices that `options` requests, predicts missing cases if it requests that, and states the error
/// of such predictions: each device is predicted from other models of its kind. Measured times are not
/// changed.
void predict(Ranking& ranking, const TimesOfCases& times, const RankOptions& options);

}  // namespace breakeven
