// Compares the time of a call in take_sample() with a bare loop around the same call, in the same process.
// OpenBLAS's sgemm is timed by both in turn; prints the ratio of the medians as a Markdown table.
//   bench-bare-loop [PAIRS]      default: 200 for each size, about 25 s in all
#include <cblas.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "pairs.h"
#include "worker/timing.h"

namespace breakeven::bench {
namespace {

/// A product of n x n matrices in f32.
class Product final : public Prepared {
 public:
  explicit Product(int n) : n_(n), a_(inputs(n * n, 0)), b_(inputs(n * n, 1)), c_(a_.size()) {}

  void run() override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n_, n_, n_, 1.0F, a_.data(), n_, b_.data(), n_,
                0.0F, c_.data(), n_);
  }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

 private:
  int n_;
  std::vector<float> a_, b_, c_;
};

void compare(int n, std::size_t count) {
  Product product(n);
  const auto bare = [&](std::int64_t calls) { return bare_loop(calls, [&] { product.run(); }); };
  const std::int64_t iterations = iterations_of_a_sample(bare);
  const auto pairs = alternate(
      count, [&] { return bare(iterations); },
      [&] { return take_sample(product, "sgemm", iterations, {}).seconds; });
  const Medians both = medians(pairs);
  const Interval interval = ratio_interval(pairs);
  fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.4f} | {:.4f} ... {:.4f} |\n", n, pairs.size(), iterations,
             both.first * 1e6, both.second * 1e6, both.ratio(), interval.low, interval.high);
}

}  // namespace
}  // namespace breakeven::bench

int main(int argc, char** argv) {
  const std::size_t count = breakeven::bench::pairs_wanted(argc, argv, "bench-bare-loop");
  fmt::print("{}, {} threads\n\n", openblas_get_config(), openblas_get_num_threads());
  fmt::print("| n | pairs | calls a sample | bare loop, µs | take_sample, µs | ratio | 95 % |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const int n : {32, 64, 128, 256, 512}) breakeven::bench::compare(n, count);
}
