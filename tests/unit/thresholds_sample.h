// Results of `threshold`, made by hand for tests.
#pragma once

#include "verdicts/threshold.h"

namespace breakeven::sample {

/// b is faster than a from 384 on.
inline Threshold threshold() {
  Threshold t;
  t.created = "2026-11-01T12:00:00Z";
  t.complete = true;
  t.tool_version = "0.1.0";
  t.warnings = quoted_notes({"the governor is powersave"});
  t.host.name = "host";
  t.host.cpu = "A CPU";
  t.title = "From which size on?";
  t.parameter = "m";
  for (std::size_t side = 0; side < 2; ++side) {
    BackendRecord backend;
    backend.name = side == 0 ? "a" : "b";
    backend.available = true;
    t.sides[side] = {.wanted = {backend.name}, .backends = {backend}, .threads = 2, .price = {}};
  }
  t.sides[1].price =
      HourlyPrice{.per_hour = 2.5, .from = {.currency = "USD", .source = "an offer", .date = "2026-10-01"}};
  t.config = R"({"title":"From which size on?"})";
  t.wall_seconds = 12.5;
  ThresholdAnswer answer{.title = "matmul, m = n = k, f32",
                         .in = Metric::time,
                         .from = 64,
                         .to = 1024,
                         .found = {.answer = BreakEven::Answer::from_value,
                                   .changes = {{.below = Lead::baseline,
                                                .above = Lead::challenger,
                                                .crossing = 383.5,
                                                .interval = {.low = 376.2, .high = 391.8},
                                                .by_bisection = false,
                                                .from = 384,
                                                .earliest = 377,
                                                .latest = 392}},
                                   .first = 64,
                                   .last = 1024,
                                   .values = 3,
                                   .launches = 7},
                         .points = {},
                         .notes = {quoted_note("a note")}};
  answer.points.push_back({.value = 64,
                           .log_ratios = {0.7, 0.6, 0.8},
                           .sides = {ThresholdPointSide{.backend = "a", .seconds = 1e-5, .joules = 2e-4},
                                     {.backend = "b", .seconds = 2e-5, .joules = {}, .algorithm = "way"}},
                           .reason = "",
                           .wrong = false});
  answer.points.push_back(
      {.value = 512, .log_ratios = {}, .sides = {}, .reason = "out of memory", .wrong = false});
  answer.points.push_back(
      {.value = 1024, .log_ratios = {-1.4, -1.2}, .sides = {}, .reason = "", .wrong = false});
  t.answers.push_back(answer);
  return t;
}

}  // namespace breakeven::sample
