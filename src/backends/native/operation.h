// Registers an operation on arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/backend.h"
#include "workloads/bandwidth.h"

namespace breakeven::native {

/// Registers `op` in f64 and f32, with Work<double> and Work<float>, which are made from the case and the
/// seed.
template <template <typename> typename Work>
Operation in_both_floats(const std::string& op) {
  return {.op = op,
          .dtypes = fixed_dtypes({Dtype::f64, Dtype::f32}),
          .prepare = [](const Case& problem, std::uint64_t seed) -> std::unique_ptr<Prepared> {
            if (problem.dtype() == Dtype::f64) return std::make_unique<Work<double>>(problem, seed);
            return std::make_unique<Work<float>>(problem, seed);
          }};
}

}  // namespace breakeven::native
