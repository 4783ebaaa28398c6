// Summarises all verdicts. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

/// "ok", "out of memory".
std::string status_text(Status status);

/// Cases that could not be compared for the same cause. They point into the verdicts.
struct CauseGroup {
  std::string cause;   // "different machine and library", "the head failed", or a reason that all cases share
  std::string reason;  // the first case's reason, in full
  std::vector<const CaseVerdict*> cases;
};

/// Groups the cases without two comparable times by cause; the largest group comes first. Leaves out cases
/// that are wrong in the head, which fail for another reason, new cases that are right, and cases that
/// neither side supports.
std::vector<CauseGroup> incomparable_by_cause(const Verdicts& verdicts);

/// Head over base, for all cases together.
struct OverallChange {
  Ratio ratio;            // the geometric mean over the cases
  std::size_t cases = 0;  // the number of cases compared
};

/// The overall change; empty if no two times were compared. The interval assumes that the errors of the cases
/// are independent of each other. It does not cover an effect that shifts all cases of a launch alike.
std::optional<OverallChange> overall_change(const Verdicts& verdicts);

}  // namespace breakeven
