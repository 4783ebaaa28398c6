#include "backends/cblas/gemm.h"

#include <utility>

#include BREAKEVEN_CBLAS_HEADER

namespace breakeven::cblas {
namespace {

template <typename T>
struct Library;
template <>
struct Library<float> {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto gemv = cblas_sgemv;
  static constexpr auto ger = cblas_sger;
};
template <>
struct Library<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto gemv = cblas_dgemv;
  static constexpr auto ger = cblas_dger;
};

template <typename T>
auto transposition(const Matrix<T>& matrix) {
  return matrix.transposed ? CblasTrans : CblasNoTrans;
}

template <typename T>
Matrix<T> transpose(const Matrix<T>& matrix) {
  return {.data = matrix.data, .stride = matrix.stride, .transposed = !matrix.transposed};
}

/// y = op(A) x + beta y, for an op(A) of rows x columns. The vectors' elements are `step_x` and `step_y`
/// apart.
template <typename T>
void matrix_times_vector(std::int64_t rows, std::int64_t columns, Matrix<T> a, const T* x,
                         std::int64_t step_x, T beta, T* y, std::int64_t step_y) {
  if (a.transposed) std::swap(rows, columns);  // the library expects the size as stored
  Library<T>::gemv(CblasRowMajor, transposition(a), static_cast<int>(rows), static_cast<int>(columns), T{1},
                   a.data, static_cast<int>(a.stride), x, static_cast<int>(step_x), beta, y,
                   static_cast<int>(step_y));
}

template <typename T>
void by_gemv(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<T> a, Matrix<T> b, T beta, T* c,
             std::int64_t stride_c) {
  if (n == 1) return matrix_times_vector(m, k, a, b.data, b.transposed ? 1 : b.stride, beta, c, stride_c);
  // The row of C is the transpose of op(B)^T times a column.
  matrix_times_vector<T>(n, k, transpose(b), a.data, a.transposed ? a.stride : 1, beta, c, 1);
}

template <typename T>
void by_ger(std::int64_t m, std::int64_t n, Matrix<T> a, Matrix<T> b, T beta, T* c, std::int64_t stride_c) {
  for (std::int64_t i = 0; i < m && beta != T{1}; ++i) {
    T* const row = c + i * stride_c;
    for (std::int64_t j = 0; j < n; ++j) row[j] = beta == T{0} ? T{0} : beta * row[j];
  }
  Library<T>::ger(CblasRowMajor, static_cast<int>(m), static_cast<int>(n), T{1}, a.data,
                  static_cast<int>(a.transposed ? 1 : a.stride), b.data,
                  static_cast<int>(b.transposed ? b.stride : 1), c, static_cast<int>(stride_c));
}

}  // namespace

template <typename T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<T> a, Matrix<T> b, T beta, T* c,
          std::int64_t stride_c) {
  Library<T>::gemm(CblasRowMajor, transposition(a), transposition(b), static_cast<int>(m),
                   static_cast<int>(n), static_cast<int>(k), T{1}, a.data, static_cast<int>(a.stride), b.data,
                   static_cast<int>(b.stride), beta, c, static_cast<int>(stride_c));
}

std::string_view routine_name(Routine routine) {
  switch (routine) {
    case Routine::gemm:
      return "gemm";
    case Routine::gemv:
      return "gemv";
    case Routine::ger:
      return "ger";
  }
  return "";
}

std::vector<Routine> routines_for(std::int64_t m, std::int64_t n, std::int64_t k) {
  std::vector<Routine> routines{Routine::gemm};
  if (m == 1 || n == 1) routines.push_back(Routine::gemv);
  if (k == 1) routines.push_back(Routine::ger);
  return routines;
}

template <typename T>
void multiply(Routine routine, std::int64_t m, std::int64_t n, std::int64_t k, Matrix<T> a, Matrix<T> b,
              T beta, T* c, std::int64_t stride_c) {
  switch (routine) {
    case Routine::gemm:
      return gemm(m, n, k, a, b, beta, c, stride_c);
    case Routine::gemv:
      return by_gemv(m, n, k, a, b, beta, c, stride_c);
    case Routine::ger:
      return by_ger(m, n, a, b, beta, c, stride_c);
  }
}

template void gemm(std::int64_t, std::int64_t, std::int64_t, Matrix<float>, Matrix<float>, float, float*,
                   std::int64_t);
template void gemm(std::int64_t, std::int64_t, std::int64_t, Matrix<double>, Matrix<double>, double, double*,
                   std::int64_t);
template void multiply(Routine, std::int64_t, std::int64_t, std::int64_t, Matrix<float>, Matrix<float>, float,
                       float*, std::int64_t);
template void multiply(Routine, std::int64_t, std::int64_t, std::int64_t, Matrix<double>, Matrix<double>,
                       double, double*, std::int64_t);

}  // namespace breakeven::cblas
