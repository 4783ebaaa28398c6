#include "backends/cuda/arrays.h"
#include "backends/cuda/work.h"

namespace breakeven::cuda {
namespace {

class Triad final : public MovingWork {
 public:
  Triad(const Case& problem, std::uint64_t seed)
      : MovingWork(problem),
        p_(problem.parameters),
        seed_(seed),
        b_(random_array(p_, RandomStream(seed, stream::first_operand), stream()), moves()),
        c_(random_array(p_, RandomStream(seed, stream::second_operand), stream()), moves()),
        a_(p_.bytes, moves()),
        fastest_(fastest_launch(stopwatch(), writing_launches(), p_.tuned,
                                [this](const ArrayLaunch& launch) { enqueue(launch); })) {
    name_arrays({&b_, &c_}, a_);
  }

  void run() override { enqueue(fastest_.fastest); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    iterate_afresh();
    // The host's result is copied to the device again, where evidence is computed faster.
    a_.forget_on_device(stream());
    a_.copy_inputs_to_device(stream());
    wait();
    return show_array(p_, a_.memory(), seed_, elements);
  }

  std::string algorithm() const override { return fastest_.text; }

 private:
  void enqueue(const ArrayLaunch& launch) {
    scaled_sum(p_.dtype, launch, b_.data(), c_.data(), triad_factor, a_.data(), p_.bytes, stream());
  }

  Bandwidth p_;
  std::uint64_t seed_;
  Moved b_, c_, a_;
  Raced<ArrayLaunch> fastest_;
};

const OperationRegistration triad_registered({.op = "triad",
                                              .dtypes = array_dtypes,
                                              .prepare = prepare_as<Triad>});

}  // namespace
}  // namespace breakeven::cuda
