#include "verdicts/break_even.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "statistics/summary.h"

namespace breakeven {
namespace {

constexpr double plain = 0.2;          // as a logarithm; launches seldom differ by this much by chance
constexpr double narrow = 1.25;        // a line is fitted once high / low of a bracket is below this
constexpr double least_lead = 0.02;    // as a logarithm; sides that differ by less count as equal
constexpr double least_noise = 0.003;  // of a launch, in case two launches agree by chance
constexpr int most_moves = 3;
constexpr std::size_t alone_after = 8;  // launches with which a lead counts that no neighbour shares
constexpr std::size_t open_after = 28;  // launches after which a lead stays open

double after(std::int64_t value) {
  return static_cast<double>(value + 1);
}

/// The side that is plainly ahead in every launch.
std::optional<Lead> plain_lead(const std::vector<LaunchEffect>& launches) {
  if (std::ranges::all_of(launches, [](const LaunchEffect& one) { return one.upper < -plain; }))
    return Lead::challenger;
  if (std::ranges::all_of(launches, [](const LaunchEffect& one) { return one.lower > plain; }))
    return Lead::baseline;
  return std::nullopt;
}

}  // namespace

Lead lead_of(const Estimate& ratio) {
  if (may_be_equal(ratio)) return Lead::neither;
  return ratio.value < 1 ? Lead::challenger : Lead::baseline;
}

std::vector<LaunchEffect> counting_launches(const std::vector<LaunchEffect>& log_ratios) {
  std::vector<LaunchEffect> known;
  std::ranges::copy_if(log_ratios, std::back_inserter(known), &LaunchEffect::is_known);
  return known.size() >= std::max<std::size_t>(2, log_ratios.size() / 3) ? known : log_ratios;
}

double level_of_launches(const std::vector<LaunchEffect>& log_ratios) {
  return trimmed_mean(middles_of(counting_launches(log_ratios)), trimmed_launches);
}

std::optional<Lead> lead_of_launches(const std::vector<LaunchEffect>& log_ratios) {
  if (log_ratios.empty()) return std::nullopt;
  const std::vector<LaunchEffect> launches = counting_launches(log_ratios);
  if (const auto side = plain_lead(launches)) return side;
  if (launches.size() < 2) return std::nullopt;
  // Every launch adds a test, and any of them may decide. Most of the error is for the first seven: a clear
  // lead needs few launches, and many launches need little error.
  const double share = launches.size() <= alone_after ? 0.7 / (alone_after - 1)
                                                      : 0.3 / static_cast<double>(open_after - alone_after);
  constexpr double of_leads = 0.01, of_equality = 0.1;  // the errors of all tests together, for both sides
  const Interval lead = trimmed_mean_interval(launches, trimmed_launches, share * of_leads / 2, least_noise);
  if (lead.high < 0) return Lead::challenger;
  if (lead.low > 0) return Lead::baseline;
  const Interval level =
      trimmed_mean_interval(launches, trimmed_launches, share * of_equality / 2, least_noise);
  if (-least_lead < level.low && level.high < least_lead) return Lead::neither;
  return std::nullopt;
}

bool leave_lead_open(const std::vector<LaunchEffect>& log_ratios) {
  if (lead_of_launches(log_ratios)) return false;
  // More launches beside neighbours would not bring their bounds closer.
  const bool are_known = std::ranges::all_of(counting_launches(log_ratios), &LaunchEffect::is_known);
  return log_ratios.size() >= (are_known ? open_after : alone_after);
}

bool counts_alone(const std::vector<LaunchEffect>& log_ratios) {
  const std::vector<LaunchEffect> launches = counting_launches(log_ratios);
  return launches.size() >= alone_after || plain_lead(launches).has_value();
}

void BreakEven::conclude(Lead top) {
  if (top == Lead::neither) answer = Answer::neither;
  if (top == Lead::challenger) answer = changes.empty() ? Answer::always : Answer::from_value;
  if (top == Lead::baseline) answer = changes.empty() ? Answer::never : Answer::until_value;
}

std::optional<Lead> BreakEven::stated_at(std::int64_t value) const {
  if (answer == Answer::unclear) return std::nullopt;
  if (changes.empty())
    return answer == Answer::always  ? Lead::challenger
           : answer == Answer::never ? Lead::baseline
                                     : Lead::neither;
  for (const LeadChange& change : changes) {
    if (value < change.earliest) return change.below;
    if (value < change.latest) return std::nullopt;
  }
  return changes.back().above;
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
  return level_of_launches(launches_.at(value));
}

void BreakEvenSearch::cannot(std::int64_t value) {
  std::vector<LaunchEffect>& ratios = launches_[value];
  // A zone may end at this value, which has no level any more: the zones are made again from the others.
  if (!ratios.empty()) zones_.clear();
  ratios.clear();
}

bool BreakEvenSearch::is_unmeasurable(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found != launches_.end() && found->second.empty();
}

std::size_t BreakEvenSearch::count(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found == launches_.end() ? 0 : found->second.size();
}

bool BreakEvenSearch::is_open(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found != launches_.end() && leave_lead_open(found->second);
}

std::optional<Lead> BreakEvenSearch::lead(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found == launches_.end() ? std::nullopt : lead_of_launches(found->second);
}

std::optional<Lead> BreakEvenSearch::confirmed(std::int64_t value) const {
  const auto found = launches_.find(value);
  return found == launches_.end() || found->second.size() < 2 ? std::nullopt : lead(value);
}

std::vector<std::pair<std::int64_t, Lead>> BreakEvenSearch::known_leads() const {
  std::vector<std::pair<std::int64_t, Lead>> known;
  auto next = launches_.begin();
  const auto add_until = [&](const auto& end) {
    for (; next != end; ++next) {
      if (const auto here = lead(next->first)) known.emplace_back(next->first, *here);
    }
  };
  for (const std::int64_t value : grid_) {
    const auto here = lead(value);
    if (!here) continue;
    const auto at = launches_.find(value);
    if (known.empty() || known.back().second == *here) add_until(at);
    known.emplace_back(value, *here);
    next = std::next(at);
  }
  add_until(launches_.end());
  return known;
}

std::optional<std::int64_t> BreakEvenSearch::next() {
  if (const auto value = surveying()) return value;
  surveyed_ = true;
  for (const Bracket& bracket : brackets()) {
    if (bracket.has_zero()) {
      Zone& zone = zone_of(bracket);
      if (const auto value = narrowing(zone)) return value;
      if (const auto value = fitting(zone)) return value;
      if (fitted(zone)) continue;
    }
    if (const auto value = halving(bracket)) return value;
  }
  return std::nullopt;
}

/// Returns the next value of the grid to measure. Each value gets one launch before any gets a second, so
/// that launches of one value, which may resemble those just before, lie apart. One launch shows which side
/// is plainly ahead, but not where the lead changes: neighbours with different sides ahead are both confirmed
/// by a second launch, and a lead that no neighbour shares by as many as counts_alone() needs.
std::optional<std::int64_t> BreakEvenSearch::surveying() const {
  std::optional<std::int64_t> due;
  const auto known = known_leads();
  std::vector<std::int64_t> values = grid_;
  // A value beside the grid is the largest if those above it cannot be measured. The answer rests on it.
  const auto largest = std::ranges::find_if(launches_.rbegin(), launches_.rend(),
                                            [](const auto& one) { return !one.second.empty(); });
  if (largest != launches_.rend()) values.push_back(largest->first);
  for (const std::int64_t value : values) {
    const bool is_settled = lead(value) || is_unmeasurable(value) || is_open(value) ||
                            (count(value) >= alone_after && is_between_sides(known, value));
    if (!is_settled && (!due || count(value) < count(*due))) due = value;
  }
  if (due) return due;
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (known[i - 1].second == known[i].second) continue;
    for (const std::int64_t value : {known[i - 1].first, known[i].first}) {
      if (!confirmed(value)) return value;
    }
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (is_alone(known, i) && !counts_alone(launches_.at(known[i].first))) return known[i].first;
  }
  return std::nullopt;
}

/// True if different sides are ahead at the nearest values below and above, so that the lead changes near it.
bool BreakEvenSearch::is_between_sides(const std::vector<std::pair<std::int64_t, Lead>>& known,
                                       std::int64_t value) {
  const auto above = std::ranges::upper_bound(known, value, {}, &std::pair<std::int64_t, Lead>::first);
  if (above == known.begin() || above == known.end()) return false;
  const Lead below = std::prev(above)->second;
  return below != above->second && below != Lead::neither && above->second != Lead::neither;
}

/// True if the side that is ahead at the i-th value is ahead at none of its neighbours.
bool BreakEvenSearch::is_alone(const std::vector<std::pair<std::int64_t, Lead>>& known, std::size_t i) {
  const Lead here = known[i].second;
  const bool differs_below = i == 0 || known[i - 1].second != here;
  const bool differs_above = i + 1 == known.size() || known[i + 1].second != here;
  return here != Lead::neither && known.size() > 1 && differs_below && differs_above;
}

std::vector<BreakEvenSearch::Bracket> BreakEvenSearch::brackets() const {
  std::vector<Bracket> all;
  const auto known = known_leads();
  for (std::size_t i = 0, before = 0; i < known.size(); ++i) {
    const auto& [high, above] = known[i];
    const auto& [low, below] = known[before];
    if (below == above) {
      before = i;
      continue;
    }
    // A single undecided value between two different sides is probably close to the crossing: it is inside a
    // bracket, and not the end of two.
    if (above == Lead::neither && i + 1 < known.size() && known[i + 1].second != Lead::neither &&
        known[i + 1].second != below)
      continue;
    all.push_back({.low = low, .high = high, .below = below, .above = above});
    before = i;
  }
  return all;
}

BreakEvenSearch::Zone& BreakEvenSearch::zone_of(const Bracket& bracket) {
  const auto found = std::ranges::find(zones_, bracket, &Zone::bracket);
  return found == zones_.end() ? zones_.emplace_back(Zone{.bracket = bracket}) : *found;
}

BreakEvenSearch::Gap BreakEvenSearch::gap_in(const Bracket& bracket, const LeadAt& lead_at) const {
  Gap gap{.last_below = bracket.low,
          .first_unclear = bracket.high,
          .last_unclear = bracket.low,
          .first_above = bracket.high};
  const auto begin = launches_.upper_bound(bracket.low);
  const auto end = launches_.lower_bound(bracket.high);
  bool is_below = true;
  for (auto at = begin; at != end && is_below; ++at) {
    const auto here = lead_at(at->first);
    if (!here && !is_open(at->first)) continue;
    is_below = here == bracket.below;
    (is_below ? gap.last_below : gap.first_unclear) = at->first;
  }
  bool is_above = true;
  for (auto at = end; at != begin && is_above;) {
    --at;
    const auto here = lead_at(at->first);
    if (!here && !is_open(at->first)) continue;
    is_above = here == bracket.above;
    (is_above ? gap.first_above : gap.last_unclear) = at->first;
  }
  gap.is_open = std::any_of(begin, end, [&](const auto& one) { return is_open(one.first); });
  return gap;
}

/// Returns the middle of the bracket, until the bracket is narrow enough. If values inside have neither end's
/// lead, the bracket is narrow once the parts above and below them are. If many launches leave it open who is
/// ahead there, a value shows by chance whether it is among them, and a rough place is enough.
std::optional<std::int64_t> BreakEvenSearch::halving(const Bracket& bracket) const {
  const Gap gap = gap_in(bracket, [this](std::int64_t value) { return confirmed(value); });
  for (const auto& [low, high] :
       {std::pair(gap.last_unclear, gap.first_above), std::pair(gap.last_below, gap.first_unclear)}) {
    const double enough = gap.is_open ? narrow : 1 + rules_.width;
    if (static_cast<double>(high) <= enough * static_cast<double>(low)) continue;
    const std::int64_t middle = rounded(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
    if (middle > low && middle < high && !is_unmeasurable(middle)) return middle;
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
    if (!here && !is_unmeasurable(middle) && count(middle) < alone_after) return middle;
    if (!here || *here == Lead::neither) {
      zone.centre = static_cast<double>(middle);
      break;
    }
    (*here == zone.bracket.above ? zone.high : zone.low) = middle;
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
    const double deviation = standard_deviation(middles_of(ratios));
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

std::vector<ValuesAt> BreakEvenSearch::places(const Zone& zone, double LaunchEffect::*bound) const {
  std::vector<ValuesAt> all;
  for (const auto& [value, ratios] : launches_) {
    const auto at = static_cast<double>(value);
    const bool close = std::abs(std::log(at / zone.centre)) < 1.1 * zone.reach;
    const bool wanted = std::ranges::find(zone.values, value) != zone.values.end();
    if (!ratios.empty() && (close || wanted))
      all.push_back({.at = std::log(at), .values = bounds_of(counting_launches(ratios), bound)});
  }
  return all;
}

/// The zero of the line through the launches around the centre. Where they are bounds, the interval reaches
/// over the zeros of the lines through either.
std::optional<Crossing> BreakEvenSearch::line_through(const Zone& zone) const {
  const auto lower = crossing_of(places(zone, &LaunchEffect::lower), 0.95);
  const auto upper = crossing_of(places(zone, &LaunchEffect::upper), 0.95);
  if (!lower || !upper) return std::nullopt;
  Crossing both{
      .at = (lower->at + upper->at) / 2, .slope = (lower->slope + upper->slope) / 2, .interval = {}};
  // Between lines of opposite slopes the zero may be anywhere.
  if (lower->interval && upper->interval && lower->slope * upper->slope > 0)
    both.interval = Interval{.low = std::min(lower->interval->low, upper->interval->low),
                             .high = std::max(lower->interval->high, upper->interval->high)};
  return both;
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
  const auto least = [&] {
    return *std::ranges::min_element(zone.values, {}, [this](std::int64_t value) { return count(value); });
  };
  std::size_t taken = 0;
  for (const std::int64_t value : zone.values) taken += count(value);
  if (count(least()) < 2 || taken < static_cast<std::size_t>(rules_.fewest)) return least();
  const auto crossing = line_through(zone);
  if (crossing && crossing->interval && zone.moves < most_moves) {
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
  return is_between && (crossing.slope < 0) == (zone.bracket.below == Lead::baseline);
}

bool BreakEvenSearch::are_neighbours(std::int64_t low, std::int64_t high) const {
  return first_from(after(low)) >= high;
}

std::optional<Crossing> BreakEvenSearch::fitted(const Zone& zone) const {
  if (!zone.bracket.has_zero() || zone.centre == 0 || are_neighbours(zone.low, zone.high))
    return std::nullopt;
  const auto found = line_through(zone);
  return found && found->interval && leads_over(zone, *found) ? found : std::nullopt;
}

LeadChange BreakEvenSearch::change_in(const Bracket& bracket) const {
  const auto zone = std::ranges::find(zones_, bracket, &Zone::bracket);
  const auto line = zone == zones_.end() ? std::nullopt : fitted(*zone);
  return line ? change_by_line(*zone, *line) : change_by_bisection(bracket);
}

/// The change at the zero of the line, which shows a lead also where the launches at one value are too few to
/// show it. Values that show the other lead, or neither and lean to the other side, are within the interval.
LeadChange BreakEvenSearch::change_by_line(const Zone& zone, const Crossing& line) const {
  const Gap gap = gap_in(zone.bracket, [&](std::int64_t value) {
    const auto here = lead(value);
    if (here ? *here != Lead::neither : count(value) < alone_after) return here;
    return std::optional(level(value) < 0 ? Lead::challenger : Lead::baseline);
  });
  // The launches at the ends of the bracket exclude what lies beyond them.
  const auto within = [&](double logarithm) {
    return std::clamp(std::exp(logarithm), static_cast<double>(zone.bracket.low),
                      static_cast<double>(zone.bracket.high));
  };
  LeadChange change{.below = zone.bracket.below,
                    .above = zone.bracket.above,
                    .crossing = within(line.at),
                    .interval = {.low = within(line.interval->low), .high = within(line.interval->high)}};
  change.earliest = std::max(first_from(change.interval.low), first_from(after(zone.bracket.low)));
  change.latest = std::max(change.earliest, std::min(first_from(change.interval.high), zone.bracket.high));
  if (gap.first_unclear < change.earliest) {
    change.interval.low = std::min(change.interval.low, static_cast<double>(gap.last_below));
    change.earliest = first_from(after(gap.last_below));
  }
  if (gap.last_unclear >= change.latest) {
    change.interval.high = static_cast<double>(gap.first_above);
    change.latest = gap.first_above;
  }
  change.from = std::clamp(first_from(change.crossing), change.earliest, change.latest);
  change.last_below = zone.bracket.low;
  change.first_above = zone.bracket.high;
  return change;
}

LeadChange BreakEvenSearch::change_by_bisection(const Bracket& bracket) const {
  const Gap gap = gap_in(bracket, [this](std::int64_t value) { return lead(value); });
  LeadChange change{
      .below = bracket.below,
      .above = bracket.above,
      .interval = {.low = static_cast<double>(gap.last_below), .high = static_cast<double>(gap.first_above)},
      .by_bisection = true};
  change.crossing = std::sqrt(change.interval.low * change.interval.high);
  change.from = change.latest = gap.first_above;
  change.earliest = first_from(after(gap.last_below));
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
  const auto known = known_leads();
  if (!surveyed_ || known.empty()) return said;
  const std::vector<Bracket> all = brackets();
  said.changes.reserve(all.size());
  for (const Bracket& bracket : all) said.changes.push_back(change_in(bracket));
  if (known.back().first == *said.last) said.conclude(known.back().second);
  return said;
}

}  // namespace breakeven
