#include "session/time_left.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

/// Finished steps.
using Steps = std::vector<const RunStep*>;

double mean(const Steps& steps, const std::function<double(const RunStep&)>& value) {
  double sum = 0;
  for (const RunStep* step : steps) sum += value(*step);
  return sum / static_cast<double>(steps.size());
}

double per_backend(const RunStep& step) {
  return *step.seconds / step.backends;
}

double most_work(const Steps& steps) {
  return (*std::ranges::max_element(steps, {}, &RunStep::work))->work;
}

/// The finished steps by variant and by kind, and the slope computed from them.
struct Known {
  std::map<std::pair<std::string, std::string>, Steps> variants;
  std::map<std::string, Steps> kinds;
  Steps any;
  std::optional<double> slope;  // seconds per FLOP; needs variants that ran with different work
};

Known known_from(std::span<const RunStep> steps) {
  Known known;
  for (const RunStep& step : steps) {
    if (!step.seconds) continue;
    known.variants[{step.kind, step.variant}].push_back(&step);
    known.kinds[step.kind].push_back(&step);
    known.any.push_back(&step);
  }
  // Least squares, with a separate constant for each variant.
  double along = 0, squares = 0;
  for (const auto& [name, done] : known.variants) {
    const double middle = mean(done, &RunStep::work);
    const double seconds = mean(done, per_backend);
    for (const RunStep* step : done) {
      along += (step->work - middle) * (per_backend(*step) - seconds);
      squares += (step->work - middle) * (step->work - middle);
    }
  }
  if (squares > 0) known.slope = std::max(0.0, along / squares);
  return known;
}

struct Bounds {
  double least = 0, expected = 0, most = 0;
};

// Factors by which a step may differ from the steps of its variant, of its kind, or from any step, and a
// further factor for work beyond the largest of them. They hold for the runs in
// tests/unit/session/time_left_test.cpp.
constexpr double variant_factor = 1.4, kind_factor = 1.8, any_factor = 2.2, beyond_factor = 1.3;
/// If a step has this many times the work of every finished step, the factors no longer hold.
constexpr double too_far = 16;
/// Seconds per FLOP for each backend until a slope is known: the time of verification in those runs, and the
/// most that is considered possible.
constexpr double usual_slope = 1e-9, steepest_slope = 5e-9;
/// The largest ratio of most to least at which a value between them is known within a factor of two.
constexpr double widest = 4;

/// The bounds of a step's time for one backend, in seconds.
Bounds predict(const RunStep& step, const Known& known) {
  const auto variant = known.variants.find({step.kind, step.variant});
  const auto kind = known.kinds.find(step.kind);
  const bool has_variant = variant != known.variants.end();
  const bool has_kind = kind != known.kinds.end();
  const Steps& like = has_variant ? variant->second : has_kind ? kind->second : known.any;
  const double factor = has_variant ? variant_factor : has_kind ? kind_factor : any_factor;
  const double largest = most_work(like);
  const double slope = known.slope.value_or(0);
  const double constant =
      mean(like, [&](const RunStep& one) { return std::max(0.0, per_backend(one) - slope * one.work); });
  const double inside = constant + slope * std::min(step.work, largest);
  const double further = std::max(0.0, step.work - largest);
  if (!known.slope) {
    return {.least = inside / factor,
            .expected = inside + usual_slope * further,
            .most = inside * factor + steepest_slope * further};
  }
  const double beyond = slope * further;
  const double distance = std::max(1.0, step.work / (too_far * std::max(most_work(known.any), 1.0)));
  return {.least = inside / factor + beyond / (factor * beyond_factor),
          .expected = inside + beyond,
          .most = (inside * factor + beyond * factor * beyond_factor) * distance};
}

}  // namespace

std::optional<double> estimate_seconds_left(std::span<const RunStep> steps) {
  const Known known = known_from(steps);
  Bounds all;
  for (const RunStep& step : steps) {
    if (step.seconds) continue;
    if (known.any.empty()) return std::nullopt;
    const Bounds one = predict(step, known);
    all.least += one.least * step.backends;
    all.expected += one.expected * step.backends;
    all.most += one.most * step.backends;
  }
  if (all.most > widest * all.least) return std::nullopt;
  return all.expected;
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
