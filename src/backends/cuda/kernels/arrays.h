// What is done with long arrays by kernels that compute next to nothing.
#pragma once

#include <cstdint>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

/// What a thread loads or stores at once: the most that one instruction moves before Blackwell.
template <typename T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T values[size];
};

/// Where a thread stands in a launch.
struct ThreadPlace {
  std::int64_t block = 0, blocks = 1;
  int thread = 0, threads = 1;  // of its block
};

// An array is dealt out in tiles of `depth` packs a thread, neighbouring threads taking neighbouring packs;
// block b takes tiles b, b + blocks, ... All of a tile is asked for before any of it is used, so that enough
// is under way at once (Little's law: about 20 KiB a multiprocessor of an H100).

/// This thread's part of out[i] = terms(i), for `packs` packs. What terms() reads may be written to nowhere
/// but at its own i.
template <int depth, typename T, typename Terms>
BREAKEVEN_HOST_DEVICE void write_part(const Terms& terms, Pack<T>* out, std::int64_t packs,
                                      const ThreadPlace& at) {
  const std::int64_t tile = std::int64_t{depth} * at.threads;
  for (std::int64_t start = at.block * tile; start < packs; start += at.blocks * tile) {
    const std::int64_t first = start + at.thread;
    Pack<T> made[depth];
    for (int d = 0; d < depth; ++d) {
      const std::int64_t i = first + std::int64_t{d} * at.threads;
      if (i < packs) made[d] = terms(i);
    }
    for (int d = 0; d < depth; ++d) {
      const std::int64_t i = first + std::int64_t{d} * at.threads;
      if (i < packs) out[i] = made[d];
    }
  }
}

/// The sum of this thread's part of `packs` packs.
template <int depth, typename T>
BREAKEVEN_HOST_DEVICE T sum_part(const Pack<T>* values, std::int64_t packs, const ThreadPlace& at) {
  const std::int64_t tile = std::int64_t{depth} * at.threads;
  Pack<T> sums{};
  for (std::int64_t start = at.block * tile; start < packs; start += at.blocks * tile) {
    const std::int64_t first = start + at.thread;
    Pack<T> read[depth];
    for (int d = 0; d < depth; ++d) {
      const std::int64_t i = first + std::int64_t{d} * at.threads;
      read[d] = i < packs ? values[i] : Pack<T>{};
    }
    for (int d = 0; d < depth; ++d) {
      for (int k = 0; k < Pack<T>::size; ++k) sums.values[k] += read[d].values[k];
    }
  }
  T sum = 0;
  for (const T value : sums.values) sum += value;
  return sum;
}

// Terms of write_part().

/// A copy.
template <typename T>
struct Same {
  const Pack<T>* from;
  BREAKEVEN_HOST_DEVICE Pack<T> operator()(std::int64_t i) const { return from[i]; }
};

/// b + factor c
template <typename T>
struct ScaledSum {
  const Pack<T>* b;
  const Pack<T>* c;
  T factor;
  BREAKEVEN_HOST_DEVICE Pack<T> operator()(std::int64_t i) const {
    const Pack<T> first = b[i];
    const Pack<T> second = c[i];
    Pack<T> sum;
    for (int k = 0; k < Pack<T>::size; ++k) sum.values[k] = first.values[k] + factor * second.values[k];
    return sum;
  }
};

/// The numbers of a stream (workloads/random.h).
template <typename T, typename Stream>
struct Uniform {
  Stream numbers;
  BREAKEVEN_HOST_DEVICE Pack<T> operator()(std::int64_t i) const {
    Pack<T> made;
    for (int k = 0; k < Pack<T>::size; ++k)
      made.values[k] = static_cast<T>(numbers.uniform(static_cast<std::uint64_t>(i * Pack<T>::size + k)));
    return made;
  }
};

}  // namespace breakeven::cuda
