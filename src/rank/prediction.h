// Predicts how long work takes on a device on which it was not measured: the device's roofline, divided by
// the fraction of their own rooflines that measured devices reach (Williams, Waterman and Patterson,
// Roofline, CACM 2009). Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "rank/device_catalogue.h"
#include "results/result.h"

namespace breakeven {

/// The time of a case on a device, and the shortest time that the device's roofline allows.
struct Reached {
  std::size_t device = 0;    // index of the device
  std::size_t model = 0;     // index of the first device of the same model
  double seconds = 0;        // of what is predicted: one run, or all runs up to a target
  double least_seconds = 0;  // of one run
};

/// The times of one case on the devices on which it was measured.
using ReachedByDevices = std::vector<Reached>;

/// The error of predictions: each measured device is predicted from the devices of other models, case by
/// case.
struct PredictionError {
  std::size_t devices = 0;  // their different models
  std::size_t cases = 0;
  double typical = 1, most = 1;  // factors: the median, and the 95 % quantile
};

/// The shortest time that the device's stated peaks allow; empty if its peak for the dtype is not stated,
/// and for a case of several ranks, whose work is that of several devices.
std::optional<double> stated_least_seconds(const DeviceEntry& device, const CaseResult& result);

/// The predicted seconds: `least_seconds`, the limit of the roofline, times the geometric mean of the others'
/// ratios of measured to least seconds. Empty without others.
std::optional<double> predicted_seconds(double least_seconds, std::span<const Reached> others);

/// The error of predictions; empty if no case was measured on two models, because then it is unknown. Two
/// cards of one model agree, which says nothing about another.
std::optional<PredictionError> prediction_error(std::span<const ReachedByDevices> cases);

}  // namespace breakeven
