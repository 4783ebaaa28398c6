// The task of a model: the network, its data and its optimiser, from the parameters of a case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "workloads/dataset.h"
#include "workloads/network.h"
#include "workloads/transfer.h"

namespace breakeven {

/// The optimisers as PyTorch computes them. g is the gradient of the batch's mean loss; every state is zero
/// at first:
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

/// The task of a model. In dtypes of lower precision than f32, the operands of products are rounded to the
/// dtype, sums are f32, activations may be kept in the dtype; training keeps parameters and optimiser state
/// in f32.
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

/// The task that the parameters of `train` or `infer` describe.
/// Throws DatasetError where the data cannot be read, InvalidCase where a batch to train on is larger than
/// the training set.
ModelTask model_task(const Parameters& parameters, std::uint64_t seed);

}  // namespace breakeven
