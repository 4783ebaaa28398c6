#include "verdicts/break_even_from_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "plan/suggestion.h"
#include "results/algorithm.h"
#include "results/counted_samples.h"
#include "results/measure_settings.h"
#include "results/number_text.h"
#include "text/counted.h"
#include "verdicts/candidate.h"
#include "verdicts/case_families.h"
#include "verdicts/compare.h"
#include "verdicts/machines.h"
#include "verdicts/roofline.h"
#include "verdicts/transfers.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

constexpr int asked_wrongly = 2;
constexpr int not_comparable = 4;

// ---- which side is ahead, and where that changes

/// Neighbouring values at which the same side is ahead.
struct Stretch {
  Lead lead = Lead::neither;
  std::size_t first = 0, last = 0;  // indices of `ratios`
};

std::vector<Stretch> stretches_of(std::span<const RatioAt> ratios) {
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const Lead lead = lead_of(ratios[i].ratio);
    if (all.empty() || all.back().lead != lead) {
      all.push_back({.lead = lead, .first = i, .last = i});
    } else {
      all.back().last = i;
    }
  }
  return all;
}

/// Drops each stretch with neither side ahead that lies between two with a side ahead. Between different
/// sides it is part of the crossing. Between equal sides a single value is noise; in_words() names it.
std::vector<Stretch> without_doubtful(const std::vector<Stretch>& all) {
  std::vector<Stretch> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Stretch& one = all[i];
    const bool is_between = i > 0 && i + 1 < all.size();
    if (one.lead == Lead::neither && is_between &&
        (all[i - 1].lead != all[i + 1].lead || one.first == one.last))
      continue;
    if (!kept.empty() && kept.back().lead == one.lead) {
      kept.back().last = one.last;
    } else {
      kept.push_back(one);
    }
  }
  return kept;
}

/// Logarithms of values and ratios, with signs such that points below a crossing are above 0.
struct Curve {
  std::vector<double> at, middle, low, high;
};

Curve curve_of(std::span<const RatioAt> ratios, bool falls) {
  Curve curve;
  for (const RatioAt& one : ratios) {
    const double middle = std::log(one.ratio.value);
    const double low = one.ratio.interval ? std::log(one.ratio.interval->low) : middle;
    const double high = one.ratio.interval ? std::log(one.ratio.interval->high) : middle;
    curve.at.push_back(std::log(static_cast<double>(one.value)));
    curve.middle.push_back(falls ? middle : -middle);
    curve.low.push_back(falls ? low : -high);
    curve.high.push_back(falls ? high : -low);
  }
  return curve;
}

/// The value at which the line between points `i` and `i + 1` is 0.
double zero_between(const std::vector<double>& at, const std::vector<double>& height, std::size_t i) {
  const double part = height[i] / (height[i] - height[i + 1]);
  return std::exp(at[i] + part * (at[i + 1] - at[i]));
}

/// The first zero of a curve whose first point is above 0 and whose last is not.
double first_zero(const std::vector<double>& at, const std::vector<double>& height) {
  std::size_t i = 0;
  while (i + 2 < height.size() && height[i + 1] > 0) ++i;
  return zero_between(at, height, i);
}
double last_zero(const std::vector<double>& at, const std::vector<double>& height) {
  std::size_t i = height.size() - 2;
  while (i > 0 && height[i] <= 0) --i;
  return zero_between(at, height, i);
}

/// The smallest whole number that is not below `value`, apart from rounding errors.
std::int64_t whole_from(double value) {
  return static_cast<std::int64_t>(std::ceil(value * (1 - 1e-12)));
}

/// Zeros as logarithms of values, within these ends.
struct Zeros {
  double low, high;
  Zeros within(const Zeros& ends) const {
    return {.low = std::clamp(low, ends.low, ends.high), .high = std::clamp(high, ends.low, ends.high)};
  }
};

/// The zeros of the lines that the errors of points `i - 1` and `i` allow, beyond `i`. A line that does not
/// fall has none: then the high one is infinite.
Zeros zeros_after(const Curve& curve, std::size_t i) {
  const double width = curve.at[i] - curve.at[i - 1];
  const auto zero = [&](double before, double here) {
    return here < before ? curve.at[i] + here * width / (before - here)
                         : std::numeric_limits<double>::infinity();
  };
  return {.low = zero(curve.high[i - 1], curve.low[i]), .high = zero(curve.low[i - 1], curve.high[i])};
}

/// The same of points `i` and `i + 1`, before `i`, at which the curve is not above 0.
Zeros zeros_before(const Curve& curve, std::size_t i) {
  const double width = curve.at[i + 1] - curve.at[i];
  const auto zero = [&](double here, double after) {
    return after < here ? curve.at[i] + here * width / (here - after)
                        : -std::numeric_limits<double>::infinity();
  };
  return {.low = zero(curve.low[i], curve.high[i + 1]), .high = zero(curve.high[i], curve.low[i + 1])};
}

/// The interval of the crossing in the curve `between` two values. `around` also has the values before and
/// after, if there are any. A curve that bends in one direction crosses between its chord there and the next
/// chords, extended: they are on either side of it. Their errors are part of the interval. Without a value
/// before or after, the other one's chord counts; with two points alone, the crossing is between them.
Interval crossing_interval(const Curve& between, const Curve& around) {
  const Zeros ends{.low = between.at.front(), .high = between.at.back()};
  std::vector<Zeros> all;
  if (around.at.front() < ends.low) all.push_back(zeros_after(around, 1).within(ends));
  if (around.at.back() > ends.high) all.push_back(zeros_before(around, around.at.size() - 2).within(ends));
  if (all.empty() && between.at.size() == 2) all.push_back(ends);
  Interval interval{.low = first_zero(between.at, between.low), .high = last_zero(between.at, between.high)};
  for (const Zeros& zeros : all) {
    interval.low = std::min(interval.low, std::exp(zeros.low));
    interval.high = std::max(interval.high, std::exp(zeros.high));
  }
  return interval;
}

/// Computes the change of the lead between the indices `first`, the last value with `below` ahead, and
/// `last`, the first with `above` ahead.
LeadChange change_between(std::span<const RatioAt> ratios, std::size_t first, std::size_t last, Lead below,
                          Lead above) {
  LeadChange change;
  change.below = below;
  change.above = above;
  change.last_below = ratios[first].value;
  change.first_above = ratios[last].value;
  change.interval = {.low = static_cast<double>(change.last_below),
                     .high = static_cast<double>(change.first_above)};
  change.earliest = change.last_below + 1;
  change.latest = change.first_above;
  if (below == Lead::neither || above == Lead::neither || ratios.size() == 2) {
    change.by_bisection = true;
    change.crossing = std::sqrt(change.interval.low * change.interval.high);
    change.from = change.first_above;
    return change;
  }
  const std::size_t begin = first == 0 ? first : first - 1;
  const std::size_t end = std::min(last + 2, ratios.size());
  const auto around = ratios.subspan(begin, end - begin);
  const Curve between = curve_of(ratios.subspan(first, last - first + 1), below == Lead::baseline);
  change.interpolated = true;
  change.crossing = last_zero(between.at, between.middle);
  change.from = whole_from(change.crossing);
  // Without the interval of a ratio, the lead is only known at the ends.
  if (std::ranges::any_of(around, [](const RatioAt& one) { return !one.ratio.interval; })) return change;
  const Interval interval = crossing_interval(between, curve_of(around, below == Lead::baseline));
  // The exponential of a value's logarithm may be beside the value.
  const auto exact = [ends = change.interval](double value) {
    constexpr double rounding = 1e-9;
    if (value < ends.low * (1 + rounding)) return ends.low;
    return value > ends.high * (1 - rounding) ? ends.high : value;
  };
  change.interval = {.low = exact(interval.low), .high = exact(interval.high)};
  change.earliest = std::max(whole_from(change.interval.low), change.last_below + 1);
  change.latest = whole_from(change.interval.high);
  return change;
}

// ---- the two sides

struct MeasuredSide {
  std::string name = {};
  Host host;
  bool is_cpu = true;  // if the side is a single device
  std::vector<MeasuredCase> cases = {};
  std::string created = {};  // the time of the newest result
};

/// The names of the backends that have times.
std::set<std::string> timed_backends(const MeasuredSide& side) {
  std::set<std::string> names;
  for (const MeasuredCase& one : side.cases) {
    if (one.result->has_time()) names.insert(one.result->backend);
  }
  return names;
}

/// The dtype and the state of the caches. Times with warm and with cold caches are not comparable.
std::string conditions_of(const MeasuredCase& one) {
  return fmt::format("{}|{}", one.result->dtype, one.caches);
}

std::string joined(const auto& texts, const char* between = ", ") {
  return fmt::format("{}", fmt::join(texts, between));
}

/// The two results as sides.
std::array<MeasuredSide, 2> sides_of(std::span<const Result, 2> results) {
  const std::vector<Candidate> devices = candidates(results);
  std::array<MeasuredSide, 2> sides;
  std::array<std::set<std::string>, 2> names;
  for (std::size_t side = 0; side < 2; ++side)
    sides[side] = {.host = results[side].host, .created = results[side].created};
  for (MeasuredCase& one : cases_of(runs_of(results))) {
    const std::size_t side = one.run == &results[0] ? 0 : 1;
    names[side].insert(devices[one.device].name);
    sides[side].cases.push_back(std::move(one));
  }
  for (std::size_t side = 0; side < 2; ++side)
    sides[side].name = names[side].empty() ? results[side].host.name : joined(names[side], " or ");
  return sides;
}

/// The newest results of a device as a side.
MeasuredSide side_of(const Candidate& device) {
  MeasuredSide side{.name = device.name, .host = device.host, .is_cpu = device.is_cpu};
  for (const auto& [id, newest] : device.cases) {
    for (const MeasuredCase& one : newest) {
      side.created = std::max(side.created, one.run->created);
      side.cases.push_back(one);
    }
  }
  return side;
}

/// The records of the side's backends that have times, each once.
std::vector<BackendRecord> records_of(const MeasuredSide& side) {
  std::set<std::string> missing = timed_backends(side);
  std::vector<BackendRecord> records;
  for (const MeasuredCase& one : side.cases) {
    for (const BackendRecord& backend : one.run->backends) {
      if (missing.erase(backend.name) > 0) records.push_back(backend);
    }
    if (missing.empty()) break;
  }
  return records;
}

// ---- one family of cases

/// The fastest result of each side at one value.
struct Pair {
  std::array<const CaseResult*, 2> fastest{};
  const CaseResult* wrong = nullptr;  // a wrong result of either side

  bool has_ratio() const { return fastest[0] != nullptr && fastest[1] != nullptr; }
};

struct FamilyPairs {
  const CaseResult* lowest = nullptr;              // the case with the family's smallest value, and
  const CaseResult* highest = nullptr;             // the one with its largest: they show what else changes
  std::map<std::int64_t, Pair> pairs;              // by value: with times of both sides, or a wrong result
  std::array<std::size_t, 2> left_out{};           // results that are not ok, by side
  std::array<std::vector<std::int64_t>, 2> alone;  // values that only one side has
};

/// The title of a family: "infer, network cnn, f32"; "matmul, m = n = k, f32".
std::string title_of(const FamilyPairs& family, const std::string& parameter) {
  const CaseResult& largest = *family.highest;
  const Workload* workload = find_workload(largest.op);
  return fmt::format("{}{}, {}", largest.op,
                     workload == nullptr ? ""
                                         : sweep_text(workload->parameters(), parameter,
                                                      family.lowest->parameters, largest.parameters),
                     largest.dtype);
}

FamilyPairs pairs_of(const CaseFamily& family, std::span<const std::pair<std::size_t, MeasuredCase>> cases) {
  FamilyPairs found;
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const auto& [value, index] : family.members) {
    const auto& [side, measured] = cases[index];
    const CaseResult& result = *measured.result;
    if (found.lowest == nullptr || value < least) std::tie(found.lowest, least) = std::pair(&result, value);
    if (found.highest == nullptr || value > most) std::tie(found.highest, most) = std::pair(&result, value);
    Pair& pair = found.pairs[value];
    if (is_wrong(result.status)) pair.wrong = &result;
    if (!result.has_time()) {
      if (result.status != Status::unsupported) ++found.left_out[side];
      continue;
    }
    keep_faster(pair.fastest[side], result);
  }
  for (auto pair = found.pairs.begin(); pair != found.pairs.end();) {
    const auto& [baseline, challenger] = pair->second.fastest;
    if (pair->second.has_ratio() || pair->second.wrong != nullptr) {
      ++pair;
      continue;
    }
    if (baseline != nullptr || challenger != nullptr)
      found.alone[baseline == nullptr ? 1 : 0].push_back(pair->first);
    pair = found.pairs.erase(pair);
  }
  return found;
}

ThresholdPointSide point_side(const CaseResult& result) {
  return {.backend = result.backend,
          .seconds = result.seconds->median,
          .joules = result.joules,
          .algorithm = algorithm_with_threads(result),
          .interval = result.seconds->interval(),
          .own_speed = own_speed_of(result)};
}

ThresholdAnswer answer_of(const FamilyPairs& family, const std::string& parameter,
                          const std::array<MeasuredSide, 2>& sides) {
  ThresholdAnswer answer{.title = title_of(family, parameter),
                         .in = Metric::time,
                         .from = family.pairs.begin()->first,
                         .to = family.pairs.rbegin()->first};
  std::vector<RatioAt> ratios;
  for (const auto& [value, pair] : family.pairs) {
    if (!pair.has_ratio()) {
      answer.points.push_back(
          {.value = value, .reason = fmt::format("{} is wrong", pair.wrong->backend), .wrong = true});
      continue;
    }
    const auto& [baseline, challenger] = pair.fastest;
    // The answer states leads at all values together.
    const Estimate over = for_joint_statements(
        between_runs(ratio(challenger->seconds->estimate(), baseline->seconds->estimate())),
        family.pairs.size());
    ratios.push_back({.value = value, .ratio = over});
    ThresholdPoint point{.value = value,
                         .log_ratios = {std::log(over.value)},
                         .sides = {point_side(*baseline), point_side(*challenger)},
                         .wrong = pair.wrong != nullptr};
    if (over.interval)
      point.interval = Interval{.low = std::log(over.interval->low), .high = std::log(over.interval->high)};
    answer.points.push_back(std::move(point));
  }
  answer.found = break_even_of(ratios);
  for (std::size_t side = 0; side < 2; ++side) {
    if (family.left_out[side] > 0)
      answer.notes.push_back({.source = sides[side].name,
                              .kind = NoteKind::without_time,
                              .figures = {static_cast<double>(family.left_out[side])}});
    if (!family.alone[side].empty())
      answer.notes.push_back(
          {.kind = NoteKind::measured_on_one,
           .about = {fmt::format("{} {}", parameter, joined(family.alone[side])), sides[side].name}});
  }
  return answer;
}

/// The answer in money instead of time.
ThresholdAnswer in_cost(const ThresholdAnswer& in_time, const std::array<HourlyPrice, 2>& prices) {
  ThresholdAnswer answer = in_time;
  answer.in = Metric::cost;
  answer.notes.clear();
  const double dearer = std::log(prices[1].per_hour / prices[0].per_hour);
  std::vector<RatioAt> ratios;
  for (ThresholdPoint& point : answer.points) {
    if (point.log_ratios.empty()) continue;
    point.log_ratios = {point.log_ratios.front().middle() + dearer};
    if (point.interval)
      point.interval = Interval{.low = point.interval->low + dearer, .high = point.interval->high + dearer};
    for (std::size_t side = 0; side < 2; ++side)
      point.sides[side].cost = *point.sides[side].seconds * prices[side].per_hour / 3600;
    ratios.push_back({.value = point.value, .ratio = *point.ratio()});
  }
  answer.found = break_even_of(ratios);
  return answer;
}

/// Comparable cases of both sides, each with the index of its side.
using CasesOfSides = std::vector<std::pair<std::size_t, MeasuredCase>>;

struct Answers {
  std::vector<ThresholdAnswer> all = {};
  bool has_inputs_on_gpu = false;  // on one side of a comparison with a processor
};

/// True if inference on a GPU, which had its inputs already, is compared with a processor.
bool compares_inputs_on_gpu(const FamilyPairs& family) {
  return std::ranges::any_of(family.pairs, [](const auto& one) {
    const auto& [a, b] = one.second.fastest;
    return one.second.has_ratio() &&
           ((has_inputs_on_gpu(*a) && b->device == "cpu") || (has_inputs_on_gpu(*b) && a->device == "cpu"));
  });
}

/// The answers of all families with enough values on both sides, by the parameter that changes. If
/// `parameter` is not empty, only its families.
std::map<std::string, Answers> answers_of(const std::array<MeasuredSide, 2>& sides,
                                          const std::string& parameter) {
  std::map<std::string, CasesOfSides> by_conditions;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const MeasuredCase& one : sides[side].cases) {
      if (parameter.empty() && (is_ceiling(*one.result) || one.result->fit)) continue;
      by_conditions[conditions_of(one)].emplace_back(side, one);
    }
  }
  std::map<std::string, Answers> answers;
  for (const auto& [conditions, cases] : by_conditions) {
    const auto is_of = [](std::size_t side) { return [side](const auto& one) { return one.first == side; }; };
    if (std::ranges::none_of(cases, is_of(0)) || std::ranges::none_of(cases, is_of(1))) continue;
    std::vector<const CaseResult*> results;
    results.reserve(cases.size());
    for (const auto& [side, one] : cases) results.push_back(one.result);
    for (const CaseFamily& family : case_families(results, parameter)) {
      const FamilyPairs pairs = pairs_of(family, cases);
      const auto with_ratio =
          std::ranges::count_if(pairs.pairs, [](const auto& pair) { return pair.second.has_ratio(); });
      // A wrong result that was asked about is said even if nothing else is.
      const bool is_wrong_here = !parameter.empty() && std::ranges::any_of(pairs.pairs, [](const auto& pair) {
        return pair.second.wrong != nullptr;
      });
      if (with_ratio < static_cast<std::ptrdiff_t>(fewest_family_values(parameter)) && !is_wrong_here)
        continue;
      Answers& same = answers[family.parameter];
      same.all.push_back(answer_of(pairs, family.parameter, sides));
      same.has_inputs_on_gpu |= compares_inputs_on_gpu(pairs);
    }
  }
  for (auto& [name, of_parameter] : answers)
    std::ranges::stable_sort(of_parameter.all, {}, &ThresholdAnswer::title);
  return answers;
}

// ---- notes and warnings

/// True if some times are of fewer launches than an interval needs to cover how much runs differ.
bool have_few_launches(const std::array<MeasuredSide, 2>& sides) {
  return std::ranges::any_of(sides, [](const MeasuredSide& side) {
    return std::ranges::any_of(side.cases, [](const MeasuredCase& one) {
      return one.result->has_time() && counted_launches_of(*one.result->seconds) < fewest_launches;
    });
  });
}

/// The machines and days of results that were not measured in turn.
Note apart(const std::array<MeasuredSide, 2>& sides) {
  constexpr std::size_t day = 10;  // length of YYYY-MM-DD in ISO 8601
  const bool one_machine = machine_key(sides[0].host) == machine_key(sides[1].host);
  return {.kind = NoteKind::results_apart,
          .figures = {one_machine ? 1.0 : 2.0, run_deviation},
          .about = {sides[0].created.substr(0, day), sides[1].created.substr(0, day)}};
}

/// How many of the times compared have no interval; empty if all have one.
std::optional<Note> missing_intervals(std::span<const ThresholdAnswer> answers) {
  double times = 0, missing = 0;
  for (const ThresholdAnswer& answer : answers) {
    for (const ThresholdPoint& point : answer.points) {
      for (const ThresholdPointSide& side : point.sides) {
        times += side.seconds ? 1 : 0;
        missing += side.seconds && !side.interval ? 1 : 0;
      }
    }
  }
  if (missing == 0) return std::nullopt;
  return Note{.kind = NoteKind::no_intervals, .figures = {missing, times}};
}

Threshold threshold_of(const std::array<MeasuredSide, 2>& sides, const std::string& parameter,
                       Answers answers) {
  Threshold all;
  all.created = std::max(sides[0].created, sides[1].created);
  all.complete = true;
  all.warnings = {apart(sides)};
  if (auto missing = missing_intervals(answers.all)) all.warnings.push_back(std::move(*missing));
  if (answers.has_inputs_on_gpu) all.warnings.push_back({.kind = NoteKind::inputs_on_gpu});
  if (have_few_launches(sides)) all.warnings.push_back({.kind = NoteKind::few_launches_of_results});
  all.host = sides[0].host;
  all.title = fmt::format("From which {} on is {} faster than {}?", parameter, sides[1].name, sides[0].name);
  all.parameter = parameter;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::set<std::string> backends = timed_backends(sides[side]);
    all.sides[side] = {.wanted = {backends.begin(), backends.end()},
                       .backends = records_of(sides[side]),
                       .threads = sides[side].host.threads,
                       .name = sides[side].name,
                       .host = sides[side].host};
  }
  all.from_results = true;
  all.config = "null";
  all.answers = std::move(answers.all);
  return all;
}

// ---- reasons why results cannot be compared

/// The whole-numbered parameters in a side's cases.
std::set<std::string> parameters_of(const MeasuredSide& side) {
  std::set<std::string> names;
  for (const MeasuredCase& one : side.cases) {
    for (const auto& [name, value] : one.result->parameters.entries()) {
      if (std::holds_alternative<std::int64_t>(value)) names.insert(name);
    }
  }
  return names;
}

/// The dtypes of the cases that have the parameter and a time.
std::set<std::string> dtypes_of(const MeasuredSide& side, const std::string& parameter) {
  std::set<std::string> dtypes;
  for (const MeasuredCase& one : side.cases) {
    if (one.result->has_time() && one.result->parameters.find(parameter) != nullptr)
      dtypes.insert(one.result->dtype);
  }
  return dtypes;
}

/// The numbers of the devices that have times.
std::set<std::size_t> timed_devices(const MeasuredSide& side) {
  std::set<std::size_t> devices;
  for (const MeasuredCase& one : side.cases) {
    if (one.has_time()) devices.insert(one.device);
  }
  return devices;
}

void refuse_one_side_twice(const std::array<MeasuredSide, 2>& sides) {
  if (machine_key(sides[0].host) != machine_key(sides[1].host) ||
      sides[0].host.threads != sides[1].host.threads ||
      timed_backends(sides[0]) != timed_backends(sides[1]) ||
      timed_devices(sides[0]) != timed_devices(sides[1]))
    return;
  throw NotComparable(
      asked_wrongly,
      fmt::format(
          "both files are of {} and its backends {}: that is one side; give files of two machines, or "
          "compare two backends or settings of one machine with `breakeven threshold CONFIG`",
          sides[0].name, joined(timed_backends(sides[0]))));
}

void check_parameter(const std::array<MeasuredSide, 2>& sides, const std::string& parameter) {
  for (const MeasuredSide& side : sides) {
    const std::set<std::string> known = parameters_of(side);
    if (!known.contains(parameter))
      throw NotComparable(
          asked_wrongly,
          fmt::format("--parameter {}: no case of {} has it; there are {}{}", parameter, side.name,
                      known.empty() ? "none" : joined(known),
                      did_you_mean(parameter, std::vector<std::string>(known.begin(), known.end()))));
  }
}

void check_dtypes(const std::array<MeasuredSide, 2>& sides, const std::string& parameter) {
  const std::array<std::set<std::string>, 2> dtypes{dtypes_of(sides[0], parameter),
                                                    dtypes_of(sides[1], parameter)};
  for (std::size_t side = 0; side < 2; ++side) {
    if (dtypes[side].empty())
      throw NotComparable(
          not_comparable,
          fmt::format("no case of {} with a {} has a time: none of them is ok", sides[side].name, parameter));
  }
  const auto is_common = [&](const std::string& dtype) { return dtypes[1].contains(dtype); };
  if (std::ranges::none_of(dtypes[0], is_common))
    throw NotComparable(not_comparable,
                        fmt::format("{} has results in {} and {} in {}: measure both in one dtype",
                                    sides[0].name, joined(dtypes[0]), sides[1].name, joined(dtypes[1])));
}

/// Makes the names of two sides with the same device different: adds their backends.
void name_apart(std::array<MeasuredSide, 2>& sides) {
  if (sides[0].name != sides[1].name) return;
  for (MeasuredSide& side : sides) side.name += fmt::format(" with {}", joined(timed_backends(side), " or "));
}

}  // namespace

BreakEven break_even_of(std::span<const RatioAt> ratios) {
  BreakEven said;
  if (ratios.empty()) return said;
  said.first = ratios.front().value;
  said.last = ratios.back().value;
  said.values = ratios.size();
  const std::vector<Stretch> stretches = without_doubtful(stretches_of(ratios));
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    const Stretch& below = stretches[i - 1];
    const Stretch& above = stretches[i];
    said.changes.push_back(change_between(ratios, below.last, above.first, below.lead, above.lead));
  }
  said.conclude(stretches.back().lead);
  return said;
}

Threshold threshold_from_results(std::span<const Result, 2> results, const std::string& parameter) {
  std::array<MeasuredSide, 2> sides = sides_of(results);
  refuse_one_side_twice(sides);
  name_apart(sides);
  const std::array<std::string, 2> caches{cache_state(results[0]), cache_state(results[1])};
  if (caches[0] != caches[1] && !caches[0].empty() && !caches[1].empty())
    throw NotComparable(not_comparable,
                        fmt::format("{} was measured with {} caches and {} with {} ones: measure both alike",
                                    sides[0].name, caches[0], sides[1].name, caches[1]));
  check_parameter(sides, parameter);
  check_dtypes(sides, parameter);
  auto answers = answers_of(sides, parameter);
  if (answers[parameter].all.empty())
    throw NotComparable(
        not_comparable,
        fmt::format("no problem has a time on both at {} or more values of {}: measure one config on both",
                    fewest_family_values(parameter), parameter));
  return threshold_of(sides, parameter, std::move(answers[parameter]));
}

void add_costs(Threshold& found, const std::array<HourlyPrice, 2>& prices) {
  const std::size_t in_time = found.answers.size();
  found.answers.reserve(2 * in_time);
  for (std::size_t i = 0; i < in_time; ++i) found.answers.push_back(in_cost(found.answers[i], prices));
  for (std::size_t side = 0; side < 2; ++side) found.sides[side].price = prices[side];
}

std::vector<Threshold> break_evens_between(std::span<const Result> results) {
  std::vector<MeasuredSide> sides;
  for (const Candidate& device : candidates(results)) sides.push_back(side_of(device));
  std::vector<Threshold> all;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t j = i + 1; j < sides.size(); ++j) {
      const bool turned = !sides[i].is_cpu && sides[j].is_cpu;
      const std::array<MeasuredSide, 2> both{sides[turned ? j : i], sides[turned ? i : j]};
      for (auto& [parameter, answers] : answers_of(both, ""))
        all.push_back(threshold_of(both, parameter, std::move(answers)));
    }
  }
  return all;
}

}  // namespace breakeven
