// What results say, in sentences: what a reader wants to know first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/result.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// What thresholds answer. Of results, where a machine has other devices than its processors: from which
/// value of a parameter on they are faster, and by how much, by the values that were measured; else which
/// backend is the fastest of how many problems, by operation. Then what other dtypes bring over f32, what
/// larger batches do, and what went wrong. Printable.
std::vector<std::string> headlines(std::span<const Result> results,
                                   std::span<const Threshold> thresholds = {});
/// Those, a sentence a line, and behind them each warning of a whole run once: what they hold with.
std::string answers_text(std::span<const Result> results, std::span<const Threshold> thresholds);

}  // namespace breakeven
