// From which value one side is faster: what `threshold` found.
#pragma once

#include <span>
#include <vector>

#include "reports/document/document.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// A card a question, with each machine's answers. The ids are left to the caller.
std::vector<Card> threshold_cards(std::span<const Threshold> thresholds);

/// What a reader should know beside the answers.
std::vector<Sentence> threshold_notes(const Threshold& threshold);

/// Every answer in one table.
Fold break_even_fold(std::span<const Threshold> thresholds);

}  // namespace breakeven
