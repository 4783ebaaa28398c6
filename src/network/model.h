// The interface that a backend implements to train and run a network. network/model_case.h makes the cases
// `train` and `infer` from it, and handles batches, loss curves, epochs and evidence.
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

/// A network that is ready to use after construction: memory is allocated, initial values are set, and
/// library objects are made for `batch`. The constructor throws Unsupported or OutOfMemory (worker/backend.h)
/// if necessary.
class Model : public Interface {
 public:
  /// See Prepared::begin_with_ranks(). Parameters are as initially afterwards.
  virtual void begin_with_ranks() {}

  /// Restores the initial parameters and sets all optimiser state to zero.
  virtual void reset() = 0;

  /// Runs one training step on `batch` rows of the training set. Returns the mean loss of the rows before the
  /// update.
  virtual double train_step(std::span<const std::uint32_t> rows) = 0;

  /// Optional, for a device: starts train_step() and returns before it is done. The next finish_steps()
  /// returns its loss.
  virtual void start_step(std::span<const std::uint32_t> rows) { losses_.push_back(train_step(rows)); }
  /// Waits for the steps that were started since the last call. Returns their losses.
  virtual std::vector<double> finish_steps() { return std::exchange(losses_, {}); }

  /// Computes the logits, batch x 10, of `batch` rows of either split, with the current parameters. They are
  /// in host memory when this returns.
  virtual void infer(Split split, std::span<const std::uint32_t> rows, float* logits) = 0;
  /// Optional, for a device: starts infer(), and returns before the logits are in host memory. The caller
  /// does not read them.
  virtual void start_inference(Split split, std::span<const std::uint32_t> rows) {
    logits_.resize(rows.size() * classes);
    infer(split, rows, logits_.data());
  }

  /// Optional, for a device: the number of batches of rows that it accepts in advance, so that no step waits
  /// for the transfer of its rows.
  virtual std::int64_t most_batches_ahead() const { return 0; }
  /// Passes the rows, batch after batch, of the next calls of start_step(), or of start_inference() on the
  /// test set. train_step() and infer() discard them.
  virtual void take_ahead(std::span<const std::uint32_t> /*rows*/) {}

  /// Optional, like those of Prepared, if the task's transfer is `once`.
  virtual void copy_inputs_to_device() {}
  virtual bool copy_outputs_to_host() { return false; }

  /// Optional: the library that adds up gradients over ranks, if it is not that of communicator().
  virtual std::string sums_library() const { return ""; }

  /// See Prepared::algorithm().
  virtual std::string algorithm() const = 0;

 private:
  // Used by a model that does not override start_step() and start_inference().
  std::vector<double> losses_;
  std::vector<float> logits_;
};

}  // namespace breakeven
