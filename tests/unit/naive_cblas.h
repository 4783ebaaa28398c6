// The CBLAS functions that src/backends/cblas/gemm.cpp calls, as plain loops. An invalid argument is a test
// failure.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

enum CBLAS_ORDER { CblasRowMajor = 101 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

namespace breakeven::naive_cblas {

/// The routine that was called last: "gemm", "gemv" or "ger".
inline std::string& called() {
  static std::string name;
  return name;
}

template <typename T>
T element(const T* a, int stride, bool transposed, int i, int j) {
  return transposed ? a[j * stride + i] : a[i * stride + j];
}

template <typename T>
void update(T& y, T beta, T sum) {
  y = beta == T{0} ? sum : beta * y + sum;
}

template <typename T>
void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
          int ldb, T beta, T* c, int ldc) {
  called() = "gemm";
  EXPECT_GE(lda, std::max(1, transpose_a ? m : k));
  EXPECT_GE(ldb, std::max(1, transpose_b ? k : n));
  EXPECT_GE(ldc, std::max(1, n));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      T sum{};
      for (int l = 0; l < k; ++l)
        sum += alpha * element(a, lda, transpose_a, i, l) * element(b, ldb, transpose_b, l, j);
      update(c[i * ldc + j], beta, sum);
    }
  }
}

/// m and n are those of the matrix as stored.
template <typename T>
void gemv(bool transposed, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y,
          int incy) {
  called() = "gemv";
  EXPECT_GE(lda, std::max(1, n));
  EXPECT_GT(incx, 0);
  EXPECT_GT(incy, 0);
  const int rows = transposed ? n : m;
  const int columns = transposed ? m : n;
  for (int i = 0; i < rows; ++i) {
    T sum{};
    for (int j = 0; j < columns; ++j) sum += alpha * element(a, lda, transposed, i, j) * x[j * incx];
    update(y[i * incy], beta, sum);
  }
}

template <typename T>
void ger(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  called() = "ger";
  EXPECT_GE(lda, std::max(1, n));
  EXPECT_GT(incx, 0);
  EXPECT_GT(incy, 0);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) a[i * lda + j] += alpha * x[i * incx] * y[j * incy];
  }
}

}  // namespace breakeven::naive_cblas

#define BREAKEVEN_NAIVE_CBLAS(letter, T)                                                                   \
  inline void cblas_##letter##gemm(CBLAS_ORDER, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b,  \
                                   int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, \
                                   T beta, T* c, int ldc) {                                                \
    breakeven::naive_cblas::gemm(transpose_a == CblasTrans, transpose_b == CblasTrans, m, n, k, alpha, a,  \
                                 lda, b, ldb, beta, c, ldc);                                               \
  }                                                                                                        \
  inline void cblas_##letter##gemv(CBLAS_ORDER, CBLAS_TRANSPOSE transposed, int m, int n, T alpha,         \
                                   const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {    \
    breakeven::naive_cblas::gemv(transposed == CblasTrans, m, n, alpha, a, lda, x, incx, beta, y, incy);   \
  }                                                                                                        \
  inline void cblas_##letter##ger(CBLAS_ORDER, int m, int n, T alpha, const T* x, int incx, const T* y,    \
                                  int incy, T* a, int lda) {                                               \
    breakeven::naive_cblas::ger(m, n, alpha, x, incx, y, incy, a, lda);                                    \
  }
BREAKEVEN_NAIVE_CBLAS(s, float)
BREAKEVEN_NAIVE_CBLAS(d, double)
