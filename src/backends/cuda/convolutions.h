// Convolutions by cuDNN's graphs (cuDNN front end, "Convolution operations"), all tensors channels last: NHWC
// and KRSC, the layout that tensor cores read. With the fastest of the plans here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/cuda/cudnn_api.h"
#include "backends/cuda/device.h"
#include "backends/cuda/stopwatch.h"
#include "backends/cuda/turns.h"
#include "workloads/conv2d.h"

namespace breakeven::cuda {

/// Four axes in the order of the workload (NCHW, KCRS), of which the second is the fastest in memory.
struct Shape {
  std::int64_t outer = 1, channels = 1, rows = 1, columns = 1;

  std::int64_t elements() const { return outer * channels * rows * columns; }
  std::vector<std::int64_t> dimensions() const { return {outer, channels, rows, columns}; }
  std::vector<std::int64_t> strides() const {
    return {channels * rows * columns, 1, columns * channels, channels};
  }
};

struct ConvolutionProblem {
  Pass pass = Pass::forward;
  Dtype dtype = Dtype::f32;
  Shape source, weights, result;
  std::int64_t pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1, dilation = 1;
  bool bias_and_relu = false;  // of the result, before it is written; forward only

  /// What a pass reads first and second, and what it writes.
  const Shape& first() const { return pass == Pass::backward_data ? result : source; }
  const Shape& second() const { return pass == Pass::backward_weights ? result : weights; }
  const Shape& output() const {
    return pass == Pass::forward ? result : pass == Pass::backward_data ? source : weights;
  }
};

/// Device memory that stays where it is, all of the problem's dtype.
struct ConvolutionOperands {
  void* first = nullptr;
  void* second = nullptr;
  void* output = nullptr;
  void* bias = nullptr;  // one value a filter
  Turns turns{};         // of the first three, where there are several
};

class Convolution {
 public:
  /// Tries the plans that the heuristics prefer, and keeps the fastest; that overwrites the output. `handle`
  /// is that of the stopwatch's stream. Throws Unsupported where cuDNN has none.
  Convolution(const ConvolutionProblem& problem, const ConvolutionOperands& operands, cudnnHandle_t handle,
              Stopwatch& stopwatch, int most_plans);

  /// On the handle's stream, on the next set's operands.
  void enqueue();
  /// cuDNN's name of the plan, and what the race gained.
  const std::string& algorithm() const { return algorithm_; }

 private:
  using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

  void describe(const ConvolutionProblem& problem);
  Tensor operation(const ConvolutionProblem& problem, const Tensor& first, const Tensor& second);
  void choose(Dtype dtype, Stopwatch& stopwatch, int most_plans);
  fe::error_t call();

  cudnnHandle_t handle_;
  fe::graph::Graph graph_;
  std::unordered_map<Tensor, void*> memory_of_;
  ConvolutionOperands operands_;
  Tensor first_, second_, output_;
  Memory workspace_;
  std::int64_t chosen_ = 0;
  std::string algorithm_;
};

}  // namespace breakeven::cuda
