#include "verdicts/verdict.h"

#include <algorithm>

#include "verdicts/decision.h"

namespace breakeven {

CaseVerdict undecided(const CaseResult& c) {
  CaseVerdict made;
  static_cast<CaseOnBackend&>(made) = static_cast<const CaseOnBackend&>(c);
  return made;
}

const BackendRecord* find_backend(std::span<const BackendRecord> backends, std::string_view name) {
  const auto found = std::ranges::find(backends, name, &BackendRecord::name);
  return found == backends.end() ? nullptr : &*found;
}

FindingKind finding_kind(const CaseVerdict& c) {
  if (c.presence != Presence::only_base && is_wrong(c.head_status)) return FindingKind::wrong;
  if (c.presence == Presence::only_base)  // what the base could not do is not missing
    return c.base_status == Status::unsupported ? FindingKind::unsupported : FindingKind::missing;
  if (c.presence == Presence::only_head) {
    if (c.head_status == Status::unsupported) return FindingKind::unsupported;
    return c.head_status == Status::ok ? FindingKind::added : FindingKind::incomparable;
  }
  switch (c.verdict) {
    case Verdict::same:
      return FindingKind::same;
    case Verdict::slower:
      return FindingKind::slower;
    case Verdict::faster:
      return FindingKind::faster;
    case Verdict::inconclusive:
      return c.not_slower ? FindingKind::not_slower : FindingKind::inconclusive;
    case Verdict::incomparable:
      break;
  }
  return c.base_status == Status::unsupported && c.head_status == Status::unsupported
             ? FindingKind::unsupported
             : FindingKind::incomparable;
}

bool compares_any(const Verdicts& verdicts) {
  return std::ranges::any_of(verdicts.cases,
                             [](const CaseVerdict& c) { return c.verdict != Verdict::incomparable; });
}

bool is_probably_slower(const CaseVerdict& c, double threshold) {
  const auto leaning = leaning_of(c.ratio, threshold);
  return finding_kind(c) == FindingKind::inconclusive && leaning && leaning->is_probable && leaning->slower;
}

int exit_status(const Verdicts& verdicts, FailOn fail_on) {
  const auto any = [&](FindingKind kind) {
    return std::ranges::any_of(verdicts.cases, [&](const CaseVerdict& c) { return finding_kind(c) == kind; });
  };
  if (any(FindingKind::wrong) || any(FindingKind::slower)) return 1;
  if (any(FindingKind::incomparable) || any(FindingKind::missing) || !compares_any(verdicts)) return 4;
  const auto fails = [&](const CaseVerdict& c) {
    return finding_kind(c) == FindingKind::inconclusive &&
           (fail_on == FailOn::inconclusive || is_probably_slower(c, verdicts.threshold));
  };
  return fail_on != FailOn::slower && std::ranges::any_of(verdicts.cases, fails) ? 3 : 0;
}

}  // namespace breakeven
