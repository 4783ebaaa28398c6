// A summary of all verdicts. Pure functions.
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

/// Every case without two comparable times, by cause; the largest group first. Leaves out cases that are
/// wrong in the head, which are not a question of comparing, new cases that are right, and cases that neither
/// side supports.
std::vector<CauseGroup> incomparable_by_cause(const Verdicts& verdicts);

/// Head over base of all cases together.
struct OverallChange {
  Ratio ratio;            // the geometric mean
  std::size_t cases = 0;  // that were compared
};

/// The overall change; empty if no two times were compared. The interval assumes that the errors of the cases
/// are independent of each other; it does not include an effect that shifts all cases of a launch alike.
std::optional<OverallChange> overall_change(const Verdicts& verdicts);

}  // namespace breakeven
