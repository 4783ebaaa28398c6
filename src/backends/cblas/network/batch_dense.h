// A dense layer on the whole batch, one row an image: all threads share each of its products, and a block of
// weights is updated as soon as its gradient is known, while both are in the cache.
#pragma once

#include <cstdint>

#include "backends/cblas/network/parameters.h"
#include "network/network.h"

namespace breakeven::cblas {

class BatchDense {
 public:
  /// `input_is_relu`: the layer before ends in ReLU.
  BatchDense(const Layer& layer, bool input_is_relu, NetworkParameters& parameters, std::int64_t batch,
             int threads);

  /// From batch x in to batch x out.
  void forward(const float* input, float* output);
  /// `gradient` is that of the result before its ReLU, and so is `input_gradient` (unless it is null) of the
  /// layer before. Updates the weights.
  void backward(const float* input, float* gradient, float* input_gradient);

 private:
  Layer l_;
  bool input_is_relu_;
  NetworkParameters& parameters_;
  std::int64_t batch_;
  int threads_;
  Buffer<float> linear_;            // before GELU, whose slope needs it
  Buffer<float> weight_gradients_;  // a block for each thread
};

}  // namespace breakeven::cblas
