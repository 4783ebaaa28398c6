// What a ranking lacks, predicted: machines of the catalogue, and cases that a machine was not measured on.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "rank/rank.h"
#include "statistics/estimate.h"

namespace breakeven {

/// A result with its seconds: of a run, or of all runs up to a target.
struct TimedCase {
  const CaseResult* result = nullptr;
  Estimate seconds;
};
/// By a case's id, and by the number of the candidate in the ranking.
using TimesOfCases = std::map<std::string, std::map<std::size_t, TimedCase>>;

/// Adds the devices that `options` asks for, fills in what others lack where it asks for that, and says how
/// far such predictions are off: each device predicted from the others of its kind. Whatever was measured
/// stays.
void predict(Ranking& ranking, const TimesOfCases& times, const RankOptions& options);

}  // namespace breakeven
