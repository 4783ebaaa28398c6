// Verdicts for tests, made by hand.
#pragma once

#include <string>

#include "unit/reports_sample.h"
#include "verdicts/verdict.h"

namespace breakeven::sample {

/// The verdict on a product m x m x m on `backend`, with 0.01 s in the base.
inline CaseVerdict verdict_of(Verdict verdict, std::int64_t m, double ratio,
                              const std::string& backend = "openblas") {
  const CaseResult result = product(backend, m, 0.01);
  CaseVerdict c;
  c.id = result.id;
  c.op = result.op;
  c.parameters = result.parameters;
  c.dtype = result.dtype;
  c.backend = backend;
  c.device = result.device;
  c.verdict = verdict;
  c.ratio = Ratio{.value = ratio, .low = ratio * 0.99, .high = ratio * 1.01};
  c.base_seconds = 0.01;
  c.head_seconds = 0.01 * ratio;
  return c;
}

/// One without times.
inline CaseVerdict incomparable(std::int64_t m, const std::string& reason,
                                const std::string& backend = "openblas") {
  CaseVerdict c = verdict_of(Verdict::incomparable, m, 1, backend);
  if (!reason.empty()) c.reasons = {quoted_note(reason)};
  c.ratio.reset();
  c.base_seconds.reset();
  c.head_seconds.reset();
  return c;
}

inline Verdicts verdicts(std::vector<CaseVerdict> cases) {
  Verdicts v;
  v.kind = "compare";
  v.created = "2026-11-01T12:00:00Z";
  v.tool_version = "0.1.0";
  v.host.name = "host";
  v.host.cpu = "A CPU";
  v.base.source = "base.json";
  v.head.source = "head.json";
  v.method = {quoted_note("By the book.")};
  v.cases = std::move(cases);
  return v;
}

/// One of each kind, in an order that is not theirs.
inline Verdicts one_of_each_verdict() {
  const auto present = [](Presence presence, std::int64_t m) {
    CaseVerdict c = incomparable(m, "");
    c.presence = presence;
    return c;
  };
  CaseVerdict wrong = incomparable(1, "3 is not 4");
  wrong.head_status = Status::wrong;
  CaseVerdict unsupported = incomparable(2, "");
  unsupported.base_status = unsupported.head_status = Status::unsupported;
  CaseVerdict slower = verdict_of(Verdict::slower, 4, 1.053);
  slower.ratio = Ratio{.value = 1.053, .low = 1.041, .high = 1.066};
  slower.base_algorithm = "avx2";
  slower.head_algorithm = "sse";
  slower.notes = quoted_notes({"a note"});
  return verdicts({verdict_of(Verdict::same, 3, 1.001), unsupported, present(Presence::only_head, 9),
                   verdict_of(Verdict::faster, 5, 0.8), verdict_of(Verdict::inconclusive, 6, 1.02),
                   present(Presence::only_base, 7), incomparable(8, "other threads"), wrong, slower,
                   verdict_of(Verdict::slower, 10, 2)});
}

}  // namespace breakeven::sample
