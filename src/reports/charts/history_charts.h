// Charts of a history: the times of one case, run by run.
#pragma once

#include <vector>

#include "history/check.h"
#include "reports/charts/chart.h"

namespace breakeven {

/// A chart for each of the series that changed most, at most 12: those with changes, then those that may have
/// changed, then others. The first is named "history", the second "history-2".
std::vector<Chart> history_charts(const HistoryCheck& check);

}  // namespace breakeven
