// Every result of a report in tables, one for each operation.
#pragma once

#include <vector>

#include "reports/document/document.h"
#include "reports/document/standings.h"

namespace breakeven {

/// A row a result, under its problem. `machine_names` are by machine_key(); with one machine there is no
/// column for it.
std::vector<Table> result_tables(const std::vector<ProblemGroup>& groups, bool several_machines);

}  // namespace breakeven
