// What `history check` and `history list` say.
#pragma once

#include <string>

#include "history/check.h"

namespace breakeven {

/// What is new and worse first, the worst first, a line for each finding and one for each of its notes. At
/// most twenty lines of each kind; the JSON has all. `store` is its path.
std::string history_report(const HistoryCheck& check, const std::string& store);

/// Everything, schema breakeven.history/1, described in docs/history.md.
std::string history_json(const HistoryCheck& check, const std::string& store);

/// Machines, runs (the newest first, at most `most_runs`; 0: all) and how many series there are.
std::string history_listing(const History& history, const std::string& store, std::size_t most_runs);

/// "run 12 (0123456789ab, 2026-01-02T03:04:05Z)".
std::string describe_run(const Run& run);

}  // namespace breakeven
