// Two-dimensional convolution (cross-correlation, as in deep learning) and its two gradients.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

enum class Pass { forward, backward_data, backward_weights };

/// One convolution. The source is n x c x h x w, the weights k x c/groups x r x s, the result n x k x p x q.
/// Their elements are numbered and checked in this order (NCHW, KCRS); a backend may store them in any
/// layout.
struct Conv2d {
  std::int64_t n = 1, c = 1, h = 1, w = 1, k = 1, r = 1, s = 1;
  std::int64_t stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0, dilation = 1, groups = 1;
  Pass pass = Pass::forward;
  Dtype dtype = Dtype::f32;
  bool tuned = true;  // by timing several algorithms of a library

  explicit Conv2d(const Parameters& parameters);
  std::int64_t p() const { return (h + 2 * pad_h - dilation * (r - 1) - 1) / stride_h + 1; }
  std::int64_t q() const { return (w + 2 * pad_w - dilation * (s - 1) - 1) / stride_w + 1; }
  std::int64_t elements_source() const { return n * c * h * w; }
  std::int64_t elements_weights() const { return k * (c / groups) * r * s; }
  std::int64_t elements_result() const { return n * k * p() * q(); }
  /// The number of elements that this pass computes: the result, the source's gradient or the weights'
  /// gradient.
  std::int64_t elements_output() const;
};

}  // namespace breakeven
