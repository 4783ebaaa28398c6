// Decides the verdict on a ratio and its reason, for `compare` and `gate`.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

/// Decides the verdict. `significant`: the ratio differs from 1 in a test whose error rate holds for the
/// whole suite. `threshold`: the smallest change that matters, above 0: 0.03 is 3 %.
///   same          the whole interval is within the threshold, 1 / (1 + threshold) to 1 + threshold
///   slower        significant, and the ratio is at least 1 + threshold
///   faster        significant, and the ratio is at most 1 / (1 + threshold)
/// inconclusive  anything else; see not_slower()
Verdict decide(const Ratio& ratio, double threshold, bool significant);

/// True if the whole interval is within the threshold, in both directions.
bool is_same(const Ratio& ratio, double threshold);

/// True if the whole interval is below the threshold. The case may be faster.
bool not_slower(const Ratio& ratio, double threshold);

/// The reason why decide() returned inconclusive.
Note why_inconclusive(const Ratio& ratio, double threshold, bool significant);

/// The cause where a gate's launches differ too much. If one side's own times differ several times more than
/// the other's, that program is the cause, not the machine, on which both run in turn.
Note launches_differ(const std::vector<LaunchSamples>& launches);

/// The direction to which an undecided case leans.
struct Leaning {
  bool slower = false;       // else faster
  bool is_probable = false;  // by its interval, and by as much as matters; else it is a suspicion alone
};
/// Empty if it leans to neither. `suspected_slower`: the suspicion of a gate; false: faster; absent: none.
std::optional<Leaning> leaning_of(const std::optional<Ratio>& ratio, double threshold,
                                  const std::optional<bool>& suspected_slower = {});

/// Why the measurement of a case ended without a clear verdict: how it leans, and the cause. The launches are
/// those of the cause.
std::vector<Note> reasons_of_inconclusive(const CaseVerdict& c, double threshold,
                                          const std::optional<bool>& suspected_slower, Note cause);

}  // namespace breakeven
