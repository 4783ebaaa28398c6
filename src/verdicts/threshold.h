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
#include "results/quantity.h"
#include "results/result.h"
#include "statistics/estimate.h"
#include "verdicts/break_even.h"

namespace breakeven {

/// A side at one value: the backend that needs the least of the compared metric there.
struct ThresholdStand {
  std::string backend = {};
  std::optional<double> seconds = {}, joules = {};  // medians over launches
  std::optional<double> cost = {};                  // in the currency of the prices given
  std::string algorithm = {};
  std::optional<Interval> interval = {};  // 95 % interval of the seconds, if they are from a result file
  std::optional<double> own_speed = {};   // the share at which the CPUs ran, if they are from a result file

  std::optional<double> amount(Quantity in) const {
    return in == Quantity::time ? seconds : in == Quantity::energy ? joules : cost;
  }
};

struct ThresholdPoint {
  std::int64_t value = 0;
  /// One per launch: log(challenger's seconds, joules or cost / baseline's).
  std::vector<LaunchEffect> log_ratios = {};
  std::array<ThresholdStand, 2> sides = {};
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
bool medians_disagree(const ThresholdPoint& point, Quantity in);

struct ThresholdAnswer {
  std::string title;
  Quantity in = Quantity::time;
  std::int64_t from = 0, to = 0;  // range that was searched
  BreakEven found = {};
  std::vector<ThresholdPoint> points = {};        // in rising order of value
  std::optional<std::size_t> slow_launches = {};  // of a machine below its own speed, with bounds
  std::vector<std::string> notes = {};
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
  std::vector<std::string> warnings;
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
};

/// A note on the values at which medians_disagree(); empty if there are none.
std::string medians_note(const ThresholdAnswer& answer, const std::string& parameter);

/// A note on the changes whose interval is wider than requested; empty if there are none.
std::string width_note(const ThresholdAnswer& answer, const Threshold& threshold);

/// The name of a side: "OpenBLAS or oneDNN"; with its number of ranks or threads if the sides differ in
/// nothing else; the machine's name if the sides are machines.
std::string name_of_side(const Threshold& threshold, std::size_t side);

/// A value of the parameter: "64 KiB" of bytes, otherwise "1,024".
std::string value_text(const std::string& parameter, std::int64_t value);

/// The last place where the lead changes, from the points alone, if time ran out before it was found: all
/// values above it that were measured have the same side ahead. `last_below` is 0 if too few launches were
/// taken at all values below it. Empty if there is none.
std::optional<LeadChange> bracketed_change(const ThresholdAnswer& answer);

/// The answer in sentences: "CUDA is faster than OpenBLAS from m = 384 (377 to 392) up to 1,024, the largest
/// measured: by 1.3x at 512 and 5.8x at 1,024. Below that OpenBLAS is faster."
std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold);

/// The exit status: 1 if a result was wrong; 4 if a side could not be measured at any value; 3 if an answer
/// is unclear, neither is ahead at the largest value, an interval of pairs is wider than requested, or a
/// change rests on results without an interval; else 0.
int exit_status(const Threshold& threshold);

/// Writes JSON, schema breakeven.threshold/1, described in docs/thresholds.md.
std::string to_json_text(const Threshold& threshold);
/// Reads JSON of that schema. Throws ResultError, which names the place but not the file.
Threshold threshold_from(const nlohmann::ordered_json& json);

}  // namespace breakeven
