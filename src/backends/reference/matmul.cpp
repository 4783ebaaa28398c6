#include "workloads/matmul.h"

#include <vector>

#include "backends/reference/elements.h"
#include "backends/reference/parallel.h"
#include "backends/reference/plain_loops.h"
#include "backends/reference/threads.h"

namespace breakeven {
namespace {

class ReferenceMatmul final : public PlainLoops {
 public:
  ReferenceMatmul(const Matmul& problem, std::uint64_t seed)
      : PlainLoops(HostTensors::of(problem, seed)),
        p_(problem),
        a_(widened(p_.dtype, tensors_.first.data(), p_.elements_a())),
        b_(widened(p_.dtype, tensors_.second.data(), p_.elements_b())) {}

  void run() override {
    parallel_for(p_.batch * p_.m, reference_threads(), [&](std::int64_t row) {
      const std::int64_t product = row / p_.m;
      const std::int64_t i = row % p_.m;
      const double* a = a_.data() + product * p_.m * p_.k;
      const double* b = b_.data() + product * p_.k * p_.n;
      std::vector<double> sums(static_cast<std::size_t>(p_.n), 0.0);
      for (std::int64_t l = 0; l < p_.k; ++l) {
        const double factor = p_.transpose_a ? a[l * p_.m + i] : a[i * p_.k + l];
        const std::int64_t step = p_.transpose_b ? p_.k : 1;
        const double* from = p_.transpose_b ? b + l : b + l * p_.n;
        for (std::int64_t j = 0; j < p_.n; ++j) sums[static_cast<std::size_t>(j)] += factor * from[j * step];
      }
      for (std::int64_t j = 0; j < p_.n; ++j)
        store_output(p_.dtype, tensors_.output.data(), row * p_.n + j, sums[static_cast<std::size_t>(j)]);
    });
  }

 private:
  Matmul p_;
  std::vector<double> a_, b_;
};

const OperationRegistration matmul({.op = "matmul",
                                    .dtypes = all_dtypes,
                                    .prepare = [](const Case& c,
                                                  std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                      return std::make_unique<ReferenceMatmul>(Matmul(c.parameters), seed);
                                    }});

}  // namespace
}  // namespace breakeven
