#include "workloads/launch.h"

#include <optional>

#include "backends/cuda/kernels/array_kernels.h"
#include "backends/cuda/work.h"

namespace breakeven::cuda {
namespace {

class EmptyKernel final : public Work {
 public:
  EmptyKernel(const Case& problem, std::uint64_t seed)
      : waits_(Launch(problem.parameters).waits),
        seed_(seed),
        number_(Launch::number(seed)),
        written_(sizeof(float)) {}

  void run() override {
    write_number(written_.as<float>(), number_, stream());
    if (waits_) wait();
  }

  /// A loop that waits for each launch cannot be queued behind a gate.
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override {
    return waits_ ? std::nullopt : Work::device_seconds(enqueue, runs, iterations, cold);
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    written_.poison(stream());
    run();
    wait();
    float shown = 0;
    written_.download(&shown);
    return evidence_of_number(shown, seed_, elements);
  }

  std::string algorithm() const override { return "a kernel of one thread"; }

 private:
  bool waits_;
  std::uint64_t seed_;
  float number_;
  Memory written_;
};

const OperationRegistration launch_registered({.op = "launch",
                                               .dtypes = fixed_dtypes({Dtype::f32}),
                                               .prepare = prepare_as<EmptyKernel>});

}  // namespace
}  // namespace breakeven::cuda
