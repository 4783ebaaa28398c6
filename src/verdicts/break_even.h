// Finds the value of a parameter from which one side is faster than the other: decides which value to measure
// next, and what follows from the measurements.
//
// A scan of all values measures mostly where nothing is in doubt. Here a coarse grid finds out who is ahead
// where; between neighbours of the grid with different sides ahead, the value is bracketed; and the rest of
// the launches goes to a few values close around it, through which a line is fitted whose zero is the answer
// (statistics/crossing.h). Where neither is ahead on one side of a change, as below the size from which on a
// library uses its threads, or no line goes through the values, there is no zero to fit: there the bracket is
// halved until it is narrow enough.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "json/names.h"
#include "statistics/crossing.h"

namespace breakeven {

struct BreakEvenRules {
  std::int64_t from = 1, to = 1;  // the values asked about
  std::int64_t multiple = 1;      // all values but the ends are multiples of it
  double factor = 2;              // between neighbours of the grid
  double width = 0.04;            // of an interval, high over low less 1, that is narrow enough
  int fewest = 12, most = 60;     // launches around one crossing
};

enum class Lead { baseline, challenger, neither };
constexpr std::array<std::string_view, 3> names_of(Lead) {
  return {"baseline", "challenger", "neither"};
}

/// One place where the lead changes.
struct LeadChange {
  Lead below = Lead::baseline, above = Lead::challenger;
  double crossing = 0;  // where both take equally long; may lie between possible values
  /// The 95 % interval of the crossing; or the last value that was below and the first that was above.
  Interval interval;
  bool by_bisection = false;              // the interval is a bracket, and the crossing its middle
  bool interpolated = false;              // from values far apart, in results that were not paired
  std::int64_t from = 0;                  // the first value behind it
  std::int64_t earliest = 0, latest = 0;  // that it may be, by the interval
  /// If it is interpolated: the measured values on either side of it at which one side is ahead.
  std::int64_t last_below = 0, first_above = 0;
};

struct BreakEven {
  enum class Answer {
    from_value,   // the challenger is ahead from the last change on
    until_value,  // the baseline is
    always,       // the challenger is ahead at all values asked about
    never,        // the baseline is
    neither,      // is ahead at the largest value
    unclear,      // not everything needed was measured
  };
  Answer answer = Answer::unclear;
  std::vector<LeadChange> changes;          // rising
  std::optional<std::int64_t> first, last;  // the smallest and the largest value that could be measured
  std::size_t values = 0, launches = 0;     // how much that took
};

constexpr std::array<std::string_view, 6> names_of(BreakEven::Answer) {
  return {"from_value", "until_value", "always", "never", "neither", "unclear"};
}

class BreakEvenSearch {
 public:
  explicit BreakEvenSearch(const BreakEvenRules& rules);

  /// The value that another launch should measure; empty when the answer is complete.
  std::optional<std::int64_t> next();
  /// Adds a launch's result at `value`: log(challenger's seconds / baseline's), negative if the challenger is
  /// faster.
  void add(std::int64_t value, double log_ratio);
  /// Records that `value` cannot be measured.
  void cannot(std::int64_t value);

  BreakEven answer() const;

 private:
  /// The values around one change of the lead.
  struct Zone {
    std::int64_t low = 0, high = 0;
    Lead below = Lead::baseline, above = Lead::challenger;  // at those
    double centre = 0;                                      // once it is narrow
    double reach = 0;  // how far from there values are measured, as a logarithm
    std::vector<std::int64_t> values = {};
    int moves = 0;

    /// True if both sides are ahead somewhere, so that there is a zero between.
    bool has_zero() const { return below != Lead::neither && above != Lead::neither; }
  };

  bool is_unmeasurable(std::int64_t value) const;
  /// The side that is ahead at `value`; empty if it cannot be measured, or if more launches are needed.
  std::optional<Lead> lead(std::int64_t value) const;
  /// The same, by more than one launch.
  std::optional<Lead> confirmed(std::int64_t value) const;
  /// The grid's values that could be measured, with who is ahead there.
  std::vector<std::pair<std::int64_t, Lead>> known_grid() const;
  double level(std::int64_t value) const;
  std::int64_t rounded(double value) const;
  std::int64_t first_from(double value) const;
  bool are_neighbours(std::int64_t low, std::int64_t high) const;
  double between(const Zone& zone) const;
  /// True if the crossing, whose interval is known, is that of the zone.
  static bool leads_over(const Zone& zone, const Crossing& crossing);
  /// The zero of a fitted line; empty if it is not known: then the bracket is the answer.
  std::optional<Crossing> fitted(const Zone& zone) const;
  LeadChange change_in(const Zone& zone) const;
  std::optional<std::int64_t> surveying() const;
  void make_zones();
  std::optional<std::int64_t> halving(Zone& zone) const;
  std::optional<std::int64_t> narrowing(Zone& zone) const;
  std::optional<std::int64_t> fitting(Zone& zone) const;
  double reach(const Zone& zone) const;
  double noise() const;
  std::vector<std::int64_t> around(const Zone& zone) const;
  std::vector<ValuesAt> places(const Zone& zone) const;

  BreakEvenRules rules_;
  std::vector<std::int64_t> grid_;
  std::map<std::int64_t, std::vector<double>> launches_;  // empty: cannot be measured
  std::optional<std::vector<Zone>> zones_;                // once the grid is known
};

}  // namespace breakeven
