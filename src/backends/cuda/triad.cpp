#include "backends/cuda/arrays.h"
#include "backends/cuda/moved.h"
#include "backends/cuda/work.h"
#include "workloads/transfer.h"

namespace breakeven::cuda {
namespace {

class Triad final : public Work {
 public:
  Triad(const Case& problem, std::uint64_t seed)
      : p_(problem.parameters),
        seed_(seed),
        moves_(Transfer::of(problem.parameters).moves()),
        b_(random_array(p_, RandomStream(seed, stream::first_operand), stream()), moves_),
        c_(random_array(p_, RandomStream(seed, stream::second_operand), stream()), moves_),
        a_(p_.bytes, moves_),
        fastest_(fastest_launch(stopwatch(), writing_launches(), p_.tuned,
                                [this](const ArrayLaunch& launch) { enqueue(launch); })) {}

  void bring() override {
    b_.bring(stream().get());
    c_.bring(stream().get());
  }

  void run() override { enqueue(fastest_.fastest); }

  bool fetch() override {
    a_.fetch(stream().get());
    return true;
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    a_.memory().poison(stream().get());
    fetch();
    wait();
    b_.forget_on_device(stream().get());
    c_.forget_on_device(stream().get());
    iterate();
    // The host's result is copied to the device again, where evidence is computed faster.
    a_.forget_on_device(stream().get());
    a_.bring(stream().get());
    wait();
    return show_array(p_, a_.memory(), seed_, elements);
  }

  std::string algorithm() const override { return fastest_.text; }

 private:
  void enqueue(const ArrayLaunch& launch) {
    scaled_sum(p_.dtype, launch, b_.data(), c_.data(), triad_factor, a_.data(), p_.bytes, stream().get());
  }

  Bandwidth p_;
  std::uint64_t seed_;
  bool moves_;
  Moved b_, c_, a_;
  Raced<ArrayLaunch> fastest_;
};

const OperationRegistration triad_registered({.op = "triad",
                                              .dtypes = array_dtypes,
                                              .prepare = make_work<Triad>});

}  // namespace
}  // namespace breakeven::cuda
