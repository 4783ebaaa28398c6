// The parts of a report of results that have their own source file.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/runs.h"
#include "reports/document/standings.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// Tables of all results, one for each operation: one row per result, grouped by problem. With a single
/// machine there is no column for it.
std::vector<Table> result_tables(const std::vector<ProblemGroup>& groups, bool several_machines);

/// Compares machines: the one place where times of several machines are compared, by the fastest backend of
/// each machine in every problem that all of them have. Empty with fewer than two machines, or without such a
/// problem.
std::optional<Card> machines_card(const std::vector<MachineRuns>& machines);

/// The value from which one side is faster: one card per question, with each machine's answers. The caller
/// sets the ids.
std::vector<Card> threshold_cards(std::span<const Threshold> thresholds);

/// Notes for the reader on the answers of `threshold`.
std::vector<Sentence> threshold_notes(const Threshold& threshold);

/// Every answer in one table.
Fold break_even_fold(std::span<const Threshold> thresholds);

}  // namespace breakeven
