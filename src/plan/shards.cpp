#include "plan/shards.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

namespace breakeven {
namespace {

using Microseconds = std::int64_t;
constexpr Microseconds one_second = 1'000'000;

// The model of a case's time. Shards need the right proportions, not the right times, and the rates below are
// rough. Samples are calibrated with the files in results/. These do not have the wall time of preparing and
// verifying, whose rates rest on single DeepBench products on two cores of a busy machine: 3.4 s for m=16
// n=512 k=512, 43 s for m=48000 n=512 k=2560, each with OpenBLAS and oneDNN, before all cores computed
// expected results. Eight shards of DeepBench took a third of the estimate, in about the right proportions
// (docs/cluster.md).

/// Messages, warming up and probes: a time that even the smallest case takes in each visit.
constexpr Microseconds visit_cost = one_second / 4;
/// Rates of a backend: those of f32 on two cores in results/, where products and convolutions reach 70 to 440
/// GFLOP/s. A faster device spends less on the large cases, and its small ones are alike.
constexpr double flop_per_microsecond = 200e3;
constexpr double bytes_per_microsecond = 20e3;
/// Rates of generating operands from random numbers and checking results, and of the reference backend, which
/// computes in float64 with plain loops.
constexpr double prepared_bytes_per_microsecond = 100;
constexpr double reference_flop_per_microsecond = 500;
/// A visit prepares, races a library's variants, verifies, warms up and verifies again: about so many calls.
/// A race has fewer where calls are long.
constexpr std::int64_t calls_besides_samples = 16, long_calls_besides_samples = 10;
constexpr Microseconds long_call = one_second / 4;
/// A sample lasts 10 ms or one call.
constexpr Microseconds shortest_sample = one_second / 100;
/// Samples until the interval is narrow enough: the usual number in results/, where 10 to 60 are needed.
constexpr std::int64_t usual_samples = 25;
/// A case that asks what fits prepares some dozens of sizes.
constexpr Microseconds fit_cost = 10 * one_second;
/// Training until a target accuracy takes an unknown number of epochs of this many images.
constexpr std::int64_t epochs_to_target = 5, images_in_epoch = 60'000;

/// 11 days: the sum over all cases still fits into an integer.
constexpr Microseconds longest = 1'000'000 * one_second;

/// The time of `work` at `rate` per microsecond. One division and one rounding give the same integer on every
/// machine.
Microseconds time_of(double work, double rate) {
  return std::llround(std::min(work / rate, static_cast<double>(longest)));
}

bool is_network(const Case& problem) {
  return problem.parameters.find("network") != nullptr;
}

/// The operations of the reference result: whole steps of a network; otherwise projections, which cost a
/// channel's share of the operation (workloads/evidence.h). A single number has none.
double reference_flop(const Case& problem) {
  constexpr double steps = 3;
  if (is_network(problem)) return steps * problem.flop();
  const OutputShape shape = problem.workload->output(problem.parameters);
  return shape.elements() > 1 ? problem.flop() / static_cast<double>(shape.channels) : 0;
}

/// The operations of a whole training, which comes before the samples.
double training_flop(const Case& problem) {
  const Parameters& p = problem.parameters;
  if (p.find("epochs") == nullptr) return 0;
  const std::int64_t epochs = p.integer("epochs") > 0           ? p.integer("epochs")
                              : p.number("target_accuracy") > 0 ? epochs_to_target
                                                                : 0;
  const std::int64_t steps = epochs * images_in_epoch / std::max<std::int64_t>(problem.samples(), 1);
  return static_cast<double>(steps) * problem.flop();
}

}  // namespace

std::int64_t estimated_microseconds(const Case& problem, const Measure& measure) {
  if (!problem.workload->is_timed()) return fit_cost;
  const Microseconds call = std::max(time_of(problem.flop(), flop_per_microsecond),
                                     time_of(problem.bytes(), bytes_per_microsecond));
  const Microseconds short_part = std::min(call, long_call);  // so that there is no step at long calls
  const Microseconds preparing = time_of(problem.bytes(), prepared_bytes_per_microsecond) +
                                 calls_besides_samples * short_part +
                                 long_calls_besides_samples * (call - short_part);
  const Microseconds reference = time_of(reference_flop(problem), reference_flop_per_microsecond) +
                                 time_of(problem.bytes(), prepared_bytes_per_microsecond);
  const Microseconds limit = std::max(time_of(measure.max_seconds, 1.0 / one_second), call);
  const Microseconds sampling = std::min(usual_samples * std::max(shortest_sample, call), limit);
  // A single launch visits a case twice, unless preparing takes too long (session/session.cpp).
  const std::int64_t visits = measure.launches > 1 ? measure.launches : preparing > limit / 4 ? 1 : 2;
  const Microseconds training = time_of(training_flop(problem), flop_per_microsecond);
  return std::min(visits * (visit_cost + preparing) + reference + sampling + training, longest);
}

std::vector<std::vector<std::size_t>> divide_into_shards(std::span<const std::int64_t> costs,
                                                         std::size_t shards) {
  std::vector<std::size_t> by_cost(costs.size());
  std::iota(by_cost.begin(), by_cost.end(), std::size_t{0});
  std::ranges::stable_sort(by_cost, std::greater(), [&](std::size_t i) { return costs[i]; });
  std::vector<std::vector<std::size_t>> divided(shards);
  using Sum = std::pair<std::int64_t, std::size_t>;  // of a shard; of equal ones, the first shard's is less
  std::priority_queue<Sum, std::vector<Sum>, std::greater<>> sums;
  for (std::size_t shard = 0; shard < shards; ++shard) sums.emplace(0, shard);
  for (const std::size_t i : by_cost) {
    const auto [sum, shard] = sums.top();
    sums.pop();
    divided[shard].push_back(i);
    sums.emplace(sum + costs[i], shard);
  }
  for (auto& shard : divided) std::ranges::sort(shard);
  return divided;
}

void keep_shard(Config& config, const Shard& shard) {
  std::vector<std::int64_t> costs;
  std::vector<std::string> ids;
  for (const PlannedCase& planned : config.cases) {
    costs.push_back(estimated_microseconds(planned.problem, config.measure));
    ids.push_back(planned.problem.id());
  }
  const auto positions = divide_into_shards(costs, shard.count)[shard.number - 1];
  std::vector<PlannedCase> kept;
  kept.reserve(positions.size());
  for (const std::size_t position : positions) kept.push_back(std::move(config.cases[position]));
  config.shard = ShardRecord{.shard = shard,
                             .cases = config.cases.size(),
                             .fingerprint = fingerprint_of(ids),
                             .positions = positions};
  config.cases = std::move(kept);
}

}  // namespace breakeven
