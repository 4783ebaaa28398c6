// Estimates the time left of a run. Empty until it is known within a factor of about two, and without jumps.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace breakeven {

/// One problem in one launch, measured on all of its backends.
struct RunStep {
  std::string kind;  // the operation
  double work = 0;   // FLOPs; the time to verify grows with them, the time to sample does not
  double backends = 1;
  std::optional<double> seconds = std::nullopt;  // set when finished
};

/// Estimates the seconds of the remaining steps: for each backend, a step takes as long as the finished step
/// of its kind with the nearest work. Empty if most of the remaining steps are of kinds without a finished
/// step, or one has more than twice the work of every finished step.
std::optional<double> estimate_seconds_left(std::span<const RunStep> steps);

/// Smooths the estimates after each step for display: the time counts down with the clock, and a new estimate
/// moves the end half of the way. All times are in seconds, by any one clock.
class Countdown {
 public:
  void update(double now, std::optional<double> seconds_left);
  std::optional<double> left(double now) const;

 private:
  std::optional<double> end_;
};

}  // namespace breakeven
