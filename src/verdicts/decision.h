// Decides the verdict on a ratio and its reason, for `compare` and `gate`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

/// The reason why decide() returned inconclusive: a sentence without its full stop.
std::string why_inconclusive(const Ratio& ratio, double threshold, bool significant);

/// The cause for which a case has no clear verdict, and what to do about it.
struct Cause {
  std::string text, remedy;
};
/// The cause where a gate's launches differ too much. If one side's own times differ several times more than
/// the other's, that program is the cause, not the machine, on which both run in turn.
Cause launches_differ(const std::vector<LaunchSamples>& launches);

/// The direction to which an undecided case leans.
struct Leaning {
  bool slower = false;       // else faster
  bool is_probable = false;  // by its interval, and by as much as matters; else it is a suspicion alone
};
/// Empty if it leans to neither. `suspected_slower`: the suspicion of a gate; false: faster; absent: none.
std::optional<Leaning> leaning_of(const std::optional<Ratio>& ratio, double threshold,
                                  const std::optional<bool>& suspected_slower = {});

/// A case whose measurement ended without a clear verdict.
struct Undecided {
  std::optional<Ratio> ratio;
  std::size_t launches = 0;
  double threshold = 0.03;
  std::optional<bool> suspected_slower;  // false: faster; absent: no suspicion
  bool not_slower = false;
  std::string cause, remedy;  // "time ran out", "re-run with --minutes 20"
};
/// Example: "probably slower (+56 %, +49 to +63 %), not confirmed: time ran out after 6 launches; re-run with
/// ..."
std::string reason_of_inconclusive(const Undecided& undecided);

/// A ratio as a change, with at most three significant digits: "-2.6 %", "+56 %", "0.0 %" without a sign.
/// From a factor of three: "3.2x slower", "320x faster".
std::string change_text(double ratio);
/// A ratio's interval as text: "+49 to +63 %"; "310x to 330x" if change_text() gives a factor.
std::string interval_text(const Ratio& ratio);
/// The change and its interval: "+56 %, +49 to +63 %".
std::string change_text(const Ratio& ratio);

}  // namespace breakeven
