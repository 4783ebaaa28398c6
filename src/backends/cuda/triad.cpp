#include "backends/cuda/arrays.h"
#include "backends/cuda/work.h"

namespace breakeven::cuda {
namespace {

class Triad final : public Work {
 public:
  Triad(const Bandwidth& problem, std::uint64_t seed)
      : p_(problem),
        seed_(seed),
        b_(random_array(p_, RandomStream(seed, stream::first_operand), stream())),
        c_(random_array(p_, RandomStream(seed, stream::second_operand), stream())),
        a_(p_.bytes),
        fastest_(fastest_launch(stopwatch(), writing_launches(),
                                [this](const ArrayLaunch& launch) { enqueue(launch); })) {}

  void run() override { enqueue(fastest_.launch); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison(a_, stream());
    run();
    wait();
    return show_array(p_, a_, seed_, elements);
  }

  std::string algorithm() const override { return fastest_.text; }

 private:
  void enqueue(const ArrayLaunch& launch) {
    scaled_sum(p_.dtype, launch, b_.data(), c_.data(), triad_factor, a_.data(), p_.bytes, stream().get());
  }

  Bandwidth p_;
  std::uint64_t seed_;
  Memory b_, c_, a_;
  FastestLaunch fastest_;
};

const OperationRegistration registered(array_operation<Triad>("triad"));

}  // namespace
}  // namespace breakeven::cuda
