// The result of `threshold`: for each combination of a config's other parameters, the value from which one
// side is faster than the other.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/price.h"
#include "results/metric.h"
#include "results/result.h"
#include "statistics/estimate.h"
#include "verdicts/break_even.h"
#include "verdicts/latency_limit.h"

namespace breakeven {

/// A side at one value: the backend that needs the least of the compared metric there.
struct ThresholdPointSide {
  std::string backend = {};
  std::optional<double> seconds = {}, joules = {};  // medians over launches
  std::optional<double> cost = {};                  // in the currency of the prices given
  std::string algorithm = {};
  std::optional<Interval> interval = {};  // 95 % interval of the seconds, if they are from a result file
  std::optional<double> own_speed = {};   // the share at which the CPUs ran, if they are from a result file

  std::optional<double> amount(Metric in) const {
    return in == Metric::time ? seconds : in == Metric::energy ? joules : cost;
  }
};

struct ThresholdPoint {
  std::int64_t value = 0;
  /// One per launch: log(challenger's seconds, joules or cost / baseline's).
  std::vector<LaunchEffect> log_ratios = {};
  std::array<ThresholdPointSide, 2> sides = {};
  std::string reason = {};  // why there is no ratio
  bool wrong = false;       // a result of at least one backend was wrong
  /// The interval of the logarithm, for two results that were not paired: 95 %, for all points together.
  std::optional<Interval> interval = {};

  /// The challenger's amount over the baseline's. For pairs, the level of the launches, with its 95 %
  /// interval from three launches on. Empty if there is no ratio.
  std::optional<Estimate> ratio() const;
};

/// The side that is ahead at a point, by the rule of the search, or of results that were not paired. Empty
/// without a ratio, and if the launches do not show it.
std::optional<Lead> lead_at(const ThresholdPoint& point, bool from_results);

/// True if the medians shown contradict the verdict, which is based on pairs. This is possible because each
/// median is over all launches, and launches differ.
bool medians_disagree(const ThresholdPoint& point, Metric in);

struct ThresholdAnswer {
  std::string title;
  Metric in = Metric::time;
  std::int64_t from = 0, to = 0;  // range that was searched
  BreakEven found = {};
  std::vector<ThresholdPoint> points = {};        // in rising order of value
  std::optional<std::size_t> slow_launches = {};  // of a machine below its own speed, with bounds
  std::vector<Note> notes = {};
};

/// The side to show as ahead at a point of the answer: lead_at(), or around a crossing that was fitted the
/// side that the line shows, if the launches at the point lean to it.
Lead shown_lead(const ThresholdPoint& point, const ThresholdAnswer& answer, bool from_results);

/// One of the two sides that were compared.
struct ThresholdContender {
  std::vector<std::string> wanted;      // backends that the config requests
  std::vector<BackendRecord> backends;  // including those that are not available
  int threads = 1;
  std::int64_t ranks = 1;  // if the side's cases are computed by several processes
  std::optional<HourlyPrice> price = {};
  std::string name = {};          // the machine, if the sides are two machines; else empty
  std::optional<Host> host = {};  // the machine, if the sides are two machines
  /// In files of older programs, whose points have none: the median over all cases of the result.
  std::optional<double> own_speed = {};
};

struct Threshold {
  std::string created;  // UTC, ISO 8601
  bool complete = false;
  std::string tool_version;
  std::vector<Note> warnings;
  Host host;
  std::optional<MachineSpeed> machine_speed = {};
  std::string title, parameter;
  double width = 0.04;                      // requested width of an interval
  std::array<ThresholdContender, 2> sides;  // the baseline and the challenger
  bool unlike_precision = false;
  bool from_results = false;  // of two machines, measured separately: not paired, see `warnings`
  std::string config;         // JSON text, unchanged
  double wall_seconds = 0;
  std::vector<ThresholdAnswer> answers;
  std::optional<LatencyLimit> p99 = {};  // if a limit was given, with results
};

/// The last place where the lead changes, from the points alone, if time ran out before it was found: all
/// values above it that were measured have the same side ahead. `last_below` is 0 if too few launches were
/// taken at all values below it. Empty if there is none.
std::optional<LeadChange> bracketed_change(const ThresholdAnswer& answer);

/// True if the interval of the change is wider than `width`, relative to its lower end.
bool is_wide(const LeadChange& change, double width);
/// True if no value has a ratio, and not for lack of time: the largest was tried, with which the first round
/// ends.
bool cannot_be_measured(const ThresholdAnswer& answer, const Threshold& threshold);

/// The exit status: 1 if a result was wrong; 4 if a side could not be measured at any value; 3 if an answer
/// is unclear, neither is ahead at the largest value, an interval of pairs is wider than requested, or a
/// change rests on results without an interval; else 0.
int exit_status(const Threshold& threshold);

/// Writes JSON, schema breakeven.threshold/1, described in docs/result-file.md.
std::string to_json_text(const Threshold& threshold, const Words& words);
/// Reads JSON of that schema. Throws ResultError, which names the place but not the file.
Threshold threshold_from(const nlohmann::ordered_json& json);

}  // namespace breakeven
