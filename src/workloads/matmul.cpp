#include "workloads/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workloads/random.h"
#include "workloads/rotation.h"
#include "workloads/transfer.h"

namespace breakeven {

Matmul::Matmul(const Parameters& p)
    : m(p.integer("m")),
      n(p.integer("n")),
      k(p.integer("k")),
      batch(p.integer("batch")),
      transpose_a(p.boolean("transpose_a")),
      transpose_b(p.boolean("transpose_b")),
      dtype(p.dtype()),
      tuned(is_tuned(p)),
      fast_accumulation(p.find("fast_accumulation") != nullptr && p.boolean("fast_accumulation")) {}

namespace {

/// The fraction of their size that sums of `length` products may lose in accumulators of 13 bits. On average
/// each product loses half of the last bit, in a sum that on average is two thirds of the final one. Twice
/// that is allowed, but at most a half, because a result that is half wrong is wrong.
double lost_in_fast_accumulation(std::int64_t length) {
  return std::min(0.5, 2 * 0x1p-13 * static_cast<double>(length) / 3);
}

class MatmulWorkload final : public Workload {
 public:
  std::string_view op() const override { return "matmul"; }
  std::string_view meaning() const override { return "matrix product C = A B, row-major, batched"; }
  std::string_view plural() const override { return "matrix products"; }

  const std::vector<Parameter>& parameters() const override {
    constexpr std::int64_t most = 1 << 24;
    static const std::vector<Parameter> all = with_transfer({
        integer_parameter("m", "rows of A and C", 1, most),
        integer_parameter("n", "columns of B and C", 1, most),
        integer_parameter("k", "columns of A, rows of B: the length of the sums", 1, most),
        integer_parameter("batch", "number of products, whose matrices are stored contiguously", 1, most, 1),
        boolean_parameter("transpose_a", "A is stored k x m", false),
        boolean_parameter("transpose_b", "B is stored n x k", false),
        added_later(boolean_parameter(
            "fast_accumulation",
            "in f8e4m3: sums stay in the tensor cores' short accumulators, which is faster", false)),
        tuned_parameter(),
        operands_parameter(),
        dtype_parameter(all_dtypes()),
    });
    return all;
  }

  std::string title(const Parameters& parameters) const override {
    const Matmul p(parameters);
    return fmt::format("{} x {} x {} {}{}{}{}{}{}", p.m, p.n, p.k, name(p.dtype),
                       p.batch == 1 ? "" : fmt::format(", batch {}", p.batch), p.transpose_a ? ", A^T" : "",
                       p.transpose_b ? ", B^T" : "", p.fast_accumulation ? ", fast accumulation" : "",
                       how_text(parameters));
  }

  void check(const Parameters& parameters) const override {
    const Matmul p(parameters);
    if (p.fast_accumulation && !facts(p.dtype).has_short_accumulators) {
      throw InvalidCase(
          "fast_accumulation",
          fmt::format("only sums of f8e4m3 have it, not those of {}: leave it out there", name(p.dtype)));
    }
    if (memory(parameters) > 0x1p50) {
      throw InvalidCase("m",
                        fmt::format("the matrices would take {:.3g} bytes: make m, n, k or batch smaller",
                                    memory(parameters)));
    }
    check_operands(parameters);
  }

  std::vector<Parameters> examples() const override {
    std::vector<Parameters> all;
    const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch, bool a, bool b) {
      all.push_back({{"m", m}, {"n", n}, {"k", k}, {"batch", batch}, {"transpose_a", a}, {"transpose_b", b}});
    };
    add(1, 1, 1, 1, false, false);
    add(64, 48, 32, 1, false, false);
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        add(17, 33, 65, 3, a, b);
        add(32, 80, 48, 2, a, b);  // a size that tensor cores support in 8-bit types
      }
    }
    add(1, 129, 257, 1, false, false);  // matrix-vector
    add(304, 208, 112, 1, false, true);
    all.back().set("operands", std::string("rotating"));
    return all;
  }

  double flop(const Parameters& parameters) const override { return Matmul(parameters).flop(); }

  double bytes(const Parameters& parameters) const override {
    const Matmul p(parameters);
    const auto [m, n, k] =
        std::array{static_cast<double>(p.m), static_cast<double>(p.n), static_cast<double>(p.k)};
    return static_cast<double>(p.batch) * ((m * k + k * n) * static_cast<double>(facts(p.dtype).bytes()) +
                                           m * n * static_cast<double>(output_bytes(p.dtype)));
  }

  OutputShape output(const Parameters& parameters) const override { return Matmul(parameters).output(); }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Matmul p(parameters);
    const RandomStream a(seed, stream::first_operand);
    const RandomStream b(seed, stream::second_operand);
    Evidence truth;
    for (const std::int64_t e : elements) {
      const std::int64_t i = e / p.n % p.m;
      const std::int64_t j = e % p.n;
      const std::int64_t product = e / (p.m * p.n);
      long double sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += static_cast<long double>(input_value(p.dtype, a, p.index_a(product, i, l))) *
               static_cast<long double>(input_value(p.dtype, b, p.index_b(product, l, j)));
      }
      truth.elements.push_back(static_cast<double>(sum));
    }
    truth.projections = fold_positions(signed_row_sums(p, a, b, seed), seed);
    return truth;
  }

  Tolerance tolerance(const Parameters& parameters, const Evidence&) const override {
    const Matmul p(parameters);
    Tolerance allowed = sum_tolerance(p.dtype, p.k, output(parameters));
    if (p.fast_accumulation) allowed.relative += lost_in_fast_accumulation(p.k);
    return allowed;
  }

 private:
  /// C s = A (B s) for the vector s of column signs, one value per row of C: O(mk + kn), while C needs
  /// O(mkn).
  static std::vector<double> signed_row_sums(const Matmul& p, const RandomStream& a, const RandomStream& b,
                                             std::uint64_t seed) {
    const auto signs = channel_signs(seed, p.n);
    std::vector<double> sums(static_cast<std::size_t>(p.batch * p.m));
    std::vector<long double> b_sums(static_cast<std::size_t>(p.k));
    for (std::int64_t product = 0; product < p.batch; ++product) {
      for (std::int64_t l = 0; l < p.k; ++l) {
        long double sum = 0;
        for (std::int64_t j = 0; j < p.n; ++j) {
          sum += static_cast<long double>(signs[static_cast<std::size_t>(j)] *
                                          input_value(p.dtype, b, p.index_b(product, l, j)));
        }
        b_sums[static_cast<std::size_t>(l)] = sum;
      }
      for (std::int64_t i = 0; i < p.m; ++i) {
        long double sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l) {
          sum += static_cast<long double>(input_value(p.dtype, a, p.index_a(product, i, l))) *
                 b_sums[static_cast<std::size_t>(l)];
        }
        sums[static_cast<std::size_t>(product * p.m + i)] = static_cast<double>(sum);
      }
    }
    return sums;
  }
};

const WorkloadRegistration<MatmulWorkload> matmul_registered;

}  // namespace
}  // namespace breakeven
