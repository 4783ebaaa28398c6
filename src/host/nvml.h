// What NVIDIA's management library (NVML, nvidia-smi's own) says of GPUs. Only read: nothing on a card is
// changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// A quantity, or why it is unknown, in the words of NVML or of the loader.
template <typename T>
struct Reading {
  std::optional<T> value;
  std::string unknown;  // empty where there is a value

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
};

/// Causes for which a GPU's clocks may be lower than they could be, one bit each, as NVML numbers them.
using ClockReasons = std::uint64_t;
/// "power cap", "gpu idle", ...; of a bit that is not known, its number.
std::vector<std::string> names_of(ClockReasons reasons);
/// Those that take speed from work that is under way: heat, and too much power. The others (an idle GPU,
/// clocks that somebody has set) are how it runs.
ClockReasons throttling(ClockReasons reasons);

class NvmlLibrary;

/// One GPU, or an instance of one (MIG). Each query asks the library anew. What cannot be read is unknown,
/// and never ends anything. Lives no longer than the Nvml it came from.
class NvmlDevice {
 public:
  Reading<std::string> name() const;
  Reading<std::int64_t> memory_bytes() const;
  Reading<bool> ecc() const;
  Reading<bool> mig() const;
  Reading<bool> persistence() const;
  Reading<std::string> compute_mode() const;
  Reading<std::int64_t> pcie_generation() const, pcie_width() const;            // now: an idle link is slow
  Reading<std::int64_t> pcie_generation_most() const, pcie_width_most() const;  // of card and slot together
  Reading<double> power_limit_watts() const, power_limit_default_watts() const;
  Reading<double> sm_mhz_most() const, memory_mhz_most() const;

  Reading<double> sm_mhz() const, memory_mhz() const;
  /// Power now; where the driver has no such reading, what nvidia-smi shows, on newer cards the mean of a
  /// second.
  Reading<double> watts() const;
  Reading<double> celsius() const;
  Reading<ClockReasons> clock_reasons() const;
  /// Seconds since the driver was loaded in which this held the clocks down.
  Reading<double> power_violation_seconds() const, thermal_violation_seconds() const,
      board_violation_seconds() const;
  /// Process ids of those that compute on it, as the driver counts them: not always as this process does.
  Reading<std::vector<std::int64_t>> processes() const;
  /// The CPUs that are nearest to it, of whose memory it reads and writes fastest, in rising order.
  Reading<std::vector<int>> near_cpus() const;
  /// Uncorrected errors of its memory since the driver was loaded.
  Reading<std::int64_t> ecc_errors() const;
  /// Energy used since the driver was loaded. The counter moves every 20 to 100 ms.
  Reading<double> joules() const;

 private:
  friend class Nvml;
  NvmlDevice(const NvmlLibrary& library, void* handle) : library_(&library), handle_(handle) {}

  const NvmlLibrary* library_;
  void* handle_;
};

/// The library, opened and initialised for as long as this lives.
class Nvml {
 public:
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  Nvml(Nvml&&) = delete;
  Nvml& operator=(Nvml&&) = delete;

  /// As in "580.65.06".
  Reading<std::string> driver_version() const;
  /// By UUID, as `nvidia-smi -L` shows it: "GPU-..." or "MIG-...". A "GPU-" that is no GPU's is looked for
  /// among the instances, too: CUDA's programs cannot tell which theirs is.
  Reading<NvmlDevice> device(const std::string& uuid) const;

 private:
  std::unique_ptr<NvmlLibrary> library_;
};

}  // namespace breakeven
