#include "verdicts/latency_limit.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "verdicts/candidate.h"
#include "verdicts/case_families.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// Results of one workload, by batch.
using ByBatch = std::map<std::int64_t, const CaseResult*>;

std::string title_of(const ByBatch& by_batch) {
  const CaseResult& smallest = *by_batch.begin()->second;
  return fmt::format("{}{}, {}", smallest.op,
                     sweep_text(find_workload(smallest.op)->parameters(), "batch", smallest.parameters,
                                by_batch.rbegin()->second->parameters),
                     smallest.dtype);
}

LargestBatch largest_of(const ByBatch& by_batch, double seconds) {
  LargestBatch found{.title = title_of(by_batch), .largest = by_batch.rbegin()->first};
  const CaseResult* shown = by_batch.begin()->second;
  for (const auto& [batch, result] : by_batch) {
    if (result->latency->p99 > seconds) break;  // a larger batch that is faster by chance is no limit
    found.batch = batch;
    shown = result;
  }
  found.p99 = shown->latency->p99;
  found.samples_per_second = static_cast<double>(shown->samples) / shown->seconds->median;
  found.backend = shown->backend;
  return found;
}

}  // namespace

std::optional<LatencyLimit> batches_within(double seconds, std::span<const Result> results) {
  LatencyLimit limit{.seconds = seconds};
  std::size_t number = 0;
  using Order = std::tuple<std::string, std::size_t, bool, double>;
  std::multimap<Order, LargestBatch> in_order;
  for (const Candidate& device : candidates(results)) {
    std::map<std::string, ByBatch> workloads;  // by all that makes the problem but its batch, and the backend
    for (const auto& [id, measured] : device.cases) {
      for (const MeasuredCase& one : measured) {
        const CaseResult& result = *one.result;
        const auto* batch = std::get_if<std::int64_t>(result.parameters.find("batch"));
        if (!result.has_time() || !result.latency || batch == nullptr || find_workload(result.op) == nullptr)
          continue;
        workloads[fmt::format("{}|{}|{}|{}|{}", result.op, rest_of(result.parameters, "batch", false),
                              result.dtype, one.caches, result.backend)]
            .emplace(*batch, &result);
      }
    }
    for (const auto& [key, by_batch] : workloads) {
      LargestBatch answer = largest_of(by_batch, seconds);
      answer.device = device.name;
      Order order{answer.title, number, answer.batch == 0, -answer.samples_per_second};
      in_order.emplace(std::move(order), std::move(answer));
    }
    ++number;
  }
  if (in_order.empty()) return std::nullopt;
  for (auto& [order, answer] : in_order) limit.answers.push_back(std::move(answer));
  return limit;
}

}  // namespace breakeven
