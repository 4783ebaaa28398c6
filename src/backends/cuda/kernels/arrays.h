// Operations on long arrays that need almost no arithmetic.
#pragma once

#include <cstdint>
#include <cstring>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

/// The largest number of values that one instruction moves before Blackwell.
template <typename T>
inline constexpr int widest_pack = static_cast<int>(16 / sizeof(T));

/// Values that a thread loads or stores with one instruction.
template <typename T, int count = widest_pack<T>>
struct alignas(count * sizeof(T) < 16 ? count * sizeof(T) : 16) Pack {
  static constexpr int size = count;
  T values[size];
};

template <int count, typename T>
BREAKEVEN_HOST_DEVICE Pack<T, count> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, count>*>(from);
}

template <int count, typename T>
BREAKEVEN_HOST_DEVICE void store_pack(const Pack<T, count>& pack, T* to) {
#ifdef __CUDA_ARCH__
  // Without this, the compiler would store a pack value by value.
  if constexpr (sizeof pack == sizeof(uint4)) {
    uint4 words;
    memcpy(&words, &pack, sizeof words);
    return __stwb(reinterpret_cast<uint4*>(to), words);
  }
#endif
  *reinterpret_cast<Pack<T, count>*>(to) = pack;
}

/// The position of a thread in a launch.
struct ThreadPlace {
  std::int64_t block = 0, blocks = 1;
  int thread = 0, threads = 1;  // in its block
};

// An array is divided into tiles of `depth` packs per thread; neighbouring threads process neighbouring
// packs, and block b processes tiles b, b + blocks, ... All of a tile is loaded before any of it is used, so
// that enough loads are in flight (Little's law: about 20 KiB per multiprocessor of an H100).

/// Computes this thread's part of out[i] = terms.of(i, terms.read(i)), for `packs` packs. The memory that
/// read() reads may be written only at the same i.
template <int depth, typename T, typename Terms>
BREAKEVEN_HOST_DEVICE void write_part(const Terms& terms, Pack<T>* out, std::int64_t packs,
                                      const ThreadPlace& at) {
  const std::int64_t tile = std::int64_t{depth} * at.threads;
  for (std::int64_t start = at.block * tile; start < packs; start += at.blocks * tile) {
    const std::int64_t first = start + at.thread;
    if (start + tile <= packs) {
      typename Terms::Read read[depth];
      for (int d = 0; d < depth; ++d) read[d] = terms.read(first + std::int64_t{d} * at.threads);
      for (int d = 0; d < depth; ++d) {
        const std::int64_t i = first + std::int64_t{d} * at.threads;
        out[i] = terms.of(i, read[d]);
      }
    } else {
      for (std::int64_t i = first; i < packs; i += at.threads) out[i] = terms.of(i, terms.read(i));
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

// Terms for write_part().

/// A copy.
template <typename T>
struct Same {
  using Read = Pack<T>;
  const Pack<T>* from;
  BREAKEVEN_HOST_DEVICE Read read(std::int64_t i) const { return from[i]; }
  BREAKEVEN_HOST_DEVICE Pack<T> of(std::int64_t, const Read& read) const { return read; }
};

/// b + factor c
template <typename T>
struct ScaledSum {
  struct Read {
    Pack<T> b, c;
  };
  const Pack<T>* b;
  const Pack<T>* c;
  T factor;
  BREAKEVEN_HOST_DEVICE Read read(std::int64_t i) const { return {b[i], c[i]}; }
  BREAKEVEN_HOST_DEVICE Pack<T> of(std::int64_t, const Read& read) const {
    Pack<T> sum;
    for (int k = 0; k < Pack<T>::size; ++k) sum.values[k] = read.b.values[k] + factor * read.c.values[k];
    return sum;
  }
};

/// The numbers of a stream (workloads/random.h).
template <typename T, typename Stream>
struct Uniform {
  struct Read {};
  Stream numbers;
  BREAKEVEN_HOST_DEVICE Read read(std::int64_t) const { return {}; }
  BREAKEVEN_HOST_DEVICE Pack<T> of(std::int64_t i, const Read&) const {
    Pack<T> made;
    for (int k = 0; k < Pack<T>::size; ++k)
      made.values[k] = static_cast<T>(numbers.uniform(static_cast<std::uint64_t>(i * Pack<T>::size + k)));
    return made;
  }
};

}  // namespace breakeven::cuda
