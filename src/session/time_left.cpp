#include "session/time_left.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace breakeven {
namespace {

/// Seconds that finished steps took for each backend, by their work. Of equal steps the latest one counts.
using Finished = std::map<double, double>;

/// The time of the finished step whose work is nearest, by its ratio.
double nearest(const Finished& finished, double work) {
  const auto above = finished.lower_bound(work);
  if (above == finished.begin()) return above->second;
  const auto below = std::prev(above);
  const bool is_below = above == finished.end() || work * work < below->first * above->first;
  return is_below ? below->second : above->second;
}

}  // namespace

std::optional<double> estimate_seconds_left(std::span<const RunStep> steps) {
  std::map<std::string, Finished> kinds;
  Finished all;
  for (const RunStep& step : steps) {
    if (step.seconds) all[step.work] = kinds[step.kind][step.work] = *step.seconds / step.backends;
  }
  double seconds = 0;
  std::size_t remaining = 0, of_new_kinds = 0;
  for (const RunStep& step : steps) {
    if (step.seconds) continue;
    if (all.empty() || step.work > 2 * all.rbegin()->first) return std::nullopt;
    const auto kind = kinds.find(step.kind);
    seconds += nearest(kind == kinds.end() ? all : kind->second, step.work) * step.backends;
    ++remaining;
    if (kind == kinds.end()) ++of_new_kinds;
  }
  if (2 * of_new_kinds > remaining) return std::nullopt;
  return seconds;
}

void Countdown::update(double now, std::optional<double> seconds_left) {
  if (!seconds_left) {
    end_.reset();
    return;
  }
  const double end = now + *seconds_left;
  end_ = end_ ? (*end_ + end) / 2 : end;
}

std::optional<double> Countdown::left(double now) const {
  if (!end_) return std::nullopt;
  return std::max(0.0, *end_ - now);
}

}  // namespace breakeven
