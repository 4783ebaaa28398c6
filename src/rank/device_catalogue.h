// Specifications of devices by their vendors: peaks, memory and power. They are used to predict machines that
// were not measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

struct DeviceEntry {
  /// A dense peak rate on the units that compute the dtype, with the accumulator that breakeven uses for it.
  struct Peak {
    double flop_per_second = 0;
    std::optional<double> sparse_flop_per_second = {};  // with 2:4 sparsity; not used
    std::string accumulate;                             // dtype of the accumulator
  };

  std::string name;       // exactly as its driver reports it; for processors, as the kernel does
  double memory_gib = 0;  // of a GPU's memory
  int cores = 0;          // of processors, in all sockets; 0: a GPU
  std::string architecture, form;
  double watts = 0, bytes_per_second = 0;  // maximum power; memory bandwidth
  std::map<std::string, Peak> peaks = {};  // by dtype
  std::string source, date;

  bool is_cpu() const { return cores > 0; }
  /// Example: "NVIDIA L4, 24 GiB" or "AMD EPYC 7763 64-Core Processor, 128 cores".
  std::string text() const;
};

using DeviceCatalogue = std::vector<DeviceEntry>;

/// Reads a catalogue. Each processor has an entry for every possible number of sockets, with these formulas:
/// peak = cores x clock x operations a cycle; memory = channels x transfers a second x 8 bytes. Throws
/// ConfigError.
DeviceCatalogue read_device_catalogue(const std::filesystem::path& path);

/// The entry with exactly this name, and with this memory to within 10 %; null if there is none.
const DeviceEntry* find_device(const DeviceCatalogue& catalogue, std::string_view name,
                               std::int64_t memory_bytes);

/// The entry of processors with exactly this name and number of cores; null if there is none. A virtual
/// machine with some of the cores has no entry, because its part of the memory bandwidth is unknown.
const DeviceEntry* find_processors(const DeviceCatalogue& catalogue, std::string_view name, int cores);

}  // namespace breakeven
