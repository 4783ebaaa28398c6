// Layer normalisation of one token by a team of threads.
#pragma once

#include <cmath>
#include <cstdint>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

constexpr float normalisation_epsilon = 1e-5F;

struct Moments {
  float mean = 0;
  float inverse = 0;  // 1 / sqrt(variance + epsilon)
};

BREAKEVEN_HOST_DEVICE inline float normal(float x, const Moments& moments) {
  return (x - moments.mean) * moments.inverse;
}

/// The mean and variance. The variance is computed from differences to the mean: the mean of squares would
/// cancel.
template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE Moments moments_of(Team team, const T* token, std::int64_t features) {
  float sum = 0;
  for (std::int64_t f = team.rank(); f < features; f += team.size()) sum += Number<T>::load(token[f]);
  const float mean = team.sum(sum) / static_cast<float>(features);
  float squares = 0;
  for (std::int64_t f = team.rank(); f < features; f += team.size()) {
    const float difference = Number<T>::load(token[f]) - mean;
    squares += difference * difference;
  }
  const float variance = team.sum(squares) / static_cast<float>(features);
  return {mean, 1.0F / sqrtf(variance + normalisation_epsilon)};
}

template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE Moments normalise_token(Team team, const T* token, std::int64_t features,
                                              const float* gamma, const float* beta, T* output) {
  const Moments moments = moments_of(team, token, features);
  for (std::int64_t f = team.rank(); f < features; f += team.size())
    output[f] = Number<T>::store(gamma[f] * normal(Number<T>::load(token[f]), moments) + beta[f]);
  return moments;
}

/// The gradient of the input. With n = normal(x) and g = gamma dy: dx = inverse (g - mean of g - n * mean of
/// g n).
template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE void normalise_token_gradient(Team team, const T* token, std::int64_t features,
                                                    const float* gamma, const Moments& moments,
                                                    const T* output_gradient, T* gradient) {
  float sum = 0;
  float sum_normal = 0;
  for (std::int64_t f = team.rank(); f < features; f += team.size()) {
    const float g = gamma[f] * Number<T>::load(output_gradient[f]);
    sum += g;
    sum_normal += g * normal(Number<T>::load(token[f]), moments);
  }
  const float mean = team.sum(sum) / static_cast<float>(features);
  const float mean_normal = team.sum(sum_normal) / static_cast<float>(features);
  for (std::int64_t f = team.rank(); f < features; f += team.size()) {
    const float g = gamma[f] * Number<T>::load(output_gradient[f]);
    const float n = normal(Number<T>::load(token[f]), moments);
    gradient[f] = Number<T>::store(moments.inverse * (g - mean - n * mean_normal));
  }
}

}  // namespace breakeven::cuda
