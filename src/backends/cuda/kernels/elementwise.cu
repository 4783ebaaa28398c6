#include "backends/cuda/kernels/elementwise.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

template <typename T>
__global__ void gather_kernel(const std::uint8_t* images, const std::uint32_t* rows, std::int64_t pixels,
                              T* values, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::int64_t image = i / pixels;
  values[i] = Number<T>::store(pixel_from_byte(images[rows[image] * pixels + i % pixels]));
}

template <typename T>
__global__ void gelu_kernel(const T* x, T* y, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i < count) y[i] = Number<T>::store(gelu(Number<T>::load(x[i])));
}

template <typename T>
__global__ void add_periodic_kernel(const T* x, const float* period, std::int64_t length, T* y,
                                    std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i < count) y[i] = Number<T>::store(Number<T>::load(x[i]) + period[i % length]);
}

template <typename T>
__global__ void add_bias_kernel(T* y, const float* bias, std::int64_t channels, bool then_relu,
                                std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const float sum = Number<T>::load(y[i]) + bias[i % channels];
  y[i] = Number<T>::store(then_relu ? relu(sum) : sum);
}

template <typename From, typename To>
__global__ void convert_kernel(const From* from, To* to, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i < count) to[i] = Number<To>::store(Number<From>::load(from[i]));
}

template <typename T>
__global__ void mean_tokens_kernel(const T* x, T* means, std::int64_t tokens, std::int64_t features,
                                   std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const T* image = x + i / features * tokens * features + i % features;
  float sum = 0;
  for (std::int64_t t = 0; t < tokens; ++t) sum += Number<T>::load(image[t * features]);
  means[i] = Number<T>::store(sum / static_cast<float>(tokens));
}

template <typename T>
__global__ void mean_tokens_gradient_kernel(const T* gradient, T* x_gradient, std::int64_t tokens,
                                            std::int64_t features, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::int64_t image = i / (tokens * features);
  x_gradient[i] = Number<T>::store(Number<T>::load(gradient[image * features + i % features]) /
                                   static_cast<float>(tokens));
}

}  // namespace

void gather_images(Dtype dtype, const std::uint8_t* images, const std::uint32_t* rows, std::int64_t batch,
                   std::int64_t pixels, void* values, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    gather_kernel<T><<<blocks_for(batch * pixels), block_threads, 0, stream>>>(
        images, rows, pixels, static_cast<T*>(values), batch * pixels);
  });
  check_launch();
}

void apply_gelu(Dtype dtype, const void* x, void* y, std::int64_t count, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    gelu_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(static_cast<const T*>(x),
                                                                    static_cast<T*>(y), count);
  });
  check_launch();
}

void add_periodic(Dtype dtype, const void* x, const float* period, std::int64_t length, void* y,
                  std::int64_t count, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    add_periodic_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(
        static_cast<const T*>(x), period, length, static_cast<T*>(y), count);
  });
  check_launch();
}

void add_bias(Dtype dtype, void* y, const float* bias, std::int64_t channels, bool then_relu,
              std::int64_t count, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    add_bias_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(static_cast<T*>(y), bias, channels,
                                                                        then_relu, count);
  });
  check_launch();
}

void narrow(Dtype dtype, const float* from, void* to, std::int64_t count, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    convert_kernel<<<blocks_for(count), block_threads, 0, stream>>>(from, static_cast<T*>(to), count);
  });
  check_launch();
}

void widen(Dtype dtype, const void* from, float* to, std::int64_t count, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    convert_kernel<<<blocks_for(count), block_threads, 0, stream>>>(static_cast<const T*>(from), to, count);
  });
  check_launch();
}

void mean_tokens(Dtype dtype, const void* x, void* means, std::int64_t images, std::int64_t tokens,
                 std::int64_t features, cudaStream_t stream) {
  const std::int64_t count = images * features;
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    mean_tokens_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(
        static_cast<const T*>(x), static_cast<T*>(means), tokens, features, count);
  });
  check_launch();
}

void mean_tokens_gradient(Dtype dtype, const void* gradient, void* x_gradient, std::int64_t images,
                          std::int64_t tokens, std::int64_t features, cudaStream_t stream) {
  const std::int64_t count = images * tokens * features;
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    mean_tokens_gradient_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(
        static_cast<const T*>(gradient), static_cast<T*>(x_gradient), tokens, features, count);
  });
  check_launch();
}

}  // namespace breakeven::cuda
