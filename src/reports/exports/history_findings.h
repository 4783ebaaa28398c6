// The findings of a check of a history, series by series, for formats that have a line for each.
#pragma once

#include <string>
#include <vector>

#include "history/check.h"

namespace breakeven {

struct HistoryFinding {
  const Series* series = nullptr;
  bool fails = false;     // the check; otherwise a suspicion
  bool is_error = false;  // it has no valid time, rather than a bad one
  std::string kind;       // "slower", "wrong", "perhaps slower"
  std::string change;     // "+5.0 %, +4.7 to +5.3 %"; empty if it has no time
  std::string text;       // the series, the change, the runs around it and the reasons
};

/// The findings that fail the check, the worst first, then the series that may have become slower.
std::vector<HistoryFinding> history_findings(const HistoryCheck& check);

}  // namespace breakeven
