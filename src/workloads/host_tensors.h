// The operands and result of one product or convolution in host memory, as stored: what CPU backends compute
// on.
#pragma once

#include <cstddef>

#include "workloads/buffer.h"
#include "workloads/conv2d.h"
#include "workloads/matmul.h"
#include "workloads/random.h"

namespace breakeven {

/// `first` and `second` are filled with the workload's inputs; `output` is for the backend to write. Operands
/// that rotate (workloads/rotation.h) are several sets of the same values.
struct HostTensors {
  Dtype dtype = Dtype::f32;
  OutputShape shape;
  std::uint64_t seed = 0;
  std::int64_t sets = 1;
  std::int64_t set = 0;                     // whose turn it is
  Buffer<std::byte> first, second, output;  // of all sets, one behind the other

  /// A, B and C, row-major.
  static HostTensors of(const Matmul& problem, std::uint64_t seed, std::int64_t sets = 1);
  /// forward: source, weights, result. backward_data: result gradient, weights, source gradient.
  /// backward_weights: source, result gradient, weights gradient. NCHW and KCRS.
  static HostTensors of(const Conv2d& problem, std::uint64_t seed, std::int64_t sets = 1);

  /// From here on it is the next set's turn.
  void next() { set = set + 1 == sets ? 0 : set + 1; }

  /// Where in one of the buffers the set lies whose turn it is.
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

  /// The result of every set.
  void poison();
  /// What Prepared::show answers once every set has had its turn: the last one's result.
  Evidence evidence(const std::vector<std::int64_t>& elements) const;
};

}  // namespace breakeven
