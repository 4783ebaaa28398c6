// The largest batch that each backend answers within a limit of latency. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// The answer of one backend on one device, for one workload.
struct LargestBatch {
  std::string title = {};   // of the workload, without its batch: "infer, network mlp, f32"
  std::string device = {};  // the name of the Candidate
  std::string backend = {};
  std::int64_t batch = 0;         // the largest measured whose 99th percentile is within the limit; 0: none
  std::int64_t largest = 0;       // that was measured
  double p99 = 0;                 // seconds, at that batch; without one, at the smallest measured
  double samples_per_second = 0;  // at the same batch
};

struct LatencyLimit {
  double seconds = 0;
  /// By workload, then by device; of one device, the highest rate within the limit first.
  std::vector<LargestBatch> answers = {};
};

/// Empty if no result has a latency.
std::optional<LatencyLimit> batches_within(double seconds, std::span<const Result> results);

}  // namespace breakeven
