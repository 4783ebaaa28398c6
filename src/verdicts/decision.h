// From a ratio and what is known of it to a verdict and its reason, for `compare` and `gate`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

/// `significant`: that the ratio is not 1, in a test whose error rate is held over the whole suite.
/// `threshold`: the smallest change that matters, above 0: 0.03 is 3 %.
///   same          the whole interval is within the threshold, 1 / (1 + threshold) to 1 + threshold
///   slower        significant, and the ratio is at least 1 + threshold
///   faster        significant, and the ratio is at most 1 / (1 + threshold)
///   inconclusive  anything else; not_slower() says whether it may be slower at all
Verdict decide(const Ratio& ratio, double threshold, bool significant);

/// The whole interval is within the threshold, in both directions.
bool is_same(const Ratio& ratio, double threshold);

/// The whole interval is below the threshold. It may be faster.
bool not_slower(const Ratio& ratio, double threshold);

/// Why decide() says inconclusive, as a sentence without an end.
std::string why_inconclusive(const Ratio& ratio, double threshold, bool significant);

/// A case that was measured no further without a clear verdict.
struct Undecided {
  std::optional<Ratio> ratio;
  std::size_t launches = 0;
  double threshold = 0.03;
  std::optional<bool> suspected_slower;  // or faster; absent where nothing was suspected
  bool not_slower = false;
  std::string cause, remedy;  // "time ran out", "re-run with --minutes 20"
};
/// "probably slower (+56 %, +49 to +63 %), not confirmed: time ran out after 6 launches; re-run with ..."
std::string reason_of_inconclusive(const Undecided& undecided);

/// "-2.6 %", "+56 %": three significant digits at most, "0.0 %" without a sign; from three times on "3.2x
/// slower" and "320x faster".
std::string change_text(double ratio);
/// "+49 to +63 %"; "310x to 330x" beside a factor.
std::string interval_text(const Ratio& ratio);
/// "+56 %, +49 to +63 %"
std::string change_text(const Ratio& ratio);

}  // namespace breakeven
