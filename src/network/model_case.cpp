#include "network/model_case.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "host/steady_clock.h"
#include "network/data_parallel.h"
#include "workloads/networks.h"

namespace breakeven {
namespace {

/// The evidence of one batch's logits.
Evidence show_logits(Model& model, Split split, std::span<const std::uint32_t> rows,
                     const std::vector<std::int64_t>& elements, std::uint64_t seed) {
  std::vector<float> logits(rows.size() * classes, std::numeric_limits<float>::quiet_NaN());
  model.infer(split, rows, logits.data());
  return logits_evidence({logits.begin(), logits.end()}, elements, seed);
}

/// The fraction of all test images whose largest logit is that of their label.
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

/// Passes the rows of the next `batches` batches to the model, or of as many as it accepts in advance.
/// `rows_of` returns the rows of a number of batches.
template <typename RowsOf>
void tell_ahead(Model& model, std::int64_t batches, const RowsOf& rows_of) {
  const std::int64_t ahead = std::min(batches, model.most_batches_ahead());
  if (ahead > 0) model.take_ahead(rows_of(ahead));
}

/// The common part of a training and an inference case.
class NetworkCase : public Prepared {
 public:
  void begin_with_ranks() override { model_->begin_with_ranks(); }
  void copy_inputs_to_device() override { model_->copy_inputs_to_device(); }
  bool copy_outputs_to_host() override { return model_->copy_outputs_to_host(); }
  std::string algorithm() const override { return model_->algorithm(); }

 protected:
  explicit NetworkCase(const ModelTask& task) : data_(task.data), batch_(task.batch), seed_(task.seed) {}

  std::shared_ptr<const Dataset> data_;
  std::int64_t batch_;
  std::uint64_t seed_;
  std::unique_ptr<Model> model_;
};

class Training final : public NetworkCase {
 public:
  Training(ModelTask task, const MakeModel& make, const MakeEpochOrder& make_order)
      : NetworkCase(task), order_(data_->images(Split::train).count(), batch_, seed_, make_order) {
    model_ = make_data_parallel(std::move(task), make);
  }

  void prepare_runs(std::int64_t runs) override {
    order_.prepare(runs);
    tell_ahead(*model_, runs, [this](std::int64_t ahead) { return order_.upcoming(ahead); });
  }

  void run() override {
    in_epochs_ = false;
    model_->start_step(order_.next());
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    restart();
    const auto first_rows = order_.next();
    Evidence shown = show_logits(*model_, Split::train, first_rows, elements, seed_);
    order_.restart();
    for (int step = 0; step < first_steps; ++step) {
      model_->copy_inputs_to_device();
      shown.losses.push_back(model_->train_step(order_.next()));
      model_->copy_outputs_to_host();
    }
    restart();
    return shown;
  }

  std::vector<double> take_losses() override { return model_->finish_steps(); }

  answer::Epoch train_epoch() override {
    if (!in_epochs_) {
      model_->reset();
      epoch_ = 0;
    }
    in_epochs_ = true;
    answer::Epoch done;
    const auto order = epoch_order(data_->images(Split::train).count(), seed_, epoch_++);
    const auto size = static_cast<std::size_t>(batch_);
    model_->finish_steps();
    const auto start = Clock::now();
    tell_ahead(*model_, std::ssize(order) / batch_, [&](std::int64_t ahead) {
      return std::span(order).first(static_cast<std::size_t>(ahead * batch_));
    });
    for (std::size_t first = 0; first + size <= order.size(); first += size)
      model_->start_step(std::span(order).subspan(first, size));
    done.losses = model_->finish_steps();
    done.seconds = seconds_since(start);
    const auto trained = Clock::now();
    done.accuracy = accuracy(*model_, data_->images(Split::test), batch_);
    done.evaluation_seconds = seconds_since(trained);
    return done;
  }

 private:
  void restart() {
    model_->reset();
    order_.restart();
    model_->finish_steps();
    in_epochs_ = false;
  }

  BatchOrder order_;
  bool in_epochs_ = false;  // the model is in the state after the last train_epoch()
  std::uint64_t epoch_ = 0;
};

class Inference final : public NetworkCase {
 public:
  Inference(ModelTask task, const MakeModel& make)
      : NetworkCase(task),
        count_(data_->images(Split::test).count()),
        rows_(rows_from(0, batch_ + count_, count_)) {
    model_ = make(std::move(task));
  }

  void prepare_runs(std::int64_t runs) override {
    tell_ahead(*model_, runs, [this](std::int64_t ahead) {
      std::vector<std::uint32_t> rows;
      std::size_t first = first_;
      for (std::int64_t i = 0; i < ahead; ++i) {
        const auto batch = take(first);
        rows.insert(rows.end(), batch.begin(), batch.end());
      }
      return rows;
    });
  }

  void run() override { model_->start_inference(Split::test, take(first_)); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    first_ = 0;
    model_->copy_inputs_to_device();
    return show_logits(*model_, Split::test, std::span(rows_).first(static_cast<std::size_t>(batch_)),
                       elements, seed_);
  }

 private:
  std::span<const std::uint32_t> take(std::size_t& first) const {
    const auto rows = std::span(rows_).subspan(first, static_cast<std::size_t>(batch_));
    first = (first + static_cast<std::size_t>(batch_)) % count_;
    return rows;
  }

  std::uint32_t count_;
  std::vector<std::uint32_t> rows_;  // the test set, followed by its first `batch` rows
  std::size_t first_ = 0;
};

}  // namespace

std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make) {
  return make_training(problem, seed, make, epoch_order);
}

std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make,
                                        const MakeEpochOrder& make_order) {
  return std::make_unique<Training>(model_task(problem.parameters, seed), make, make_order);
}

std::unique_ptr<Prepared> make_inference(const Case& problem, std::uint64_t seed, const MakeModel& make) {
  return std::make_unique<Inference>(model_task(problem.parameters, seed), make);
}

}  // namespace breakeven
