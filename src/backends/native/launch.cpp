#include "workloads/launch.h"

#include "worker/backend.h"
#include "worker/threads.h"

namespace breakeven::native {
namespace {

/// An empty parallel region of all threads, such as every parallel loop of a library opens.
class EmptyRegion final : public Prepared {
 public:
  explicit EmptyRegion(std::uint64_t seed) : seed_(seed), number_(Launch::number(seed)) {}

  void run() override {
    parallel_ranges(threads(), [&](std::int64_t first, std::int64_t, int) {
      if (first == 0) written_ = number_;
    });
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(Dtype::f32, &written_, 1);
    run();
    return evidence_of_number(written_, seed_, elements);
  }

  std::string algorithm() const override {
    return threads() == 1 ? "a call: one thread"
                          : "an OpenMP region of " + std::to_string(threads()) + " threads";
  }

 private:
  std::uint64_t seed_;
  float number_;
  float written_ = 0;
};

const OperationRegistration launch_registered({
    .op = "launch",
    .dtypes = fixed_dtypes({Dtype::f32}),
    .prepare = [](const Case& problem, std::uint64_t seed) -> std::unique_ptr<Prepared> {
      if (!Launch(problem.parameters).waits)
        throw Unsupported("a region of threads ends before the next can begin");
      return std::make_unique<EmptyRegion>(seed);
    },
});

}  // namespace
}  // namespace breakeven::native
