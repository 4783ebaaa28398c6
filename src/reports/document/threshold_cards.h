// Cards for the results of `threshold`: the value from which one side is faster.
#pragma once

#include <span>
#include <vector>

#include "reports/document/document.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// One card per question, with each machine's answers. The caller sets the ids.
std::vector<Card> threshold_cards(std::span<const Threshold> thresholds);

/// Notes that a reader should know beside the answers.
std::vector<Sentence> threshold_notes(const Threshold& threshold);

/// Every answer in one table.
Fold break_even_fold(std::span<const Threshold> thresholds);

}  // namespace breakeven
