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

  std::string name;  // exactly as its driver gives it
  double memory_gib = 0;
  std::string architecture, form;
  double watts = 0, bytes_per_second = 0;  // at most; of its memory
  std::map<std::string, Peak> peaks;       // by dtype
  std::string source, date;
};

using DeviceCatalogue = std::vector<DeviceEntry>;

/// Throws ConfigError.
DeviceCatalogue read_device_catalogue(const std::filesystem::path& path);

/// The entry of this very name whose memory is within a tenth of that; null where there is none: no guess.
const DeviceEntry* find_device(const DeviceCatalogue& catalogue, std::string_view name,
                               std::int64_t memory_bytes);

}  // namespace breakeven
