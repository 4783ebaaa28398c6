// Faults planted into a CBLAS: a library that is preloaded into a backend, and calls the real library.
#include BREAKEVEN_CBLAS_HEADER

#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "fault.h"

namespace breakeven::planted {
namespace {

constexpr std::array<std::string_view, 12> faults{"tf32",          // operands rounded to 10 bits
                                                  "bf16",          // operands rounded to 7 bits
                                                  "transpose",     // wrong flag of an operand that is square
                                                  "alpha_zero",    // C = 0
                                                  "beta_one",      // C += instead of C =
                                                  "skip",          // no call at all
                                                  "skip_written",  // no call if C contains a number already
                                                  "break_later",   // all calls but the first are skipped
                                                  "zeros",         // zeros instead of A
                                                  "one_element",   // one element of C is 1 % too large
                                                  "last_columns",  // a quarter of C's columns is not written
                                                  "needless_copy"};  // copies A first: right, but slower

std::string_view fault() {
  static const std::string_view name = fault_of(faults);
  return name;
}

/// Rounds to `bits` bits after the leading one, to nearest.
template <typename T>
T rounded(T value, int bits) {
  int exponent = 0;
  const T mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits + 1)), exponent - bits - 1);
}

/// The arguments of a GEMM of T: row-major, as this project calls it.
template <typename T>
struct Call {
  CBLAS_TRANSPOSE transpose_a, transpose_b;
  int m, n, k;
  T alpha;
  const T* a;
  int stride_a;
  const T* b;
  int stride_b;
  T beta;
  T* c;
  int stride_c;

  // The sizes as stored.
  int rows_a() const { return transpose_a == CblasNoTrans ? m : k; }
  int columns_a() const { return transpose_a == CblasNoTrans ? k : m; }
  int rows_b() const { return transpose_b == CblasNoTrans ? k : n; }
  int columns_b() const { return transpose_b == CblasNoTrans ? n : k; }
  T& element(int row, int column) const { return c[static_cast<std::ptrdiff_t>(row) * stride_c + column]; }
};

/// A copy of a stored operand, with the same stride and each value changed.
template <typename T, typename Change>
std::vector<T> changed(const T* from, int rows, int columns, int stride, Change change) {
  std::vector<T> copy(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * stride + j;
      copy[static_cast<std::size_t>(at)] = change(from[at]);
    }
  }
  return copy;
}

template <typename T, typename Real>
void with_operands(Call<T> call, Real real, T (*change_a)(T), T (*change_b)(T)) {
  const auto a = changed(call.a, call.rows_a(), call.columns_a(), call.stride_a, change_a);
  const auto b = changed(call.b, call.rows_b(), call.columns_b(), call.stride_b, change_b);
  call.a = a.data();
  call.b = b.data();
  real(call);
}

template <typename T, typename Real>
void without_last_columns(const Call<T>& call, Real real) {
  const int first = call.n - (call.n + 3) / 4;
  std::vector<T> before;
  for (int i = 0; i < call.m; ++i) {
    for (int j = first; j < call.n; ++j) before.push_back(call.element(i, j));
  }
  real(call);
  auto next = before.begin();
  for (int i = 0; i < call.m; ++i) {
    for (int j = first; j < call.n; ++j) call.element(i, j) = *next++;
  }
}

CBLAS_TRANSPOSE opposite(CBLAS_TRANSPOSE transpose) {
  return transpose == CblasNoTrans ? CblasTrans : CblasNoTrans;
}

template <typename T, typename Real>
void gemm(Call<T> call, Real real) {
  static std::atomic<int> calls_before = 0;
  const int before = calls_before++;
  if (fault() == "skip" || (fault() == "skip_written" && !std::isnan(call.element(0, 0))) ||
      (fault() == "break_later" && before > 0)) {
    return;
  }
  if (fault() == "tf32") {
    constexpr auto round = [](T value) { return rounded(value, 10); };
    return with_operands<T>(call, real, round, round);
  }
  if (fault() == "bf16") {
    constexpr auto round = [](T value) { return rounded(value, 7); };
    return with_operands<T>(call, real, round, round);
  }
  if (fault() == "zeros") {
    return with_operands<T>(
        call, real, [](T) { return T{0}; }, [](T value) { return value; });
  }
  if (fault() == "needless_copy") {
    const auto a =
        changed(call.a, call.rows_a(), call.columns_a(), call.stride_a, [](T value) { return value; });
    call.a = a.data();
    return real(call);
  }
  if (fault() == "last_columns") return without_last_columns(call, real);
  if (fault() == "alpha_zero") call.alpha = 0;
  if (fault() == "beta_one") call.beta = 1;
  if (fault() == "transpose") {
    if (call.m == call.k) {
      call.transpose_a = opposite(call.transpose_a);
    } else if (call.k == call.n) {
      call.transpose_b = opposite(call.transpose_b);
    }
  }
  real(call);
  if (fault() == "one_element") call.element(call.m / 2, call.n / 3) *= static_cast<T>(1.01);
}

/// Calls the library's own function with arguments that a fault may have changed.
template <typename T, typename Function>
void gemm(CBLAS_LAYOUT layout, const Call<T>& call, Function* real) {
  gemm(call, [&](const Call<T>& p) {
    real(layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k, p.alpha, p.a, p.stride_a, p.b, p.stride_b,
         p.beta, p.c, p.stride_c);
  });
}

}  // namespace
}  // namespace breakeven::planted

using namespace breakeven::planted;

extern "C" {

void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, int m, int n,
                 int k, float alpha, const float* a, int stride_a, const float* b, int stride_b, float beta,
                 float* c, int stride_c) {
  static auto* const own = real<decltype(cblas_sgemm)>("cblas_sgemm");
  gemm(layout,
       Call<float>{transpose_a, transpose_b, m, n, k, alpha, a, stride_a, b, stride_b, beta, c, stride_c},
       own);
}

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, int m, int n,
                 int k, double alpha, const double* a, int stride_a, const double* b, int stride_b,
                 double beta, double* c, int stride_c) {
  static auto* const own = real<decltype(cblas_dgemm)>("cblas_dgemm");
  gemm(layout,
       Call<double>{transpose_a, transpose_b, m, n, k, alpha, a, stride_a, b, stride_b, beta, c, stride_c},
       own);
}
}
