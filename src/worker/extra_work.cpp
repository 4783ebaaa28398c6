#include "worker/extra_work.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/steady_clock.h"
#include "worker/communicator.h"
#include "worker/tuning.h"

namespace breakeven {
namespace {

/// Runs a chain of dependent additions, which can neither be sped up nor removed.
void compute(std::int64_t steps) {
  double sum = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    sum += 1.0;
    benchmark::DoNotOptimize(sum);
  }
}

/// The least time of one step over several rounds, because disturbances only make it longer.
double seconds_of_step() {
  constexpr std::int64_t steps = 100'000;
  double least = 1;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    compute(steps);
    least = std::min(least, seconds_since(start) / static_cast<double>(steps));
  }
  return least;
}

/// The largest value of all ranks, so that all run equally often.
double largest_of_ranks(double own) {
  std::vector<double> all(static_cast<std::size_t>(communicator().size()));
  communicator().gather(&own, sizeof own, all.data());
  return *std::ranges::max_element(all);
}

/// Forwards everything except run() to the case.
class WithExtraWork : public Prepared {
 public:
  explicit WithExtraWork(std::unique_ptr<Prepared> prepared) : prepared_(std::move(prepared)) {}

  void begin_with_ranks() override { prepared_->begin_with_ranks(); }
  void prepare_runs(std::int64_t runs) override { prepared_->prepare_runs(runs); }
  void bring() override { prepared_->bring(); }
  bool fetch() override { return prepared_->fetch(); }
  void wait() override { prepared_->wait(); }
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override {
    return prepared_->device_seconds(enqueue, runs, iterations, cold);
  }
  bool flush() override { return prepared_->flush(); }
  Evidence show(const std::vector<std::int64_t>& elements) override { return prepared_->show(elements); }
  std::string algorithm() const override { return prepared_->algorithm(); }
  std::vector<std::string> warnings() const override { return prepared_->warnings(); }
  std::int64_t operand_sets() const override { return prepared_->operand_sets(); }
  Fit fit() override { return prepared_->fit(); }
  std::vector<double> take_losses() override { return prepared_->take_losses(); }
  answer::Epoch train_epoch() override { return prepared_->train_epoch(); }

 protected:
  Prepared& own() { return *prepared_; }

 private:
  std::unique_ptr<Prepared> prepared_;
};

class MoreArithmetic final : public WithExtraWork {
 public:
  MoreArithmetic(std::unique_ptr<Prepared> prepared, double share)
      : WithExtraWork(std::move(prepared)), share_(share) {}

  void run() override { run_many(1); }
  void run_many(std::int64_t times) override {
    if (due_) measure();
    own().run_many(times);
    compute(steps_ * times);
  }
  /// Called after each sample.
  std::vector<double> take_losses() override {
    due_ = samples_++ == 0;
    return WithExtraWork::take_losses();
  }

 private:
  /// Measures the time of a run in the first sample and again in the second, which drivers take to warm up.
  /// In between they place the threads; before that, a run may take ten times as long. This is part of the
  /// timed work, because drivers request longer samples from programs that spend time outside of them.
  void measure() {
    steps_ = static_cast<std::int64_t>(std::llround(share_ * seconds_of_run() / seconds_of_step()));
    due_ = false;
  }

  /// The median over runs that take a hundredth of a second in total, at least three. Short runs are timed
  /// together, as samples time them.
  double seconds_of_run() {
    constexpr double enough = 0.01;
    constexpr double together = 0.0005;
    own().run();  // warms caches and threads
    const auto seconds_of = [&](std::int64_t runs) {
      const auto begun = Clock::now();
      own().run_many(runs);
      return seconds_since(begun) / static_cast<double>(runs);
    };
    const double first = largest_of_ranks(seconds_of(1));
    const auto runs = 1 + static_cast<std::int64_t>(together / std::max(first, 1e-9));
    std::vector<double> seconds;
    const auto start = Clock::now();
    while (seconds.size() < 3 || largest_of_ranks(seconds_since(start)) < enough)
      seconds.push_back(seconds_of(runs));
    return largest_of_ranks(upper_median(std::move(seconds)));
  }

  double share_;
  std::int64_t steps_ = 0;
  bool due_ = true;
  std::int64_t samples_ = 0;
};

class MoreRuns final : public WithExtraWork {
 public:
  MoreRuns(std::unique_ptr<Prepared> prepared, double share)
      : WithExtraWork(std::move(prepared)), share_(share) {}

  void prepare_runs(std::int64_t runs) override {
    own().prepare_runs(runs +
                       static_cast<std::int64_t>(std::ceil(owed_ + share_ * static_cast<double>(runs))));
  }
  void run() override {
    own().run();
    for (owed_ += share_; owed_ >= 1; --owed_) own().run();
  }

 private:
  double share_;
  double owed_ = 0;
};

}  // namespace

std::optional<double> extra_work() {
  const char* text = std::getenv(extra_work_variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const double share = std::strtod(text, &end);
  if (*end != '\0' || !(share > 0) || share > 10) {
    throw std::runtime_error(fmt::format("{}={}: must be a number above 0 and up to 10, as in 0.05 for 5 %",
                                         extra_work_variable, text));
  }
  return share;
}

std::unique_ptr<Prepared> with_extra_work(std::unique_ptr<Prepared> prepared, double share, bool on_host) {
  if (on_host) return std::make_unique<MoreArithmetic>(std::move(prepared), share);
  return std::make_unique<MoreRuns>(std::move(prepared), share);
}

}  // namespace breakeven
