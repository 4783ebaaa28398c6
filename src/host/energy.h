// The CPU's energy counters (Linux powercap, Intel RAPL and AMD's equivalent).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace breakeven {

class EnergyMeter {
 public:
  EnergyMeter();
  /// Joules used by all packages since some moment; nothing where that cannot be read.
  std::optional<double> joules() const;
  /// Why joules() has nothing to say; empty where it does.
  const std::string& unreadable() const { return unreadable_; }

 private:
  std::vector<std::string> counters_;
  std::string unreadable_;
};

}  // namespace breakeven
