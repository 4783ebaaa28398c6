// How close a result is to what its device can do (Williams, Waterman and Patterson, Roofline, CACM 2009), by
// the ceilings that were measured on that device itself.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Whether a case says what a device does at most, and so is no work to be held against that.
bool is_ceiling(const CaseResult& result);

/// What a device does at most: the best samples of its cases of `peak`, by dtype, and of `read`, `triad` and
/// `copy` within its memory, by the bytes that they went through.
class Ceilings {
 public:
  /// Takes in a result that says something of it; others change nothing.
  void add(const CaseResult& result);

  std::optional<double> flop_per_second(const std::string& dtype) const;
  /// Of work that goes through `working_set` bytes, which lie in the caches that they fit into: of the arrays
  /// just small enough to fit there, and of all larger ones, the best rate.
  std::optional<double> bytes_per_second(double working_set) const;
  /// The least bytes that a rate is known of: what is smaller may lie in a faster cache yet.
  std::optional<double> least_working_set() const;

 private:
  struct Rate {
    double working_set = 0, bytes_per_second = 0;
  };
  std::map<std::string, double> flop_per_second_;  // by dtype
  std::vector<Rate> rates_;                        // by working set, rising
};

/// By what tells one device from another: the machine, its threads, and which of its devices.
using CeilingsByDevice = std::map<std::string, Ceilings>;
CeilingsByDevice ceilings(std::span<const Result> results);
CeilingsByDevice ceilings(const std::vector<const Result*>& results);
/// Those of the device that `result`, a case of `run`, was measured on; null where nothing is known of it.
const Ceilings* find_ceilings(const CeilingsByDevice& all, const Result& run, const CaseResult& result);

/// What limits a case, and how long it then takes at least.
struct LeastTime {
  double seconds = 0;
  bool arithmetic = false;  // that is what limits it; else memory
};
/// Nothing where a ceiling that may be its limit is not known. Whatever the case took is not looked at.
std::optional<LeastTime> least_time(const CaseResult& result, const Ceilings& ceilings);

/// The shortest time that the ceilings allow a case, over the time that it took.
struct Roofline {
  double share = 0;         // 1: at the ceiling
  bool arithmetic = false;  // that is what limits it; else memory
};
/// Nothing where the case has no time, or a ceiling that may be its limit is not known. Convolutions may be
/// above 1: their FLOPs are those of the definition, and there are algorithms that take fewer.
std::optional<Roofline> roofline(const CaseResult& result, const Ceilings& ceilings);
/// The same of a case of `run`, by the ceilings of its device, where they are among `all`.
std::optional<Roofline> roofline(const CaseResult& result, const Result& run, const CeilingsByDevice& all);

/// Why a result cannot be: faster than the ceilings allow any algorithm by more than a twentieth, its
/// interval included. Empty where it can.
std::string why_implausible(const CaseResult& result, const Ceilings& ceilings);
/// Makes results that cannot be `implausible`, by the ceilings in the same run.
void mark_implausible(Result& run);

}  // namespace breakeven
