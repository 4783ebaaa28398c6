// Estimates a machine's own speed, and at which fraction of it a probe ran. Pure: it receives times and
// measures nothing.
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

/// The least fraction of its own speed at which the machine must have run for a sample to count:
/// docs/machine-speed.md.
inline constexpr double trusted_speed_share = 0.95;

/// The least median share at which a CPU's times can be what a GPU is compared with. Below it, a quiet
/// machine may be more than twice as fast, and the factor says more of the neighbours than of the GPU.
inline constexpr double baseline_speed_share = 0.5;

/// Hardware counters of the throughput part, if the kernel allows them to be read.
struct SpeedCounters {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
};

/// The times of one probe of one CPU.
struct CpuSpeedTimes {
  int cpu = 0;
  /// Time of independent multiply-adds, as many as the core can start. Another thread on the same core slows
  /// them down.
  double throughput_seconds = 0;
  /// Time of dependent integer multiplications. They take a fixed number of cycles, so they give the core's
  /// clock rate.
  double clock_seconds = 0;
  /// Time to read half of the L2 cache in random order.
  double l2_seconds = 0;
  /// Time to read memory beyond all caches, on all CPUs at once. Measured at most once a second.
  std::optional<double> memory_seconds;
  /// CPU time of the probing thread divided by wall time: less than 1 if another thread ran in between.
  double cpu_share = 1;
  std::optional<SpeedCounters> counters;
};

/// The times of one probe of all CPUs at once.
struct SpeedProbeTimes {
  std::vector<CpuSpeedTimes> cpus;
  /// Time in which a cache line goes from one CPU to the next, the mean over all, in the fastest of several
  /// blocks. It says how far apart the cores are: a hypervisor may move them to chips that share no cache.
  /// Measured with the memory, if there are two CPUs or more.
  std::optional<double> core_to_core_seconds = {};
};

/// The parts of one CPU's probe that are compared with a reference that improves during a session. Small,
/// because every probe's are kept.
struct CpuSpeedRatios {
  int cpu = 0;
  float throughput = 0;  // divided by the time of the clock chain
  float l2 = 0;          // likewise
  float memory = 0;      // seconds; 0 if not measured
};

/// The ratios of a probe, by CPU. CPUs on which another thread ran meanwhile are left out, because their
/// times say nothing about the machine.
std::vector<CpuSpeedRatios> ratios_of(const SpeedProbeTimes& times);

/// The times of a probe's parts, each on the CPU where it took longest.
struct PartTimes {
  std::map<std::string, double> seconds;         // by key in MachineSpeed::median_seconds, if measured
  std::optional<double> instructions_per_cycle;  // the fewest in the arithmetic; empty without counters
};
PartTimes slowest_parts(const SpeedProbeTimes& times);

enum class SpeedPart : std::uint8_t { throughput, l2, memory, clock, cpu_time };

/// The name of a part by its key in MachineSpeed::median_seconds: "arithmetic", "L2 cache", "memory".
std::string part_title(const std::string& key);

/// The slowest part of a probe over all CPUs, as a fraction (0 to 1) of the machine's own speed.
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
  /// Why the reference is not absolute; empty if it is.
  std::string why;
  /// The largest fraction of its full throughput that the slowest CPU reached alone; empty if the full
  /// throughput is unknown.
  std::optional<double> best_share_alone;
};

/// throughput_seconds divided by clock_seconds on a core that no other thread uses, if the processor is
/// known.
struct FullThroughput {
  std::optional<double> time_ratio;
  std::string why_unknown;  ///< empty if time_ratio is set
};

/// The fastest of the times seen. A single time that is too short because the clock rate changed cannot set
/// it. Times are counted in bins of 0.2 %, so a long session needs no more memory.
class FastTimes {
 public:
  void note(double value);
  /// The third shortest time: the machine's best speed, however rarely it reaches it.
  std::optional<double> best() const;
  /// The time below which a fraction `share` of all times lie, and at least two of them, to within 0.1 %.
  std::optional<double> quantile(double share) const;

 private:
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

/// Estimates a machine's own speed from its probes. All parts except memory are compared in cycles of the
/// core's clock, so that a clock that falls from its turbo rate is not mistaken for load on the same core.
class OwnSpeed {
 public:
  explicit OwnSpeed(FullThroughput full) : full_(std::move(full)) {}

  /// Adds three probes of one CPU: alone (the others asleep), with all CPUs at once, and alone again. If it
  /// is at full speed alone both times and slow together, CPUs of the list share a core.
  void note_calibration(const CpuSpeedTimes& alone_before, const CpuSpeedTimes& together,
                        const CpuSpeedTimes& alone_after);
  void note(const SpeedProbeTimes& times);

  SpeedShare share_of(const SpeedProbeTimes& times) const;
  /// Two probes of the same CPUs as one: each CPU with the probe in which it was faster. Interrupts fall on
  /// other CPUs in each probe, and on many CPUs into nearly every one.
  SpeedProbeTimes fastest_of(const SpeedProbeTimes& one, const SpeedProbeTimes& other) const;
  /// The share of an earlier probe, compared with what is known now. The clock part is left out: the probe
  /// was compared with the clock at that time, which may have changed since.
  double share_again(const std::vector<CpuSpeedRatios>& ratios) const;
  SpeedReference reference() const;

 private:
  struct Cpu {
    FastTimes alone;     ///< throughput over clock, other CPUs asleep
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
