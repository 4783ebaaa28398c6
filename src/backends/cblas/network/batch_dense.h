// A dense layer on the whole batch, with one row per image. All threads share each of its products, and a
// block of weights is updated as soon as its gradient is known, while both are in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/parameters.h"
#include "workloads/network.h"

namespace breakeven::cblas {

class BatchDense {
 public:
  /// `input_is_relu`: the layer before ends in ReLU.
  BatchDense(const Layer& layer, bool input_is_relu, NetworkParameters& parameters, std::int64_t batch,
             int threads);

  /// Computes batch x out from batch x in.
  void forward(const float* input, float* output);
  /// `gradient` is that of the result before its ReLU. `input_gradient`, unless null, is written: that of the
  /// previous layer's result before its ReLU. Updates the weights.
  void backward(const float* input, float* gradient, float* input_gradient);

  /// For a batch of one image: finds the library's fastest routine for each product by a race, and uses it
  /// from then on. `backward`: for the products of backward(), too; `input_gradient`: backward() computes
  /// that one. Parameters keep their values. The optimiser must have begun a step. Returns the routines, one
  /// per product.
  std::vector<Routine> choose_routines(bool backward, bool input_gradient);

 private:
  void compute_input_gradient(const float* input, const float* gradient, float* input_gradient);
  void update_parameters(const float* input, const float* gradient);

  Layer l_;
  bool input_is_relu_;
  NetworkParameters& parameters_;
  std::int64_t batch_;
  int threads_;
  Buffer<float> linear_;            // before GELU, for its gradient
  Buffer<float> weight_gradients_;  // one block per thread
  Routine forward_ = Routine::gemm, input_gradient_ = Routine::gemm, weight_gradient_ = Routine::gemm;
};

}  // namespace breakeven::cblas
