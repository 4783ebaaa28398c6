// What makers state of devices: their peaks, memory and power, for predictions of machines that nobody has
// measured.
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
  /// Dense, of the units that the dtype is computed on, with the accumulator that breakeven's dtype has.
  struct Peak {
    double flop_per_second = 0;
    std::optional<double> sparse_flop_per_second;  // with 2:4 sparsity, which nothing here uses
    std::string accumulate;                        // dtype
  };

  std::string name;       // exactly as its driver gives it; of processors, as the kernel does
  double memory_gib = 0;  // of a GPU
  int cores = 0;          // of processors, in all sockets; 0: a GPU
  std::string architecture, form;
  double watts = 0, bytes_per_second = 0;  // at most; of its memory
  std::map<std::string, Peak> peaks;       // by dtype
  std::string source, date;

  bool is_cpu() const { return cores > 0; }
  /// "NVIDIA L4, 24 GiB" or "AMD EPYC 7763 64-Core Processor, 128 cores".
  std::string text() const;
};

using DeviceCatalogue = std::vector<DeviceEntry>;

/// Processors are there once for each number of sockets that they work in, their peaks by a formula: cores x
/// clock x operations a cycle; memory: channels x transfers a second x 8 bytes. Throws ConfigError.
DeviceCatalogue read_device_catalogue(const std::filesystem::path& path);

/// The entry of this very name whose memory is within a tenth of that; null where there is none: no guess.
const DeviceEntry* find_device(const DeviceCatalogue& catalogue, std::string_view name,
                               std::int64_t memory_bytes);

/// The same of processors, all of whose cores are there: of a part of them, as virtual machines have, it is
/// not known how much of the memory is theirs.
const DeviceEntry* find_processors(const DeviceCatalogue& catalogue, std::string_view name, int cores);

}  // namespace breakeven
