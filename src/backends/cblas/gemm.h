// Matrix products by the library: C = op(A) op(B) + beta C, row-major.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace breakeven::cblas {

/// A matrix in memory. Stored rows are `stride` elements apart. If `transposed`, its transpose is used.
template <typename T>
struct Matrix {
  const T* data = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
};

/// C is m x n with rows `stride_c` apart, op(A) m x k, op(B) k x n. With beta 0 the old C is not read.
/// T is float or double.
template <typename T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<T> a, Matrix<T> b, T beta, T* c,
          std::int64_t stride_c);

/// The library's routines that can compute a product: gemm, of two matrices; gemv, of a matrix and a vector,
/// for a C of one row or one column; ger, of two vectors, for k = 1.
enum class Routine { gemm, gemv, ger };
std::string_view routine_name(Routine routine);

/// The routines that can compute products of this size. The first is gemm, which can compute all.
std::vector<Routine> routines_for(std::int64_t m, std::int64_t n, std::int64_t k);

/// The same product by a routine that can compute it.
template <typename T>
void multiply(Routine routine, std::int64_t m, std::int64_t n, std::int64_t k, Matrix<T> a, Matrix<T> b,
              T beta, T* c, std::int64_t stride_c);

}  // namespace breakeven::cblas
