#include "backends/cblas/gemm.h"

#include BREAKEVEN_CBLAS_HEADER

namespace breakeven::cblas {
namespace {

template <typename T>
auto transposition(const Matrix<T>& matrix) {
  return matrix.transposed ? CblasTrans : CblasNoTrans;
}

}  // namespace

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<float> a, Matrix<float> b, float beta,
          float* c, std::int64_t stride_c) {
  cblas_sgemm(CblasRowMajor, transposition(a), transposition(b), static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0F, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), beta, c, static_cast<int>(stride_c));
}

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<double> a, Matrix<double> b, double beta,
          double* c, std::int64_t stride_c) {
  cblas_dgemm(CblasRowMajor, transposition(a), transposition(b), static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), beta, c, static_cast<int>(stride_c));
}

}  // namespace breakeven::cblas
