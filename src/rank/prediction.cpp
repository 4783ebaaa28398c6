#include "rank/prediction.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "statistics/summary.h"
#include "workloads/ranks.h"

namespace breakeven {

std::optional<double> stated_least_seconds(const DeviceEntry& device, const CaseResult& result) {
  if (ranks_of(result.parameters) > 1) return std::nullopt;  // its work is that of several devices
  const auto peak = device.peaks.find(result.dtype);
  if (peak == device.peaks.end() && result.flop > 0) return std::nullopt;
  const double computing = result.flop > 0 ? result.flop / peak->second.flop_per_second : 0;
  const double seconds = std::max(computing, result.bytes / device.bytes_per_second);
  return seconds > 0 && std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

std::optional<double> predicted_seconds(double least_seconds, std::span<const Reached> others) {
  if (others.empty()) return std::nullopt;
  double sum = 0;
  for (const Reached& one : others) sum += std::log(one.seconds / one.least_seconds);
  return least_seconds * std::exp(sum / static_cast<double>(others.size()));
}

std::optional<PredictionError> prediction_error(std::span<const ReachedByDevices> cases) {
  std::vector<double> errors;  // absolute logarithms
  std::set<std::size_t> models;
  std::size_t predicted_cases = 0;
  for (const ReachedByDevices& measured : cases) {
    const std::size_t before = errors.size();
    for (const Reached& left_out : measured) {
      ReachedByDevices others;
      std::ranges::copy_if(measured, std::back_inserter(others),
                           [&](const Reached& other) { return other.model != left_out.model; });
      const auto predicted = predicted_seconds(left_out.least_seconds, others);
      if (!predicted) continue;
      errors.push_back(std::abs(std::log(*predicted / left_out.seconds)));
      models.insert(left_out.model);
    }
    predicted_cases += errors.size() > before ? 1 : 0;
  }
  if (errors.empty()) return std::nullopt;
  return PredictionError{.devices = models.size(),
                         .cases = predicted_cases,
                         .typical = std::exp(quantile(errors, 0.5)),
                         .most = std::exp(quantile(errors, 0.95))};
}

}  // namespace breakeven
