// The reference results of `train` and `infer`, with which every backend's logits and losses are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/workload.h"

namespace breakeven {

/// The logits of the first batch at the flat indices `elements`, their projections, and the losses of
/// `first_steps` steps. In float64; for tf32 also with truncated operands, as in some tensor cores.
Evidence expected_training(const Case& problem, std::uint64_t seed,
                           const std::vector<std::int64_t>& elements);

/// The logits of the first batch of the test set, in the same way.
Evidence expected_inference(const Case& problem, std::uint64_t seed,
                            const std::vector<std::int64_t>& elements);

/// The reference result of any workload: from Workload::expect(), or one of the above.
Evidence reference_result(const Case& problem, std::uint64_t seed, const std::vector<std::int64_t>& elements);

}  // namespace breakeven
