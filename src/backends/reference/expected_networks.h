// The reference results of `train` and `infer`: what every backend's logits and losses are compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/workload.h"

namespace breakeven {

/// The first batch's logits at the flat indices `elements` and their projections, and the losses of
/// `first_steps` steps. In float64; of tf32 also with operands truncated as tensor cores may do it.
Evidence expected_training(const Case& problem, std::uint64_t seed,
                           const std::vector<std::int64_t>& elements);

/// The logits of the first batch of the test set, in the same way.
Evidence expected_inference(const Case& problem, std::uint64_t seed,
                            const std::vector<std::int64_t>& elements);

/// The reference result of any workload: Workload::expect(), or one of the above.
Evidence reference_result(const Case& problem, std::uint64_t seed, const std::vector<std::int64_t>& elements);

}  // namespace breakeven
