// What all verdicts say together. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

/// Cases that could not be compared, for one cause. They point into the verdicts.
struct CauseGroup {
  std::string cause;   // "different machine and library", "the head failed", or the cases' common reason
  std::string reason;  // of its first case, in full
  std::vector<const CaseVerdict*> cases;
};

/// Every case without two comparable times, by cause; the largest group first. Not those that are wrong in
/// the head, which are no question of comparing, nor new ones that are right, nor those that neither side
/// supports.
std::vector<CauseGroup> incomparable_by_cause(const Verdicts& verdicts);

/// Head over base of all cases together.
struct OverallChange {
  Ratio ratio;            // the geometric mean
  std::size_t cases = 0;  // that were compared
};

/// Nothing where no two times were compared. The interval takes the cases' errors to be independent of each
/// other; what shifts all cases of a launch alike is not in it.
std::optional<OverallChange> overall_change(const Verdicts& verdicts);

}  // namespace breakeven
