// How long work would take on a device that nobody has measured: its roofline, by what its maker states, over
// the part of theirs that devices reach which were measured (Williams, Waterman and Patterson, Roofline, CACM
// 2009).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "plan/device_catalogue.h"
#include "results/result.h"
#include "statistics/estimate.h"

namespace breakeven {

/// A case on a device that is in the catalogue.
struct MeasuredCase {
  const DeviceEntry* device = nullptr;
  const CaseResult* result = nullptr;  // whose operations, bytes and dtype are the case's
  double seconds = 0;                  // of what is predicted: a run, or all runs up to a target
};

/// Measured, of one case: one of each device.
using MeasuredOnDevices = std::vector<MeasuredCase>;

/// Of predictions of each device from all others that were measured, case by case.
struct PredictionError {
  std::size_t devices = 0, cases = 0;
  double typical = 1, most = 1;  // factors: the median, and what 95 % of them are within
};

/// The shortest time that the device's stated peaks allow; nothing where its peak of the dtype is not stated.
std::optional<double> stated_roofline(const DeviceEntry& device, const CaseResult& result);

/// By the geometric mean of the efficiencies that were measured on devices of its kind, GPUs or processors;
/// nothing without any.
std::optional<double> predicted_seconds(const DeviceEntry& device, const MeasuredOnDevices& measured);

enum class DeviceKind { gpu, processors };

/// Of that kind. Nothing for fewer than two devices: what is predicted is then of unknown error.
std::optional<PredictionError> prediction_error(std::span<const MeasuredOnDevices> cases, DeviceKind kind);

}  // namespace breakeven
