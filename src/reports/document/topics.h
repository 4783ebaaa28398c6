// The topics of questions (results/focus.h), in one table: the statements that answer each, and what was not
// measured where there is no answer.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reports/document/cards.h"
#include "reports/document/families.h"
#include "reports/document/runs.h"
#include "results/focus.h"

namespace breakeven {

/// The statements on one topic.
struct Topic {
  Focus focus;
  std::vector<Statement> statements = {};
  bool is_main = false;  // most results are about it
};

/// The topics that a report finds by itself, and the one that is asked. Nothing may have been measured of
/// them.
std::vector<Topic> topics_of(const Measurements& measured, std::optional<Focus> asked);

/// The statements on a topic. Empty if nothing of it was measured, and for `libraries` and `machines`, whose
/// answers are comparisons.
std::vector<Statement> statements_on(Focus focus, const Measurements& measured);

/// The measurements that an answer on the topic lacks: "no problem was measured both on a GPU and on a CPU".
std::string_view missing_text(Focus focus);

/// "Not answered: no problem was measured both on a GPU and on a CPU."
Sentence not_answered(Focus focus);

}  // namespace breakeven
