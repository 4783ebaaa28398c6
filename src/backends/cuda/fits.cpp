// Finds the largest product, or batch of a network, that fits in device memory, by allocating until it fails.
#include <string>
#include <utility>

#include "backends/cuda/device.h"
#include "backends/cuda/network/model.h"
#include "backends/cuda/products.h"
#include "backends/cuda/work.h"
#include "network/model.h"
#include "worker/backend.h"
#include "worker/fitting.h"

namespace breakeven::cuda {
namespace {

class Fits final : public Work {
 public:
  Fits(Case problem, std::uint64_t seed) : problem_(std::move(problem)), seed_(seed) {}

  Fit fit() override {
    return largest_that_fits(largest_asked, fit_step(problem_.parameters),
                             [this](std::int64_t size) { try_size(size); });
  }

  void run() override { throw Unsupported("what fits is not timed"); }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

 private:
  void try_size(std::int64_t size) {
    if (problem_.parameters.text("of") == "matmul") {
      try_product(size);
    } else {
      try_network(size);
    }
    wait();
  }

  /// Allocates operands, result and workspace, and finds an algorithm for them. Their contents do not matter.
  void try_product(std::int64_t n) {
    const Dtype dtype = problem_.dtype();
    const std::int64_t operand = n * n * static_cast<std::int64_t>(facts(dtype).bytes());
    Memory a(operand);
    Memory b(operand);
    Memory c(n * n * static_cast<std::int64_t>(output_bytes(dtype)));
    Memory workspace(product_workspace_bytes);
    constexpr float one = 1;
    const Memory scale = Memory::of(&one, sizeof one);
    const Product product({.m = n, .n = n, .k = n, .transpose_b = true, .types = product_types(dtype)},
                          {.a = a.data(),
                           .b = b.data(),
                           .c = c.data(),
                           .scales = dtype == Dtype::f8e4m3 ? scale.data() : nullptr,
                           .workspace = workspace.data()},
                          stopwatch(), Product::untried);
  }

  /// Allocates everything that a step needs, and runs one step.
  void try_network(std::int64_t batch) {
    Parameters one_image = case_of_size(problem_.parameters, 1).parameters;
    one_image.set("graph", false);
    ModelTask task = model_task(one_image, seed_);
    task.batch = batch;
    make_network_model(task, stopwatch());
  }

  Case problem_;
  std::uint64_t seed_;
};

const OperationRegistration fits_registered(
    {.op = "fits", .dtypes = product_dtypes, .prepare = prepare_as<Fits>, .why_not = why_not_here});

}  // namespace
}  // namespace breakeven::cuda
