// Divides the cases of a config into shards that take about equally long, so that several machines or jobs
// can measure them. Pure functions of the cases: every machine divides them alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/config.h"

namespace breakeven {

/// A rough estimate of the time of a case with one backend, in microseconds. It is an integer because sums of
/// rounded numbers depend on the processor and the compiler.
std::int64_t estimated_microseconds(const Case& problem, const Measure& measure);

/// The indices of each shard's cases, rising, from the cases' costs, which are above 0. The most expensive
/// case that is left goes to the shard with the least cost so far (longest processing time first; Graham,
/// Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 1969). No shard is empty unless there are
/// fewer cases than shards.
std::vector<std::vector<std::size_t>> divide_into_shards(std::span<const std::int64_t> costs,
                                                         std::size_t shards);

/// Keeps the cases of one shard of `config`, in their order, and records the shard in it.
void keep_shard(Config& config, const Shard& shard);

}  // namespace breakeven
