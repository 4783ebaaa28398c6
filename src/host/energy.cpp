#include "host/energy.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/system_file.h"

namespace breakeven {

EnergyMeter::EnergyMeter(const std::filesystem::path& root) {
  std::error_code error;
  for (const auto& zone : std::filesystem::directory_iterator(root, error)) {
    // Packages are named intel-rapl:N. The zones below them (intel-rapl:N:M) are included in the package's
    // counter.
    const std::string name = zone.path().filename();
    if (name.rfind("intel-rapl:", 0) != 0 || name.find(':') != name.rfind(':')) continue;
    // The zone `psys` is the whole platform, with the packages.
    if (first_in<std::string>(zone.path() / "name").value_or("package").rfind("package", 0) == 0)
      counters_.push_back(zone.path() / "energy_uj");
  }
  const auto closed =
      std::ranges::find_if(counters_, [](const std::string& counter) { return !first_in<double>(counter); });
  if (counters_.empty()) {
    unreadable_ = "no energy counter in " + root.string();
  } else if (closed != counters_.end()) {
    // Containers hide the folders to which the zones link, from root, too.
    const bool is_hidden = geteuid() == 0 || !std::filesystem::exists(*closed, error);
    unreadable_ = *closed + " cannot be read: " +
                  (is_hidden ? "a container hides it; docker run --privileged, or measure on the host"
                             : "it needs root");
    counters_.clear();
  }
}

std::optional<double> EnergyMeter::joules() const {
  if (counters_.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& counter : counters_) {
    const auto microjoules = first_in<double>(counter);
    if (!microjoules) return std::nullopt;
    sum += *microjoules;
  }
  return sum * 1e-6;
}

}  // namespace breakeven
