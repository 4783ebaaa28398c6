// Estimates the time left of a run. Empty until it is known within a factor of about two, and without jumps.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace breakeven {

/// One problem in one launch, measured on all of its backends.
struct RunStep {
  std::string kind;     // the operation
  std::string variant;  // such as the network; steps of one variant differ only in their work
  double work = 0;      // FLOPs; the time to verify grows with them, the time to sample does not
  double backends = 1;
  std::optional<double> seconds = std::nullopt;  // set when finished
};

/// Estimates the seconds of the remaining steps. For each backend, a step takes a constant time, which the
/// steps of its variant share, plus a time proportional to its work. Empty if too many of the remaining steps
/// are unlike the finished ones, or far larger.
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
