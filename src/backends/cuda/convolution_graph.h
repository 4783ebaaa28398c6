// A convolution as one of cuDNN's graphs (cuDNN front end, "Convolution operations"), and the plans that its
// heuristics name for a device, of those that keep the precision asked for. Nothing here needs the device:
// cuDNN plans for one that is only described, too (front end, "Deviceless ahead-of-time compilation").
#pragma once

#include <cudnn_frontend.h>

#include <memory>

#include "backends/cuda/convolution_problem.h"

namespace breakeven::cuda {

namespace fe = cudnn_frontend;

class ConvolutionGraph {
 public:
  using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

  /// Throws Unsupported where a tensor is larger than cuDNN's kernels can count.
  explicit ConvolutionGraph(const ConvolutionProblem& problem);

  /// From here on get() has plans in order of preference, none of them built yet. For the device of `handle`,
  /// or, without one, for that which get() was told of.
  fe::error_t plan(cudnnHandle_t handle);

  fe::graph::Graph& get() { return graph_; }
  const Tensor& first() const { return first_; }
  const Tensor& second() const { return second_; }
  const Tensor& output() const { return output_; }
  /// One value a filter; null in a problem without.
  const Tensor& bias() const { return bias_; }

 private:
  Tensor input(const Shape& shape, TensorLayout layout, const char* name);
  Tensor operation(const ConvolutionProblem& problem);

  Dtype dtype_;
  fe::graph::Graph graph_;
  Tensor first_, second_, output_, bias_;
};

}  // namespace breakeven::cuda
