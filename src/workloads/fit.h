// `fits`: the largest product, or batch of a network, that a device's memory holds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "workloads/workload.h"

namespace breakeven {

struct Fit {
  std::int64_t largest = 0;  // that fitted; 0: not even one
  std::int64_t refused = 0;  // the smallest met that did not; 0: all that were asked for fitted
  std::string limit;         // why it did not
};

/// Asks `why_not(size)`, which is empty if the size fits, for multiples of `step` only: doubles from one up
/// to `most`, then halves the distance until it is at most a hundredth, or one step. A size is taken to fit
/// if a larger one does.
Fit find_fit(std::int64_t most, std::int64_t step, const std::function<std::string(std::int64_t)>& why_not);

/// The limit to name where something other than memory refuses a size.
std::string library_limit(const std::string& why);

/// No size of a case of `fits` is larger: cuBLASLt counts dimensions in 32 bits, and so do row numbers of a
/// batch.
inline constexpr std::int64_t largest_asked = std::int64_t{1} << 30U;

/// The step of the sizes of a case of `fits`. Tensor cores read products of 8-bit types in multiples of 16
/// (cuBLAS documentation, "cublasLtMatmul()").
std::int64_t fit_step(const Parameters& fits);

/// The case of this size, untuned, by the parameters of a case of `fits`: a product of n x n x n, or a step
/// of a network with this batch.
Case case_of_size(const Parameters& fits, std::int64_t size);

}  // namespace breakeven
