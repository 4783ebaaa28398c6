// `fits`: the largest product, or batch of a network, that fits into a device's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "workloads/workload.h"

namespace breakeven {

struct Fit {
  std::int64_t largest = 0;  // that fits; 0 if not even one step does
  std::int64_t refused = 0;  // the smallest that was refused; 0 if all requested sizes fit
  std::string limit;         // why it was refused
};

/// Finds the largest size that fits. Calls `why_not(size)`, which returns an empty text if the size fits,
/// only for multiples of `step`: doubles the size up to `most`, then halves the distance until it is at most
/// a hundredth, or one step. If a larger size fits, a smaller one is assumed to fit.
Fit find_fit(std::int64_t most, std::int64_t step, const std::function<std::string(std::int64_t)>& why_not);

/// The text of Fit::limit if something other than memory refuses a size: "library limit: WHY".
std::string library_limit(const std::string& why);

/// The largest size of a case of `fits`: cuBLASLt counts dimensions in 32 bits, and so do the row numbers of
/// a batch.
inline constexpr std::int64_t largest_asked = std::int64_t{1} << 30U;

/// The step of the sizes of a case of `fits`. Tensor cores read products of 8-bit types in multiples of 16
/// (cuBLAS documentation, "cublasLtMatmul()").
std::int64_t fit_step(const Parameters& fits);

/// The case of this size, untuned, for the parameters of a case of `fits`: a product of n x n x n, or a step
/// of a network with this batch. The size may be beyond what a config may ask for: a program that checks its
/// requests as configs are checked then refuses it, and others say what they hold.
Case case_of_size(const Parameters& fits, std::int64_t size);

}  // namespace breakeven
