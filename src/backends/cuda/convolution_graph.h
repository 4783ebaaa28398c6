// A convolution as a cuDNN graph (cuDNN front end, "Convolution operations"), with the plans that cuDNN's
// heuristics suggest for a device and that keep the requested precision. This needs no device: cuDNN can also
// plan for one that is only described (front end, "Deviceless ahead-of-time compilation").
#pragma once

#include <cudnn_frontend.h>

#include <memory>

#include "backends/cuda/convolution_problem.h"

namespace breakeven::cuda {

namespace fe = cudnn_frontend;

class ConvolutionGraph {
 public:
  using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

  /// Throws Unsupported if a tensor has more elements than cuDNN's kernels can index.
  explicit ConvolutionGraph(const ConvolutionProblem& problem);

  /// Makes the plans for get(), in order of preference; none is built yet. They are for the device of
  /// `handle` or, without one, for the device that was described to get().
  fe::error_t plan(cudnnHandle_t handle);

  fe::graph::Graph& get() { return graph_; }
  const Tensor& first() const { return first_; }
  const Tensor& second() const { return second_; }
  const Tensor& output() const { return output_; }
  /// One value per filter; null in a problem without bias.
  const Tensor& bias() const { return bias_; }

 private:
  Tensor input(const Shape& shape, TensorLayout layout, const char* name);
  Tensor operation(const ConvolutionProblem& problem);

  Dtype dtype_;
  bool deterministic_;
  fe::graph::Graph graph_;
  Tensor first_, second_, output_, bias_;
};

}  // namespace breakeven::cuda
