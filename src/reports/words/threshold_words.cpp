#include "reports/words/threshold_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "results/backend_spelling.h"
#include "results/number_text.h"
#include "text/counted.h"

namespace breakeven {
namespace {

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

/// Example: "two threads are faster", "CUDA uses less energy".
std::string is_ahead_text(const Threshold& threshold, std::size_t side, Metric in) {
  const auto counted = only_difference(threshold, side);
  const bool plural = counted && counted->count != 1;
  std::string_view verb = plural ? "are faster" : "is faster";
  if (in == Metric::energy) verb = plural ? "use less energy" : "uses less energy";
  if (in == Metric::cost) verb = plural ? "cost less" : "costs less";
  if (!counted) return fmt::format("{} {}", name_of_side(threshold, side), verb);
  return fmt::format("{} {}{} {}", in_letters(counted->count), counted->unit, plural ? "s" : "", verb);
}

/// Example: "two threads are faster than one", "CUDA uses less energy than OpenBLAS".
std::string leads_text(const Threshold& threshold, std::size_t side, Metric in) {
  const auto other = only_difference(threshold, 1 - side);
  return fmt::format("{} than {}", is_ahead_text(threshold, side, in),
                     other ? in_letters(other->count) : name_of_side(threshold, 1 - side));
}

/// The lead below a change: "OpenBLAS is faster".
std::string leads_below_text(const Threshold& threshold, Lead lead, Metric in) {
  if (lead == Lead::neither)
    return only_difference(threshold, 0) ? "they make no difference" : "there is no measurable difference";
  return is_ahead_text(threshold, lead == Lead::challenger ? 1 : 0, in);
}

/// The sentence on the side that is ahead in a range of values. The first letter of a number in words becomes
/// a capital. Names are left as they are written.
std::string lead_sentence(const Threshold& threshold, Lead lead, Metric in, const std::string& range) {
  if (lead == Lead::neither)
    return fmt::format("There is no measurable difference between {} and {} {}.", name_of_side(threshold, 0),
                       name_of_side(threshold, 1), range);
  std::string text =
      fmt::format("{} {}.", leads_text(threshold, lead == Lead::challenger ? 1 : 0, in), range);
  if (only_difference(threshold, 0) && 'a' <= text[0] && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// A value with its parameter: "m = 128", "batch 128"; "64 KiB" of bytes.
std::string named_value_text(const std::string& parameter, std::int64_t value) {
  std::string text = value_text(parameter, value);
  if (parameter == "bytes") return text;
  return fmt::format("{}{}{}", parameter, parameter.size() == 1 ? " = " : " ", text);
}

/// The interval of a change: " (377 to 392)"; empty if the value is exact.
std::string interval_text(const LeadChange& change, const std::string& parameter) {
  const bool is_unknown = change.earliest <= change.last_below + 1 && change.latest >= change.first_above;
  if (change.interpolated && is_unknown)
    return fmt::format(" (between {} and {}, interpolated)", value_text(parameter, change.last_below),
                       value_text(parameter, change.first_above));
  const std::string range = change.earliest == change.latest
                                ? ""
                                : fmt::format("{} to {}", value_text(parameter, change.earliest),
                                              value_text(parameter, change.latest));
  if (change.interpolated)
    return fmt::format(" ({}interpolated between {} and {})", range.empty() ? "" : range + ", ",
                       value_text(parameter, change.last_below), value_text(parameter, change.first_above));
  return range.empty() ? "" : fmt::format(" ({})", range);
}

/// True if the change is only known to lie between two values that were measured.
bool is_between_results(const LeadChange& change, const Threshold& threshold) {
  return threshold.from_results && change.by_bisection && !change.interpolated;
}

/// The measured values of such a change: "a batch between 1 and 64", "a value of m between 64 and 256".
std::string between_text(const LeadChange& change, const std::string& parameter) {
  const std::string what = parameter == "bytes"    ? "a size"
                           : parameter.size() == 1 ? "a value of " + parameter
                                                   : "a " + parameter;
  return fmt::format("{} between {} and {}", what, value_text(parameter, change.earliest - 1),
                     value_text(parameter, change.latest));
}

/// Says how far a side is ahead at a value that has a ratio: "1.3x".
std::string margin_text(const ThresholdPoint& point) {
  const Estimate ratio = *point.ratio();
  return factor_text(std::max(ratio.value, 1 / ratio.value), !ratio.interval);
}

/// How far the side is ahead at the ends of the values from `from` up: ": by 1.3x at 512 and 5.8x at 1,024".
std::string margins_text(const ThresholdAnswer& answer, const Threshold& threshold, Lead lead,
                         std::int64_t from) {
  std::vector<const ThresholdPoint*> ahead;
  for (const ThresholdPoint& point : answer.points) {
    if (point.value >= from && lead_at(point, threshold.from_results) == lead) ahead.push_back(&point);
  }
  if (lead == Lead::neither || ahead.empty()) return "";
  if (from >= *answer.found.last) return ": by " + margin_text(*ahead.front());
  const auto at = [&](const ThresholdPoint& point) {
    return fmt::format("{} at {}", margin_text(point), value_text(threshold.parameter, point.value));
  };
  return ahead.size() == 1 ? ": by " + at(*ahead.front())
                           : fmt::format(": by {} and {}", at(*ahead.front()), at(*ahead.back()));
}

/// The values from `first` to `last` at which the results do not show that side to be ahead: " except at
/// 512".
std::string exceptions_text(const ThresholdAnswer& answer, const Threshold& threshold, Lead lead,
                            std::int64_t first, std::int64_t last) {
  constexpr std::size_t most = 3;
  if (threshold.from_results && lead == Lead::neither) return "";
  std::size_t count = 0;
  std::vector<std::string> values;
  for (const ThresholdPoint& point : answer.points) {
    if (point.log_ratios.empty() || point.value < first || point.value > last) continue;
    ++count;
    const bool is_other =
        threshold.from_results ? lead_at(point, true) != lead : leave_lead_open(point.log_ratios);
    if (is_other) values.push_back(value_text(threshold.parameter, point.value));
  }
  if (values.size() > most)
    return fmt::format(" except at {} of {}", values.size(), counted_text(count, "value", "values"));
  return values.empty() ? "" : fmt::format(" except at {}", joined_text(values));
}

/// The longest range of measured values at which the sides take nearly the same, if it is long: where the
/// lead changes hardly matters there. Example: " From m = 256 to 8,192 the two are within 2.1 % of each
/// other."
std::string flat_text(const ThresholdAnswer& answer, const Threshold& threshold) {
  constexpr double nearly = 0.05, is_long = 4;  // the largest difference, and the last value over the first
  const auto length = [](const ThresholdPoint& begin, const ThresholdPoint& end) {
    return static_cast<double>(end.value) / static_cast<double>(begin.value);
  };
  const ThresholdPoint *first = nullptr, *last = nullptr, *from = nullptr;
  double largest = 0, largest_shown = 0;
  for (const ThresholdPoint& point : answer.points) {
    const auto ratio = point.ratio();
    if (!ratio) continue;
    const double difference = ratio->interval ? std::max(ratio->interval->high, 1 / ratio->interval->low) - 1
                                              : std::numeric_limits<double>::infinity();
    largest = from == nullptr ? difference : std::max(largest, difference);
    from = difference > nearly ? nullptr : from == nullptr ? &point : from;
    if (from == nullptr || (first != nullptr && length(*from, point) <= length(*first, *last))) continue;
    first = from;
    last = &point;
    largest_shown = largest;
  }
  const auto has_lead = [&](const ThresholdPoint& point) {
    return first->value <= point.value && point.value <= last->value &&
           lead_at(point, threshold.from_results).value_or(Lead::neither) != Lead::neither;
  };
  // A range without a lead has its own words already.
  if (first == nullptr || length(*first, *last) < is_long || std::ranges::none_of(answer.points, has_lead))
    return "";
  return fmt::format(" From {} to {} the two are within {:g} % of each other.",
                     named_value_text(threshold.parameter, first->value),
                     value_text(threshold.parameter, last->value),
                     std::max(0.1, std::ceil(largest_shown * 1000 - 1e-6) / 10));
}

/// The range of all measured values: "at every value measured, from m = 8 to 1,024, except at 16".
std::string all_values_text(const ThresholdAnswer& answer, const Threshold& threshold, Lead lead) {
  const std::int64_t first = *answer.found.first;
  const std::int64_t last = *answer.found.last;
  const std::string from = named_value_text(threshold.parameter, first);
  if (first == last) return fmt::format("at {}, the only value measured", from);
  if (threshold.from_results && answer.found.values == 2)
    return fmt::format("at both values measured, {} and {}", from, value_text(threshold.parameter, last));
  const std::string except = exceptions_text(answer, threshold, lead, first, last);
  return fmt::format("at every value measured, from {} to {}{}{}", from,
                     value_text(threshold.parameter, last), except.empty() ? "" : ",", except);
}

std::string without_change(const ThresholdAnswer& answer, const Threshold& threshold) {
  const auto said = answer.found.answer;
  const Lead lead = said == BreakEven::Answer::neither  ? Lead::neither
                    : said == BreakEven::Answer::always ? Lead::challenger
                                                        : Lead::baseline;
  return lead_sentence(
      threshold, lead, answer.in,
      all_values_text(answer, threshold, lead) + margins_text(answer, threshold, lead, *answer.found.first));
}

/// The last value that is certainly below a change, and the first that is certainly above it.
std::int64_t last_below(const LeadChange& change) {
  return change.interpolated ? change.last_below : change.earliest - 1;
}
std::int64_t first_above(const LeadChange& change) {
  return change.interpolated ? change.first_above : change.latest;
}

/// The sentence on the values from the last change up.
std::string above_last_change(const ThresholdAnswer& answer, const Threshold& threshold,
                              const LeadChange& change) {
  const std::string& parameter = threshold.parameter;
  const std::int64_t most = *answer.found.last;
  const bool is_between = is_between_results(change, threshold);
  const std::string from = is_between
                               ? between_text(change, parameter)
                               : named_value_text(parameter, change.from) + interval_text(change, parameter);
  std::string range = change.from < most ? fmt::format("from {}{} up to {}, the largest measured", from,
                                                       is_between ? " on," : "", value_text(parameter, most))
                      : is_between       ? fmt::format("from {}, the largest measured, on", from)
                                         : fmt::format("at {}, the largest measured", from);
  const std::string except = exceptions_text(answer, threshold, change.above, first_above(change) + 1, most);
  if (!except.empty()) range += "," + except;
  return lead_sentence(threshold, change.above, answer.in,
                       range + margins_text(answer, threshold, change.above, change.from));
}

/// The sentence on the values below a change that is only known to lie between two: "At 1 a is faster, by
/// 1.2x."
std::string below_between(const ThresholdAnswer& answer, const Threshold& threshold, const LeadChange& change,
                          const std::string& below) {
  const std::string last = value_text(threshold.parameter, last_below(change));
  if (last_below(change) != *answer.found.first) return fmt::format("Up to {} {}.", last, below);
  const auto first = std::ranges::find(answer.points, *answer.found.first, &ThresholdPoint::value);
  return change.below == Lead::neither || first == answer.points.end() || !first->ratio()
             ? fmt::format("At {} {}.", last, below)
             : fmt::format("At {} {}, by {}.", last, below, margin_text(*first));
}

/// The sentences where many launches at the largest values show no lead; empty if they do, or were not taken.
std::string open_at_largest(const ThresholdAnswer& answer, const Threshold& threshold) {
  const ThresholdPoint* open = nullptr;
  const ThresholdPoint* below = nullptr;
  for (auto point = answer.points.rbegin(); point != answer.points.rend() && below == nullptr; ++point) {
    if (point->log_ratios.empty()) continue;
    if (lead_at(*point, false)) {
      below = &*point;
    } else if (leave_lead_open(point->log_ratios)) {
      open = &*point;
    } else if (open == nullptr) {
      return "";
    }
  }
  if (open == nullptr) return "";
  const std::string& parameter = threshold.parameter;
  const bool is_slow = !std::ranges::all_of(counting_launches(open->log_ratios), &LaunchEffect::is_known);
  std::string text = fmt::format(
      "Not answered: the launches at {}{} do not show whether {} or {} is ahead, because {}.",
      named_value_text(parameter, open->value), open->value == *answer.found.last ? "" : " and more",
      name_of_side(threshold, 0), name_of_side(threshold, 1),
      is_slow ? "this machine was below its own speed" : "they differ too much");
  if (below != nullptr) {
    const Lead lead = *lead_at(*below, false);
    const auto& changes = answer.found.changes;
    text += changes.empty() || lead == Lead::neither
                ? fmt::format(" At {} {}.", value_text(parameter, below->value),
                              leads_below_text(threshold, lead, answer.in))
                : " " + lead_sentence(threshold, lead, answer.in,
                                      fmt::format("from {}{} up to {}",
                                                  named_value_text(parameter, changes.back().from),
                                                  interval_text(changes.back(), parameter),
                                                  value_text(parameter, below->value)));
  }
  return text + " Run it again " +
         (is_slow ? "when nothing else shares its cores." : "on a quieter machine.");
}

/// The facts that are known if there is no answer, why there is none, and what to do about it.
std::string without_answer(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  const std::string& parameter = threshold.parameter;
  const std::string_view why = threshold.complete ? "time ran out" : "it was interrupted";
  const std::string_view remedy = threshold.complete ? "Run it again with more --minutes." : "Run it again.";
  if (!found.last) return fmt::format("Not answered: {} before a value was measured. {}", why, remedy);
  const bool is_one = *found.first == *found.last;
  std::string values = named_value_text(parameter, *found.first);
  if (!is_one) values += " to " + value_text(parameter, *found.last);
  if (threshold.complete) {
    if (std::string open = open_at_largest(answer, threshold); !open.empty()) return open;
  }
  if (const auto change = bracketed_change(answer)) {
    LeadChange shown = *change;
    shown.earliest = shown.latest;  // the next sentence has the interval
    const std::string first_above = value_text(parameter, change->first_above);
    const std::string place =
        change->last_below == 0
            ? fmt::format("at {} or below", first_above)
            : fmt::format("between {} and {}", value_text(parameter, change->last_below), first_above);
    return fmt::format("{} Where that begins, {}, is not known: {}. {}",
                       above_last_change(answer, threshold, shown), place, why, remedy);
  }
  return fmt::format("Not answered: {} while {} {} measured. {}", why, values, is_one ? "was" : "were",
                     remedy);
}

}  // namespace

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

std::string width_note(const ThresholdAnswer& answer, const Threshold& threshold) {
  if (threshold.from_results) return "";
  const auto width_of = [](const LeadChange& change) {
    return change.interval.high / change.interval.low - 1;
  };
  const LeadChange* widest = nullptr;
  for (const LeadChange& change : answer.found.changes) {
    if (is_wide(change, threshold.width) && (widest == nullptr || width_of(change) > width_of(*widest)))
      widest = &change;
  }
  if (widest == nullptr) return "";
  const double percent = 100 * width_of(*widest);
  const double shown =
      percent < 10 ? std::ceil(10 * percent) / 10 : std::ceil(percent);  // above the limit, as it is
  return fmt::format(
      "the interval of {} is {:g} % wide, and \"width\" requests {:g} %: hence status 3. More --minutes "
      "may narrow it",
      named_value_text(threshold.parameter, widest->from), shown, 100 * threshold.width);
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

std::array<std::string, 2> short_names_of_sides(const Threshold& threshold) {
  std::array<std::string, 2> names{name_of_side(threshold, 0), name_of_side(threshold, 1)};
  const auto dtypes = unlike_dtypes(threshold);
  if (const auto first = only_difference(threshold, 0);
      first && (!dtypes || dtypes->front() == dtypes->back()))
    return {first->text(), only_difference(threshold, 1)->text()};
  const std::size_t comma = names[0].rfind(", ");
  if (comma == std::string::npos || names[0] == names[1] || !names[1].ends_with(names[0].substr(comma)))
    return names;
  const std::size_t shared = names[0].size() - comma;
  for (std::string& name : names) name.resize(name.size() - shared);
  return names;
}

std::string value_text(const std::string& parameter, std::int64_t value) {
  if (parameter != "bytes") return grouped(value);
  constexpr double four_digits = 999.5;
  auto amount = static_cast<double>(value);
  std::string_view unit = "bytes";
  for (const std::string_view larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (amount < four_digits) break;
    amount /= 1024;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", amount, unit);
}

std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  const std::string& parameter = threshold.parameter;
  if (cannot_be_measured(answer, threshold))
    return fmt::format("No value of {} could be measured on both sides.", parameter);
  if (found.answer == BreakEven::Answer::unclear || !found.last) return without_answer(answer, threshold);
  if (found.changes.empty()) return without_change(answer, threshold) + flat_text(answer, threshold);
  std::string said = above_last_change(answer, threshold, found.changes.back());
  for (std::size_t i = found.changes.size(); i-- > 0;) {
    const LeadChange& above = found.changes[i];
    const LeadChange* before = i == 0 ? nullptr : &found.changes[i - 1];
    const std::string below =
        leads_below_text(threshold, above.below, answer.in) +
        exceptions_text(answer, threshold, above.below,
                        before == nullptr ? *found.first : first_above(*before) + 1, last_below(above));
    said += before == nullptr && is_between_results(above, threshold)
                ? " " + below_between(answer, threshold, above, below)
            : before == nullptr
                ? fmt::format(" Below that {}.", below)
                : fmt::format(" Below that, down to {}{}, {}.", named_value_text(parameter, before->from),
                              interval_text(*before, parameter), below);
  }
  return said + flat_text(answer, threshold);
}

}  // namespace breakeven
