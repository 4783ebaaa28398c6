// Which samples of a case its figures are of.
#pragma once

#include <cstdint>
#include <vector>

#include "host/own_speed.h"
#include "results/result.h"

namespace breakeven {

/// No interval is trusted, and no case stopped, before this many samples, unless its time is up.
inline constexpr std::size_t fewest_samples = 10;

/// Indices of the samples during which the machine was slower than itself, rising.
std::vector<std::int64_t> slow_samples(const std::vector<double>& own_speed);
/// Indices of the samples that are set aside: a GPU had lowered its clocks, or the machine was slow.
std::vector<std::int64_t> set_aside(const std::vector<std::int64_t>& throttled,
                                    const std::vector<double>& own_speed);

/// The samples without those at the indices `set_aside`; by visit, as they are given.
std::vector<std::vector<double>> without(const std::vector<std::int64_t>& set_aside,
                                         std::vector<std::vector<double>> visits);

/// True if so many samples can be counted without those set aside.
bool enough_without(std::size_t set_aside, std::size_t samples);
/// The samples that figures are of: all but those set aside, and all if too few are left.
std::vector<std::vector<double>> counted_samples(const std::vector<std::vector<double>>& visits,
                                                 const std::vector<std::int64_t>& set_aside);
/// The same as indices into the timing's samples, rising.
std::vector<std::size_t> counted_indices(const Timing& timing);

}  // namespace breakeven
