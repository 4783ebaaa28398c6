#include "verdicts/prediction.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics/summary.h"

namespace breakeven {

std::optional<double> stated_roofline(const DeviceEntry& device, const CaseResult& result) {
  const auto peak = device.peaks.find(result.dtype);
  if (peak == device.peaks.end() && result.flop > 0) return std::nullopt;
  const double computing = result.flop > 0 ? result.flop / peak->second.flop_per_second : 0;
  const double seconds = std::max(computing, result.bytes / device.bytes_per_second);
  return seconds > 0 && std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

std::optional<double> predicted_seconds(const DeviceEntry& device, const MeasuredOnDevices& measured) {
  double sum = 0;  // of the logarithms of what a run takes over its roofline
  int count = 0;
  std::optional<double> roofline;
  for (const MeasuredCase& one : measured) {
    if (one.device->is_cpu() != device.is_cpu()) continue;  // they do not reach alike
    const auto of_measured = stated_roofline(*one.device, *one.result);
    roofline = stated_roofline(device, *one.result);
    if (!of_measured || !roofline || !(one.seconds > 0)) continue;
    sum += std::log(one.seconds / *of_measured);
    ++count;
  }
  if (count == 0 || !roofline) return std::nullopt;
  return *roofline * std::exp(sum / count);
}

std::optional<PredictionError> prediction_error(std::span<const MeasuredOnDevices> cases, DeviceKind kind) {
  std::vector<double> errors;  // absolute, as logarithms
  std::set<const DeviceEntry*> devices;
  std::size_t predicted_cases = 0;
  for (const MeasuredOnDevices& measured : cases) {
    bool was_predicted = false;
    for (const MeasuredCase& left_out : measured) {
      if (left_out.device->is_cpu() != (kind == DeviceKind::processors)) continue;
      MeasuredOnDevices others;
      std::copy_if(measured.begin(), measured.end(), std::back_inserter(others),
                   [&](const MeasuredCase& other) { return other.device != left_out.device; });
      const auto predicted = predicted_seconds(*left_out.device, others);
      if (!predicted) continue;
      errors.push_back(std::abs(std::log(*predicted / left_out.seconds)));
      devices.insert(left_out.device);
      was_predicted = true;
    }
    predicted_cases += was_predicted ? 1 : 0;
  }
  if (errors.empty()) return std::nullopt;
  return PredictionError{.devices = devices.size(),
                         .cases = predicted_cases,
                         .typical = std::exp(quantile(errors, 0.5)),
                         .most = std::exp(quantile(errors, 0.95))};
}

}  // namespace breakeven
