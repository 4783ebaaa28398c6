// The time left of a run, for people: empty until it is known within a factor of about two, and without
// jumps.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace breakeven {

/// One problem in one launch, measured on all of its backends.
struct RunStep {
  std::string kind;     // the operation
  std::string variant;  // such as the network: steps of one variant differ only in their work
  double work = 0;      // FLOPs: the time to verify grows with them, the time to sample does not
  double backends = 1;
  std::optional<double> seconds = std::nullopt;  // once it is finished
};

/// The seconds that the remaining steps take. For each backend, a step takes a constant, which the steps of
/// its variant share, and a part proportional to its work. Empty if that is not known well enough: too many
/// of the remaining steps are unlike the finished ones, or far larger.
std::optional<double> estimate_seconds_left(std::span<const RunStep> steps);

/// Turns the estimates after each step into what is shown: it counts down with the clock, and a new estimate
/// moves the end half the way. All times are in seconds, by any one clock.
class Countdown {
 public:
  void update(double now, std::optional<double> seconds_left);
  std::optional<double> left(double now) const;

 private:
  std::optional<double> end_;
};

}  // namespace breakeven
