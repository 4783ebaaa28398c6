// Two-dimensional convolution (cross-correlation, as in deep learning) and its two gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

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
  /// The shape of what this pass computes: the result, the source's gradient or the weights' gradient.
  OutputShape output() const;
  std::int64_t elements_output() const { return output().elements(); }
  /// The number of products in the sum for one element of the output; those with padding count, too.
  std::int64_t terms() const {
    if (pass == Pass::backward_weights) return elements_result() / k;
    return (pass == Pass::forward ? group_c() : group_k()) * r * s;
  }
  /// Channels and filters of a group.
  std::int64_t group_c() const { return c / groups; }
  std::int64_t group_k() const { return k / groups; }
  /// The source row that row `y` of the result reads through row `tap` of the filter; outside of the source
  /// if negative or too large.
  std::int64_t source_row(std::int64_t y, std::int64_t tap) const {
    return y * stride_h - pad_h + tap * dilation;
  }
  std::int64_t source_column(std::int64_t x, std::int64_t tap) const {
    return x * stride_w - pad_w + tap * dilation;
  }
  /// The range of columns x of the result in [first, first + count) that read a column inside of the source
  /// through column `tap` of the filter.
  std::pair<std::int64_t, std::int64_t> columns_inside(std::int64_t tap, std::int64_t first,
                                                       std::int64_t count) const {
    const std::int64_t shift = pad_w - tap * dilation;  // source column = x stride - shift
    const std::int64_t begin = shift <= 0 ? 0 : (shift + stride_w - 1) / stride_w;
    const std::int64_t room = w - 1 + shift;
    const std::int64_t end = room < 0 ? 0 : room / stride_w + 1;
    const std::int64_t last = std::clamp(end, first, first + count);
    return {std::clamp(begin, first, last), last};
  }
  /// True for 1 x 1 filters that read every position: the source is the matrix of a product.
  bool is_pointwise() const {
    return r == 1 && s == 1 && stride_h == 1 && stride_w == 1 && pad_h == 0 && pad_w == 0;
  }
};

/// Calls visit(tap, source, result, count) for each element of a filter and each row of results that it reads
/// for: the `count` neighbours from element `result` of their plane read through element `tap` of the filter
/// every stride_w-th element from `source` of the source's plane.
template <typename Visit>
void for_read_runs(const Conv2d& p, const Visit& visit) {
  for (std::int64_t r = 0; r < p.r; ++r) {
    for (std::int64_t s = 0; s < p.s; ++s) {
      const auto [first, last] = p.columns_inside(s, 0, p.q());
      for (std::int64_t y = 0; y < p.p(); ++y) {
        const std::int64_t row = p.source_row(y, r);
        if (row < 0 || row >= p.h) continue;
        visit(r * p.s + s, row * p.w + p.source_column(first, s), y * p.q() + first, last - first);
      }
    }
  }
}

}  // namespace breakeven
