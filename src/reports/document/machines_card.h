// Machines side by side: the one place where times of several machines are compared.
#pragma once

#include <optional>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/runs.h"

namespace breakeven {

/// By the fastest backend of each machine in every problem that all of them have. Nothing with fewer than two
/// machines, or without such a problem.
std::optional<Card> machines_card(const std::vector<MachineRuns>& machines);

}  // namespace breakeven
