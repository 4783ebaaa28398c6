#include "verdicts/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "protocol/possible_seconds.h"
#include "results/validation.h"
#include "verdicts/launch_effect.h"

namespace breakeven {
namespace {

/// How far a ratio of medians may be from the one that was decided on, which is of pairs or of launches.
constexpr double usual_noise = 100;

bool is_near(double ratio, double other) {
  return ratio <= usual_noise * other && other <= usual_noise * ratio;
}

std::string fault_of(const Ratio& ratio) {
  if (ratio.low > 0 && ratio.low <= ratio.value && ratio.value <= ratio.high && std::isfinite(ratio.high))
    return "";
  return fmt::format("has a ratio of {}, from {} to {}", ratio.value, ratio.low, ratio.high);
}

std::string fault_of(const LaunchSamples& launch) {
  for (const auto* side : {&launch.base, &launch.head}) {
    for (const double seconds : *side) {  // NaN: unknown
      if (!std::isnan(seconds) && !is_possible(seconds)) return fault_of_sample(seconds);
    }
  }
  for (const double share : launch.own_speed) {
    if (share < 0 || share > 1)
      return fmt::format("has an own_speed of {}, which must be from 0 to 1", share);
  }
  return "";
}

/// A ratio lies between the least and the most that any samples of its launches give.
std::string fault_of_launches(const CaseVerdict& c) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const LaunchSamples& launch : c.launches) {
    if (std::string fault = fault_of(launch); !fault.empty()) return fault;
    if (launch.base.empty() || launch.head.empty()) continue;
    const auto [fastest_base, slowest_base] = std::ranges::minmax(launch.base);
    const auto [fastest_head, slowest_head] = std::ranges::minmax(launch.head);
    least = std::fmin(least, fastest_head / slowest_base);
    most = std::fmax(most, slowest_head / fastest_base);
  }
  constexpr double rounding = 1e-6;
  if (!c.ratio || most == 0 ||
      (c.ratio->value >= least * (1 - rounding) && c.ratio->value <= most * (1 + rounding)))
    return "";
  return fmt::format("has a ratio of {}, and launches that give {} to {}", c.ratio->value, least, most);
}

/// The bounds of the ratio that a verdict rests on. A gate's rests on a part of its launches: it is between
/// those of the launch with the least and the one with the largest change.
Ratio bounds_of_decision(const CaseVerdict& c) {
  if (c.launches.empty()) return *c.ratio;
  Ratio bounds = *c.ratio;
  for (const LaunchSamples& launch : c.launches) {
    if (launch.base.empty() || launch.head.empty()) continue;
    const LaunchEffect effect = effect_of(launch);
    bounds.low = std::min(bounds.low, std::exp(effect.lower));
    bounds.high = std::max(bounds.high, std::exp(effect.upper));
  }
  return bounds;
}

std::string fault_of_verdict(const CaseVerdict& c, double threshold) {
  const bool is_change = c.verdict == Verdict::slower || c.verdict == Verdict::faster;
  const bool are_ok =
      c.presence == Presence::both && c.base_status == Status::ok && c.head_status == Status::ok;
  if ((is_change || c.verdict == Verdict::same) && !are_ok)
    return fmt::format("has the verdict {}, and not two sides whose status is ok", name(c.verdict));
  if (c.not_slower && c.verdict != Verdict::inconclusive)
    return fmt::format("has the verdict {}, and is not_slower, as only an inconclusive case is",
                       name(c.verdict));
  // The same number of images that fit has no ratio.
  if (!c.ratio) return is_change ? fmt::format("has the verdict {}, and no ratio", name(c.verdict)) : "";
  const Ratio& ratio = *c.ratio;
  const Ratio decided = bounds_of_decision(c);
  const double slower = 1 + threshold, faster = 1 / slower;
  const bool contradicts = c.verdict == Verdict::slower   ? ratio.value <= 1
                           : c.verdict == Verdict::faster ? ratio.value >= 1
                           : c.verdict == Verdict::same   ? decided.low > slower || decided.high < faster
                                                          : c.not_slower && decided.low > slower;
  if (!contradicts) return "";
  return fmt::format("has the verdict {}, and a ratio of {}, from {} to {}, with a threshold of {}",
                     c.not_slower ? "not_slower" : name(c.verdict), ratio.value, ratio.low, ratio.high,
                     threshold);
}

std::string fault_of_side(std::string_view which, const Side& side) {
  return side.threads >= 0 ? "" : fmt::format("has {} threads of the {}", side.threads, which);
}

// ---- thresholds

std::string fault_of(const ThresholdPointSide& side) {
  if (side.seconds && !is_possible(*side.seconds)) return fault_of_sample(*side.seconds);
  for (const auto& [what, amount] : {std::pair("joules", side.joules), std::pair("cost", side.cost)}) {
    if (amount && !is_amount(*amount)) return fmt::format("has {} of {}", what, *amount);
  }
  if (side.own_speed && !(*side.own_speed >= 0 && *side.own_speed <= 1))
    return fmt::format("has an own_speed of {}, which must be from 0 to 1", *side.own_speed);
  constexpr double rounding = 1e-6;
  if (side.interval && side.seconds &&
      !(side.interval->low <= *side.seconds * (1 + rounding) &&
        *side.seconds <= side.interval->high * (1 + rounding)))
    return fmt::format("has {} seconds, and an interval from {} to {}", *side.seconds, side.interval->low,
                       side.interval->high);
  return "";
}

std::string fault_of(const ThresholdPoint& point, Metric in) {
  for (const ThresholdPointSide& side : point.sides) {
    if (std::string fault = fault_of(side); !fault.empty()) return fault;
  }
  for (const LaunchEffect& launch : point.log_ratios) {
    if (!std::isfinite(launch.lower) || !std::isfinite(launch.upper))
      return fmt::format("has a log_ratio of {}", launch.middle());
  }
  const auto ratio = point.ratio();
  const auto baseline = point.sides[0].amount(in), challenger = point.sides[1].amount(in);
  if (!ratio || !baseline || !challenger || is_near(ratio->value, *challenger / *baseline)) return "";
  return fmt::format("has a ratio of {} by its launches, and amounts of {} and {}", ratio->value, *challenger,
                     *baseline);
}

/// The answer against the changes and the lead at the largest value.
std::string fault_of_answer(const ThresholdAnswer& answer, bool from_results) {
  using Answer = BreakEven::Answer;
  const Answer kind = answer.found.answer;
  const auto& changes = answer.found.changes;
  const bool has_change = kind == Answer::from_value || kind == Answer::until_value;
  if (has_change && changes.empty()) return fmt::format("has the answer {}, and no change", name(kind));
  if ((kind == Answer::always || kind == Answer::never) && !changes.empty())
    return fmt::format("has the answer {}, and a change from {}", name(kind), changes.front().from);
  if (kind == Answer::unclear || kind == Answer::neither) return "";
  const bool is_challenger = kind == Answer::from_value || kind == Answer::always;
  const Lead ahead = is_challenger ? Lead::challenger : Lead::baseline;
  if (has_change && changes.back().above != ahead)
    return fmt::format("has the answer {}, and a last change to {}", name(kind), name(changes.back().above));
  const auto top =
      std::ranges::find_if(answer.points.rbegin(), answer.points.rend(),
                           [](const ThresholdPoint& point) { return point.ratio().has_value(); });
  if (top == answer.points.rend())
    return fmt::format("has the answer {}, and no value at which both sides were measured", name(kind));
  // The interval of a change reaches over values that contradict it.
  if (has_change && changes.back().latest >= top->value) return "";
  const auto lead = lead_at(*top, from_results);
  if (!lead || *lead == Lead::neither || *lead == ahead) return "";
  return fmt::format("has the answer {}, and at {} the {} is ahead", name(kind), top->value, name(*lead));
}

std::string fault_of(const ThresholdContender& side, bool from_results) {
  // A result need not say how many there were.
  if (side.threads < (from_results ? 0 : 1)) return fmt::format("has {} threads", side.threads);
  if (side.ranks < 1) return fmt::format("has {} ranks", side.ranks);
  if (side.price && !is_amount(side.price->per_hour))
    return fmt::format("has a price of {} per hour", side.price->per_hour);
  return "";
}

}  // namespace

std::string fault_of(const CaseVerdict& c, double threshold) {
  if (std::string fault = fault_of_id(c); !fault.empty()) return fault;
  for (const auto& seconds : {c.base_seconds, c.head_seconds}) {
    if (seconds && !is_possible(*seconds)) return fault_of_sample(*seconds);
  }
  if (c.ratio) {
    if (std::string fault = fault_of(*c.ratio); !fault.empty()) return fault;
    if (c.launches.empty() && c.base_seconds && c.head_seconds &&
        !is_near(c.ratio->value, *c.head_seconds / *c.base_seconds))
      return fmt::format("has a ratio of {}, and {} s of the base and {} s of the head", c.ratio->value,
                         *c.base_seconds, *c.head_seconds);
  }
  if (std::string fault = fault_of_launches(c); !fault.empty()) return fault;
  return fault_of_verdict(c, threshold);
}

std::string fault_of(const Verdicts& verdicts, std::optional<std::int64_t> exit_status) {
  if (verdicts.kind != "gate" && verdicts.kind != "compare")
    return fmt::format("has the kind '{}', which must be gate or compare", verdicts.kind);
  if (std::string fault = verdicts.created.empty() ? "" : fault_of_date(verdicts.created); !fault.empty())
    return "has a date that " + fault;
  constexpr double most = 10;  // a change by a factor of 11
  if (!(verdicts.threshold > 0 && verdicts.threshold <= most))
    return fmt::format("has a threshold of {}, which must be above 0 and up to {}", verdicts.threshold, most);
  if (!is_amount(verdicts.wall_seconds)) return fmt::format("has wall_seconds of {}", verdicts.wall_seconds);
  for (const auto& [which, side] : {std::pair("base", &verdicts.base), std::pair("head", &verdicts.head)}) {
    if (std::string fault = fault_of_side(which, *side); !fault.empty()) return fault;
  }
  if (verdicts.mean_change) {
    if (std::string fault = fault_of(*verdicts.mean_change); !fault.empty()) return fault;
  }
  const bool fails = breakeven::exit_status(verdicts) == 1;
  if (exit_status && fails != (*exit_status == 1))
    return fmt::format("has the exit_status {}, and {} case that is slower or wrong", *exit_status,
                       fails ? "a" : "no");
  return "";
}

std::string fault_of(const LeadChange& change) {
  if (change.below == change.above) return fmt::format("changes from {} to itself", name(change.below));
  if (change.earliest > change.from || change.from > change.latest)
    return fmt::format("is from {}, and its bounds are {} and {}", change.from, change.earliest,
                       change.latest);
  const Interval& interval = change.interval;
  if (!std::isfinite(change.crossing) || !std::isfinite(interval.low) || !std::isfinite(interval.high))
    return "";
  if (!(interval.low <= change.crossing && change.crossing <= interval.high))
    return fmt::format("has the crossing {}, and an interval from {} to {}", change.crossing, interval.low,
                       interval.high);
  return "";
}

std::string fault_of(const ThresholdAnswer& answer, const Threshold& of) {
  const BreakEven& found = answer.found;
  if (answer.from > answer.to) return fmt::format("is from {} to {}", answer.from, answer.to);
  if (found.first.has_value() != found.last.has_value())
    return "has one of first_measured and last_measured, and not the other";
  if (found.first && *found.first > *found.last)
    return fmt::format("has {} as the first value measured, and {} as the last", *found.first, *found.last);
  const auto not_rising =
      std::ranges::adjacent_find(answer.points, std::greater_equal(), &ThresholdPoint::value);
  if (not_rising != answer.points.end())
    return fmt::format("has the value {} before {}", not_rising->value, std::next(not_rising)->value);
  for (const ThresholdPoint& point : answer.points) {
    if (point.value < answer.from || point.value > answer.to)
      return fmt::format("is from {} to {}, and has the value {}", answer.from, answer.to, point.value);
    if (std::string fault = fault_of(point, answer.in); !fault.empty())
      return fmt::format("has the value {}, which {}", point.value, fault);
  }
  const auto falls = std::ranges::adjacent_find(found.changes, std::greater(), &LeadChange::from);
  if (falls != found.changes.end())
    return fmt::format("has a change from {} before one from {}", falls->from, std::next(falls)->from);
  return fault_of_answer(answer, of.from_results);
}

std::string fault_of(const Threshold& threshold) {
  if (std::string fault = threshold.created.empty() ? "" : fault_of_date(threshold.created); !fault.empty())
    return "has a date that " + fault;
  if (!(threshold.width > 0)) return fmt::format("has a width of {}, which must be above 0", threshold.width);
  if (!is_amount(threshold.wall_seconds))
    return fmt::format("has wall_seconds of {}", threshold.wall_seconds);
  for (const auto& [which, side] :
       {std::pair("baseline", &threshold.sides[0]), std::pair("challenger", &threshold.sides[1])}) {
    if (std::string fault = fault_of(*side, threshold.from_results); !fault.empty())
      return fmt::format("has a {} that {}", which, fault);
  }
  const auto& [baseline, challenger] = threshold.sides;
  if (!baseline.name.empty() && baseline.name == challenger.name)
    return fmt::format("has the baseline and the challenger '{}'", baseline.name);
  return "";
}

}  // namespace breakeven
