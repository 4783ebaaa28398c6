// What every report of verdicts says, and in which order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

/// What there is to say of a case, the worst first.
enum class FindingKind {
  wrong,
  incomparable,
  missing,
  slower,
  inconclusive,
  not_slower,
  faster,
  added,
  same,
  unsupported
};

FindingKind finding_kind(const CaseVerdict& c);
/// "new" for added, else the name.
std::string_view name(FindingKind kind);

/// All (without `with_unchanged` all but the same and those that neither side supports), worst first: by
/// kind, then those with the larger ratio first (of the faster ones those with the smaller), then in the
/// order in which they were compared. They point into `verdicts`.
std::vector<const CaseVerdict*> worst_first(const Verdicts& verdicts, bool with_unchanged = false);

/// "FAIL: 1 of 50 cases computes wrong results, 2 are slower. 1 inconclusive, 46 the same." "PASS: none of
/// 50 cases is slower."
std::string headline(const Verdicts& verdicts);

/// "matmul 64 x 64 x 64 f32 on openblas": printable.
std::string describe_case(const CaseVerdict& c);

/// "+5.3 % (+4.1 to +6.6 %)"; without an interval "+5.3 % by medians alone"; empty where there are no two
/// times, or none that could be compared.
std::string describe_change(const CaseVerdict& c);

/// "10.0 ms → 10.5 ms", with "?" for a side that has no time; empty where neither has.
std::string describe_times(const CaseVerdict& c);

/// Why, what is not ok, what the library chose: printable sentences, joined by "; ".
std::string describe_details(const CaseVerdict& c);

/// The notes beside the verdict, joined in the same way.
std::string describe_notes(const CaseVerdict& c);

/// Names a side: "base.json" or "build-main (NAME=VALUE)": printable.
std::string describe_side(const Side& side);

}  // namespace breakeven
