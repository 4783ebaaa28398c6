#include "network/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "host/steady_clock.h"
#include "worker/communicator.h"
#include "workloads/batch_order.h"

namespace breakeven {
namespace {

class DataParallel final : public Model {
 public:
  DataParallel(std::unique_ptr<Model> own, const ExchangePlan& plan, std::int64_t share)
      : own_(std::move(own)), plan_(plan), share_(static_cast<std::size_t>(share)), ranks_(communicator()) {}

  void reset() override { own_->reset(); }

  double train_step(std::span<const std::uint32_t> rows) override {
    own_->start_step(share_of(rows));
    return mean_over_ranks(own_->finish_steps()).back();
  }
  void start_step(std::span<const std::uint32_t> rows) override { own_->start_step(share_of(rows)); }
  std::vector<double> finish_steps() override { return mean_over_ranks(own_->finish_steps()); }

  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override {
    std::vector<float> of_share(share_ * classes);
    own_->infer(split, share_of(rows), of_share.data());
    ranks_.gather(of_share.data(), std::ssize(of_share) * static_cast<std::int64_t>(sizeof(float)), logits);
  }

  /// The time of a step, the mean over all ranks, so that they decide alike. Parameters are as initially
  /// afterwards.
  double seconds_of_step(std::span<const std::uint32_t> rows) {
    constexpr int warm = 2, timed = 5;
    double fastest = std::numeric_limits<double>::infinity();
    for (int step = 0; step < warm + timed; ++step) {
      const auto start = Clock::now();
      train_step(rows);
      if (step >= warm) fastest = std::min(fastest, seconds_since(start));
    }
    reset();
    return mean_over_ranks({fastest}).front();
  }

  std::string algorithm() const override {
    const char* when = plan_.deterministic ? "in the order of ranks"
                       : plan_.overlaps    ? "in buckets of 1 MiB during the backward pass"
                                           : "after the backward pass";
    return fmt::format("{}; {} ranks, gradients added up by {} {}", own_->algorithm(), ranks_.size(),
                       ranks_.library(), when);
  }

 private:
  std::span<const std::uint32_t> share_of(std::span<const std::uint32_t> rows) const {
    return rows.subspan(static_cast<std::size_t>(ranks_.rank()) * share_, share_);
  }

  /// The losses of whole batches, from those of this rank's shares.
  std::vector<double> mean_over_ranks(const std::vector<double>& own) const {
    const std::size_t steps = own.size();
    std::vector<double> all(steps * static_cast<std::size_t>(ranks_.size()));
    ranks_.gather(own.data(), static_cast<std::int64_t>(steps * sizeof(double)), all.data());
    std::vector<double> means(steps, 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) means[i % steps] += all[i] / ranks_.size();
    return means;
  }

  std::unique_ptr<Model> own_;
  ExchangePlan plan_;
  std::size_t share_;  // rows of a batch
  Communicator& ranks_;
};

}  // namespace

std::unique_ptr<Model> make_data_parallel(ModelTask task,
                                          const std::function<std::unique_ptr<Model>(ModelTask)>& make) {
  if (communicator().size() == 1) return make(std::move(task));
  const auto make_with = [&](bool overlaps) {
    ModelTask of_rank = task;
    of_rank.batch /= communicator().size();
    of_rank.exchange.overlaps = overlaps;
    const ExchangePlan plan = of_rank.exchange;
    const std::int64_t share = of_rank.batch;
    return std::make_unique<DataParallel>(make(std::move(of_rank)), plan, share);
  };
  auto first = make_with(task.exchange.overlaps);
  if (!task.exchange.overlaps || !task.tuned) return first;
  auto second = make_with(false);
  const auto rows = rows_from(0, task.batch, task.data->images(Split::train).count());
  return first->seconds_of_step(rows) <= second->seconds_of_step(rows) ? std::move(first) : std::move(second);
}

}  // namespace breakeven
