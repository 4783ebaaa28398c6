// C = A B, batched: the product from which every other workload is built.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

/// One product. op(A) is m x k, op(B) is k x n, C is m x n, all row-major; `batch` of each are stored
/// contiguously. A is stored k x m if transpose_a, B is stored n x k if transpose_b.
struct Matmul {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  bool transpose_a = false, transpose_b = false;
  Dtype dtype = Dtype::f32;
  bool tuned = true;  // by timing several algorithms of a library
  /// Only for f8e4m3. If true, sums stay in the tensor cores' own accumulators, which have 13 bits of
  /// fraction, from the first product to the last. Otherwise they are added up in f32 every few steps.
  bool fast_accumulation = false;

  explicit Matmul(const Parameters& parameters);
  std::int64_t elements_a() const { return batch * m * k; }
  std::int64_t elements_b() const { return batch * k * n; }
  OutputShape output() const { return {.outer = batch * m, .channels = n, .inner = 1}; }
  double flop() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
  /// The storage index of element (i, l) of op(A) of product b, or (l, j) of op(B).
  std::int64_t index_a(std::int64_t b, std::int64_t i, std::int64_t l) const {
    return b * m * k + (transpose_a ? l * m + i : i * k + l);
  }
  std::int64_t index_b(std::int64_t b, std::int64_t l, std::int64_t j) const {
    return b * k * n + (transpose_b ? j * k + l : l * n + j);
  }
  /// The numbers of rows of A and B as stored, and the distances between them.
  std::int64_t rows_a() const { return transpose_a ? k : m; }
  std::int64_t rows_b() const { return transpose_b ? n : k; }
  std::int64_t stride_a() const { return transpose_a ? m : k; }
  std::int64_t stride_b() const { return transpose_b ? k : n; }
};

}  // namespace breakeven
