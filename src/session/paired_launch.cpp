#include "session/paired_launch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "statistics/summary.h"

namespace breakeven {
namespace {

/// The backend's median over all launches but one; infinite if no other launch has the backend.
double median_of_others(const std::vector<AmountByBackend>& launches, std::size_t without,
                        const std::string& backend) {
  std::vector<double> amounts;
  amounts.reserve(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto found = launches[i].find(backend);
    if (i != without && found != launches[i].end()) amounts.push_back(found->second);
  }
  return median_if_any(std::move(amounts)).value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

std::vector<std::string> counting_backends(const std::vector<AmountByBackend>& launches) {
  std::vector<std::string> chosen;
  chosen.reserve(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    // Its own amount decides between backends without a median, which are all infinite.
    std::pair<double, double> least{};
    const std::string* best = nullptr;
    for (const auto& [backend, amount] : launches[i]) {
      const std::pair by{median_of_others(launches, i, backend), amount};
      if (best != nullptr && by >= least) continue;
      least = by;
      best = &backend;
    }
    chosen.push_back(*best);
  }
  return chosen;
}

std::vector<LaunchEffect> log_ratios_of(const std::vector<PairedLaunch>& launches) {
  std::array<std::vector<std::string>, 2> chosen;
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<AmountByBackend> amounts;
    amounts.reserve(launches.size());
    for (const PairedLaunch& launch : launches) amounts.push_back(launch.amounts[side]);
    chosen[side] = counting_backends(amounts);
  }
  std::vector<LaunchEffect> log_ratios;
  log_ratios.reserve(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i)
    log_ratios.push_back(launches[i].log_ratios.at({chosen[0][i], chosen[1][i]}));
  return log_ratios;
}

}  // namespace breakeven
