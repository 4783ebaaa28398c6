// Finds the value of a parameter from which one side is faster than the other: decides which value to measure
// next, and what follows from the measurements.
//
// A scan of all values mostly measures values at which the answer is clear. Instead, a coarse grid shows
// which side is ahead where. Between neighbours of the grid with different sides ahead, the crossing is
// bracketed. The remaining launches measure a few values close around it; a line is fitted through them, and
// its zero is the answer (statistics/crossing.h). There is no zero to fit if neither side is ahead on one
// side of a change, as below the size from which a library uses its threads, or if no line fits the values.
// Then the bracket is halved until it is narrow enough.
//
// Launches are added at a value as long as the search needs them, and may take back the lead that the first
// ones showed. So nothing rests on a lead that was seen once: brackets and answers follow from all launches.
// The lead stays open at values where even many launches show neither a lead nor equality. They are inside an
// interval, and never an end of it.
//
// Beside neighbours a launch shows bounds of its ratio. What is stated holds wherever between them it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "json/names.h"
#include "statistics/crossing.h"
#include "statistics/estimate.h"
#include "verdicts/launch_effect.h"

namespace breakeven {

struct BreakEvenRules {
  std::int64_t from = 1, to = 1;  // the range of values to search
  std::int64_t multiple = 1;      // all values but the ends are multiples of it
  double factor = 2;              // ratio of neighbouring values of the grid
  double width = 0.04;            // of an interval that is narrow enough: high / low - 1
  int fewest = 12, most = 60;     // limits of the launches around one crossing
};

enum class Lead { baseline, challenger, neither };
constexpr std::array<std::string_view, 3> names_of(Lead) {
  return {"baseline", "challenger", "neither"};
}

/// The side that a ratio of the challenger's amount to the baseline's shows to be ahead; neither if it may be
/// chance.
Lead lead_of(const Estimate& ratio);

/// The fraction of the launches at one value that is left out at either end: none of fewer than 8 launches,
/// one of 8 to 15.
inline constexpr double trimmed_launches = 0.13;

/// The launches at one value that count: the undisturbed ones if they are a third of all, at least two; else
/// all.
std::vector<LaunchEffect> counting_launches(const std::vector<LaunchEffect>& log_ratios);

/// The mean of the launches that count at one value, each with log(challenger's amount / baseline's), without
/// the outermost ones. Needs at least one launch.
double level_of_launches(const std::vector<LaunchEffect>& log_ratios);

/// The side that is ahead by the launches at one value; neither if they show that the sides differ by less
/// than 2 %. Empty if they show none of this.
std::optional<Lead> lead_of_launches(const std::vector<LaunchEffect>& log_ratios);

/// True if the launches at one value show no lead, and are as many as a search takes for it.
bool leave_lead_open(const std::vector<LaunchEffect>& log_ratios);

/// True if the launches at one value are enough for a lead that no neighbouring value shares. Of processes
/// with one of two memory layouts, three or four agree by chance.
bool counts_alone(const std::vector<LaunchEffect>& log_ratios);

/// A place where the lead changes.
struct LeadChange {
  Lead below = Lead::baseline, above = Lead::challenger;
  double crossing = 0;  // where both take equally long; may lie between possible values
  /// The 95 % interval of the crossing, which reaches over measured values that contradict it; or the last
  /// value that was below and the first that was above.
  Interval interval;
  bool by_bisection = false;  // the interval is a bracket, and the crossing its middle
  bool interpolated = false;  // between values far apart, from results that were not paired
  std::int64_t from = 0;      // the first possible value above the crossing
  /// Bounds of `from`, by the interval: at all values before `earliest` the side below is ahead, and from
  /// `latest` on the side above.
  std::int64_t earliest = 0, latest = 0;
  /// Unless found by bisection: the nearest measured values below and above at which one side is ahead,
  /// between which the line goes.
  std::int64_t last_below = 0, first_above = 0;
};

struct BreakEven {
  enum class Answer {
    from_value,   // the challenger is ahead from the last change up
    until_value,  // the baseline is ahead from the last change up
    always,       // the challenger is ahead at all values
    never,        // the baseline is ahead at all values
    neither,      // neither is ahead at the largest value
    unclear,      // not everything needed was measured, or the launches at the largest value show no lead
  };
  Answer answer = Answer::unclear;
  std::vector<LeadChange> changes;          // rising
  std::optional<std::int64_t> first, last;  // the smallest and the largest value that could be measured
  std::size_t values = 0, launches = 0;     // measured in total

  /// Sets the answer from the side that is ahead at the largest value, and from whether there are changes.
  void conclude(Lead top);
  /// The side that the answer states to be ahead at a value; empty within the interval of a change, and if
  /// there is no answer.
  std::optional<Lead> stated_at(std::int64_t value) const;
};

constexpr std::array<std::string_view, 6> names_of(BreakEven::Answer) {
  return {"from_value", "until_value", "always", "never", "neither", "unclear"};
}

class BreakEvenSearch {
 public:
  explicit BreakEvenSearch(const BreakEvenRules& rules);

  /// Returns the value to measure in the next launch; empty when the answer is complete.
  std::optional<std::int64_t> next();
  /// Adds a launch's result at `value`: log(challenger's seconds / baseline's), negative if the challenger is
  /// faster.
  void add(std::int64_t value, const LaunchEffect& log_ratio) { launches_[value].push_back(log_ratio); }
  /// Replaces the results of all launches at `value`; there is at least one.
  void replace(std::int64_t value, std::vector<LaunchEffect> log_ratios) {
    launches_[value] = std::move(log_ratios);
  }
  /// Records that `value` cannot be measured. Its launches no longer count.
  void cannot(std::int64_t value);

  BreakEven answer() const;

 private:
  /// Two measured values with different leads, between which the lead changes.
  struct Bracket {
    std::int64_t low = 0, high = 0;
    Lead below = Lead::baseline, above = Lead::challenger;  // at `low` and at `high`

    /// True if each side is ahead at one end, so that there is a zero between.
    bool has_zero() const { return below != Lead::neither && above != Lead::neither; }
    bool operator==(const Bracket&) const = default;
  };
  /// The values around the zero in a bracket.
  struct Zone {
    Bracket bracket;
    std::int64_t low = bracket.low, high = bracket.high;  // the narrower bracket, found on the way
    double centre = 0;                                    // 0 until the zone is narrow
    double reach = 0;  // largest distance of measured values from the centre, as a logarithm
    std::vector<std::int64_t> values = {};
    int moves = 0;
  };
  /// The values in a bracket next to those that do not have the lead of its lower or its upper end. Without
  /// such values, `first_unclear` is `first_above`, and `last_unclear` is `last_below`.
  struct Gap {
    std::int64_t last_below = 0, first_unclear = 0, last_unclear = 0, first_above = 0;
    bool is_open = false;  // at some of them many launches leave the lead open
  };
  using LeadAt = std::function<std::optional<Lead>(std::int64_t)>;

  bool is_unmeasurable(std::int64_t value) const;
  std::size_t count(std::int64_t value) const;
  /// True if the launches at `value` leave_lead_open().
  bool is_open(std::int64_t value) const;
  /// The side that is ahead at `value`; empty if it cannot be measured, or if the launches do not show it.
  std::optional<Lead> lead(std::int64_t value) const;
  /// The same, from at least two launches.
  std::optional<Lead> confirmed(std::int64_t value) const;
  /// The values of the grid that could be measured, each with the side that is ahead there. Also other values
  /// that were measured, as for another metric, unless they are between two of the grid with different leads.
  std::vector<std::pair<std::int64_t, Lead>> known_leads() const;
  static bool is_between_sides(const std::vector<std::pair<std::int64_t, Lead>>& known, std::int64_t value);
  static bool is_alone(const std::vector<std::pair<std::int64_t, Lead>>& known, std::size_t i);
  std::vector<Bracket> brackets() const;
  Gap gap_in(const Bracket& bracket, const LeadAt& lead_at) const;
  Zone& zone_of(const Bracket& bracket);
  double level(std::int64_t value) const;
  std::int64_t rounded(double value) const;
  std::int64_t first_from(double value) const;
  bool are_neighbours(std::int64_t low, std::int64_t high) const;
  double between(const Zone& zone) const;
  /// True if the crossing, which has an interval, belongs to the zone.
  static bool leads_over(const Zone& zone, const Crossing& crossing);
  /// The zero of the fitted line; empty if there is none. Then the bracket is the answer.
  std::optional<Crossing> fitted(const Zone& zone) const;
  LeadChange change_in(const Bracket& bracket) const;
  LeadChange change_by_line(const Zone& zone, const Crossing& line) const;
  LeadChange change_by_bisection(const Bracket& bracket) const;
  std::optional<std::int64_t> surveying() const;
  std::optional<std::int64_t> halving(const Bracket& bracket) const;
  std::optional<std::int64_t> narrowing(Zone& zone) const;
  std::optional<std::int64_t> fitting(Zone& zone) const;
  double reach(const Zone& zone) const;
  double noise() const;
  std::vector<std::int64_t> around(const Zone& zone) const;
  std::vector<ValuesAt> places(const Zone& zone, double LaunchEffect::*bound) const;
  std::optional<Crossing> line_through(const Zone& zone) const;

  BreakEvenRules rules_;
  std::vector<std::int64_t> grid_;
  std::map<std::int64_t, std::vector<LaunchEffect>> launches_;  // empty: cannot be measured
  bool surveyed_ = false;                                       // the grid was measured
  std::vector<Zone> zones_;  // also of brackets that later launches changed
};

}  // namespace breakeven
