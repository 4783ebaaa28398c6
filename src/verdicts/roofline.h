// Computes how close a result is to the limits of its device (Williams, Waterman and Patterson, Roofline,
// CACM 2009). The limits are measured on the device itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// True if a case measures a limit of a device, and so is not compared with one.
bool is_ceiling(const CaseResult& result);

/// The measured limits of a device: the best samples of its `peak` cases, by dtype, and of its `read`,
/// `triad` and `copy` cases within its memory, by working set.
class Ceilings {
 public:
  /// Adds a result. Results that measure no limit are ignored.
  void add(const CaseResult& result);

  std::optional<double> flop_per_second(const std::string& dtype) const;
  /// The bandwidth limit for work on `working_set` bytes: the best rate of the largest measured working set
  /// that is not larger, and of all larger ones. Smaller ones may be in a faster cache. Those of at least an
  /// eighth of the largest are all in memory, and so count for any work that is as large.
  std::optional<double> bytes_per_second(double working_set) const;
  /// The best median rate of the working sets that are in memory.
  std::optional<double> usual_bytes_per_second_of_memory() const;
  /// The smallest working set, in bytes, with a known rate. Smaller ones may be in a faster cache.
  std::optional<double> least_working_set() const {
    return rates_.empty() ? std::nullopt : std::optional(rates_.front().working_set);
  }

 private:
  struct Rate {
    double working_set = 0, bytes_per_second = 0;
    double usual = 0;  // bytes per second, by the median
  };
  /// The first rate of a working set that is in memory. There is at least one rate.
  std::vector<Rate>::const_iterator first_in_memory() const;
  std::map<std::string, double> flop_per_second_;  // by dtype
  std::vector<Rate> rates_;                        // by working set, rising
};

/// The ceilings of each device in the results, by MeasuredCase::device.
std::vector<Ceilings> ceilings(const std::vector<const Result*>& results);

/// The shortest possible time of a case, and its limit.
struct LeastTime {
  double seconds = 0;
  bool arithmetic = false;  // the limit is arithmetic; else memory
};
/// Empty if a ceiling that may be the limit is not known, and for a case of several ranks, because ceilings
/// are those of one device. Does not depend on the measured time.
std::optional<LeastTime> least_time(const CaseResult& result, const Ceilings& ceilings);

/// The shortest time that the ceilings allow a case, over the time that it took.
struct Roofline {
  double share = 0;         // 1: at the ceiling
  bool arithmetic = false;  // the limit is arithmetic; else memory
};
/// Empty if the case has no time, or if a ceiling that may be its limit is not known. The share of a
/// convolution may exceed 1: its FLOPs are those of the definition, and some algorithms need fewer.
std::optional<Roofline> roofline(const CaseResult& result, const Ceilings& ceilings);

/// Explains why a result is impossible: even the upper end of its interval is more than 5 % below the time
/// that any algorithm needs at the ceilings. Empty if the result is possible.
std::string why_implausible(const CaseResult& result, const Ceilings& ceilings);
/// Explains why no processor of today can have done the case's work in `seconds`, with a generous bound:
/// `cpus` processors at 7 GHz with the widest units that any has for the dtype, or a GPU several times as
/// fast as the fastest. Empty if one can, and for a case of several ranks.
std::string why_beyond_any_processor(const CaseResult& result, double seconds, double cpus);
/// Sets the status of impossible results to `implausible`, based on the ceilings in the same run. Those that
/// CPUs only measured below their own speed make no result impossible.
void mark_implausible(Result& run);
/// The same for a result that was read from a file, and which another program may have written: also rates
/// that no processor has are impossible.
void mark_implausible_as_read(Result& run);

}  // namespace breakeven
