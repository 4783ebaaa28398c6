#include "results/result.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <sstream>

#include "protocol/possible_seconds.h"
#include "results/counted_samples.h"

namespace breakeven {

bool BackendRecord::has_operation(std::string_view op) const {
  return std::ranges::any_of(supports, [&](const auto& operation) { return operation.first == op; });
}

std::optional<Interval> Timing::interval() const {
  if (!ci_low || !ci_high || !(*ci_low > 0) || !std::isfinite(*ci_low) || !std::isfinite(*ci_high))
    return std::nullopt;
  return Interval{.low = *ci_low, .high = *ci_high};
}

Estimate Timing::estimate() const {
  const auto launches_counted = static_cast<double>(std::max<std::size_t>(counted_launches_of(*this), 1));
  return widened({.value = median, .interval = interval()}, launch_deviation / std::sqrt(launches_counted));
}

void keep_faster(const CaseResult*& best, const CaseResult& one) {
  if (best == nullptr || one.seconds->median < best->seconds->median) best = &one;
}

bool CaseResult::has_time() const {
  return status == Status::ok && seconds && is_possible(seconds->median);
}

std::optional<double> CaseResult::gflops() const {
  if (!has_time() || flop == 0) return std::nullopt;
  return flop / seconds->median * 1e-9;
}

std::optional<double> CaseResult::gbps() const {
  if (!has_time()) return std::nullopt;
  return bytes / seconds->median * 1e-9;
}

namespace {

void add_rounds_of(MachineSpeed& joined, const MachineSpeed& other) {
  const auto blend = [&](double& value, double more) {
    value += (more - value) * static_cast<double>(other.rounds) /
             static_cast<double>(joined.rounds + other.rounds);
  };
  const auto worst = [](std::optional<double>& value, const std::optional<double>& more) {
    if (more) value = std::max(value.value_or(*more), *more);
  };
  blend(joined.median, other.median);
  for (const auto& [part, seconds] : other.median_seconds)
    blend(joined.median_seconds.try_emplace(part, seconds).first->second, seconds);
  if (joined.instructions_per_cycle && other.instructions_per_cycle)
    blend(*joined.instructions_per_cycle, *other.instructions_per_cycle);
  for (const auto& [part, seconds] : other.best_seconds) {
    double& best = joined.best_seconds.try_emplace(part, seconds).first->second;
    best = std::min(best, seconds);
  }
  joined.lowest = std::min(joined.lowest, other.lowest);
  worst(joined.clock_range, other.clock_range);
  worst(joined.core_to_core_range, other.core_to_core_range);
  if (joined.reservation.empty()) joined.reservation = other.reservation;
  joined.rounds += other.rounds;
  joined.slow_rounds += other.slow_rounds;
}

}  // namespace

std::optional<MachineSpeed> joined_speeds(std::optional<MachineSpeed> first,
                                          const std::optional<MachineSpeed>& second) {
  if (!first) return second;
  if (second && second->rounds > 0) add_rounds_of(*first, *second);
  return first;
}

std::optional<double> unix_seconds(const std::string& utc) {
  std::tm fields{};
  std::istringstream in(utc);
  in >> std::get_time(&fields, "%Y-%m-%dT%H:%M:%SZ");
  return in ? std::optional(static_cast<double>(timegm(&fields))) : std::nullopt;
}

}  // namespace breakeven
