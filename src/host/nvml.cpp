#include "host/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "host/nvml_api.h"

namespace breakeven {

namespace api = nvml_api;

namespace {

struct ClockReason {
  ClockReasons bit;
  const char* name;
  bool throttles;
};

constexpr std::array<ClockReason, 9> known_reasons{{
    {api::reason_gpu_idle, "gpu idle", false},
    {api::reason_applications_clocks, "clocks set by a user", false},
    {api::reason_power_cap, "power cap", true},
    {api::reason_hardware_slowdown, "hardware slowdown", true},
    {api::reason_sync_boost, "sync boost", false},
    {api::reason_thermal_slowdown, "thermal slowdown", true},
    {api::reason_hardware_thermal_slowdown, "hardware thermal slowdown", true},
    {api::reason_power_brake, "hardware power brake", true},
    {api::reason_display_clocks, "display clocks", false},
}};

constexpr double per_milli = 1e-3;  // milliwatts, millijoules
constexpr double per_nano = 1e-9;

}  // namespace

std::vector<std::string> names_of(ClockReasons reasons) {
  std::vector<std::string> names;
  for (const auto& [bit, name, throttles] : known_reasons) {
    if ((reasons & bit) != 0) names.emplace_back(name);
    reasons &= ~bit;
  }
  if (reasons != 0) names.push_back(fmt::format("reason {:#x}", reasons));
  return names;
}

ClockReasons throttling(ClockReasons reasons) {
  ClockReasons found = 0;
  for (const auto& reason : known_reasons) {
    if (reason.throttles) found |= reasons & reason.bit;
  }
  return found;
}

/// The opened library. If `unusable` gives a reason, no function of it is called.
class NvmlLibrary {
 public:
  NvmlLibrary() : opened_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (opened_ == nullptr) {
      const char* words = dlerror();
      unusable_ = words != nullptr ? words : "libnvidia-ml.so.1 cannot be opened";
      return;
    }
    unusable_ = call<api::nvmlInit_v2>("nvmlInit_v2");
    initialised_ = unusable_.empty();
  }
  ~NvmlLibrary() {
    if (initialised_) call<api::nvmlShutdown>("nvmlShutdown");
    if (opened_ != nullptr) dlclose(opened_);
  }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  NvmlLibrary(NvmlLibrary&&) = delete;
  NvmlLibrary& operator=(NvmlLibrary&&) = delete;

  /// Why the library cannot be used; empty if it can.
  const std::string& unusable() const { return unusable_; }

  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(opened_, name));
  }

  /// Calls a function and returns why it failed; empty if it succeeded.
  template <typename Function, typename... Arguments>
  std::string call(const char* name, Arguments... arguments) const {
    if (!unusable_.empty()) return unusable_;
    const auto function = find<Function>(name);
    if (function == nullptr) return fmt::format("this driver's NVML has no {}", name);
    return words_of(function(arguments...));
  }

  std::string words_of(api::Return result) const {
    if (result == api::success) return "";
    const auto error_string = find<api::nvmlErrorString>("nvmlErrorString");
    const char* words = error_string != nullptr ? error_string(result) : nullptr;
    return words != nullptr ? words : fmt::format("NVML's error {}", result);
  }

  /// Calls a function whose last arguments are a buffer and its size, and returns the text that it writes.
  template <typename Function, std::size_t room, typename... Arguments>
  Reading<std::string> text(const char* name, Arguments... arguments) const {
    std::array<char, room> written{};
    if (auto why = call<Function>(name, arguments..., written.data(), static_cast<unsigned>(room));
        !why.empty())
      return {{}, std::move(why)};
    return {written.data(), {}};
  }

  /// Calls a function whose last argument points to a number of type `Raw`, and returns that number times
  /// `scale`.
  template <typename Function, typename T, typename Raw, typename... Arguments>
  Reading<T> number(const char* name, double scale, Arguments... arguments) const {
    Raw raw{};
    if (auto why = call<Function>(name, arguments..., &raw); !why.empty()) return {{}, std::move(why)};
    if constexpr (std::is_floating_point_v<T>) {
      return {static_cast<T>(raw) * scale, {}};
    } else {
      return {static_cast<T>(raw), {}};
    }
  }

 private:
  void* opened_;
  std::string unusable_;
  bool initialised_ = false;
};

namespace {

Reading<std::int64_t> count(const NvmlLibrary& library, const char* name, api::Device handle) {
  // All of these functions have the same arguments.
  return library.number<api::nvmlDeviceGetCurrPcieLinkWidth, std::int64_t, unsigned>(name, 1, handle);
}

Reading<double> watts_of(const NvmlLibrary& library, const char* name, api::Device handle) {
  return library.number<api::nvmlDeviceGetPowerManagementLimit, double, unsigned>(name, per_milli, handle);
}

Reading<std::int64_t> memory(const NvmlLibrary& library, api::Device handle,
                             unsigned long long api::Memory::*part) {
  api::Memory all{};
  if (auto why = library.call<api::nvmlDeviceGetMemoryInfo>("nvmlDeviceGetMemoryInfo", handle, &all);
      !why.empty())
    return {{}, std::move(why)};
  return {static_cast<std::int64_t>(all.*part), {}};
}

Reading<double> clock(const NvmlLibrary& library, const char* name, api::Device handle, int which) {
  return library.number<api::nvmlDeviceGetClockInfo, double, unsigned>(name, 1, handle, which);
}

/// The current value of a mode. `Raw` is the type that the function writes: the mode now and the mode after
/// the next restart.
template <typename Function, typename Raw>
Reading<bool> current_mode(const NvmlLibrary& library, const char* name, api::Device handle) {
  Raw current{};
  Raw pending{};
  if (auto why = library.call<Function>(name, handle, &current, &pending); !why.empty())
    return {{}, std::move(why)};
  return {current != Raw{}, {}};
}

Reading<double> violation_seconds(const NvmlLibrary& library, api::Device handle, int policy) {
  api::ViolationTime time{};
  if (auto why = library.call<api::nvmlDeviceGetViolationStatus>("nvmlDeviceGetViolationStatus", handle,
                                                                 policy, &time);
      !why.empty())
    return {{}, std::move(why)};
  return {static_cast<double>(time.violation_time) * per_nano, {}};
}

}  // namespace

Reading<std::string> NvmlDevice::name() const {
  constexpr std::size_t room = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
  return library_->text<api::nvmlDeviceGetName, room>("nvmlDeviceGetName", handle_);
}

Reading<std::int64_t> NvmlDevice::memory_bytes() const {
  return memory(*library_, handle_, &api::Memory::total);
}
Reading<std::int64_t> NvmlDevice::used_memory_bytes() const {
  return memory(*library_, handle_, &api::Memory::used);
}

Reading<bool> NvmlDevice::ecc() const {
  return current_mode<api::nvmlDeviceGetEccMode, int>(*library_, "nvmlDeviceGetEccMode", handle_);
}

Reading<bool> NvmlDevice::mig() const {
  return current_mode<api::nvmlDeviceGetMigMode, unsigned>(*library_, "nvmlDeviceGetMigMode", handle_);
}

Reading<bool> NvmlDevice::persistence() const {
  return library_->number<api::nvmlDeviceGetPersistenceMode, bool, int>("nvmlDeviceGetPersistenceMode", 1,
                                                                        handle_);
}

Reading<std::string> NvmlDevice::compute_mode() const {
  const auto mode =
      library_->number<api::nvmlDeviceGetComputeMode, int, int>("nvmlDeviceGetComputeMode", 1, handle_);
  if (!mode) return {{}, mode.unknown};
  constexpr std::array names{"default", "exclusive thread", "prohibited", "exclusive process"};
  if (*mode < 0 || *mode >= static_cast<int>(names.size())) return {fmt::format("mode {}", *mode), {}};
  return {names[static_cast<std::size_t>(*mode)], {}};
}

Reading<std::int64_t> NvmlDevice::pcie_generation() const {
  return count(*library_, "nvmlDeviceGetCurrPcieLinkGeneration", handle_);
}
Reading<std::int64_t> NvmlDevice::pcie_width() const {
  return count(*library_, "nvmlDeviceGetCurrPcieLinkWidth", handle_);
}
Reading<std::int64_t> NvmlDevice::pcie_generation_most() const {
  return count(*library_, "nvmlDeviceGetMaxPcieLinkGeneration", handle_);
}
Reading<std::int64_t> NvmlDevice::pcie_width_most() const {
  return count(*library_, "nvmlDeviceGetMaxPcieLinkWidth", handle_);
}
Reading<double> NvmlDevice::power_limit_watts() const {
  return watts_of(*library_, "nvmlDeviceGetPowerManagementLimit", handle_);
}
Reading<double> NvmlDevice::power_limit_default_watts() const {
  return watts_of(*library_, "nvmlDeviceGetPowerManagementDefaultLimit", handle_);
}
Reading<double> NvmlDevice::sm_mhz_most() const {
  return clock(*library_, "nvmlDeviceGetMaxClockInfo", handle_, api::clock_sm);
}
Reading<double> NvmlDevice::memory_mhz_most() const {
  return clock(*library_, "nvmlDeviceGetMaxClockInfo", handle_, api::clock_memory);
}
Reading<double> NvmlDevice::sm_mhz() const {
  return clock(*library_, "nvmlDeviceGetClockInfo", handle_, api::clock_sm);
}
Reading<double> NvmlDevice::memory_mhz() const {
  return clock(*library_, "nvmlDeviceGetClockInfo", handle_, api::clock_memory);
}
Reading<double> NvmlDevice::celsius() const {
  return library_->number<api::nvmlDeviceGetTemperature, double, unsigned>("nvmlDeviceGetTemperature", 1,
                                                                           handle_, api::temperature_gpu);
}

Reading<ClockReasons> NvmlDevice::clock_reasons() const {
  const char* name = "nvmlDeviceGetCurrentClocksEventReasons";
  if (library_->unusable().empty() &&
      library_->find<api::nvmlDeviceGetCurrentClocksEventReasons>(name) == nullptr)
    name = "nvmlDeviceGetCurrentClocksThrottleReasons";
  return library_->number<api::nvmlDeviceGetCurrentClocksEventReasons, ClockReasons, unsigned long long>(
      name, 1, handle_);
}

Reading<double> NvmlDevice::power_violation_seconds() const {
  return violation_seconds(*library_, handle_, api::violation_power);
}
Reading<double> NvmlDevice::thermal_violation_seconds() const {
  return violation_seconds(*library_, handle_, api::violation_thermal);
}
Reading<double> NvmlDevice::board_violation_seconds() const {
  return violation_seconds(*library_, handle_, api::violation_board_limit);
}

Reading<std::vector<std::int64_t>> NvmlDevice::processes() const {
  using Query = api::nvmlDeviceGetComputeRunningProcesses_v3;
  const char* name = "nvmlDeviceGetComputeRunningProcesses_v3";
  if (!library_->unusable().empty()) return {{}, library_->unusable()};
  auto* query = library_->find<Query>(name);
  if (query == nullptr) query = library_->find<Query>("nvmlDeviceGetComputeRunningProcesses_v2");
  if (query == nullptr) return {{}, fmt::format("this driver's NVML has no {}", name)};
  std::vector<api::ProcessInfo> found(64);
  for (;;) {
    auto many = static_cast<unsigned>(found.size());
    const api::Return result = query(handle_, &many, found.data());
    if (result == api::insufficient_size && many > found.size()) {
      found.resize(many + 16);  // more processes may have started before the next query
      continue;
    }
    if (result != api::success) return {{}, library_->words_of(result)};
    found.resize(std::min<std::size_t>(many, found.size()));
    break;
  }
  std::vector<std::int64_t> pids;
  pids.reserve(found.size());
  for (const api::ProcessInfo& process : found) pids.push_back(process.pid);
  return {std::move(pids), {}};
}

Reading<std::vector<int>> NvmlDevice::near_cpus() const {
  constexpr int bits = 8 * static_cast<int>(sizeof(unsigned long));
  std::array<unsigned long, 4096 / bits> words{};  // more CPUs than Linux supports
  if (auto why = library_->call<api::nvmlDeviceGetCpuAffinity>(
          "nvmlDeviceGetCpuAffinity", handle_, static_cast<unsigned>(words.size()), words.data());
      !why.empty())
    return {{}, std::move(why)};
  std::vector<int> cpus;
  for (int cpu = 0; cpu < static_cast<int>(words.size()) * bits; ++cpu) {
    if ((words[static_cast<std::size_t>(cpu / bits)] >> (cpu % bits) & 1U) != 0) cpus.push_back(cpu);
  }
  return {std::move(cpus), {}};
}

Reading<std::int64_t> NvmlDevice::ecc_errors() const {
  return library_->number<api::nvmlDeviceGetTotalEccErrors, std::int64_t, unsigned long long>(
      "nvmlDeviceGetTotalEccErrors", 1, handle_, api::error_uncorrected, api::ecc_volatile);
}

Reading<double> NvmlDevice::joules() const {
  return library_->number<api::nvmlDeviceGetTotalEnergyConsumption, double, unsigned long long>(
      "nvmlDeviceGetTotalEnergyConsumption", per_milli, handle_);
}

Nvml::Nvml() : library_(std::make_shared<NvmlLibrary>()) {}

Reading<std::string> Nvml::driver_version() const {
  constexpr std::size_t room = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  return library_->text<api::nvmlSystemGetDriverVersion, room>("nvmlSystemGetDriverVersion");
}

Reading<NvmlDevice> Nvml::device(const std::string& uuid) const {
  constexpr std::string_view gpu = "GPU-";
  const auto look_up = [&](const std::string& id) -> Reading<NvmlDevice> {
    api::Device handle = nullptr;
    auto why =
        library_->call<api::nvmlDeviceGetHandleByUUID>("nvmlDeviceGetHandleByUUID", id.c_str(), &handle);
    if (!why.empty()) return {{}, std::move(why)};
    return {NvmlDevice(*library_, handle), {}};
  };
  auto found = look_up(uuid);
  if (!found && library_->unusable().empty() && uuid.starts_with(gpu)) {
    if (auto instance = look_up("MIG-" + uuid.substr(gpu.size()))) return instance;
  }
  if (!found && library_->unusable().empty())
    found.unknown = fmt::format("NVML does not find {}: {}", uuid, found.unknown);
  return found;
}

std::vector<int> cpus_near_gpu(const Nvml& nvml, const std::string& uuid, const std::vector<int>& allowed) {
  const auto device = nvml.device(uuid);
  if (!device) return {};
  const auto near = (*device).near_cpus();
  if (!near) return {};
  std::vector<int> both;
  std::set_intersection(allowed.begin(), allowed.end(), (*near).begin(), (*near).end(),
                        std::back_inserter(both));
  return both.size() == allowed.size() ? std::vector<int>{} : both;
}

}  // namespace breakeven
