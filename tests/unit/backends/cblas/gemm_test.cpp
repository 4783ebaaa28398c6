// Tests the products with naive_cblas.h instead of a library's header.
#include "backends/cblas/gemm.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "unit/naive_cblas.h"

namespace breakeven::cblas {
namespace {

using testing::ElementsAre;

TEST(CblasRoutines, GemmComesFirstAndOthersWhereTheyCan) {
  EXPECT_THAT(routines_for(2, 3, 4), ElementsAre(Routine::gemm));
  EXPECT_THAT(routines_for(1, 3, 4), ElementsAre(Routine::gemm, Routine::gemv));
  EXPECT_THAT(routines_for(3, 1, 4), ElementsAre(Routine::gemm, Routine::gemv));
  EXPECT_THAT(routines_for(2, 3, 1), ElementsAre(Routine::gemm, Routine::ger));
  EXPECT_THAT(routines_for(1, 1, 1), ElementsAre(Routine::gemm, Routine::gemv, Routine::ger));
}

struct Size {
  std::int64_t m, n, k;
};

/// A batch of stored matrices whose rows end in padding.
template <typename T>
struct Stored {
  static constexpr std::int64_t padding = 3;
  std::int64_t rows, stride;
  std::vector<T> values;

  Stored(std::int64_t batch, std::int64_t row_count, std::int64_t columns, int first)
      : rows(row_count),
        stride(columns + padding),
        values(static_cast<std::size_t>(batch * rows * stride), std::numeric_limits<T>::quiet_NaN()) {
    int next = first;
    for (std::int64_t i = 0; i < batch * rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j)
        values[static_cast<std::size_t>(i * stride + j)] = static_cast<T>(next++ % 7 - 3);
    }
  }
  T* of(std::int64_t product) { return values.data() + product * rows * stride; }
};

/// Small whole numbers, for which every routine's result is exact.
template <typename T>
void expect_right_products(Routine routine, Size size, bool transpose_a, bool transpose_b, T beta) {
  constexpr std::int64_t batch = 2;
  const auto [m, n, k] = size;
  Stored<T> a(batch, transpose_a ? k : m, transpose_a ? m : k, 1);
  Stored<T> b(batch, transpose_b ? n : k, transpose_b ? k : n, 2);
  Stored<T> c(batch, m, n, 3);
  const Stored<T> before = c;
  for (std::int64_t product = 0; product < batch; ++product) {
    if (beta == T{0}) std::fill_n(c.of(product), n, std::numeric_limits<T>::quiet_NaN());  // must not be read
    multiply(routine, m, n, k, Matrix<T>{a.of(product), a.stride, transpose_a},
             Matrix<T>{b.of(product), b.stride, transpose_b}, beta, c.of(product), c.stride);
    EXPECT_EQ(naive_cblas::called(), routine_name(routine));
  }
  for (std::int64_t product = 0; product < batch; ++product) {
    for (std::int64_t i = 0; i < m; ++i) {
      EXPECT_TRUE(std::isnan(c.of(product)[i * c.stride + n])) << "the padding of row " << i;
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>((product * m + i) * c.stride + j);
        T expected = beta * before.values[at];
        for (std::int64_t l = 0; l < k; ++l) {
          expected += (transpose_a ? a.of(product)[l * a.stride + i] : a.of(product)[i * a.stride + l]) *
                      (transpose_b ? b.of(product)[j * b.stride + l] : b.of(product)[l * b.stride + j]);
        }
        EXPECT_EQ(c.values[at], expected)
            << routine_name(routine) << ", " << m << " x " << n << " x " << k << ", transposed "
            << transpose_a << transpose_b << ", beta " << beta << ": product " << product << ", element " << i
            << ", " << j;
      }
    }
  }
}

class CblasProduct : public testing::TestWithParam<std::tuple<Size, bool, bool>> {};

TEST_P(CblasProduct, IsTheSameByEachRoutine) {
  const auto& [size, transpose_a, transpose_b] = GetParam();
  for (const Routine routine : routines_for(size.m, size.n, size.k)) {
    for (const int beta : {0, 1, 2}) {
      expect_right_products<float>(routine, size, transpose_a, transpose_b, static_cast<float>(beta));
      expect_right_products<double>(routine, size, transpose_a, transpose_b, beta);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CblasProduct,
                         testing::Combine(testing::Values(Size{1, 5, 4}, Size{5, 1, 4}, Size{1, 1, 6},
                                                          Size{1, 5, 1}, Size{5, 1, 1}, Size{4, 5, 1},
                                                          Size{1, 1, 1}, Size{3, 4, 5}),
                                          testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace breakeven::cblas
