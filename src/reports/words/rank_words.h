// The words of rankings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rank/rank.h"

namespace breakeven {

/// The reason why the time or the energy of a part of the work is unknown: "onednn: out of memory: ...; blis:
/// timed out", "not measured", "energy not known". Empty if it is known.
std::string unknown_text(const RankedPart& part, Metric metric);

/// The reason why a candidate's time, energy or cost is unknown: "not known for 1 of 2 cases: conv: not
/// measured". Empty if it is known.
std::string unknown_text(const Ranking& ranking, const Ranked& one, Metric metric);

/// "4 cases of n1 are not counted: n2 has no times for them.", of each candidate.
std::vector<std::string> uncounted_texts(std::span<const Uncounted> uncounted);

/// Notes on the ranking: how far predictions are off, which candidates were left out, and so on.
std::vector<std::string> ranking_notes(const Ranking& ranking);

std::string mixed_caches_text(const MixedCaches& mixed);

}  // namespace breakeven
