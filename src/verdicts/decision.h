// From a ratio and what is known of it to a verdict: one rule for `compare` and `gate`.
#pragma once

#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

/// `significant`: that the ratio is not 1, in a test whose error rate is held over the whole suite.
/// `threshold`: the smallest change that matters, above 0: 0.03 is 3 %.
///   same          the whole interval is within the threshold, 1 / (1 + threshold) to 1 + threshold
///   slower        significant, and the ratio is at least 1 + threshold
///   faster        significant, and the ratio is at most 1 / (1 + threshold)
///   inconclusive  anything else
Verdict decide(const Ratio& ratio, double threshold, bool significant);

/// Why decide() says inconclusive, as a sentence without an end.
std::string why_inconclusive(const Ratio& ratio, double threshold, bool significant);

}  // namespace breakeven
