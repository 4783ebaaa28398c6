// Queries GPUs through NVIDIA's management library (NVML, which nvidia-smi uses). It only reads: it changes
// nothing on a card.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace breakeven {

namespace nvml_api {
struct DeviceHandle;
}  // namespace nvml_api

/// A value, or the reason why it is unknown, in the words of NVML or of the dynamic loader.
template <typename T>
struct Reading {
  std::optional<T> value;
  std::string unknown;  // empty if there is a value

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
};

/// Reasons why a GPU's clocks may be lower than possible, one bit each, numbered as in NVML.
using ClockReasons = std::uint64_t;
/// The names of the bits, such as "power cap" or "gpu idle"; the number of a bit without a known name.
std::vector<std::string> names_of(ClockReasons reasons);
/// Keeps the reasons that slow down running work: heat and too much power. The others, such as an idle GPU or
/// clocks set by a user, are normal operation.
ClockReasons throttling(ClockReasons reasons);

class NvmlLibrary;

/// One GPU, or one instance of a GPU (MIG). Each query asks the library again. A value that cannot be read is
/// unknown; it is never an error. Must not outlive the Nvml that it came from.
class NvmlDevice {
 public:
  Reading<std::string> name() const;
  Reading<std::int64_t> memory_bytes() const;
  /// Includes what the driver keeps for itself.
  Reading<std::int64_t> used_memory_bytes() const;
  Reading<bool> ecc() const;
  Reading<bool> mig() const;
  Reading<bool> persistence() const;
  Reading<std::string> compute_mode() const;
  Reading<std::int64_t> pcie_generation() const, pcie_width() const;  // current; an idle link is slow
  Reading<std::int64_t> pcie_generation_most() const, pcie_width_most() const;  // of card and slot together
  Reading<double> power_limit_watts() const, power_limit_default_watts() const;
  Reading<double> sm_mhz_most() const, memory_mhz_most() const;

  Reading<double> sm_mhz() const, memory_mhz() const;
  Reading<double> celsius() const;
  Reading<ClockReasons> clock_reasons() const;
  /// Seconds since the driver was loaded in which power, heat or the board's limits lowered the clocks.
  Reading<double> power_violation_seconds() const, thermal_violation_seconds() const,
      board_violation_seconds() const;
  /// Ids of the processes that compute on the GPU, as the driver sees them. They may differ from those in
  /// this process's PID namespace.
  Reading<std::vector<std::int64_t>> processes() const;
  /// The CPUs whose memory the GPU reads and writes fastest, in rising order.
  Reading<std::vector<int>> near_cpus() const;
  /// Uncorrected memory errors since the driver was loaded.
  Reading<std::int64_t> ecc_errors() const;
  /// Energy used since the driver was loaded. The counter is updated every 20 to 100 ms.
  Reading<double> joules() const;

 private:
  friend class Nvml;
  NvmlDevice(const NvmlLibrary& library, nvml_api::DeviceHandle* handle)
      : library_(&library), handle_(handle) {}

  const NvmlLibrary* library_;
  nvml_api::DeviceHandle* handle_;
};

/// Opens and initialises the library. The last copy shuts it down.
class Nvml {
 public:
  Nvml();

  /// The driver's version, such as "580.65.06".
  Reading<std::string> driver_version() const;
  /// Finds a GPU or an instance by the UUID that `nvidia-smi -L` shows: "GPU-..." or "MIG-...". If no GPU has
  /// a given "GPU-" UUID, the instances are searched, because CUDA programs cannot distinguish the two kinds.
  Reading<NvmlDevice> device(const std::string& uuid) const;

 private:
  std::shared_ptr<const NvmlLibrary> library_;
};

/// The CPUs among `allowed` that are nearest to this GPU. A program on another socket's CPUs has its data in
/// memory that is farther from the card. Empty if the GPU's CPUs are unknown, or if they include all of
/// `allowed` or none.
std::vector<int> cpus_near_gpu(const Nvml& nvml, const std::string& uuid, const std::vector<int>& allowed);

}  // namespace breakeven
