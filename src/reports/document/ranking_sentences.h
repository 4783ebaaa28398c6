// Sentences about a ranking, which all its reports share. None of the texts is printable() yet.
#pragma once

#include <string>
#include <vector>

#include "verdicts/rank.h"

namespace breakeven {

/// "=2" if several candidates share the place; "-" without a place.
std::string place_text(const Ranked& one, const Ranking& ranking);

/// "ranked by the time of the whole mix once, 12 cases".
std::string work_text(const Ranking& ranking);

/// "3 of 5 cases in bf16", "2 of 5 cases predicted": one phrase for each way in which some cases differ.
std::vector<std::string> apart_texts(const Ranked& one);

/// States when a GPU pays for itself.
std::string payback_text(const Payback& payback);

/// The reasons why a candidate has no place, or cannot be compared in a metric.
std::vector<std::string> unknown_texts(const Ranked& one, const Ranking& ranking);

/// True if at least two candidates have a place.
bool can_rank(const Ranking& ranking);

/// One sentence each: who is first and how far the others are behind, who is on the Pareto front, when a GPU
/// pays for itself.
std::vector<std::string> rank_sentences(const Ranking& ranking);

}  // namespace breakeven
