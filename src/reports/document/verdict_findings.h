// The findings that all reports of verdicts show, and their order.
#pragma once

#include <string>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

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

/// All findings, worst first; without `with_unchanged`, cases that are the same or that neither side supports
/// are left out. They are ordered by kind, then by falling ratio (rising for the faster ones), then as they
/// were compared. The pointers point into `verdicts`.
std::vector<const CaseVerdict*> worst_first(const Verdicts& verdicts, bool with_unchanged = false);

/// The headline's beginning: "FAIL", "PASS", "NOT COMPARABLE".
std::string headline_in_short(const Verdicts& verdicts);

/// "FAIL: 1 of 50 cases computes wrong results, 2 are slower. 1 inconclusive, 46 the same." "PASS: none of
/// 50 cases is slower."
std::string headline(const Verdicts& verdicts);

/// "matmul 64 x 64 x 64 f32 on openblas"; printable.
std::string describe_case(const CaseVerdict& c);

/// "+5.3 % (+4.1 to +6.6 %)"; without an interval "+5.3 % by medians alone"; empty if there are no two
/// comparable times.
std::string describe_change(const CaseVerdict& c);

/// "10.0 ms → 10.5 ms", with "?" for a side without a time; empty if neither has one.
std::string describe_times(const CaseVerdict& c);

/// The reason, what is not ok, and what the library selected: printable sentences, joined by "; ".
std::string describe_details(const CaseVerdict& c);

/// The notes on the verdict, joined in the same way.
std::string describe_notes(const CaseVerdict& c);

/// Describes a side: "base.json" or "build-main (NAME=VALUE)"; printable.
std::string describe_side(const Side& side);

}  // namespace breakeven
