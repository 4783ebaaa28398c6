// What a ranking says, in the words that all its reports share. None of it is printable() yet.
#pragma once

#include <string>
#include <vector>

#include "verdicts/rank.h"

namespace breakeven {

/// "=2": one of several that share it; "-" without one.
std::string place_text(const Ranked& one, const Ranking& ranking);

/// "ranked by the time of the whole mix once, 12 cases".
std::string work_text(const Ranking& ranking);

/// "3 of 5 cases in bf16", "2 of 5 cases predicted": what sets some of its cases apart, a phrase each.
std::vector<std::string> apart_texts(const Ranked& one);

/// When a GPU pays.
std::string payback_text(const Payback& payback);

/// Why it has no place, or cannot be compared in something.
std::vector<std::string> unknown_texts(const Ranked& one, const Ranking& ranking);

/// Whether at least two of them have a place.
bool can_rank(const Ranking& ranking);

/// Who is first and how far the others are behind, who is on the Pareto front, when a GPU pays: a sentence
/// each.
std::vector<std::string> rank_sentences(const Ranking& ranking);

}  // namespace breakeven
