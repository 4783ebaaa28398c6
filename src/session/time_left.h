// How long a run still takes, for people: nothing until that is known within a factor of about two, and no
// jumps.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace breakeven {

/// One problem in one launch, measured on all of its backends.
struct RunStep {
  std::string kind;     // the operation
  std::string variant;  // what of it, as the network: steps of one variant differ by their work alone
  double work = 0;      // FLOPs: what verifying takes grows with them, what sampling takes does not
  double backends = 1;
  std::optional<double> seconds = std::nullopt;  // where it is done
};

/// What the steps still to come take. For each backend a step takes a constant, which those of its variant
/// have in common, and a part that is proportional to its work. Nothing where that is not known well enough:
/// too many of the steps to come are unlike those that are done, or far larger.
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
