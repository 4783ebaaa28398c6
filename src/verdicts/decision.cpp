#include "verdicts/decision.h"

namespace breakeven {

Verdict decide(const Ratio& ratio, double threshold, bool significant) {
  const double slower = 1 + threshold;
  const double faster = 1 / slower;
  if (ratio.low >= faster && ratio.high <= slower) return Verdict::same;
  if (significant && ratio.value >= slower) return Verdict::slower;
  if (significant && ratio.value <= faster) return Verdict::faster;
  return Verdict::inconclusive;
}

std::string why_inconclusive(const Ratio& ratio, double threshold, bool significant) {
  const double slower = 1 + threshold;
  if (significant) {
    return ratio.value > 1 ? "it is slower, but perhaps by less than the threshold"
                           : "it is faster, but perhaps by less than the threshold";
  }
  if (ratio.value >= slower || ratio.value <= 1 / slower) {
    return ratio.low > 1 || ratio.high < 1
               ? "one case alone would count as different; among so many, chance makes some look so"
               : "the change reaches the threshold, but launches differ too much to be sure of it";
  }
  return "the interval reaches beyond the threshold: launches differ too much";
}

}  // namespace breakeven
