// What a backend implements to train and to run a network. network/model_case.h makes the cases `train` and
// `infer` of it: batches, loss curves, epochs and evidence are done there, once for all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "network/dataset.h"
#include "network/network.h"
#include "workloads/transfer.h"

namespace breakeven {

/// As PyTorch computes them, g being the gradient of the batch's mean loss, and every state zero at first:
///   sgd:  v = momentum v + g;  w -= learning_rate v
///   adam: in step t = 1, 2, ...: m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
///         w -= learning_rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
struct Optimizer {
  enum class Kind { sgd, adam };

  Kind kind = Kind::sgd;
  double learning_rate = 0.01;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  /// From the parameters `optimizer`, `learning_rate` (0: sgd 0.01, adam 0.001) and `momentum`.
  static Optimizer of(const Parameters& parameters);
  static double own_learning_rate(Kind kind) { return kind == Kind::sgd ? 0.01 : 0.001; }
  /// Values an optimiser keeps for each parameter.
  int states() const { return kind == Kind::sgd ? 1 : 2; }
};

/// What a model is made for. In dtypes narrower than f32, the operands of products are rounded to the dtype,
/// sums are f32, activations may be kept in the dtype; training keeps parameters and optimiser state in f32.
struct ModelTask {
  Network network;
  Dtype dtype = Dtype::f32;
  std::int64_t batch = 1;
  std::uint64_t seed = 0;
  std::shared_ptr<const Dataset> data;
  std::optional<Optimizer> optimizer;  // none: for inference only; train_step is never called
  // How, where a backend can tell these apart:
  bool graph = true;  // a step, or a batch, as one CUDA graph
  bool fused = true;  // what follows a product or a convolution, in the same kernel
  bool tuned = true;  // the fastest of a library's algorithms, not the first that it names
  /// each: a batch's images come from the host's memory when it is their turn. once: parameters and a split
  /// of the data set come with bring(), and parameters go with fetch().
  Transfer::Policy transfer = Transfer::Policy::resident;
};

/// What the parameters of `train` or `infer` ask of a model.
/// Throws DatasetError where the data cannot be read, InvalidCase where a batch to train on is larger than
/// the training set.
ModelTask model_task(const Parameters& parameters, std::uint64_t seed);

/// Ready to use when constructed: memory allocated, initial values set, library objects made for `batch`.
/// Its constructor throws Unsupported or OutOfMemory (worker/backend.h) where it must.
class Model {
 public:
  virtual ~Model() = default;
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  Model(Model&&) = delete;
  Model& operator=(Model&&) = delete;

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
