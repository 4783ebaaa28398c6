// The result of `threshold`: for each combination of a config's other parameters, the value from which one
// side is faster than the other.
#pragma once

#include <array>
#include <cstdint>
#include <map>
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

/// A side at one value: its backend that needs the least of the compared metric there.
struct ThresholdStand {
  std::string backend = {};
  std::optional<double> seconds = {}, joules = {};  // medians over launches
  std::optional<double> cost = {};                  // in the currency of the prices given
  std::string algorithm = {};
  std::optional<Interval> interval = {};  // 95 % of the seconds, where they are a result's

  std::optional<double> amount(Quantity in) const {
    return in == Quantity::time ? seconds : in == Quantity::energy ? joules : cost;
  }
};

struct ThresholdPoint {
  std::int64_t value = 0;
  std::vector<double> log_ratios;  // one a launch: log(challenger's seconds, joules or cost / baseline's)
  std::array<ThresholdStand, 2> sides;
  std::string reason;                     // why there is no ratio
  bool wrong = false;                     // a result of one backend or more was wrong
  std::optional<Interval> interval = {};  // 95 % of the logarithm, of two results that were not paired

  /// The challenger's amount over the baseline's: for pairs, the mean of the launches, with its 95 % interval
  /// from three launches on; empty if there is no ratio.
  std::optional<Estimate> ratio() const;
};

/// True if the medians shown contradict the verdict, which compares pairs: each median is over all launches,
/// and launches differ.
bool medians_disagree(const ThresholdPoint& point, Quantity in);

struct ThresholdAnswer {
  std::string title;
  Quantity in = Quantity::time;
  std::int64_t from = 0, to = 0;  // asked about
  BreakEven found;
  std::vector<ThresholdPoint> points;  // by value, rising
  std::vector<std::string> notes;
};

/// One of the two sides that were compared.
struct ThresholdContender {
  std::vector<std::string> wanted;      // by the config
  std::vector<BackendRecord> backends;  // available or not
  int threads = 1;
  std::optional<HourlyPrice> price;
  std::string name = {};          // of the machine, where the sides are two machines; else empty
  std::optional<Host> host = {};  // likewise
};

struct Threshold {
  std::string created;  // UTC, ISO 8601
  bool complete = false;
  std::string tool_version;
  std::vector<std::string> warnings;
  Host host;
  std::optional<MachineSpeed> machine_speed = {};
  std::string title, parameter;
  double width = 0.04;                      // of an interval that was asked for
  std::array<ThresholdContender, 2> sides;  // the baseline, and its challenger
  bool unlike_precision = false;
  bool from_results = false;  // of two machines, each by itself: not paired, see `warnings`
  std::string config;         // JSON text, as given
  double wall_seconds = 0;
  std::vector<ThresholdAnswer> answers;
};

inline constexpr const char* threshold_schema = "breakeven.threshold/1";

/// A note on the values at which medians_disagree(); empty if there are none.
std::string medians_note(const ThresholdAnswer& answer, const std::string& parameter);

/// "OpenBLAS or oneDNN": a side of a threshold, with its threads where the sides differ in nothing else; a
/// machine's name where the sides are machines.
std::string name_of_side(const Threshold& threshold, std::size_t side);

/// In sentences: "CUDA is faster than OpenBLAS from m = 384 (377 to 392) up to 1,024, the largest measured.
/// Below that OpenBLAS is faster."
std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold);

/// 1 if a result was wrong; 4 if a side could not be measured at any value; 3 if an answer is unclear,
/// neither is ahead at the largest value, or an interval of pairs is wider than requested; else 0.
int exit_status(const Threshold& threshold);

/// JSON, schema breakeven.threshold/1, described in docs/thresholds.md.
std::string to_json_text(const Threshold& threshold);
/// Reads JSON of that schema. Throws ResultError, which names the place but not the file.
Threshold threshold_from(const nlohmann::ordered_json& json);

}  // namespace breakeven
