#include <algorithm>

#include "backends/cuda/arrays.h"
#include "backends/cuda/work.h"

namespace breakeven::cuda {
namespace {

/// The launches to try, in order of preference.
std::vector<ArrayLaunch> launches() {
  const unsigned filling = filling_blocks();
  return {{.depth = 4, .blocks = filling},
          {.depth = 2, .blocks = filling},
          {.depth = 4, .blocks = 4 * filling},
          {.depth = 2, .blocks = 4 * filling},
          {.depth = 1, .blocks = 4 * filling}};
}

class Read final : public MovingWork {
 public:
  Read(const Case& problem, std::uint64_t seed)
      : MovingWork(problem),
        p_(problem.parameters),
        seed_(seed),
        array_(random_array(p_, RandomStream(seed, stream::first_operand), stream()), moves()),
        partial_(std::ranges::max(launches(), {}, &ArrayLaunch::blocks).blocks *
                 static_cast<std::int64_t>(facts(p_.dtype).bytes())),
        finished_(sizeof(unsigned)),
        result_(static_cast<std::int64_t>(facts(p_.dtype).bytes()), moves()) {
    name_arrays({&array_}, result_);
    finished_.clear(stream());
    fastest_ = fastest_launch(stopwatch(), launches(), p_.tuned,
                              [this](const ArrayLaunch& launch) { enqueue(launch); });
  }

  void run() override { enqueue(fastest_.fastest); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    partial_.poison(stream());
    iterate_afresh();
    Buffer<std::byte> value(static_cast<std::int64_t>(facts(p_.dtype).bytes()));
    result_.show(value);
    return evidence_of_number(read_output(p_.dtype, value.data(), 0), seed_, elements);
  }

  std::string algorithm() const override { return fastest_.text; }

 private:
  void enqueue(const ArrayLaunch& launch) {
    sum_array(p_.dtype, launch, array_.data(), p_.bytes,
              {.partial = partial_.data(), .finished = finished_.as<unsigned>()}, result_.data(), stream());
  }

  Bandwidth p_;
  std::uint64_t seed_;
  Moved array_;
  Memory partial_, finished_;
  Moved result_;
  Raced<ArrayLaunch> fastest_;
};

const OperationRegistration read_registered({.op = "read",
                                             .dtypes = array_dtypes,
                                             .prepare = prepare_as<Read>});

}  // namespace
}  // namespace breakeven::cuda
