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

/// The same in a word or two: "out of memory", "not measured".
std::string unknown_in_short(const RankedPart& part);

/// The reason why a candidate's time, energy or cost is unknown: "not known for 1 of 2 cases: conv: not
/// measured". Empty if it is known.
std::string unknown_text(const Ranking& ranking, const Ranked& one, Metric metric);

/// "Cases that another machine lacks are not counted: 4 of n1 and 2 of n2."; empty if there are none.
std::string uncounted_text(std::span<const Uncounted> uncounted);

/// An operation's name in sentences: "matrix products", "train".
std::string work_name(const std::string& op);

/// Notes on a ranking: how far predictions are off, which candidates were left out, and so on.
std::vector<std::string> ranking_notes(const Ranking& ranking);

/// The notes on all rankings of a command, and on work that was not ranked.
std::vector<std::string> ranking_notes(const Rankings& rankings);

/// "no machine here is called 'H20'; did you mean 'H200'? ..."
std::string unknown_machine_text(const UnknownMachine& machine);

std::string mixed_caches_text(const MixedCaches& mixed);

}  // namespace breakeven
