// A dense layer on the whole batch, one row an image: all threads share each of its products, and a block of
// weights is updated as soon as its gradient is known, while both are in the cache.
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

  /// From batch x in to batch x out.
  void forward(const float* input, float* output);
  /// `gradient` is that of the result before its ReLU, and so is `input_gradient` (unless it is null) of the
  /// layer before. Updates the weights.
  void backward(const float* input, float* gradient, float* input_gradient);

  /// For a batch of one image: a race finds the library's fastest routine for each product, which computes it
  /// from then on. `backward`: for the products of backward(), too; `input_gradient`: it computes that one.
  /// Parameters keep their values, and the optimiser must have begun a step. Returns the routines, one a
  /// product.
  std::vector<Routine> choose_routines(bool backward, bool input_gradient);

 private:
  void compute_input_gradient(const float* input, const float* gradient, float* input_gradient);
  void update_parameters(const float* input, const float* gradient);

  Layer l_;
  bool input_is_relu_;
  NetworkParameters& parameters_;
  std::int64_t batch_;
  int threads_;
  Buffer<float> linear_;            // before GELU, whose slope needs it
  Buffer<float> weight_gradients_;  // a block for each thread
  Routine forward_ = Routine::gemm, input_gradient_ = Routine::gemm, weight_gradient_ = Routine::gemm;
};

}  // namespace breakeven::cblas
