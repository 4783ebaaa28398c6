#include <algorithm>

#include "backends/cuda/arrays.h"
#include "backends/cuda/work.h"

namespace breakeven::cuda {
namespace {

/// In order of preference.
std::vector<ArrayLaunch> launches() {
  const unsigned filling = filling_blocks();
  return {{.depth = 4, .blocks = filling},
          {.depth = 2, .blocks = filling},
          {.depth = 4, .blocks = 4 * filling},
          {.depth = 2, .blocks = 4 * filling},
          {.depth = 1, .blocks = 4 * filling}};
}

std::int64_t most_blocks(const std::vector<ArrayLaunch>& launches) {
  unsigned most = 0;
  for (const ArrayLaunch& launch : launches) most = std::max(most, launch.blocks);
  return most;
}

class Read final : public Work {
 public:
  Read(const Bandwidth& problem, std::uint64_t seed)
      : p_(problem),
        seed_(seed),
        array_(random_array(p_, RandomStream(seed, stream::first_operand), stream())),
        partial_(most_blocks(launches()) * static_cast<std::int64_t>(facts(p_.dtype).bytes)),
        finished_(sizeof(unsigned)),
        result_(static_cast<std::int64_t>(facts(p_.dtype).bytes)) {
    check(cudaMemsetAsync(finished_.data(), 0, sizeof(unsigned), stream().get()), "cudaMemset");
    fastest_ =
        fastest_launch(stopwatch(), launches(), [this](const ArrayLaunch& launch) { enqueue(launch); });
  }

  void run() override { enqueue(fastest_.launch); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison(partial_, stream());
    poison(result_, stream());
    run();
    wait();
    double value = 0;  // room for an element of either type
    result_.download(&value);
    return {.elements = std::vector<double>(elements.size(), read_output(p_.dtype, &value, 0)),
            .projections = project(p_.dtype, &value, {.outer = 1, .channels = 1, .inner = 1}, seed_),
            .losses = {}};
  }

  std::string algorithm() const override { return fastest_.text; }

 private:
  void enqueue(const ArrayLaunch& launch) {
    sum_array(p_.dtype, launch, array_.data(), p_.bytes,
              {.partial = partial_.data(), .finished = finished_.as<unsigned>()}, result_.data(),
              stream().get());
  }

  Bandwidth p_;
  std::uint64_t seed_;
  Memory array_, partial_, finished_, result_;
  FastestLaunch fastest_;
};

const OperationRegistration registered(array_operation<Read>("read"));

}  // namespace
}  // namespace breakeven::cuda
