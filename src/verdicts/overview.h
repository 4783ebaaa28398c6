// Summarises all verdicts. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "statistics/summary.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// "ok", "out of memory".
std::string status_text(Status status);
/// "timed out: no answer within 60 s"; the status alone if the reason says no more.
std::string status_text(Status status, const std::string& reason);

/// Head over base, for all cases together.
struct OverallChange {
  double ratio = 1;                       // the geometric mean over the cases
  std::optional<Interval> interval = {};  // its 95 % interval; absent with too few launches
  std::size_t cases = 0;                  // the number of cases compared
};

/// The interval of a mean over cases, if the logarithm's interval over launches is `logarithm`: as wide as
/// that, around `ratio`.
Interval interval_around(double ratio, const Interval& logarithm);

/// The mean over the cases in each launch that all of them have. Cases share a launch's processes and its
/// moment, so that their errors are not independent of each other. The values are by case, then by launch.
std::vector<double> means_of_launches(const std::vector<std::vector<double>>& cases);

/// The overall change; empty if no two times were compared. The unit of its interval is the launch, which may
/// shift all cases alike.
std::optional<OverallChange> overall_change(const Verdicts& verdicts);

}  // namespace breakeven
