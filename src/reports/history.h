// The JSON of `history check`, and the text of `history list`.
#pragma once

#include <string>

#include "history/check.h"

namespace breakeven {

/// The whole check as JSON, schema breakeven.history/1, described in docs/result-file.md.
std::string history_json(const HistoryCheck& check, const std::string& store);

/// Lists the machines, the runs (the newest first, at most `most_runs`; 0: all) and the number of series.
std::string history_listing(const History& history, const std::string& store, std::size_t most_runs);

/// The number of runs with a measurement of at least one of the series.
std::size_t runs_in(const History& history);

/// "run 12 (0123456789ab, 2026-01-02T03:04:05Z)".
std::string describe_run(const Run& run);

/// "CASE BACKEND", which --filter searches; with the machine if there are several.
std::string describe_series(const Series& series, const Machine& machine, const History& history);

/// "1.00 ms → 1.05 ms".
std::string describe_times(const Change& change);

/// The runs around a change: "run 12 (...) and run 13 (...)".
std::string describe_place(const History& history, std::size_t last_before, std::size_t first_after);

}  // namespace breakeven
