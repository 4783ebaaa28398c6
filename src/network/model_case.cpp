#include "network/model_case.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

/// Rows [first, first + batch) of a split of `count` rows; those beyond its end are the first ones again.
std::vector<std::uint32_t> rows_from(std::uint32_t first, std::int64_t batch, std::uint32_t count) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>((first + i) % count);
  return rows;
}

/// The logits of one batch, as a result is shown.
Evidence logits_evidence(Model& model, Split split, std::span<const std::uint32_t> rows,
                         const std::vector<std::int64_t>& elements, std::uint64_t seed) {
  std::vector<float> logits(rows.size() * classes, std::numeric_limits<float>::quiet_NaN());
  model.infer(split, rows, logits.data());
  Evidence shown;
  for (const std::int64_t e : elements) shown.elements.push_back(logits.at(static_cast<std::size_t>(e)));
  const OutputShape shape{.outer = std::ssize(rows), .channels = classes, .inner = 1};
  shown.projections = project(Dtype::f32, logits.data(), shape, seed);
  return shown;
}

/// The fraction of the whole test set whose largest logit is that of its label.
double accuracy(Model& model, const LabelledImages& test, std::int64_t batch) {
  std::vector<float> logits(static_cast<std::size_t>(batch * classes));
  std::int64_t correct = 0;
  for (std::uint32_t first = 0; first < test.count(); first += static_cast<std::uint32_t>(batch)) {
    const auto rows = rows_from(first, batch, test.count());
    model.infer(Split::test, rows, logits.data());
    const std::int64_t new_rows = std::min<std::int64_t>(batch, test.count() - first);
    for (std::int64_t i = 0; i < new_rows; ++i) {
      const float* image = logits.data() + i * classes;
      const auto guess = std::max_element(image, image + classes) - image;
      correct += guess == test.labels[first + static_cast<std::size_t>(i)] ? 1 : 0;
    }
  }
  return static_cast<double>(correct) / test.count();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The batches of one epoch after the other.
class BatchOrder {
 public:
  BatchOrder(std::uint32_t count, std::int64_t batch, std::uint64_t seed)
      : count_(count), batch_(static_cast<std::size_t>(batch)), seed_(seed) {
    restart();
  }

  std::size_t batches_per_epoch() const { return count_ / batch_; }

  void restart() {
    epoch_ = 0;
    used_ = 0;
    now_ = epoch_order(count_, seed_, 0);
    next_.clear();
  }

  std::span<const std::uint32_t> next() {
    if (used_ + batch_ > now_.size()) {
      make_ready();
      now_ = std::exchange(next_, {});
      ++epoch_;
      used_ = 0;
    }
    const auto rows = std::span(now_).subspan(used_, batch_);
    used_ += batch_;
    return rows;
  }

  /// Shuffles for the next epoch. Called where nothing is timed, so that no timed step has to wait for it.
  void make_ready() {
    if (next_.empty()) next_ = epoch_order(count_, seed_, epoch_ + 1);
  }

 private:
  std::uint32_t count_;
  std::size_t batch_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = 0;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> now_, next_;
};

class Training final : public Prepared {
 public:
  Training(ModelTask task, const MakeModel& make)
      : data_(task.data),
        batch_(task.batch),
        seed_(task.seed),
        order_(data_->images(Split::train).count(), batch_, seed_),
        model_(make(std::move(task))) {
    order_.make_ready();
  }

  void run() override {
    in_epochs_ = false;
    losses_.push_back(model_->train_step(order_.next()));
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    restart();
    const auto first_rows = order_.next();
    Evidence shown = logits_evidence(*model_, Split::train, first_rows, elements, seed_);
    order_.restart();
    for (int step = 0; step < first_steps; ++step) shown.losses.push_back(model_->train_step(order_.next()));
    restart();
    return shown;
  }

  std::string algorithm() const override { return model_->algorithm(); }

  std::vector<double> take_losses() override {
    order_.make_ready();
    return std::exchange(losses_, {});
  }

  Epoch train_epoch() override {
    if (!in_epochs_) {
      model_->reset();
      epoch_ = 0;
    }
    in_epochs_ = true;
    Epoch done;
    const auto order = epoch_order(data_->images(Split::train).count(), seed_, epoch_++);
    done.losses.resize(order_.batches_per_epoch());
    const auto rows = std::span(order).first(done.losses.size() * static_cast<std::size_t>(batch_));
    const auto start = std::chrono::steady_clock::now();
    model_->train_steps(rows, done.losses);
    done.seconds = seconds_since(start);
    const auto trained = std::chrono::steady_clock::now();
    done.accuracy = accuracy(*model_, data_->images(Split::test), batch_);
    done.evaluation_seconds = seconds_since(trained);
    return done;
  }

 private:
  void restart() {
    model_->reset();
    order_.restart();
    order_.make_ready();
    losses_.clear();
    in_epochs_ = false;
  }

  std::shared_ptr<const Dataset> data_;
  std::int64_t batch_;
  std::uint64_t seed_;
  BatchOrder order_;
  std::unique_ptr<Model> model_;
  std::vector<double> losses_;
  bool in_epochs_ = false;  // the model is where the last train_epoch() left it
  std::uint64_t epoch_ = 0;
};

class Inference final : public Prepared {
 public:
  Inference(ModelTask task, const MakeModel& make)
      : batch_(task.batch),
        count_(task.data->images(Split::test).count()),
        seed_(task.seed),
        rows_(rows_from(0, batch_ + count_, count_)),
        logits_(static_cast<std::size_t>(batch_ * classes)),
        model_(make(std::move(task))) {}

  void run() override {
    model_->infer(Split::test, std::span(rows_).subspan(first_, static_cast<std::size_t>(batch_)),
                  logits_.data());
    first_ = (first_ + static_cast<std::size_t>(batch_)) % count_;
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    first_ = 0;
    return logits_evidence(*model_, Split::test, std::span(rows_).first(static_cast<std::size_t>(batch_)),
                           elements, seed_);
  }

  std::string algorithm() const override { return model_->algorithm(); }

 private:
  std::int64_t batch_;
  std::uint32_t count_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> rows_;  // of the test set, and the first `batch` again
  std::vector<float> logits_;
  std::size_t first_ = 0;
  std::unique_ptr<Model> model_;
};

}  // namespace

std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make) {
  return std::make_unique<Training>(model_task(problem.parameters, seed), make);
}

std::unique_ptr<Prepared> make_inference(const Case& problem, std::uint64_t seed, const MakeModel& make) {
  return std::make_unique<Inference>(model_task(problem.parameters, seed), make);
}

}  // namespace breakeven
