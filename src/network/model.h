// What a backend implements to train and to run a network. network/model_case.h makes the cases `train` and
// `infer` of it: batches, loss curves, epochs and evidence are done there, once for all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/interface.h"
#include "workloads/model_task.h"

namespace breakeven {

/// Ready to use when constructed: memory allocated, initial values set, library objects made for `batch`.
/// Its constructor throws Unsupported or OutOfMemory (worker/backend.h) where it must.
class Model : public Interface {
 public:
  /// Back to the initial parameters, and all optimiser state to zero.
  virtual void reset() = 0;

  /// One step on `batch` rows of the training set. Returns their mean loss before the update.
  virtual double train_step(std::span<const std::uint32_t> rows) = 0;

  /// Optional, for a device: as train_step(), but returns before the step is done. Its loss is among those
  /// that finish_steps() gives next.
  virtual void start_step(std::span<const std::uint32_t> rows) { losses_.push_back(train_step(rows)); }
  /// Waits for the steps that were started since the last call. Returns their losses.
  virtual std::vector<double> finish_steps() { return std::exchange(losses_, {}); }

  /// The logits, batch x 10, of `batch` rows of either split, at the present parameters. They are in host
  /// memory when this returns.
  virtual void infer(Split split, std::span<const std::uint32_t> rows, float* logits) = 0;
  /// Optional, for a device: as infer(), but returns before the logits are in host memory, where nobody asks
  /// for them.
  virtual void start_inference(Split split, std::span<const std::uint32_t> rows) {
    logits_.resize(rows.size() * classes);
    infer(split, rows, logits_.data());
  }

  /// Optional, for a device: how many batches of rows it takes ahead, so that no step waits for its own to
  /// arrive.
  virtual std::int64_t most_batches_ahead() const { return 0; }
  /// The rows, batch after batch, with which start_step() is called next, or start_inference() of the test
  /// set. train_step() and infer() forget them.
  virtual void take_ahead(std::span<const std::uint32_t> /*rows*/) {}

  /// Optional, as those of Prepared, where the task's transfer is `once`.
  virtual void bring() {}
  virtual bool fetch() { return false; }

  /// As Prepared::algorithm.
  virtual std::string algorithm() const = 0;

 private:
  // Of a model that starts nothing.
  std::vector<double> losses_;
  std::vector<float> logits_;
};

}  // namespace breakeven
