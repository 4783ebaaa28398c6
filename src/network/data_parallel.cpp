#include "network/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "host/steady_clock.h"
#include "worker/backend.h"
#include "worker/communicator.h"
#include "workloads/batch_order.h"

namespace breakeven {
namespace {

/// A model of this rank's share, and how it exchanges gradients.
struct Candidate {
  std::unique_ptr<Model> model;
  ExchangePlan plan;
};

class DataParallel final : public Model {
 public:
  /// `candidates` do the same work. begin_with_ranks() keeps the fastest of them.
  DataParallel(std::vector<Candidate> candidates, const ModelTask& whole)
      : candidates_(std::move(candidates)),
        ranks_(communicator()),
        batch_(static_cast<std::size_t>(whole.batch)),
        share_(batch_ / static_cast<std::size_t>(ranks_.size())),
        first_rows_(rows_from(0, whole.batch, whole.data->images(Split::train).count())) {}

  void begin_with_ranks() override {
    drop_what_others_lack();
    for (Candidate& candidate : candidates_) candidate.model->begin_with_ranks();
    if (candidates_.size() == 1) return;
    std::vector<double> seconds;
    for (working_ = 0; working_ < candidates_.size(); ++working_) seconds.push_back(seconds_of_step());
    const auto fastest = std::ranges::min_element(seconds) - seconds.begin();
    std::swap(candidates_.front(), candidates_[static_cast<std::size_t>(fastest)]);
    candidates_.resize(1);
    working_ = 0;
  }

  void reset() override { own().reset(); }

  double train_step(std::span<const std::uint32_t> rows) override {
    return mean_over_ranks({own().train_step(share_of(rows))}).back();
  }
  void start_step(std::span<const std::uint32_t> rows) override { own().start_step(share_of(rows)); }
  std::int64_t most_batches_ahead() const override { return own().most_batches_ahead(); }
  void take_ahead(std::span<const std::uint32_t> rows) override {
    std::vector<std::uint32_t> own_rows;
    for (std::size_t first = 0; first < rows.size(); first += batch_) {
      const auto share = share_of(rows.subspan(first, batch_));
      own_rows.insert(own_rows.end(), share.begin(), share.end());
    }
    own().take_ahead(own_rows);
  }
  std::vector<double> finish_steps() override { return mean_over_ranks(own().finish_steps()); }

  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override {
    std::vector<float> of_share(share_ * classes);
    own().infer(split, share_of(rows), of_share.data());
    ranks_.gather(of_share.data(), std::ssize(of_share) * static_cast<std::int64_t>(sizeof(float)), logits);
  }

  std::string algorithm() const override {
    const auto& [model, plan] = candidates_.front();
    const std::string library = model->sums_library();
    const char* when = plan.deterministic ? "in the order of ranks"
                       : plan.overlaps    ? "in buckets of 1 MiB during the backward pass"
                                          : "after the backward pass";
    return fmt::format("{}; {} ranks, gradients added up by {} {}", model->algorithm(), ranks_.size(),
                       library.empty() ? ranks_.library() : library, when);
  }

 private:
  Model& own() const { return *candidates_[working_].model; }

  /// Keeps only candidates that all ranks have.
  void drop_what_others_lack() {
    const std::size_t own = candidates_.size();
    std::vector<std::size_t> all(static_cast<std::size_t>(ranks_.size()));
    ranks_.gather(&own, sizeof own, all.data());
    candidates_.resize(std::ranges::min(all));
  }

  /// The time of a step, the mean over all ranks, so that they decide alike.
  double seconds_of_step() {
    constexpr int warm = 2, timed = 5;
    double fastest = std::numeric_limits<double>::infinity();
    for (int step = 0; step < warm + timed; ++step) {
      const auto start = Clock::now();
      train_step(first_rows_);
      if (step >= warm) fastest = std::min(fastest, seconds_since(start));
    }
    reset();
    return mean_over_ranks({fastest}).front();
  }

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

  std::vector<Candidate> candidates_;
  std::size_t working_ = 0;  // index of the candidate in use
  Communicator& ranks_;
  std::size_t batch_, share_;  // rows of a batch, and this rank's of them
  std::vector<std::uint32_t> first_rows_;
};

}  // namespace

std::unique_ptr<Model> make_data_parallel(ModelTask task,
                                          const std::function<std::unique_ptr<Model>(ModelTask)>& make) {
  const int ranks = communicator().size();
  if (ranks == 1) return make(std::move(task));
  std::vector<Candidate> candidates;
  const auto add = [&](bool overlaps) {
    ModelTask of_rank = task;
    of_rank.batch /= ranks;
    of_rank.exchange.overlaps = overlaps;
    const ExchangePlan plan = of_rank.exchange;
    candidates.push_back({.model = make(std::move(of_rank)), .plan = plan});
  };
  add(task.exchange.overlaps);
  if (task.exchange.overlaps && task.tuned) {
    try {
      add(false);
    } catch (const OutOfMemory&) {  // there is memory for one of them
    } catch (const std::bad_alloc&) {
    }
  }
  return std::make_unique<DataParallel>(std::move(candidates), task);
}

}  // namespace breakeven
