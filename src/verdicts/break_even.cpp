#include "verdicts/break_even.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

constexpr double narrow = 1.25;  // a line is fitted once high / low of a bracket is below this
constexpr int most_moves = 3;
constexpr int tied_after = 8;              // launches after which neither side counts as ahead
constexpr double trimmed_launches = 0.13;  // from either end: none of fewer than 8 launches, one of 8 to 15

}  // namespace

void BreakEven::conclude(Lead top) {
  if (top == Lead::neither) answer = Answer::neither;
  if (top == Lead::challenger) answer = changes.empty() ? Answer::always : Answer::from_value;
  if (top == Lead::baseline) answer = changes.empty() ? Answer::never : Answer::until_value;
}

BreakEvenSearch::BreakEvenSearch(const BreakEvenRules& rules) : rules_(rules) {
  for (auto value = static_cast<double>(rules_.from); value < static_cast<double>(rules_.to);
       value *= rules_.factor)
    grid_.push_back(grid_.empty() ? rules_.from : rounded(value));
  grid_.push_back(rules_.to);
  grid_.erase(std::unique(grid_.begin(), grid_.end()), grid_.end());
}

std::int64_t BreakEvenSearch::rounded(double value) const {
  const auto multiple = static_cast<double>(rules_.multiple);
  return std::clamp(static_cast<std::int64_t>(std::llround(value / multiple) * rules_.multiple), rules_.from,
                    rules_.to);
}

/// The smallest possible value that is at least `value`.
std::int64_t BreakEvenSearch::first_from(double value) const {
  const auto multiple = static_cast<double>(rules_.multiple);
  const double within = std::clamp(value, static_cast<double>(rules_.from), static_cast<double>(rules_.to));
  return std::min(static_cast<std::int64_t>(std::ceil(within / multiple)) * rules_.multiple, rules_.to);
}

double BreakEvenSearch::level(std::int64_t value) const {
  return trimmed_mean(launches_.at(value), trimmed_launches);
}

void BreakEvenSearch::cannot(std::int64_t value) {
  std::vector<double>& ratios = launches_[value];
  // A zone may end at this value, which has no level any more: the zones are made again from the others.
  if (!ratios.empty()) zones_.reset();
  ratios.clear();
}

bool BreakEvenSearch::is_unmeasurable(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found != launches_.end() && found->second.empty();
}

std::optional<Lead> BreakEvenSearch::lead(std::int64_t value) const {
  const auto found = launches_.find(value);
  if (found == launches_.end() || found->second.empty()) return std::nullopt;
  const std::vector<double>& ratios = found->second;
  constexpr double plain = 0.2;          // as a logarithm; launches seldom differ by this much by chance
  constexpr double least_noise = 0.003;  // of a launch, in case two launches agree by chance
  const auto all = [&](auto holds) { return std::ranges::all_of(ratios, holds); };
  if (all([](double r) { return r < -plain; })) return Lead::challenger;
  if (all([](double r) { return r > plain; })) return Lead::baseline;
  if (ratios.size() < 2) return std::nullopt;
  const double ahead = trimmed_mean(ratios, trimmed_launches);
  const auto n = static_cast<double>(ratios.size());
  const double left = n - 2 * std::floor(trimmed_launches * n);
  // Every launch adds a test, and any of them may decide: 1 % for all of them together.
  constexpr double error_each_side = 0.01 / 2 / (tied_after - 1);
  const double t = student_t_exceeded(left - 1, error_each_side);
  if (std::abs(ahead) >
      t * std::max(trimmed_standard_error(ratios, trimmed_launches), least_noise / std::sqrt(n)))
    return ahead < 0 ? Lead::challenger : Lead::baseline;
  return ratios.size() < tied_after ? std::nullopt : std::optional(Lead::neither);
}

std::optional<Lead> BreakEvenSearch::confirmed(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found == launches_.end() || found->second.size() < 2 ? std::nullopt : lead(value);
}

std::vector<std::pair<std::int64_t, Lead>> BreakEvenSearch::known_grid() const {
  std::vector<std::pair<std::int64_t, Lead>> known;
  for (const std::int64_t value : grid_) {
    if (const auto here = lead(value)) known.emplace_back(value, *here);
  }
  return known;
}

std::optional<std::int64_t> BreakEvenSearch::next() {
  if (!zones_) {
    if (const auto value = surveying()) return value;
    make_zones();
  }
  for (Zone& zone : *zones_) {
    if (zone.has_zero()) {
      if (const auto value = narrowing(zone)) return value;
      if (const auto value = fitting(zone)) return value;
      if (fitted(zone)) continue;
    }
    if (const auto value = halving(zone)) return value;
  }
  return std::nullopt;
}

/// Returns the next value of the grid to measure. One launch shows which side is plainly ahead, but not where
/// the lead changes: neighbours with different sides ahead are both confirmed by a second launch.
std::optional<std::int64_t> BreakEvenSearch::surveying() const {
  for (const std::int64_t value : grid_) {
    if (!lead(value) && !is_unmeasurable(value)) return value;
  }
  const auto known = known_grid();
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (known[i - 1].second == known[i].second) continue;
    for (const std::int64_t value : {known[i - 1].first, known[i].first}) {
      if (!confirmed(value)) return value;
    }
  }
  return std::nullopt;
}

void BreakEvenSearch::make_zones() {
  zones_.emplace();
  const auto known = known_grid();
  for (std::size_t i = 0, before = 0; i < known.size(); ++i) {
    const auto& [high, above] = known[i];
    const auto& [low, below] = known[before];
    if (below == above) {
      before = i;
      continue;
    }
    // A single undecided value between two different sides is probably close to the crossing: it is part of
    // the zone, not a zone of its own.
    if (above == Lead::neither && i + 1 < known.size() && known[i + 1].second != Lead::neither &&
        known[i + 1].second != below)
      continue;
    zones_->push_back({.low = low, .high = high, .below = below, .above = above});
    before = i;
  }
}

/// Returns the middle of the bracket, until the bracket is narrow enough.
std::optional<std::int64_t> BreakEvenSearch::halving(Zone& zone) const {
  while (static_cast<double>(zone.high) > (1 + rules_.width) * static_cast<double>(zone.low)) {
    const std::int64_t middle =
        rounded(std::sqrt(static_cast<double>(zone.low) * static_cast<double>(zone.high)));
    if (middle <= zone.low || middle >= zone.high || is_unmeasurable(middle)) break;
    const auto here = confirmed(middle);
    if (!here) return middle;
    (*here == zone.above ? zone.high : zone.low) = middle;
  }
  return std::nullopt;
}

/// Returns the zero of the line through both ends of the bracket. It stays away from the ends, because their
/// levels are noisy, too.
double BreakEvenSearch::between(const Zone& zone) const {
  const double low = std::log(static_cast<double>(zone.low));
  const double high = std::log(static_cast<double>(zone.high));
  const double share = level(zone.low) / (level(zone.low) - level(zone.high));
  return std::exp(low + std::clamp(share, 0.25, 0.75) * (high - low));
}

std::optional<std::int64_t> BreakEvenSearch::narrowing(Zone& zone) const {
  while (zone.centre == 0) {
    const double guess = between(zone);
    const std::int64_t middle = rounded(guess);
    const bool is_narrow = static_cast<double>(zone.high) < narrow * static_cast<double>(zone.low);
    if (is_narrow || middle <= zone.low || middle >= zone.high) {
      zone.centre = guess;
      break;
    }
    const auto here = confirmed(middle);
    if (!here && !is_unmeasurable(middle)) return middle;
    if (!here || *here == Lead::neither) {
      zone.centre = static_cast<double>(middle);
      break;
    }
    (*here == zone.above ? zone.high : zone.low) = middle;
  }
  return std::nullopt;
}

/// Returns the distance from the centre, as a logarithm, at which values are measured. It is just large
/// enough to distinguish the slope from zero: the error that curvature causes in the crossing of a straight
/// line grows with the square of the distance.
double BreakEvenSearch::reach(const Zone& zone) const {
  const double slope = (level(zone.high) - level(zone.low)) /
                       std::log(static_cast<double>(zone.high) / static_cast<double>(zone.low));
  return std::clamp(2 * noise() / std::abs(slope), 0.03, 0.14);
}

/// The standard deviation of launches at one value, pooled over all values.
double BreakEvenSearch::noise() const {
  constexpr double usual = 0.015;
  double squares = 0;
  double freedom = 0;
  for (const auto& [value, ratios] : launches_) {
    if (ratios.size() < 2) continue;
    const double deviation = standard_deviation(ratios);
    const auto more = static_cast<double>(ratios.size() - 1);
    squares += more * deviation * deviation;
    freedom += more;
  }
  return freedom < 3 ? usual : std::sqrt(squares / freedom);
}

/// Returns the values to measure around the centre: at least three, which are needed to see that the points
/// are not on a line. Where whole values are far apart, they are the next ones.
std::vector<std::int64_t> BreakEvenSearch::around(const Zone& zone) const {
  const double centre = zone.centre;
  std::vector<std::int64_t> values;
  for (const double part : {-1.0, -0.5, 0.0, 0.5, 1.0})
    values.push_back(rounded(centre * std::exp(part * zone.reach)));
  for (std::int64_t step = 1; step < 4; ++step) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() >= 3) break;
    for (const std::int64_t side : {-step, step})
      values.push_back(rounded(centre + static_cast<double>(side * rules_.multiple)));
  }
  std::erase_if(values, [&](std::int64_t v) { return is_unmeasurable(v); });
  return values;
}

std::vector<ValuesAt> BreakEvenSearch::places(const Zone& zone) const {
  std::vector<ValuesAt> all;
  for (const auto& [value, ratios] : launches_) {
    const auto at = static_cast<double>(value);
    const bool close = std::abs(std::log(at / zone.centre)) < 1.1 * zone.reach;
    const bool wanted = std::ranges::find(zone.values, value) != zone.values.end();
    if (!ratios.empty() && (close || wanted)) all.push_back({.at = std::log(at), .values = ratios});
  }
  return all;
}

std::optional<std::int64_t> BreakEvenSearch::fitting(Zone& zone) const {
  if (are_neighbours(zone.low, zone.high)) return std::nullopt;  // there is no value between them to measure
  if (zone.values.empty()) {
    zone.reach = reach(zone);
    zone.values = around(zone);
  }
  // Some may have become unmeasurable since.
  std::erase_if(zone.values, [&](std::int64_t v) { return is_unmeasurable(v); });
  if (zone.values.size() < 2) return std::nullopt;
  const auto count = [&](std::int64_t value) {
    const auto found = launches_.find(value);
    return found == launches_.end() ? std::size_t{0} : found->second.size();
  };
  const auto least = [&] { return *std::ranges::min_element(zone.values, {}, count); };
  std::size_t taken = 0;
  for (const std::int64_t value : zone.values) taken += count(value);
  if (count(least()) < 2 || taken < static_cast<std::size_t>(rules_.fewest)) return least();
  const auto crossing = crossing_of(places(zone), 0.95);
  if (crossing && zone.moves < most_moves) {
    const double at =
        std::clamp(std::exp(crossing->at), static_cast<double>(zone.low), static_cast<double>(zone.high));
    if (std::abs(std::log(at / zone.centre)) > zone.reach / 2) {
      ++zone.moves;
      zone.centre = at;
      zone.values = around(zone);
      return zone.values.empty() ? std::nullopt : std::optional(least());
    }
  }
  const bool is_enough = crossing && crossing->interval &&
                         crossing->interval->high - crossing->interval->low < std::log1p(rules_.width);
  if (is_enough || taken >= static_cast<std::size_t>(rules_.most)) return std::nullopt;
  return least();
}

/// Checks that the crossing belongs to the zone. A line through values of one side only, as where the lead
/// jumps, has its zero outside the bracket or the opposite slope.
bool BreakEvenSearch::leads_over(const Zone& zone, const Crossing& crossing) {
  const bool is_between = std::exp(crossing.interval->high) >= static_cast<double>(zone.low) &&
                          std::exp(crossing.interval->low) <= static_cast<double>(zone.high);
  return is_between && (crossing.slope < 0) == (zone.below == Lead::baseline);
}

bool BreakEvenSearch::are_neighbours(std::int64_t low, std::int64_t high) const {
  return first_from(static_cast<double>(low + 1)) >= high;
}

std::optional<Crossing> BreakEvenSearch::fitted(const Zone& zone) const {
  if (!zone.has_zero() || zone.centre == 0 || are_neighbours(zone.low, zone.high)) return std::nullopt;
  const auto found = crossing_of(places(zone), 0.95);
  return found && found->interval && leads_over(zone, *found) ? found : std::nullopt;
}

LeadChange BreakEvenSearch::change_in(const Zone& zone) const {
  LeadChange change;
  change.below = zone.below;
  change.above = zone.above;
  if (const auto found = fitted(zone)) {
    change.crossing = std::exp(found->at);
    change.interval =
        Interval{.low = std::exp(found->interval->low), .high = std::exp(found->interval->high)};
    change.from = first_from(change.crossing);
    change.earliest = first_from(change.interval.low);
    change.latest = first_from(change.interval.high);
    return change;
  }
  const auto low = static_cast<double>(zone.low);
  const auto high = static_cast<double>(zone.high);
  change.by_bisection = true;
  change.crossing = std::sqrt(low * high);
  change.interval = Interval{.low = low, .high = high};
  change.from = change.latest = zone.high;
  change.earliest = first_from(low + 1);
  return change;
}

BreakEven BreakEvenSearch::answer() const {
  BreakEven said;
  for (const auto& [value, ratios] : launches_) {
    if (ratios.empty()) continue;
    if (!said.first) said.first = value;
    said.last = value;
    ++said.values;
    said.launches += ratios.size();
  }
  const auto known = known_grid();
  if (!zones_ || known.empty()) return said;
  for (const Zone& zone : *zones_) said.changes.push_back(change_in(zone));
  // Later launches may have turned the lead at a value. The changes are those of the zones, and so is the
  // answer: otherwise it could contradict them.
  said.conclude(zones_->empty() ? known.back().second : zones_->back().above);
  return said;
}

}  // namespace breakeven
