// The task of a model: the network, its data and its optimiser, from the parameters of a case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "workloads/dataset.h"
#include "workloads/network.h"
#include "workloads/transfer.h"

namespace breakeven {

/// The optimisers, computed as in PyTorch. g is the gradient of the batch's mean loss; every state is
/// initially zero:
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

  /// Makes an optimiser from the parameters `optimizer`, `learning_rate` (0: sgd 0.01, adam 0.001) and
  /// `momentum`.
  static Optimizer of(const Parameters& parameters);
  static double own_learning_rate(Kind kind) { return kind == Kind::sgd ? 0.01 : 0.001; }
  /// The number of values that the optimiser stores for each parameter.
  int states() const { return kind == Kind::sgd ? 1 : 2; }
};

/// How ranks add up their gradients.
struct ExchangePlan {
  bool overlaps = true;        // beginning with the last layers, while the first ones are still computed
  bool deterministic = false;  // in the order of ranks, so that every run rounds alike; never overlaps
};

/// The task of a model. In dtypes of lower precision than f32, the operands of products are rounded to the
/// dtype, sums are f32, and activations may be stored in the dtype. Training keeps parameters and optimiser
/// state in f32.
struct ModelTask {
  Network network;
  Dtype dtype = Dtype::f32;
  std::int64_t batch = 1;
  std::uint64_t seed = 0;
  std::shared_ptr<const Dataset> data;
  std::optional<Optimizer> optimizer;  // none: only for inference; train_step is never called
  // Variants, if a backend has them:
  bool graph = true;  // a step or a batch as one CUDA graph
  bool fused = true;  // element-wise work in the kernel of the product or convolution before it
  bool tuned = true;  // the fastest of a library's algorithms instead of the first that it names
  /// each: a batch's images are copied from host memory when it is used. once: copy_inputs_to_device() copies
  /// the parameters and a split of the data set, and copy_outputs_to_host() copies the parameters.
  Transfer::Policy transfer = Transfer::Policy::resident;
  int ranks = 1;  // that train together, each on its share of `batch` (network/data_parallel.h)
  ExchangePlan exchange;
};

/// The task that the parameters of `train` or `infer` describe. Throws DatasetError if the data cannot be
/// read, and InvalidCase if a training batch is larger than the training set.
ModelTask model_task(const Parameters& parameters, std::uint64_t seed);

}  // namespace breakeven
