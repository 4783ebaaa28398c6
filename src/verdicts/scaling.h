// Speed-up and efficiency of cases on several ranks, beside the same work on one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "results/result.h"
#include "statistics/estimate.h"

namespace breakeven {

/// A result on several ranks and the one that it is compared with.
struct Scaling {
  const CaseResult* one = nullptr;   // on one rank
  const CaseResult* many = nullptr;  // on `ranks`
  std::int64_t ranks = 1;
  bool is_weak = false;  // each rank has as large a batch as the one rank; otherwise it is divided
  Estimate speedup;      // images per second over those of one rank
  /// The speed-up over the threads of all ranks divided by those of one; over the ranks where threads are
  /// unknown.
  Estimate efficiency;
  std::optional<double> communication;  // fraction of the step for which a rank waits
};

/// Compares every result of training on several ranks with those of the same backend on one rank, of the same
/// batch (strong scaling) and of the batch of each rank (weak scaling). The results must outlive the list.
/// `threads_of_one`: the threads of a result on one rank.
std::vector<Scaling> scalings_of(std::span<const CaseResult* const> results, int threads_of_one);
/// The same for all results of a run, which must outlive the list.
std::vector<Scaling> scalings_of(const Result& run);

}  // namespace breakeven
