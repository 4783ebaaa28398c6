// The report that `run` and `report` show in a terminal.
#pragma once

#include <string>

#include "reports/page.h"
#include "results/result.h"

namespace breakeven {

/// A table for each operation: under each problem a row for each backend, the fastest first, those that are
/// not ok with their status and reason. Then the counts, the warnings, and the backends that are not here.
std::string terminal_report(const Result& result, const TerminalStyle& style);

}  // namespace breakeven
