#include "verdicts/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/number_text.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

/// A ratio as a signed percentage: small changes with a decimal, large ones without.
std::string signed_percent(double ratio) {
  constexpr double large = 20;
  const double percent = (ratio - 1) * 100;
  if (!std::isfinite(percent)) return "unknown";
  if (std::abs(percent) < 0.05) return "0.0";  // a change that rounds to 0 has no sign
  return std::abs(percent) < large ? fmt::format("{:+.1f}", percent) : fmt::format("{:+.0f}", percent);
}

/// True for changes of 3x or more, for which a factor is clearer than a percentage: -99.7 % is 320x faster.
bool is_factor(double ratio) {
  constexpr double large = 3;
  return std::isfinite(ratio) && ratio > 0 && (ratio >= large || ratio <= 1 / large);
}

/// The standard deviation of the logarithms of a side's medians between launches.
double deviation_of_side(const std::vector<LaunchSamples>& launches,
                         std::vector<double> LaunchSamples::*side) {
  std::vector<double> logarithms;
  logarithms.reserve(launches.size());
  for (const LaunchSamples& launch : launches) logarithms.push_back(std::log(median(launch.*side)));
  constexpr double outermost = 0.1;  // a single launch that was disturbed is no program that varies
  return trimmed_standard_error(logarithms, outermost) * std::sqrt(static_cast<double>(logarithms.size()));
}

}  // namespace

Cause launches_differ(const std::vector<LaunchSamples>& launches) {
  constexpr double several_times = 3;
  const char* text = "launches differ too much";
  Cause of_machine{.text = text, .remedy = "repeat it on a quieter machine, or with a larger --threshold"};
  if (launches.size() < 2) return of_machine;
  const double base = deviation_of_side(launches, &LaunchSamples::base);
  const double head = deviation_of_side(launches, &LaunchSamples::head);
  if (std::max(base, head) <= several_times * std::min(base, head)) return of_machine;
  const bool is_head = head > base;
  const char* more = is_head ? "head" : "base";
  return {
      .text = text,
      .remedy = fmt::format("the {0}'s own times differ by {1} % between launches, the {2}'s by {3} %, so a "
                            "quieter machine does not help: find out how processes of the {0} differ",
                            more, number_text(std::max(base, head) * 100), is_head ? "base" : "head",
                            number_text(std::min(base, head) * 100))};
}

bool not_slower(const Ratio& ratio, double threshold) {
  return ratio.high <= 1 + threshold;
}

bool is_same(const Ratio& ratio, double threshold) {
  return ratio.low >= 1 / (1 + threshold) && not_slower(ratio, threshold);
}

Verdict decide(const Ratio& ratio, double threshold, bool significant) {
  if (is_same(ratio, threshold)) return Verdict::same;
  if (significant && ratio.value >= 1 + threshold) return Verdict::slower;
  if (significant && ratio.value <= 1 / (1 + threshold)) return Verdict::faster;
  return Verdict::inconclusive;
}

std::string why_inconclusive(const Ratio& ratio, double threshold, bool significant) {
  const double slower = 1 + threshold;
  if (not_slower(ratio, threshold)) return "not slower, perhaps faster: measure more launches to be sure";
  if (significant && ratio.value > 1) return "slower, perhaps by less than the threshold";
  if (ratio.value >= slower || ratio.value <= 1 / slower) {
    return ratio.low > 1 || ratio.high < 1
               ? "not significant among so many cases: by chance, some look this different"
               : "launches differ too much to confirm this change: measure more launches";
  }
  return "launches differ by more than the threshold: measure more launches";
}

std::optional<Leaning> leaning_of(const std::optional<Ratio>& ratio, double threshold,
                                  const std::optional<bool>& suspected_slower) {
  // Launches that were too few for a suspicion may still show a change.
  if (ratio && ratio->low > 1 && ratio->value >= 1 + threshold)
    return Leaning{.slower = true, .is_probable = true};
  if (ratio && ratio->high < 1 && ratio->value <= 1 / (1 + threshold))
    return Leaning{.slower = false, .is_probable = true};
  if (suspected_slower) return Leaning{.slower = *suspected_slower, .is_probable = false};
  return std::nullopt;
}

std::string reason_of_inconclusive(const Undecided& undecided) {
  const auto& ratio = undecided.ratio;
  const std::string change = ratio ? fmt::format(" ({})", change_text(*ratio)) : "";
  std::string text;
  if (const auto leaning = leaning_of(ratio, undecided.threshold, undecided.suspected_slower)) {
    text = fmt::format("{} {}{}, not confirmed: ", leaning->is_probable ? "probably" : "perhaps",
                       leaning->slower ? "slower" : "faster", change);
  } else if (undecided.not_slower) {
    text = fmt::format("not slower, perhaps faster{}: ", change);
  } else if (undecided.launches == 0) {
    text = "not measured: ";
  }
  text += undecided.cause;
  if (undecided.launches > 0)
    text += fmt::format(" after {} launch{}", undecided.launches, undecided.launches == 1 ? "" : "es");
  return undecided.remedy.empty() ? text : text + "; " + undecided.remedy;
}

std::string change_text(double ratio) {
  if (!is_factor(ratio)) return signed_percent(ratio) + " %";
  return factor_text(std::max(ratio, 1 / ratio)) + (ratio > 1 ? " slower" : " faster");
}

std::string interval_text(const Ratio& ratio) {
  if (!is_factor(ratio.value))
    return fmt::format("{} to {} %", signed_percent(ratio.low), signed_percent(ratio.high));
  if (ratio.low < 1 && ratio.high > 1)  // as in "-20 % to 13x slower"
    return fmt::format("{} to {}", change_text(ratio.low), change_text(ratio.high));
  return ratio.value > 1 ? fmt::format("{} to {}", factor_text(ratio.low), factor_text(ratio.high))
                         : fmt::format("{} to {}", factor_text(1 / ratio.high), factor_text(1 / ratio.low));
}

std::string change_text(const Ratio& ratio) {
  return fmt::format("{}, {}", change_text(ratio.value), interval_text(ratio));
}

}  // namespace breakeven
