#include "backends/cuda/kernels/elementwise.h"
#include "backends/cuda/kernels/fast_division.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

/// Calls terms.write<count>(first) with one thread for `count` values.
template <int count, typename Terms>
__global__ void each_kernel(Terms terms, std::int64_t packs) {
  const std::int64_t pack = thread_index();
  if (pack < packs) terms.template write<count>(pack * count);
}

template <int count, typename Terms>
void enqueue_each(const Terms& terms, std::int64_t values, cudaStream_t stream) {
  const std::int64_t packs = values / count;
  each_kernel<count><<<blocks_for(packs), block_threads, 0, stream>>>(terms, packs);
  check_launch();
}

/// Stores value(0), value(1), ... as `count` numbers at `to`.
template <int count, typename T, typename Value>
__device__ void store_each(T* to, const Value& value) {
  Pack<T, count> made;
  for (int k = 0; k < count; ++k) made.values[k] = Number<T>::store(value(k));
  store_pack(made, to);
}

/// Uses one thread for `count` values of the batch. The last block advances `place` to the next batch, when
/// no other block reads it any more.
template <int count, typename T>
__global__ void gather_kernel(DeviceImages images, RowsPlace* place, std::int64_t batch, Divisor image_packs,
                              std::int64_t pixels, T* values, std::uint8_t* labels, std::int64_t packs) {
  const std::int64_t pack = thread_index();
  const std::uint32_t first = place->first;
  if (pack < packs) {
    const std::int64_t image = image_packs.quotient(pack);
    const std::int64_t pixel = count * image_packs.remainder(pack, image);
    const std::uint32_t row = images.rows[first + image];
    const auto bytes = load_pack<count>(images.pixels + row * pixels + pixel);
    store_each<count>(values + pack * count, [&](int k) { return pixel_from_byte(bytes.values[k]); });
    if (pixel == 0) labels[image] = images.labels[row];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&place->finished, 1U) != gridDim.x - 1) return;
  place->finished = 0;
  const std::int64_t next = first + batch;
  place->first = next + batch <= place->count ? static_cast<std::uint32_t>(next) : 0;
}

__global__ void begin_rows_kernel(RowsPlace* place, std::uint32_t count) {
  *place = {0, count, 0};
}

template <typename T>
struct AddPeriodic {
  const T* x;
  const float* period;
  Divisor length;
  T* y;
  template <int count>
  __device__ void write(std::int64_t first) const {
    const auto pack = load_pack<count>(x + first);
    const auto added = load_pack<count>(period + length.remainder(first));
    store_each<count>(y + first, [&](int k) { return Number<T>::load(pack.values[k]) + added.values[k]; });
  }
};

/// Adds a bias per channel. `inner`: values of one channel that are stored contiguously; 1 with channels
/// last.
template <typename T>
struct AddBias {
  T* y;
  const float* bias;
  Divisor inner, channels;
  bool channels_last, then_relu;
  template <int count>
  __device__ void write(std::int64_t first) const {
    const auto pack = load_pack<count>(y + first);
    Pack<float, count> added;
    if (channels_last) {
      added = load_pack<count>(bias + channels.remainder(first));
    } else {
      const float same = bias[channels.remainder(inner.quotient(first))];
      for (float& value : added.values) value = same;
    }
    store_each<count>(y + first, [&](int k) {
      const float sum = Number<T>::load(pack.values[k]) + added.values[k];
      return then_relu ? relu(sum) : sum;
    });
  }
};

__device__ float same(float x) {
  return x;
}

/// to = function(from)
template <float (*function)(float), typename From, typename To>
struct Map {
  const From* from;
  To* to;
  template <int count>
  __device__ void write(std::int64_t first) const {
    const auto pack = load_pack<count>(from + first);
    store_each<count>(to + first, [&](int k) { return function(Number<From>::load(pack.values[k])); });
  }
};

struct AddParts {
  const float* each;
  int parts;
  std::int64_t length;
  float* sums;
  template <int count>
  __device__ void write(std::int64_t first) const {
    auto sum = load_pack<count>(each + first);
    for (int part = 1; part < parts; ++part) {
      const auto more = load_pack<count>(each + part * length + first);
      for (int k = 0; k < count; ++k) sum.values[k] += more.values[k];
    }
    store_each<count>(sums + first, [&](int k) { return sum.values[k]; });
  }
};

template <typename T>
struct MeanTokens {
  const T* x;
  T* means;
  std::int64_t tokens, width;
  Divisor features;
  template <int count>
  __device__ void write(std::int64_t first) const {
    const std::int64_t image = features.quotient(first);
    const T* from = x + image * tokens * width + features.remainder(first, image);
    Pack<float, count> sums{};
    for (std::int64_t t = 0; t < tokens; ++t) {
      const auto token = load_pack<count>(from + t * width);
      for (int k = 0; k < count; ++k) sums.values[k] += Number<T>::load(token.values[k]);
    }
    store_each<count>(means + first, [&](int k) { return sums.values[k] / static_cast<float>(tokens); });
  }
};

template <typename T>
struct MeanTokensGradient {
  const T* gradient;
  T* x_gradient;
  std::int64_t tokens, width;
  Divisor features, image_values;
  template <int count>
  __device__ void write(std::int64_t first) const {
    const auto pack =
        load_pack<count>(gradient + image_values.quotient(first) * width + features.remainder(first));
    store_each<count>(x_gradient + first,
                      [&](int k) { return Number<T>::load(pack.values[k]) / static_cast<float>(tokens); });
  }
};

}  // namespace

void add_parts(const float* each, int parts, std::int64_t count, float* values, cudaStream_t stream) {
  with_pack(Dtype::f32, count, [&](auto, auto pack) {
    enqueue_each<pack.value>(AddParts{each, parts, count, values}, count, stream);
  });
}

void begin_rows(RowsPlace* place, std::int64_t count, cudaStream_t stream) {
  begin_rows_kernel<<<1, 1, 0, stream>>>(place, static_cast<std::uint32_t>(count));
  check_launch();
}

void gather_images(Dtype dtype, const DeviceImages& images, RowsPlace* place, std::int64_t batch,
                   std::int64_t pixels, void* values, std::uint8_t* labels, cudaStream_t stream) {
  with_pack(dtype, pixels, [&](auto type, auto pack) {
    using T = decltype(type);
    constexpr int count = pack.value;
    const std::int64_t packs = batch * pixels / count;
    gather_kernel<count, T><<<blocks_for(packs), block_threads, 0, stream>>>(
        images, place, batch, Divisor(pixels / count), pixels, static_cast<T*>(values), labels, packs);
  });
  check_launch();
}

void apply_gelu(Dtype dtype, const void* x, void* y, std::int64_t count, cudaStream_t stream) {
  with_pack(dtype, count, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(Map<gelu, T, T>{static_cast<const T*>(x), static_cast<T*>(y)}, count, stream);
  });
}

void add_periodic(Dtype dtype, const void* x, const float* period, std::int64_t length, void* y,
                  std::int64_t count, cudaStream_t stream) {
  with_pack(dtype, length, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(
        AddPeriodic<T>{static_cast<const T*>(x), period, Divisor(length), static_cast<T*>(y)}, count, stream);
  });
}

void add_bias(Dtype dtype, void* y, const float* bias, std::int64_t channels, std::int64_t inner,
              bool then_relu, std::int64_t count, cudaStream_t stream) {
  with_pack(dtype, inner == 1 ? channels : inner, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(
        AddBias<T>{static_cast<T*>(y), bias, Divisor(inner), Divisor(channels), inner == 1, then_relu}, count,
        stream);
  });
}

void narrow(Dtype dtype, const float* from, void* to, std::int64_t count, cudaStream_t stream) {
  with_pack(dtype, count, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(Map<same, float, T>{from, static_cast<T*>(to)}, count, stream);
  });
}

void widen(Dtype dtype, const void* from, float* to, std::int64_t count, cudaStream_t stream) {
  with_pack(dtype, count, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(Map<same, T, float>{static_cast<const T*>(from), to}, count, stream);
  });
}

void mean_tokens(Dtype dtype, const void* x, void* means, std::int64_t images, std::int64_t tokens,
                 std::int64_t features, cudaStream_t stream) {
  with_pack(dtype, features, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(
        MeanTokens<T>{static_cast<const T*>(x), static_cast<T*>(means), tokens, features, Divisor(features)},
        images * features, stream);
  });
}

void mean_tokens_gradient(Dtype dtype, const void* gradient, void* x_gradient, std::int64_t images,
                          std::int64_t tokens, std::int64_t features, cudaStream_t stream) {
  with_pack(dtype, features, [&](auto type, auto pack) {
    using T = decltype(type);
    enqueue_each<pack.value>(
        MeanTokensGradient<T>{static_cast<const T*>(gradient), static_cast<T*>(x_gradient), tokens, features,
                              Divisor(features), Divisor(tokens * features)},
        images * tokens * features, stream);
  });
}

}  // namespace breakeven::cuda
