#include "session/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "session/schedule.h"
#include "statistics/summary.h"
#include "text/counted.h"

namespace breakeven {
namespace {

/// Queries a device. If it cannot be opened, every value is unknown for the same reason.
template <typename T>
Reading<T> ask(const Reading<NvmlDevice>& device, Reading<T> (NvmlDevice::*query)() const) {
  if (!device) return {{}, device.unknown};
  return ((*device).*query)();
}

using Unreadable = std::map<std::string, std::string>;

template <typename T>
void keep(std::optional<T>& field, const char* key, Reading<T> reading, Unreadable& unreadable) {
  if (reading) {
    field = *std::move(reading.value);
  } else {
    unreadable[key] = reading.unknown;
  }
}

Gpu describe(const Nvml& nvml, const std::string& id) {
  Gpu gpu;
  gpu.id = id;
  const auto device = nvml.device(id);
  const auto fill = [&](auto& field, const char* key, auto query) {
    keep(field, key, ask(device, query), gpu.unreadable);
  };
  keep(gpu.driver, "driver", nvml.driver_version(), gpu.unreadable);
  fill(gpu.name, "name", &NvmlDevice::name);
  fill(gpu.memory_bytes, "memory_bytes", &NvmlDevice::memory_bytes);
  fill(gpu.ecc, "ecc", &NvmlDevice::ecc);
  fill(gpu.mig, "mig", &NvmlDevice::mig);
  fill(gpu.persistence, "persistence", &NvmlDevice::persistence);
  fill(gpu.compute_mode, "compute_mode", &NvmlDevice::compute_mode);
  fill(gpu.pcie_generation, "pcie_generation", &NvmlDevice::pcie_generation);
  fill(gpu.pcie_width, "pcie_width", &NvmlDevice::pcie_width);
  fill(gpu.pcie_generation_most, "pcie_generation_most", &NvmlDevice::pcie_generation_most);
  fill(gpu.pcie_width_most, "pcie_width_most", &NvmlDevice::pcie_width_most);
  fill(gpu.power_limit_watts, "power_limit_watts", &NvmlDevice::power_limit_watts);
  fill(gpu.power_limit_default_watts, "power_limit_default_watts", &NvmlDevice::power_limit_default_watts);
  fill(gpu.sm_mhz_most, "sm_mhz_most", &NvmlDevice::sm_mhz_most);
  fill(gpu.memory_mhz_most, "memory_mhz_most", &NvmlDevice::memory_mhz_most);
  return gpu;
}

/// Processes in other containers, and those that only draw, are not among those that NVML names. Their memory
/// is seen.
std::optional<Note> others_warning(const Gpu& gpu, const Nvml& nvml) {
  constexpr double expected = 0.1, of_driver = 0x1p30;  // up to about a GiB
  const auto used = ask(nvml.device(gpu.id), &NvmlDevice::used_memory_bytes);
  if (!used || !gpu.memory_bytes) return std::nullopt;
  const auto bytes = static_cast<double>(*used);
  const auto total = static_cast<double>(*gpu.memory_bytes);
  if (bytes <= std::max(of_driver, expected * total)) return std::nullopt;
  return Note{.kind = NoteKind::gpu_in_use, .figures = {bytes, total}, .about = {gpu.name.value_or(gpu.id)}};
}

std::optional<Note> mode_warning(const Gpu& gpu, const std::vector<BackendRecord>& backends,
                                 std::size_t rank_counts) {
  const std::string mode = gpu.compute_mode.value_or("");
  const auto on_it = std::ranges::count_if(
      backends, [&](const BackendRecord& one) { return one.available && one.device_id == gpu.id; });
  const std::size_t programs = static_cast<std::size_t>(on_it) * rank_counts;
  if (programs < 2 || !mode.starts_with("exclusive")) return std::nullopt;
  return Note{.kind = NoteKind::gpu_exclusive,
              .figures = {static_cast<double>(programs), static_cast<double>(rank_counts)},
              .about = {gpu.name.value_or(gpu.id), mode}};
}

template <typename T>
void keep_least(std::optional<T>& field, T value) {
  field = std::min(field.value_or(value), value);
}
template <typename T>
void keep_most(std::optional<T>& field, const char* key, const Reading<T>& reading, Unreadable& unreadable) {
  if (reading) {
    field = std::max(field.value_or(*reading), *reading);
  } else {
    unreadable[key] = reading.unknown;
  }
}

}  // namespace

std::vector<Gpu> describe_gpus(const std::vector<BackendRecord>& backends, std::optional<Nvml>& nvml) {
  std::vector<Gpu> gpus;
  for (const BackendRecord& backend : backends) {
    if (!backend.available || backend.device_id.empty() ||
        std::ranges::find(gpus, backend.device_id, &Gpu::id) != gpus.end())
      continue;
    if (!nvml) nvml.emplace();
    gpus.push_back(describe(*nvml, backend.device_id));
  }
  return gpus;
}

std::vector<Note> gpu_warnings(const std::vector<Gpu>& gpus, const std::vector<BackendRecord>& backends,
                               std::size_t rank_counts, const std::optional<Nvml>& nvml) {
  std::vector<Note> warnings;
  for (const Gpu& gpu : gpus) {
    for (auto& warning : {others_warning(gpu, *nvml), mode_warning(gpu, backends, rank_counts)}) {
      if (warning) warnings.push_back(*warning);
    }
  }
  return warnings;
}

Reading<std::int64_t> count_others(const Reading<std::vector<std::int64_t>>& processes,
                                   const std::function<bool(std::int64_t)>& ours) {
  if (!processes) return {{}, processes.unknown};
  const auto own = std::ranges::count_if(*processes, ours);
  if (own == 0)
    return {{},
            fmt::format("of {} that NVML names, none is the backend's: it counts them as "
                        "outside of this container, or does not see them",
                        counted_text((*processes).size(), "process", "processes"))};
  return {std::ssize(*processes) - own, {}};
}

double joules_of_work(const EnergyReading& before, const EnergyReading& after, const EnergyReading& idle,
                      double work_seconds) {
  const auto seconds = [](const EnergyReading& from, const EnergyReading& to) {
    return std::chrono::duration<double>(to.at - from.at).count();
  };
  const double idle_watts = (idle.joules - after.joules) / seconds(after, idle);
  return after.joules - before.joules - idle_watts * std::max(0.0, seconds(before, after) - work_seconds);
}

NvmlGpuWatch::NvmlGpuWatch(const Nvml& nvml, const std::string& id, std::function<bool(std::int64_t)> ours)
    : device_(nvml.device(id)), ours_(std::move(ours)), ecc_before_(ask(device_, &NvmlDevice::ecc_errors)) {}

NvmlGpuWatch::Violations NvmlGpuWatch::violations() const {
  return {{"power", ask(device_, &NvmlDevice::power_violation_seconds)},
          {"thermal", ask(device_, &NvmlDevice::thermal_violation_seconds)},
          {"board", ask(device_, &NvmlDevice::board_violation_seconds)}};
}

void NvmlGpuWatch::begin() {
  seen_ = 0;
  before_ = violations();
  begun_ = Clock::now();
}

void NvmlGpuWatch::look() {
  // Each reading holds a lock of the driver, for which kernel launches may wait.
  constexpr std::chrono::milliseconds between_readings{20};
  if (!device_) return;
  if (Clock::now() - read_at_ < between_readings) {
    seen_ |= latest_reasons_;
    return;
  }
  read_at_ = Clock::now();
  ++kept_.readings;
  const auto add = [&](std::vector<double>& values, const char* key, auto query) {
    const auto reading = ask(device_, query);
    if (reading) {
      values.push_back(*reading);
    } else {
      kept_.unreadable[key] = reading.unknown;
    }
    return reading.value;
  };
  if (const auto mhz = add(sm_mhz_, "sm_mhz", &NvmlDevice::sm_mhz)) keep_least(kept_.sm_mhz_least, *mhz);
  if (const auto mhz = add(memory_mhz_, "memory_mhz", &NvmlDevice::memory_mhz))
    keep_least(kept_.memory_mhz_least, *mhz);
  const auto reasons = ask(device_, &NvmlDevice::clock_reasons);
  latest_reasons_ = reasons.value.value_or(0);
  if (reasons) {
    seen_ |= *reasons;
    all_seen_ |= *reasons;
  } else {
    kept_.unreadable["clock_reasons"] = reasons.unknown;
  }
  keep_most(kept_.celsius, "celsius", ask(device_, &NvmlDevice::celsius), kept_.unreadable);
  constexpr std::chrono::seconds often_enough{1};
  if (Clock::now() - looked_around_ > often_enough) look_around();
}

/// Reads values that change slowly or take longer to query.
void NvmlGpuWatch::look_around() {
  looked_around_ = Clock::now();
  const auto most = [&](auto& field, const char* key, const Reading<std::int64_t>& reading) {
    keep_most(field, key, reading, kept_.unreadable);
  };
  most(kept_.pcie_generation, "pcie_generation", ask(device_, &NvmlDevice::pcie_generation));
  most(kept_.pcie_width, "pcie_width", ask(device_, &NvmlDevice::pcie_width));
  most(kept_.other_processes, "other_processes", count_others(ask(device_, &NvmlDevice::processes), ours_));
}

std::vector<std::string> NvmlGpuWatch::end() {
  const double window = seconds_since(begun_);
  std::map<std::string, double> counted;
  for (const auto& [name, after] : violations()) {
    const Reading<double>& before = before_[name];
    if (after && before) {
      counted[name] = std::max(0.0, *after - *before);
      kept_.throttled_seconds[name] += counted[name];
    } else {
      kept_.unreadable["throttled_seconds." + name] = after ? before.unknown : after.unknown;
    }
  }
  return throttle_causes(seen_, counted, window);
}

Reading<EnergyReading> NvmlGpuWatch::settled_energy() const {
  constexpr std::chrono::milliseconds slowest{250};  // counters are updated every 20 to 100 ms
  const auto first = ask(device_, &NvmlDevice::joules);
  const auto give_up = Clock::now() + slowest;
  auto now = first;
  while (now && *now == *first && Clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    now = ask(device_, &NvmlDevice::joules);
  }
  if (!now) return {{}, now.unknown};
  return {EnergyReading{.joules = *now, .at = Clock::now()}, {}};
}

DeviceConditions NvmlGpuWatch::conditions() const {
  DeviceConditions all = kept_;
  all.sm_mhz = median_if_any(sm_mhz_);
  all.memory_mhz = median_if_any(memory_mhz_);
  all.clock_reasons = names_of(all_seen_);
  const auto ecc = ask(device_, &NvmlDevice::ecc_errors);
  if (ecc && ecc_before_) {
    all.ecc_errors = *ecc - *ecc_before_;
  } else {
    all.unreadable["ecc_errors"] = ecc ? ecc_before_.unknown : ecc.unknown;
  }
  if (all.readings == 0) {
    const std::string why = device_ ? "no reading fell inside a sample" : device_.unknown;
    for (const char* key : {"sm_mhz", "memory_mhz", "celsius", "clock_reasons", "pcie_generation",
                            "pcie_width", "other_processes"})
      all.unreadable[key] = why;
  }
  return all;
}

}  // namespace breakeven
