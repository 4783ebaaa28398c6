// Selects the samples of a case from which its figures are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/own_speed.h"
#include "results/result.h"

namespace breakeven {

/// The number of samples before which no interval is used and no case is stopped, unless its time ran out.
inline constexpr std::size_t fewest_samples = 10;

/// Indices of the samples during which the machine was below its own speed, in rising order.
std::vector<std::int64_t> slow_samples(const std::vector<double>& own_speed);
/// Indices of the samples that are not counted: a GPU had lowered its clocks, or the machine was slow.
std::vector<std::int64_t> set_aside(const std::vector<std::int64_t>& throttled,
                                    const std::vector<double>& own_speed);

/// The samples, grouped by visit, without those at the indices `set_aside`.
std::vector<std::vector<double>> without(const std::vector<std::int64_t>& set_aside,
                                         std::vector<std::vector<double>> visits);

/// True if enough samples are left without those set aside.
bool enough_without(std::size_t set_aside, std::size_t samples);
/// The samples that are counted: all but those set aside, or all if too few would be left.
std::vector<std::vector<double>> counted_samples(const std::vector<std::vector<double>>& visits,
                                                 const std::vector<std::int64_t>& set_aside);
/// The same as indices into the timing's samples, in rising order.
std::vector<std::size_t> counted_indices(const Timing& timing);

/// The figures of the samples: computed, or those kept in place of the samples.
SampleFigures sample_figures(const Timing& timing);

/// The number of launches with samples that are counted; all if the file does not say which sample each has.
std::size_t counted_launches_of(const Timing& timing);

/// Replaces what reports do not show by the figures of the samples.
void keep_figures(CaseResult& result);

/// The median share of its own speed at which the machine ran, over the samples that are counted. Empty if it
/// is not known, and on a GPU, whose times hardly depend on it.
std::optional<double> own_speed_of(const CaseResult& result);

}  // namespace breakeven
