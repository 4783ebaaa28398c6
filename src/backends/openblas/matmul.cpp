#include "workloads/matmul.h"

#include <cblas.h>

#include "worker/backend.h"
#include "workloads/host_tensors.h"

namespace breakeven {
namespace {

class OpenblasMatmul final : public Prepared {
 public:
  OpenblasMatmul(const Matmul& problem, std::uint64_t seed)
      : p_(problem), tensors_(HostTensors::of(problem, seed)) {}

  void run() override {
    for (std::int64_t b = 0; b < p_.batch; ++b) {
      const auto gemm = [&](auto function, auto one, auto zero) {
        using T = decltype(one);
        function(CblasRowMajor, p_.transpose_a ? CblasTrans : CblasNoTrans,
                 p_.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(p_.m), static_cast<int>(p_.n),
                 static_cast<int>(p_.k), one, tensors_.first_as<T>() + b * p_.m * p_.k,
                 static_cast<int>(p_.stride_a()), tensors_.second_as<T>() + b * p_.k * p_.n,
                 static_cast<int>(p_.stride_b()), zero, tensors_.output_as<T>() + b * p_.m * p_.n,
                 static_cast<int>(p_.n));
      };
      if (p_.dtype == Dtype::f64) {
        gemm(cblas_dgemm, 1.0, 0.0);
      } else {
        gemm(cblas_sgemm, 1.0F, 0.0F);
      }
    }
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    run();
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override { return ""; }

 private:
  Matmul p_;
  HostTensors tensors_;
};

const OperationRegistration matmul({.op = "matmul",
                                    .dtypes =
                                        [] {
                                          return std::vector{Dtype::f64, Dtype::f32};
                                        },
                                    .prepare = [](const Case& c,
                                                  std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                      return std::make_unique<OpenblasMatmul>(Matmul(c.parameters), seed);
                                    }});

}  // namespace
}  // namespace breakeven
