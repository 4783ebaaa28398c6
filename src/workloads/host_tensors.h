// The operands and result of one product or convolution in host memory, as stored. CPU backends compute on
// them.
#pragma once

#include <cstddef>

#include "workloads/buffer.h"
#include "workloads/conv2d.h"
#include "workloads/matmul.h"
#include "workloads/random.h"

namespace breakeven {

/// Tensors of a case. `first` and `second` contain the workload's inputs; the backend writes `output`.
/// Rotating operands (workloads/rotation.h) are several sets of the same values.
struct HostTensors {
  Dtype dtype = Dtype::f32;
  OutputShape shape;
  std::uint64_t seed = 0;
  std::int64_t sets = 1;
  std::int64_t set = 0;                     // the current set
  Buffer<std::byte> first, second, output;  // all sets, stored contiguously

  /// Makes A, B and C, row-major.
  static HostTensors of(const Matmul& problem, std::uint64_t seed, std::int64_t sets = 1);
  /// Makes the tensors of a convolution, NCHW and KCRS. forward: source, weights, result. backward_data:
  /// result gradient, weights, source gradient. backward_weights: source, result gradient, weights gradient.
  static HostTensors of(const Conv2d& problem, std::uint64_t seed, std::int64_t sets = 1);

  /// Makes the next set the current one.
  void next() { set = set + 1 == sets ? 0 : set + 1; }

  /// The place of the current set in one of the buffers.
  std::byte* of_turn(Buffer<std::byte>& all) const { return all.data() + set * (all.size() / sets); }
  const std::byte* of_turn(const Buffer<std::byte>& all) const {
    return all.data() + set * (all.size() / sets);
  }
  template <typename T>
  const T* first_as() const {
    return reinterpret_cast<const T*>(of_turn(first));
  }
  template <typename T>
  const T* second_as() const {
    return reinterpret_cast<const T*>(of_turn(second));
  }
  template <typename T>
  T* output_as() {
    return reinterpret_cast<T*>(of_turn(output));
  }

  /// Poisons the result of every set.
  void poison();
  /// The evidence that Prepared::show returns once every set has been used. It is that of the last set's
  /// result.
  Evidence evidence(const std::vector<std::int64_t>& elements) const;
};

}  // namespace breakeven
