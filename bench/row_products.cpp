// Compares products of one row or one column in the OpenBLAS backend with the library's own cblas_sgemv in a
// plain program. The backend's tuned product, timed by take_sample(), and a bare loop around cblas_sgemv on
// the library's own threads run in turn in one process. Prints the backend's speed relative to the loop as a
// Markdown table.
//   bench-row-products [PAIRS]      default: 200 for each size, about 20 s in all
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "pairs.h"
#include "worker/backend.h"
#include "worker/threads.h"
#include "worker/timing.h"

namespace breakeven::bench {
namespace {

/// Computes y = A x for a product of one column, y = B^T x for one of one row.
class PlainProduct {
 public:
  PlainProduct(int m, int n, int k)
      : transposed_(m == 1),
        rows_(m == 1 ? k : m),
        columns_(m == 1 ? n : k),
        matrix_(inputs(rows_ * columns_, 0)),
        x_(inputs(k, 1)),
        y_(static_cast<std::size_t>(m * n)) {}

  /// Seconds per call.
  double seconds(std::int64_t iterations) {
    return bare_loop(iterations, [&] {
      cblas_sgemv(CblasRowMajor, transposed_ ? CblasTrans : CblasNoTrans, rows_, columns_, 1.0F,
                  matrix_.data(), columns_, x_.data(), 1, 0.0F, y_.data(), 1);
    });
  }

 private:
  bool transposed_;
  int rows_, columns_;
  std::vector<float> matrix_, x_, y_;
};

std::unique_ptr<Prepared> prepare(int m, int n, int k) {
  const Case problem = make_case(*find_workload("matmul"), {{"m", std::int64_t{m}},
                                                            {"n", std::int64_t{n}},
                                                            {"k", std::int64_t{k}},
                                                            {"dtype", std::string("f32")}});
  const auto matmul = std::find_if(operations().begin(), operations().end(),
                                   [](const Operation& operation) { return operation.op == "matmul"; });
  return matmul->prepare(problem, 1);
}

void compare(int m, int n, int k, std::size_t count) {
  PlainProduct plain(m, n, k);
  const auto prepared = prepare(m, n, k);
  const int chosen_threads = openblas_get_num_threads();
  const auto plain_loop = [&](std::int64_t iterations) {
    openblas_set_num_threads(threads());
    const double seconds = plain.seconds(iterations);
    openblas_set_num_threads(chosen_threads);
    return seconds;
  };
  const std::int64_t iterations = iterations_of_a_sample(plain_loop);
  const auto pairs = alternate(
      count, [&] { return take_sample(*prepared, "product", iterations, {}).seconds; },
      [&] { return plain_loop(iterations); });
  const Medians both = medians(pairs);
  const Interval interval = ratio_interval(pairs);
  fmt::print("| {} x {} x {} | {:.2f} | {:.2f} | {:.3f} | {:.3f} ... {:.3f} | {} |\n", m, n, k,
             both.second * 1e6, both.first * 1e6, both.ratio(), interval.low, interval.high,
             prepared->algorithm());
}

}  // namespace
}  // namespace breakeven::bench

int main(int argc, char** argv) {
  const std::size_t pairs = breakeven::bench::pairs_wanted(argc, argv, "bench-row-products");
  breakeven::set_threads(openblas_get_num_threads());
  fmt::print("{}, {} threads\n\n", openblas_get_config(), breakeven::threads());
  fmt::print("| product | cblas_sgemv, µs | backend, µs | speed | 95 % | the backend's algorithm |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  breakeven::bench::compare(1, 1024, 1024, pairs);
  breakeven::bench::compare(1, 512, 784, pairs);
  breakeven::bench::compare(1024, 1, 1024, pairs);
  breakeven::bench::compare(512, 1, 784, pairs);
}
