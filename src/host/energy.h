// The CPU's energy counters (Linux powercap, Intel RAPL and AMD's equivalent).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace breakeven {

class EnergyMeter {
 public:
  /// Reads the counters below `root`; another folder than the kernel's is for tests.
  explicit EnergyMeter(const std::filesystem::path& root = "/sys/class/powercap");
  /// Joules that all packages have used since an unspecified moment; empty if the counters cannot be read.
  std::optional<double> joules() const;
  /// Why joules() is empty; empty if it has a value.
  const std::string& unreadable() const { return unreadable_; }

 private:
  std::vector<std::string> counters_;
  std::string unreadable_;
};

}  // namespace breakeven
