// The operands and result of one product or convolution in host memory, as stored: what CPU backends compute
// on.
#pragma once

#include <cstddef>

#include "workloads/buffer.h"
#include "workloads/conv2d.h"
#include "workloads/matmul.h"
#include "workloads/random.h"

namespace breakeven {

/// `first` and `second` are filled with the workload's inputs; `output` is for the backend to write.
struct HostTensors {
  Dtype dtype = Dtype::f32;
  OutputShape shape;
  std::uint64_t seed = 0;
  Buffer<std::byte> first, second, output;

  /// A, B and C, row-major.
  static HostTensors of(const Matmul& problem, std::uint64_t seed);
  /// forward: source, weights, result. backward_data: result gradient, weights, source gradient.
  /// backward_weights: source, result gradient, weights gradient. NCHW and KCRS.
  static HostTensors of(const Conv2d& problem, std::uint64_t seed);

  template <typename T>
  const T* first_as() const {
    return reinterpret_cast<const T*>(first.data());
  }
  template <typename T>
  const T* second_as() const {
    return reinterpret_cast<const T*>(second.data());
  }
  template <typename T>
  T* output_as() {
    return reinterpret_cast<T*>(output.data());
  }

  void poison() { poison_output(dtype, output.data(), shape.elements()); }
  /// What Prepared::show answers once the result is in `output`.
  Evidence evidence(const std::vector<std::int64_t>& elements) const;
};

}  // namespace breakeven
