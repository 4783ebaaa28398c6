#include "workloads/matmul.h"

#include <vector>

#include "backends/reference/plain_loops.h"
#include "worker/threads.h"
#include "workloads/parallel.h"

namespace breakeven {
namespace {

class ReferenceMatmul final : public PlainLoops {
 public:
  ReferenceMatmul(const Case& problem, std::uint64_t seed)
      : PlainLoops(HostTensors::of(Matmul(problem.parameters), seed)),
        p_(problem.parameters),
        a_(widened(tensors_.first)),
        b_(widened(tensors_.second)) {}

  void run() override {
    parallel_for(p_.batch * p_.m, threads(), [&](std::int64_t row) {
      const std::int64_t product = row / p_.m;
      std::vector<double> sums(static_cast<std::size_t>(p_.n), 0.0);
      for (std::int64_t l = 0; l < p_.k; ++l) {
        const double factor = a_[static_cast<std::size_t>(p_.index_a(product, row % p_.m, l))];
        const double* from = b_.data() + p_.index_b(product, l, 0);
        const std::int64_t step = p_.transpose_b ? p_.k : 1;
        for (std::int64_t j = 0; j < p_.n; ++j) sums[static_cast<std::size_t>(j)] += factor * from[j * step];
      }
      store(row * p_.n, sums);
    });
  }

 private:
  Matmul p_;
  std::vector<double> a_, b_;
};

const OperationRegistration matmul({.op = "matmul",
                                    .dtypes = all_dtypes,
                                    .prepare = prepare_as<ReferenceMatmul>});

}  // namespace
}  // namespace breakeven
