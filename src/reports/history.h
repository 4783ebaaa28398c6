// What `history check` writes as JSON, and what `history list` says.
#pragma once

#include <string>

#include "history/check.h"

namespace breakeven {

/// Everything, schema breakeven.history/1, described in docs/history.md.
std::string history_json(const HistoryCheck& check, const std::string& store);

/// Machines, runs (the newest first, at most `most_runs`; 0: all) and how many series there are.
std::string history_listing(const History& history, const std::string& store, std::size_t most_runs);

/// Runs that gave a measurement to one of the series.
std::size_t runs_in(const History& history);

/// "run 12 (0123456789ab, 2026-01-02T03:04:05Z)".
std::string describe_run(const Run& run);

}  // namespace breakeven
