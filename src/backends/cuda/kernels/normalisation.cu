#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/normalisation.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

// One warp per token.

template <typename T>
__global__ void normalise_kernel(const T* x, std::int64_t tokens, std::int64_t features, const float* gamma,
                                 const float* beta, T* y, Moments* moments) {
  const std::int64_t token = thread_index() / Warp::threads;
  if (token >= tokens) return;
  const Moments found =
      normalise_token(Warp{}, x + token * features, features, gamma, beta, y + token * features);
  if (Warp::rank() == 0) moments[token] = found;
}

template <typename T>
__global__ void normalise_gradient_kernel(const T* x, std::int64_t tokens, std::int64_t features,
                                          const float* gamma, const Moments* moments, const T* gradient,
                                          T* x_gradient) {
  const std::int64_t token = thread_index() / Warp::threads;
  if (token >= tokens) return;
  normalise_token_gradient(Warp{}, x + token * features, features, gamma, moments[token],
                           gradient + token * features, x_gradient + token * features);
}

}  // namespace

void normalise(Dtype dtype, const void* x, std::int64_t tokens, std::int64_t features, const float* gamma,
               const float* beta, void* y, float* moments, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    normalise_kernel<T><<<blocks_for(tokens * Warp::threads), block_threads, 0, stream>>>(
        static_cast<const T*>(x), tokens, features, gamma, beta, static_cast<T*>(y),
        reinterpret_cast<Moments*>(moments));
  });
  check_launch();
}

void normalise_gradient(Dtype dtype, const void* x, std::int64_t tokens, std::int64_t features,
                        const float* gamma, const float* moments, const void* gradient, void* x_gradient,
                        cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    normalise_gradient_kernel<T><<<blocks_for(tokens * Warp::threads), block_threads, 0, stream>>>(
        static_cast<const T*>(x), tokens, features, gamma, reinterpret_cast<const Moments*>(moments),
        static_cast<const T*>(gradient), static_cast<T*>(x_gradient));
  });
  check_launch();
}

}  // namespace breakeven::cuda
