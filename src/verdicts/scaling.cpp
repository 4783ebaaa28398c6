#include "verdicts/scaling.h"

#include <algorithm>
#include <numeric>

#include "verdicts/measured.h"
#include "workloads/ranks.h"

namespace breakeven {
namespace {

/// The parameters without those that differ between one rank and several.
Parameters without_ranks(const Parameters& parameters) {
  Parameters rest;
  for (const auto& [name, value] : parameters.entries()) {
    if (name != "ranks" && name != "batch" && name != "overlap") rest.set(name, value);
  }
  return rest;
}

std::int64_t batch_of(const CaseResult& result) {
  return result.parameters.find("batch") == nullptr ? 0 : result.parameters.integer("batch");
}

double hardware_ratio(const CaseResult& many, std::int64_t ranks, int threads_of_one) {
  const auto& places = many.conditions.ranks;
  if (many.device != "cpu" || places.empty() || threads_of_one < 1) return static_cast<double>(ranks);
  const int threads = std::accumulate(places.begin(), places.end(), 0,
                                      [](int sum, const RankPlace& place) { return sum + place.threads; });
  return static_cast<double>(threads) / threads_of_one;
}

}  // namespace

std::vector<Scaling> scalings_of(std::span<const CaseResult* const> results, int threads_of_one) {
  std::vector<Scaling> all;
  for (const CaseResult* many : results) {
    const std::int64_t ranks = ranks_of(many->parameters);
    const std::int64_t batch = batch_of(*many);
    if (ranks < 2 || batch == 0 || !many->has_time()) continue;
    for (const CaseResult* one : results) {
      if (one->op != many->op || one->backend != many->backend || !one->has_time() ||
          ranks_of(one->parameters) != 1 || without_ranks(one->parameters) != without_ranks(many->parameters))
        continue;
      const bool is_weak = batch_of(*one) * ranks == batch;
      if (!is_weak && batch_of(*one) != batch) continue;
      Scaling found{.one = one,
                    .many = many,
                    .ranks = ranks,
                    .is_weak = is_weak,
                    .speedup = {},
                    .efficiency = {},
                    .communication = {}};
      found.speedup = scaled(ratio(one->seconds->estimate(), many->seconds->estimate()),
                             is_weak ? static_cast<double>(ranks) : 1.0);
      found.efficiency = scaled(found.speedup, 1 / hardware_ratio(*many, ranks, threads_of_one));
      if (many->communication_seconds)
        found.communication = *many->communication_seconds / many->seconds->median;
      all.push_back(found);
    }
  }
  return all;
}

std::vector<Scaling> scalings_of(const Result& run) {
  std::vector<const CaseResult*> results;
  results.reserve(run.cases.size());
  for (const CaseResult& c : run.cases) results.push_back(&c);
  return scalings_of(results, run.host.threads);
}

}  // namespace breakeven
