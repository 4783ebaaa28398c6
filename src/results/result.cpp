#include "results/result.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace breakeven {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 8> status_names{{
    {Status::ok, "ok"},
    {Status::wrong, "wrong"},
    {Status::implausible, "implausible"},
    {Status::unsupported, "unsupported"},
    {Status::out_of_memory, "out_of_memory"},
    {Status::failed, "failed"},
    {Status::timed_out, "timed_out"},
    {Status::interrupted, "interrupted"},
}};

}  // namespace

std::string_view name(Status status) {
  return status_names[static_cast<std::size_t>(status)].second;
}

std::optional<Status> parse_status(std::string_view name) {
  for (const auto& [status, known] : status_names) {
    if (known == name) return status;
  }
  return std::nullopt;
}

bool BackendRecord::has_operation(std::string_view op) const {
  return std::any_of(supports.begin(), supports.end(),
                     [&](const auto& operation) { return operation.first == op; });
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
