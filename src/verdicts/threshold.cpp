#include "verdicts/threshold.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace breakeven {
namespace {

/// An interval from two launches is too wide to be of use.
constexpr std::size_t fewest_for_interval = 3;

/// True if the results between the ends of the change, which are not of pairs, do not all have an interval.
bool lacks_intervals(const ThresholdAnswer& answer, const LeadChange& change) {
  return std::ranges::any_of(answer.points, [&](const ThresholdPoint& point) {
    const auto at = static_cast<double>(point.value);
    return change.interval.low <= at && at <= change.interval.high && !point.log_ratios.empty() &&
           !point.interval;
  });
}

}  // namespace

std::optional<Estimate> ThresholdPoint::ratio() const {
  if (log_ratios.empty()) return std::nullopt;
  const auto from_logarithms = [](const Interval& of) {
    return Interval{.low = std::exp(of.low), .high = std::exp(of.high)};
  };
  Estimate made{.value = std::exp(level_of_launches(log_ratios))};
  if (interval) {
    made.interval = from_logarithms(*interval);
  } else if (counting_launches(log_ratios).size() >= fewest_for_interval) {
    made.interval =
        from_logarithms(trimmed_mean_interval(counting_launches(log_ratios), trimmed_launches, 0.025));
  }
  return made;
}

std::optional<Lead> lead_at(const ThresholdPoint& point, bool from_results) {
  const auto ratio = point.ratio();
  if (!ratio) return std::nullopt;
  return from_results ? std::optional(lead_of(*ratio)) : lead_of_launches(point.log_ratios);
}

Lead shown_lead(const ThresholdPoint& point, const ThresholdAnswer& answer, bool from_results) {
  const Lead own = lead_at(point, from_results).value_or(Lead::neither);
  const auto is_around = [&](const LeadChange& change) {
    return !change.by_bisection && change.last_below <= point.value && point.value <= change.first_above;
  };
  if (own != Lead::neither || from_results || point.log_ratios.empty() ||
      std::ranges::none_of(answer.found.changes, is_around))
    return own;
  const Lead leaning = point.ratio()->value < 1 ? Lead::challenger : Lead::baseline;
  return answer.found.stated_at(point.value) == leaning ? leaning : own;
}

bool medians_disagree(const ThresholdPoint& point, Metric in) {
  constexpr double visible = 0.005;  // a difference of 0.5 %, as a logarithm, is visible
  const auto baseline = point.sides[0].amount(in);
  const auto challenger = point.sides[1].amount(in);
  if (!baseline || !challenger || !(*baseline > 0) || !(*challenger > 0) || point.log_ratios.empty())
    return false;
  const double by_medians = std::log(*challenger / *baseline);
  const double by_pairs = level_of_launches(point.log_ratios);
  return std::abs(by_medians) > visible && std::abs(by_pairs) > visible &&
         std::signbit(by_medians) != std::signbit(by_pairs);
}

std::optional<LeadChange> bracketed_change(const ThresholdAnswer& answer) {
  if (answer.found.answer != BreakEven::Answer::unclear) return std::nullopt;
  LeadChange change;
  change.by_bisection = true;
  bool is_sure = false;      // the side at the largest value is ahead at others, too, or has launches enough
  bool has_unclear = false;  // a value below first_above at which too few launches were taken to say anything
  for (auto point = answer.points.rbegin(); point != answer.points.rend(); ++point) {
    if (point->log_ratios.empty()) continue;
    const auto lead = lead_at(*point, false);
    if (change.first_above == 0) change.above = lead.value_or(Lead::neither);  // the largest value
    if (change.above == Lead::neither) return std::nullopt;
    if (!lead) {
      has_unclear = true;
    } else if (*lead != change.above) {
      change.below = *lead;
      change.last_below = point->value;
      break;
    } else if (has_unclear) {
      break;
    } else {
      is_sure = change.first_above != 0 || counts_alone(point->log_ratios);
      change.first_above = point->value;
    }
  }
  if (!is_sure || (change.last_below == 0 && !has_unclear)) return std::nullopt;
  change.from = change.latest = change.first_above;
  change.earliest = change.last_below + 1;
  return change;
}

bool is_wide(const LeadChange& change, double width) {
  return change.earliest != change.latest && change.interval.high / change.interval.low > 1 + width;
}

bool cannot_be_measured(const ThresholdAnswer& answer, const Threshold& threshold) {
  const auto is_tried_in_vain = [&](const ThresholdPoint& point) {
    return point.value == answer.to && (point.wrong || !point.reason.empty());
  };
  return !answer.found.last &&
         (threshold.from_results || std::ranges::any_of(answer.points, is_tried_in_vain));
}

int exit_status(const Threshold& threshold) {
  const auto any = [&](const auto& holds) { return std::ranges::any_of(threshold.answers, holds); };
  if (any([](const ThresholdAnswer& a) { return std::ranges::any_of(a.points, &ThresholdPoint::wrong); }))
    return 1;
  if (threshold.answers.empty() ||
      any([&](const ThresholdAnswer& a) { return cannot_be_measured(a, threshold); }))
    return 4;
  if (any([&](const ThresholdAnswer& a) {
        return a.found.answer == BreakEven::Answer::unclear || a.found.answer == BreakEven::Answer::neither ||
               !a.found.last || std::ranges::any_of(a.found.changes, [&](const LeadChange& c) {
                 return threshold.from_results ? lacks_intervals(a, c) : is_wide(c, threshold.width);
               });
      }))
    return 3;
  return 0;
}

}  // namespace breakeven
