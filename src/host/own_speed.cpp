#include "host/own_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace breakeven {
namespace {

/// A CPU that alone reaches this fraction of its full throughput counts as having its core to itself: timers
/// and interrupts cost up to two percent.
constexpr double full_enough = 0.97;
/// Another thread on a core with two hyperthreads takes about half. A fraction below this is no such thread,
/// but an emulator or a core that reports another model.
constexpr double least_plausible = 0.3;
/// A larger fraction of the full throughput means that the core starts more than two multiply-adds a cycle,
/// so it has more units than expected.
constexpr double most_plausible = 1.1;
/// The number of calibrations that must show that CPUs of the list slow each other down.
constexpr int calibrations_that_agree = 3;
/// The least share of CPU time in a valid probe. Below it another thread ran meanwhile, so the probe's other
/// times say nothing about the machine.
constexpr double least_cpu_share = 0.95;
constexpr std::size_t recent_values = 63;
/// The fraction of the session's times that are faster than the reference, if the processor's full speed is
/// unknown.
constexpr double reference_share = 0.02;
/// The same for memory, which varies by 5 % on a quiet machine.
constexpr double memory_reference_share = 0.25;
/// Width of a bin of the logarithms of times.
constexpr double bin_width = 0.002;

double ratio(double time, double clock) {
  return clock > 0 ? time / clock : 0;
}

CpuSpeedRatios ratios_of_cpu(const CpuSpeedTimes& times) {
  return {.cpu = times.cpu,
          .throughput = static_cast<float>(ratio(times.throughput_seconds, times.clock_seconds)),
          .l2 = static_cast<float>(ratio(times.l2_seconds, times.clock_seconds)),
          .memory = static_cast<float>(times.memory_seconds.value_or(0))};
}

double part_share(std::optional<double> reference, double now) {
  if (!reference || *reference <= 0 || now <= 0) return 1;
  return std::min(1.0, *reference / now);
}

}  // namespace

std::vector<CpuSpeedRatios> ratios_of(const SpeedProbeTimes& times) {
  std::vector<CpuSpeedRatios> ratios;
  for (const CpuSpeedTimes& one : times.cpus) {
    if (one.cpu_share >= least_cpu_share) ratios.push_back(ratios_of_cpu(one));
  }
  return ratios;
}

PartTimes slowest_parts(const SpeedProbeTimes& times) {
  PartTimes slowest;
  for (const CpuSpeedTimes& cpu : times.cpus) {
    const auto note = [&](const char* part, double seconds) {
      slowest.seconds[part] = std::max(slowest.seconds[part], seconds);
    };
    // A CPU that another program uses half of the time does half the work, however fast it is the rest of the
    // time.
    note("throughput", cpu.throughput_seconds / cpu.cpu_share);
    note("l2", cpu.l2_seconds);
    note("clock", cpu.clock_seconds);
    if (cpu.memory_seconds) note("memory", *cpu.memory_seconds);
    if (!cpu.counters || cpu.counters->cycles == 0) continue;
    const double per_cycle =
        static_cast<double>(cpu.counters->instructions) / static_cast<double>(cpu.counters->cycles);
    slowest.instructions_per_cycle = std::min(slowest.instructions_per_cycle.value_or(per_cycle), per_cycle);
  }
  if (times.core_to_core_seconds) slowest.seconds["core_to_core"] = *times.core_to_core_seconds;
  std::erase_if(slowest.seconds,
                [](const auto& part) { return !(part.second > 0 && std::isfinite(part.second)); });
  return slowest;
}

std::string part_title(const std::string& key) {
  if (key == "throughput") return "arithmetic";
  if (key == "core_to_core") return "core-to-core latency";
  return key == "l2" ? "L2 cache" : key;
}

void FastTimes::note(double value) {
  if (value <= 0 || !std::isfinite(value)) return;
  ++bins_[static_cast<int>(std::floor(std::log(value) / bin_width))];
  ++count_;
}

std::optional<double> FastTimes::best() const {
  return quantile(0);
}

std::optional<double> FastTimes::quantile(double share) const {
  const auto faster = std::max(static_cast<std::size_t>(share * static_cast<double>(count_)),
                               count_ > 2 ? std::size_t{2} : count_ / 2);
  std::size_t seen = 0;
  for (const auto& [bin, times] : bins_) {
    seen += times;
    if (seen > faster) return std::exp((bin + 0.5) * bin_width);
  }
  return std::nullopt;
}

void RecentMedian::note(double value) {
  if (value <= 0) return;
  values_.push_back(value);
  if (values_.size() > recent_values) values_.pop_front();
}

std::optional<double> RecentMedian::value() const {
  if (values_.empty()) return std::nullopt;
  std::vector<double> sorted(values_.begin(), values_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void OwnSpeed::note_calibration(const CpuSpeedTimes& alone_before, const CpuSpeedTimes& together,
                                const CpuSpeedTimes& alone_after) {
  Cpu& cpu = cpus_[together.cpu];
  const double before = ratio(alone_before.throughput_seconds, alone_before.clock_seconds);
  const double after = ratio(alone_after.throughput_seconds, alone_after.clock_seconds);
  const double all = ratio(together.throughput_seconds, together.clock_seconds);
  cpu.alone.note(before);
  cpu.alone.note(after);
  cpu.together.note(all);
  if (full_.time_ratio && before > 0 && after > 0 && all > 0) {
    const double longest = *full_.time_ratio / full_enough;
    if (before <= longest && after <= longest && all > longest) ++cpu.slowed_by_own_cpus;
  }
}

void OwnSpeed::note(const SpeedProbeTimes& times) {
  for (const CpuSpeedTimes& one : times.cpus) {
    if (one.cpu_share < least_cpu_share) continue;
    Cpu& cpu = cpus_[one.cpu];
    cpu.together.note(ratio(one.throughput_seconds, one.clock_seconds));
    cpu.l2.note(ratio(one.l2_seconds, one.clock_seconds));
    if (one.memory_seconds) cpu.memory.note(*one.memory_seconds);
    cpu.clock.note(one.clock_seconds);
  }
}

bool OwnSpeed::shares_a_core(const Cpu& cpu) const {
  const auto together = cpu.together.best();
  const bool never_full = together && *together > *full_.time_ratio / full_enough;
  return never_full && cpu.slowed_by_own_cpus >= calibrations_that_agree;
}

bool OwnSpeed::is_plausible() const {
  return std::all_of(cpus_.begin(), cpus_.end(), [this](const auto& entry) {
    const auto alone = entry.second.alone.best();
    if (!alone) return true;
    const double share = *full_.time_ratio / *alone;
    return share >= least_plausible && share <= most_plausible;
  });
}

double OwnSpeed::throughput_reference(const Cpu& cpu) const {
  if (full_.time_ratio && is_plausible() && !shares_a_core(cpu)) return *full_.time_ratio;
  return cpu.together.quantile(reference_share).value_or(0);
}

std::array<std::pair<SpeedPart, double>, 3> OwnSpeed::shares_of(const Cpu& cpu,
                                                                const CpuSpeedRatios& ratios) const {
  return {{{SpeedPart::throughput, part_share(throughput_reference(cpu), ratios.throughput)},
           {SpeedPart::l2, part_share(cpu.l2.quantile(reference_share), ratios.l2)},
           {SpeedPart::memory, part_share(cpu.memory.quantile(memory_reference_share), ratios.memory)}}};
}

double OwnSpeed::share_again(const std::vector<CpuSpeedRatios>& ratios) const {
  double least = 1;
  for (const CpuSpeedRatios& one : ratios) {
    const auto found = cpus_.find(one.cpu);
    if (found == cpus_.end()) continue;
    for (const auto& [part, share] : shares_of(found->second, one)) least = std::min(least, share);
  }
  return least;
}

SpeedShare OwnSpeed::share_of(const CpuSpeedTimes& times) const {
  SpeedShare least{std::clamp(times.cpu_share, 0.0, 1.0), SpeedPart::cpu_time, times.cpu};
  const auto found = cpus_.find(times.cpu);
  if (found == cpus_.end()) return least;
  const Cpu& cpu = found->second;
  const auto note = [&](SpeedPart part, double share) {
    if (share < least.share) least = {share, part, times.cpu};
  };
  for (const auto& [part, share] : shares_of(cpu, ratios_of_cpu(times))) note(part, share);
  note(SpeedPart::clock, part_share(cpu.clock.value(), times.clock_seconds));
  return least;
}

SpeedShare OwnSpeed::share_of(const SpeedProbeTimes& times) const {
  SpeedShare least;
  if (!times.cpus.empty()) least.cpu = times.cpus.front().cpu;
  for (const CpuSpeedTimes& one : times.cpus) {
    if (const SpeedShare share = share_of(one); share.share < least.share) least = share;
  }
  return least;
}

SpeedProbeTimes OwnSpeed::fastest_of(const SpeedProbeTimes& one, const SpeedProbeTimes& other) const {
  SpeedProbeTimes fastest = one;
  for (std::size_t i = 0; i < one.cpus.size(); ++i) {
    if (share_of(other.cpus[i]).share > share_of(one.cpus[i]).share) fastest.cpus[i] = other.cpus[i];
  }
  if (const auto& handed = other.core_to_core_seconds)
    fastest.core_to_core_seconds = std::min(fastest.core_to_core_seconds.value_or(*handed), *handed);
  return fastest;
}

std::optional<double> OwnSpeed::best_throughput(const Cpu& cpu) {
  const auto alone = cpu.alone.best();
  const auto together = cpu.together.best();
  if (alone && together) return std::min(*alone, *together);
  return alone ? alone : together;
}

SpeedReference OwnSpeed::reference() const {
  if (!full_.time_ratio) return {SpeedReferenceKind::session_best, full_.why_unknown, std::nullopt};
  if (!is_plausible()) {
    return {SpeedReferenceKind::session_best,
            "this processor does not start two multiply-adds a cycle as its kind does (an emulator?)",
            std::nullopt};
  }
  std::optional<double> least;
  int slowest = 0;
  for (const auto& [number, cpu] : cpus_) {
    const auto best = best_throughput(cpu);
    if (!best) continue;
    const double share = std::min(1.0, *full_.time_ratio / *best);
    if (!least || share < *least) {
      least = share;
      slowest = number;
    }
  }
  if (!least) return {SpeedReferenceKind::session_best, "the probe has not been calibrated", std::nullopt};
  if (*least >= full_enough) return {SpeedReferenceKind::absolute, "", least};
  return {
      SpeedReferenceKind::never_full,
      fmt::format("CPU {} was never seen at its full speed, at most at {:.0f} %: something has shared its "
                  "core all the time",
                  slowest, 100 * *least),
      least};
}

}  // namespace breakeven
