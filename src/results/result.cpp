#include "results/result.h"

#include <algorithm>
#include <cmath>

namespace breakeven {

bool BackendRecord::has_operation(std::string_view op) const {
  return std::ranges::any_of(supports, [&](const auto& operation) { return operation.first == op; });
}

std::optional<Interval> Timing::interval() const {
  if (!ci_low || !ci_high || !(*ci_low > 0) || !std::isfinite(*ci_low) || !std::isfinite(*ci_high))
    return std::nullopt;
  return Interval{.low = *ci_low, .high = *ci_high};
}

bool CaseResult::has_time() const {
  return status == Status::ok && seconds && std::isfinite(seconds->median) && seconds->median > 0;
}

std::optional<double> CaseResult::gflops() const {
  if (status != Status::ok || !seconds || flop == 0) return std::nullopt;
  return flop / seconds->median * 1e-9;
}

std::optional<double> CaseResult::gbps() const {
  if (status != Status::ok || !seconds) return std::nullopt;
  return bytes / seconds->median * 1e-9;
}

}  // namespace breakeven
