// The launches of `threshold` at one value: chooses the backend that counts for each side. Pure functions.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "verdicts/launch_effect.h"

namespace breakeven {

/// The seconds or joules of a side's backends in one launch, by backend.
using AmountByBackend = std::map<std::string, double>;

/// One launch of both sides.
struct PairedLaunch {
  std::array<AmountByBackend, 2> amounts;  // of the baseline and of the challenger
  std::map<std::array<std::string, 2>, LaunchEffect> log_ratios = {};  // log(challenger / baseline)
};

/// The backend that counts in each launch: of those in the launch, the backend with the smallest median over
/// the other launches. A launch has no part in its own choice, because the smallest of several noisy times is
/// too small: the mean over launches would be below the mean of each backend. Where no other launch has any
/// of a launch's backends, its own amounts decide. Each launch has at least one backend.
std::vector<std::string> counting_backends(const std::vector<AmountByBackend>& launches);

/// log(challenger / baseline) of each launch, with the backends that count. Each launch has the ratios of all
/// pairs of its backends.
std::vector<LaunchEffect> log_ratios_of(const std::vector<PairedLaunch>& launches);

}  // namespace breakeven
