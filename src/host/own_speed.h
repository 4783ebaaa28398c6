// What a machine's own speed is, and which share of it a probe saw. Pure: it is told times and measures
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace breakeven {

/// "ran at 60 % of its own speed"
std::string ran_at(double share);

/// A sample counts only if the machine ran at this share of its own speed, or more: docs/machine-speed.md.
inline constexpr double trusted_speed_share = 0.95;

/// Hardware counters of the throughput part, where the kernel lets them be read.
struct SpeedCounters {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
};

/// One probe of one CPU.
struct CpuSpeedTimes {
  int cpu = 0;
  /// Independent multiply-adds, as many as the core can start: a neighbour on the same core takes some.
  double throughput_seconds = 0;
  /// Dependent integer multiplications: their number of cycles is fixed, so they give the core's clock.
  double clock_seconds = 0;
  /// Reads half of the L2 cache in random order.
  double l2_seconds = 0;
  /// Reads memory past all caches, on all CPUs at once. Measured at most once a second.
  std::optional<double> memory_seconds;
  /// CPU time of the probing thread over its wall time: less than 1 where another thread ran in between.
  double cpu_share = 1;
  std::optional<SpeedCounters> counters;
};

/// One probe of all CPUs at the same time.
struct SpeedProbeTimes {
  std::vector<CpuSpeedTimes> cpus;
};

/// The parts of one CPU's probe that are compared with a reference which gets better during a session. Kept
/// for every probe, so it is small.
struct CpuSpeedRatios {
  int cpu = 0;
  float throughput = 0;  // over the clock chain's time
  float l2 = 0;          // likewise
  float memory = 0;      // seconds; 0: not measured
};

/// The ratios of a probe, by CPU. CPUs where another thread ran meanwhile are left out, because their times
/// say nothing of the machine.
std::vector<CpuSpeedRatios> ratios_of(const SpeedProbeTimes& times);

enum class SpeedPart : std::uint8_t { throughput, l2, memory, clock, cpu_time };

/// For messages: "floating-point throughput", "L2 cache", "memory", "clock", "CPU time".
std::string speed_part_name(SpeedPart part);

/// 0 to 1, of the machine's own speed: the least of all parts on all CPUs.
struct SpeedShare {
  double share = 1;
  SpeedPart least = SpeedPart::throughput;
  int cpu = 0;
};

enum class SpeedReferenceKind : std::uint8_t {
  absolute,      ///< each CPU was seen at the speed that its processor is known to have
  session_best,  ///< the fastest probes of this session: a neighbour that never left is not seen
  never_full,    ///< the processor's speed is known, and some CPU was never seen at it
};

struct SpeedReference {
  SpeedReferenceKind kind = SpeedReferenceKind::session_best;
  /// Why it is not absolute; empty where it is.
  std::string why;
  /// The largest share of its full throughput at which the slowest CPU was seen alone; nothing where the full
  /// throughput is not known.
  std::optional<double> best_share_alone;
};

/// throughput_seconds over clock_seconds of a core that nobody shares, where the processor is known.
struct FullThroughput {
  std::optional<double> time_ratio;
  std::string why_unknown;  ///< empty where time_ratio is set
};

/// The fast end of the times seen. One time that a change of the clock made too short cannot set it. Times
/// are counted in bins of 0.2 %, so a long session needs no more memory.
class FastTimes {
 public:
  void note(double value);
  /// The third fastest: what the machine can do, however rarely it does.
  std::optional<double> best() const;
  /// The time that this share of all times is faster than, and at least two are.
  std::optional<double> quantile(double share) const;

 private:
  /// The bin's middle: a time is within 0.1 % of it.
  std::optional<double> after(std::size_t faster) const;

  std::map<int, std::size_t> bins_;
  std::size_t count_ = 0;
};

/// The median of the latest values.
class RecentMedian {
 public:
  void note(double value);
  std::optional<double> value() const;

 private:
  std::deque<double> values_;
};

/// Finds what a machine's own speed is from its probes. All parts but the memory's are compared in cycles of
/// the core's clock, so that a clock that falls from its turbo is not taken for a neighbour.
class OwnSpeed {
 public:
  explicit OwnSpeed(FullThroughput full) : full_(std::move(full)) {}

  /// One CPU, while the others slept: before a probe of all, the probe of all, and after it. Two alone at
  /// full speed around a slow one of all say that CPUs of the list share a core.
  void note_calibration(const CpuSpeedTimes& alone_before, const CpuSpeedTimes& together,
                        const CpuSpeedTimes& alone_after);
  void note(const SpeedProbeTimes& times);

  SpeedShare share_of(const SpeedProbeTimes& times) const;
  /// The share of an earlier probe by what is known now. The clock is left out: a probe was compared with the
  /// clock of its own time, which may be another by now.
  double share_again(const std::vector<CpuSpeedRatios>& ratios) const;
  SpeedReference reference() const;

 private:
  struct Cpu {
    FastTimes alone;     ///< throughput over clock, the other CPUs asleep
    FastTimes together;  ///< throughput over clock, all CPUs at once
    FastTimes l2;        ///< L2 over clock
    FastTimes memory;    ///< seconds
    RecentMedian clock;  ///< seconds
    int slowed_by_own_cpus = 0;
  };

  double throughput_reference(const Cpu& cpu) const;
  static std::optional<double> best_throughput(const Cpu& cpu);
  bool shares_a_core(const Cpu& cpu) const;
  bool is_plausible() const;
  SpeedShare share_of(const CpuSpeedTimes& times) const;
  std::array<std::pair<SpeedPart, double>, 3> shares_of(const Cpu& cpu, const CpuSpeedRatios& ratios) const;

  FullThroughput full_;
  std::map<int, Cpu> cpus_;
};

}  // namespace breakeven
