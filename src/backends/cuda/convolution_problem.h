// A convolution's sizes, types and layout in the form that cuDNN needs.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/conv2d.h"

namespace breakeven::cuda {

/// The order of all tensors in memory: NHWC and KRSC, which tensor cores read, or NCHW and KCRS.
enum class TensorLayout { nhwc, nchw };

constexpr const char* name(TensorLayout layout) {
  return layout == TensorLayout::nhwc ? "NHWC" : "NCHW";
}

/// A shape with four axes in the order of the workload (NCHW, KCRS).
struct Shape {
  std::int64_t outer = 1, channels = 1, rows = 1, columns = 1;

  std::int64_t elements() const { return outer * channels * rows * columns; }
  std::vector<std::int64_t> dimensions() const { return {outer, channels, rows, columns}; }
  std::vector<std::int64_t> strides(TensorLayout layout) const {
    const std::int64_t of_outer = channels * rows * columns;
    if (layout == TensorLayout::nchw) return {of_outer, rows * columns, columns, 1};
    return {of_outer, 1, columns * channels, channels};
  }
};

struct ConvolutionProblem {
  Pass pass = Pass::forward;
  Dtype dtype = Dtype::f32;
  TensorLayout layout = TensorLayout::nhwc;
  Shape source, weights, result;
  std::int64_t pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1, dilation = 1;
  bool bias_and_relu = false;  // applied to the result before it is written; forward only
  bool deterministic = false;  // without kernels whose sums depend on the order in which their parts end

  static ConvolutionProblem of(const Conv2d& p) {
    return {.pass = p.pass,
            .dtype = p.dtype,
            .source = {p.n, p.c, p.h, p.w},
            .weights = {p.k, p.c / p.groups, p.r, p.s},
            .result = {p.n, p.k, p.p(), p.q()},
            .pad_h = p.pad_h,
            .pad_w = p.pad_w,
            .stride_h = p.stride_h,
            .stride_w = p.stride_w,
            .dilation = p.dilation};
  }

  /// The first and second operand of a pass, and its output.
  const Shape& first() const { return pass == Pass::backward_data ? result : source; }
  const Shape& second() const { return pass == Pass::backward_weights ? result : weights; }
  const Shape& output() const {
    return pass == Pass::forward ? result : pass == Pass::backward_data ? source : weights;
  }
};

}  // namespace breakeven::cuda
