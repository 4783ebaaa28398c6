// src/backends/native/softmax.cpp: one backend that can do it.
#include <cmath>

#include "worker/backend.h"
#include "worker/threads.h"
#include "workloads/buffer.h"
#include "workloads/random.h"

namespace breakeven::native {
namespace {

template <typename T>
class Softmax final : public Prepared {
 public:
  // Allocates memory, generates the inputs, sets up the library. Not timed.
  Softmax(const Case& problem, std::uint64_t seed)
      : dtype_(problem.dtype()),
        shape_(problem.workload->output(problem.parameters)),
        seed_(seed),
        x_(shape_.elements()),
        y_(shape_.elements()) {
    fill_inputs(dtype_, x_.data(), x_.size(), RandomStream(seed, stream::first_operand));
  }

  // The timed work.
  void run() override {
    parallel_ranges(shape_.outer, [this](std::int64_t first, std::int64_t last, int) {
      for (std::int64_t row = first; row < last; ++row) {
        const T* x = x_.data() + row * shape_.channels;
        T* y = y_.data() + row * shape_.channels;
        T sum = 0;
        for (std::int64_t c = 0; c < shape_.channels; ++c) sum += y[c] = std::exp(x[c]);
        for (std::int64_t c = 0; c < shape_.channels; ++c) y[c] /= sum;
      }
    });
  }

  // For verification: NaN first, so that a value that is never written is found.
  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(dtype_, y_.data(), y_.size());
    run();
    return evidence_of(dtype_, y_.data(), shape_, seed_, elements);
  }

  std::string algorithm() const override { return "two passes over a row"; }

 private:
  Dtype dtype_;
  OutputShape shape_;
  std::uint64_t seed_;
  Buffer<T> x_, y_;
};

const OperationRegistration softmax_registered(
    {.op = "softmax",
     .dtypes =
         [] {
           return std::vector{Dtype::f32, Dtype::f64};
         },
     .prepare = [](const Case& problem, std::uint64_t seed) -> std::unique_ptr<Prepared> {
       if (problem.dtype() == Dtype::f64) return std::make_unique<Softmax<double>>(problem, seed);
       return std::make_unique<Softmax<float>>(problem, seed);
     }});

}  // namespace
}  // namespace breakeven::native
