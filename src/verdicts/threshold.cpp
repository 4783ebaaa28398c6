#include "verdicts/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "results/backend_spelling.h"
#include "results/number_text.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

/// An interval from two launches is too wide to be of use.
constexpr std::size_t fewest_for_interval = 3;

/// The backends of the list that were available, in its order; the whole list if their availability is not
/// recorded.
std::vector<std::string> measured_backends(const ThresholdContender& side) {
  std::vector<std::string> names;
  for (const BackendRecord& backend : side.backends) {
    if (backend.available) names.push_back(backend.name);
  }
  return names.empty() ? side.wanted : names;
}

/// The number in which alone the sides differ, and what it counts; empty if they differ in something else.
struct SideCount {
  std::int64_t count = 1;
  std::string_view unit;  // "thread"
  std::string text() const { return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s"); }
};
std::optional<SideCount> only_difference(const Threshold& threshold, std::size_t side) {
  const auto& sides = threshold.sides;
  if (threshold.from_results || measured_backends(sides[0]) != measured_backends(sides[1]))
    return std::nullopt;
  if (sides[0].ranks != sides[1].ranks) return SideCount{.count = sides[side].ranks, .unit = "rank"};
  if (sides[0].threads != sides[1].threads) return SideCount{.count = sides[side].threads, .unit = "thread"};
  return std::nullopt;
}

/// The dtypes in which the sides compute, if the config lets them differ and names one for each; files do not
/// have them anywhere else.
std::optional<std::array<std::string, 2>> unlike_dtypes(const Threshold& threshold) {
  if (!threshold.unlike_precision) return std::nullopt;
  const auto config = nlohmann::json::parse(threshold.config, nullptr, false, true);
  if (!config.is_object()) return std::nullopt;
  std::set<nlohmann::json> of_workloads;
  for (const auto& workload : config.value("/workloads"_json_pointer, nlohmann::json::array()))
    of_workloads.insert(workload.is_object() ? workload.value("dtype", nlohmann::json()) : nlohmann::json());
  std::array<std::string, 2> dtypes;
  for (std::size_t side = 0; side < 2; ++side) {
    const nlohmann::json::json_pointer own(side == 0 ? "/threshold/baseline/parameters/dtype"
                                                     : "/threshold/challenger/parameters/dtype");
    const auto dtype = config.contains(own)       ? config.at(own)
                       : of_workloads.size() == 1 ? *of_workloads.begin()
                                                  : nlohmann::json();
    if (!dtype.is_string()) return std::nullopt;  // or a list
    dtypes.at(side) = dtype.get<std::string>();
  }
  return dtypes;
}

std::string in_letters(std::int64_t number) {
  static constexpr std::array<std::string_view, 13> words{"zero", "one",    "two",   "three", "four",
                                                          "five", "six",    "seven", "eight", "nine",
                                                          "ten",  "eleven", "twelve"};
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < words.size() ? std::string(words.at(index)) : fmt::format("{}", number);
}

/// Example: "two threads are faster than one", "CUDA uses less energy than OpenBLAS".
std::string leads_text(const Threshold& threshold, std::size_t side, Quantity in) {
  const auto counted = only_difference(threshold, side);
  const bool plural = counted && counted->count != 1;
  std::string_view verb = plural ? "are faster than" : "is faster than";
  if (in == Quantity::energy) verb = plural ? "use less energy than" : "uses less energy than";
  if (in == Quantity::cost) verb = plural ? "cost less than" : "costs less than";
  if (counted)
    return fmt::format("{} {}{} {} {}", in_letters(counted->count), counted->unit, plural ? "s" : "", verb,
                       in_letters(only_difference(threshold, 1 - side)->count));
  return fmt::format("{} {} {}", name_of_side(threshold, side), verb, name_of_side(threshold, 1 - side));
}

/// The same for the values below a change, without the other side: "OpenBLAS is faster".
std::string leads_below_text(const Threshold& threshold, Lead lead, Quantity in) {
  if (lead == Lead::neither)
    return only_difference(threshold, 0) ? "they make no difference" : "there is no measurable difference";
  const std::string text = leads_text(threshold, lead == Lead::challenger ? 1 : 0, in);
  return text.substr(0, text.rfind(" than "));
}

/// The sentence on the side that is ahead in a range of values. The first letter of a number in words becomes
/// a capital. Names are left as they are written.
std::string lead_sentence(const Threshold& threshold, Lead lead, Quantity in, const std::string& range) {
  if (lead == Lead::neither)
    return fmt::format("There is no measurable difference between {} and {} {}.", name_of_side(threshold, 0),
                       name_of_side(threshold, 1), range);
  std::string text =
      fmt::format("{} {}.", leads_text(threshold, lead == Lead::challenger ? 1 : 0, in), range);
  if (only_difference(threshold, 0) && 'a' <= text[0] && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// A value with its parameter: "m = 128", "batch 128".
std::string value_text(const std::string& parameter, std::int64_t value) {
  return fmt::format("{}{}{}", parameter, parameter.size() == 1 ? " = " : " ", grouped(value));
}

/// The interval of a change: " (377 to 392)"; empty if the value is exact.
std::string interval_text(const LeadChange& change) {
  const std::string range = change.earliest == change.latest
                                ? ""
                                : fmt::format("{} to {}", grouped(change.earliest), grouped(change.latest));
  if (change.interpolated)
    return fmt::format(" ({}interpolated between {} and {})", range.empty() ? "" : range + ", ",
                       grouped(change.last_below), grouped(change.first_above));
  return range.empty() ? "" : fmt::format(" ({})", range);
}

bool is_wide(const LeadChange& change, double width) {
  return change.earliest != change.latest && change.interval.high / change.interval.low > 1 + width;
}

/// The range of measured values: "from m = 8 to 1,024".
std::string all_values_text(const BreakEven& found, const std::string& parameter) {
  return *found.first == *found.last
             ? fmt::format("at {}, the only value measured", value_text(parameter, *found.first))
             : fmt::format("at every value measured, from {} to {}", value_text(parameter, *found.first),
                           grouped(*found.last));
}

std::string without_change(const ThresholdAnswer& answer, const Threshold& threshold) {
  const auto said = answer.found.answer;
  const Lead lead = said == BreakEven::Answer::neither  ? Lead::neither
                    : said == BreakEven::Answer::always ? Lead::challenger
                                                        : Lead::baseline;
  return lead_sentence(threshold, lead, answer.in, all_values_text(answer.found, threshold.parameter));
}

/// Why there is no answer, and what to do about it.
std::string without_answer(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  const std::string values =
      fmt::format("{} to {}", value_text(threshold.parameter, *found.first), grouped(*found.last));
  if (!threshold.complete)
    return fmt::format("Not answered: it was interrupted while {} were measured. Run it again.", values);
  if (answer.doubtful_launches)
    return fmt::format(
        "Not answered: in {} of {} launches at {} this machine was below its own speed. Run it again when "
        "nothing else shares its cores.",
        *answer.doubtful_launches, found.launches, values);
  return fmt::format("Not answered: time ran out while {} were measured. Run it again with more --minutes.",
                     values);
}

/// The sentence on the values from the last change up.
std::string above_last_change(const ThresholdAnswer& answer, const Threshold& threshold) {
  const LeadChange& last = answer.found.changes.back();
  const std::int64_t most = *answer.found.last;
  const std::string from = value_text(threshold.parameter, last.from) + interval_text(last);
  const std::string range = last.from >= most
                                ? fmt::format("at {}, the largest measured", from)
                                : fmt::format("from {} up to {}, the largest measured", from, grouped(most));
  return lead_sentence(threshold, last.above, answer.in, range);
}

}  // namespace

std::optional<Estimate> ThresholdPoint::ratio() const {
  if (log_ratios.empty()) return std::nullopt;
  const auto from_logarithms = [](const Interval& of) {
    return Interval{.low = std::exp(of.low), .high = std::exp(of.high)};
  };
  Estimate made{.value = std::exp(mean(log_ratios))};
  if (interval) {
    made.interval = from_logarithms(*interval);
  } else if (log_ratios.size() >= fewest_for_interval) {
    made.interval = from_logarithms(trimmed_mean_interval(log_ratios, 0, 0.025));
  }
  return made;
}

bool medians_disagree(const ThresholdPoint& point, Quantity in) {
  constexpr double visible = 0.005;  // a difference of 0.5 %, as a logarithm, is visible
  const auto baseline = point.sides[0].amount(in);
  const auto challenger = point.sides[1].amount(in);
  if (!baseline || !challenger || !(*baseline > 0) || !(*challenger > 0) || point.log_ratios.empty())
    return false;
  const double by_medians = std::log(*challenger / *baseline);
  const double by_pairs = mean(point.log_ratios);
  return std::abs(by_medians) > visible && std::abs(by_pairs) > visible &&
         std::signbit(by_medians) != std::signbit(by_pairs);
}

std::string medians_note(const ThresholdAnswer& answer, const std::string& parameter) {
  std::vector<std::string> values;
  for (const ThresholdPoint& point : answer.points) {
    if (medians_disagree(point, answer.in)) values.push_back(grouped(point.value));
  }
  if (values.empty()) return "";
  return fmt::format(
      "{} {}: the two medians are of different launches; the verdict compares pairs of one launch", parameter,
      fmt::join(values, ", "));
}

std::string name_of_side(const Threshold& threshold, std::size_t side) {
  const auto& sides = threshold.sides;
  if (!sides[side].name.empty()) return sides[side].name;
  std::vector<std::string> spelled = measured_backends(sides[side]);
  std::ranges::transform(spelled, spelled.begin(), backend_spelling);
  std::string names = fmt::format("{}", fmt::join(spelled, " or "));
  if (const auto dtypes = unlike_dtypes(threshold)) names += " in " + dtypes->at(side);
  const auto counted = only_difference(threshold, side);
  return counted ? fmt::format("{} on {}", names, counted->text()) : names;
}

std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  const std::string& parameter = threshold.parameter;
  if (!found.last) return fmt::format("No value of {} could be measured on both sides.", parameter);
  if (found.answer == BreakEven::Answer::unclear) return without_answer(answer, threshold);
  if (found.changes.empty()) return without_change(answer, threshold);
  std::string said = above_last_change(answer, threshold);
  for (std::size_t i = found.changes.size(); i-- > 0;) {
    const std::string below = leads_below_text(threshold, found.changes[i].below, answer.in);
    if (i == 0) {
      said += fmt::format(" Below that {}.", below);
    } else {
      const LeadChange& before = found.changes[i - 1];
      said += fmt::format(" Below that, down to {}{}, {}.", value_text(parameter, before.from),
                          interval_text(before), below);
    }
  }
  return said;
}

int exit_status(const Threshold& threshold) {
  const auto any = [&](const auto& holds) { return std::ranges::any_of(threshold.answers, holds); };
  if (any([](const ThresholdAnswer& a) { return std::ranges::any_of(a.points, &ThresholdPoint::wrong); }))
    return 1;
  if (any([](const ThresholdAnswer& a) { return !a.found.last; })) return 4;
  if (any([&](const ThresholdAnswer& a) {
        return a.found.answer == BreakEven::Answer::unclear || a.found.answer == BreakEven::Answer::neither ||
               a.slow_launches ||
               (!threshold.from_results && std::ranges::any_of(a.found.changes, [&](const LeadChange& c) {
                 return is_wide(c, threshold.width);
               }));
      }))
    return 3;
  return 0;
}

}  // namespace breakeven
