#include "workloads/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workloads/parallel.h"
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

/// A matrix of input elements, row-major, that begins at element `first` of its stream.
struct StoredMatrix {
  Dtype dtype;
  RandomStream numbers;
  std::int64_t first, rows, columns;
};

/// Returns M v: `rows` sums of `columns` products each.
std::vector<long double> multiply(const StoredMatrix& matrix, const std::vector<long double>& v,
                                  int threads) {
  constexpr std::int64_t at_once = 4096;  // elements, which stay in the first cache
  std::vector<long double> sums(static_cast<std::size_t>(matrix.rows));
  parallel_parts(matrix.rows, threads, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    std::vector<double> values(static_cast<std::size_t>(std::min(at_once, matrix.columns)));
    for (std::int64_t i = first; i < last; ++i) {
      long double& sum = sums[static_cast<std::size_t>(i)];
      for (std::int64_t column = 0; column < matrix.columns; column += at_once) {
        const std::int64_t count = std::min(at_once, matrix.columns - column);
        read_inputs(matrix.dtype, matrix.numbers, matrix.first + i * matrix.columns + column, count,
                    values.data());
        for (std::int64_t j = 0; j < count; ++j)
          sum += v[static_cast<std::size_t>(column + j)] * values[static_cast<std::size_t>(j)];
      }
    }
  });
  return sums;
}

/// Returns M^T v: `columns` sums of `rows` products each.
std::vector<long double> multiply_transposed(const StoredMatrix& matrix, const std::vector<long double>& v,
                                             int threads) {
  std::vector<long double> sums(static_cast<std::size_t>(matrix.columns));
  parallel_parts(matrix.columns, threads, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    std::vector<double> row(static_cast<std::size_t>(last - first));
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      read_inputs(matrix.dtype, matrix.numbers, matrix.first + i * matrix.columns + first, last - first,
                  row.data());
      const long double weight = v[static_cast<std::size_t>(i)];
      std::transform(row.begin(), row.end(), sums.begin() + first, sums.begin() + first,
                     [weight](double value, long double sum) { return sum + weight * value; });
    }
  });
  return sums;
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
    add(1, 129, 257, 1, false, false);    // matrix-vector
    add(384, 512, 256, 1, false, false);  // worth several threads in every library
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
    truth.elements = values_at(elements, 2 * p.k, [&](std::int64_t e) {
      const std::int64_t i = e / p.n % p.m;
      const std::int64_t j = e % p.n;
      const std::int64_t product = e / (p.m * p.n);
      long double sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += static_cast<long double>(input_value(p.dtype, a, p.index_a(product, i, l))) *
               static_cast<long double>(input_value(p.dtype, b, p.index_b(product, l, j)));
      }
      return static_cast<double>(sum);
    });
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
    const std::vector<double> signs = channel_signs(seed, p.n);
    const std::vector<long double> s(signs.begin(), signs.end());
    std::vector<double> sums(static_cast<std::size_t>(p.batch * p.m));
    const int threads = threads_for(p.elements_a() + p.elements_b());
    const int threads_each = static_cast<int>(std::max<std::int64_t>(1, threads / p.batch));
    parallel_for(p.batch, threads, [&](std::int64_t product) {
      const StoredMatrix stored_a{p.dtype, a, p.index_a(product, 0, 0), p.rows_a(), p.stride_a()};
      const StoredMatrix stored_b{p.dtype, b, p.index_b(product, 0, 0), p.rows_b(), p.stride_b()};
      const auto b_s = (p.transpose_b ? multiply_transposed : multiply)(stored_b, s, threads_each);
      const auto a_b_s = (p.transpose_a ? multiply_transposed : multiply)(stored_a, b_s, threads_each);
      std::copy(a_b_s.begin(), a_b_s.end(), sums.begin() + product * p.m);
    });
    return sums;
  }
};

const WorkloadRegistration<MatmulWorkload> matmul_registered;

}  // namespace
}  // namespace breakeven
