// Softmax cross-entropy of one image.
#pragma once

#include <cmath>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

constexpr int logits_per_image = 10;

/// Returns the loss of an image with these logits, and writes `scale` times its gradient.
template <typename T>
BREAKEVEN_HOST_DEVICE float cross_entropy_of_image(const float* logits, int label, float scale, T* gradient) {
  float largest = logits[0];
  for (int c = 1; c < logits_per_image; ++c) largest = fmaxf(largest, logits[c]);
  float powers[logits_per_image];
  float sum = 0;
  for (int c = 0; c < logits_per_image; ++c) sum += powers[c] = expf(logits[c] - largest);
  for (int c = 0; c < logits_per_image; ++c)
    gradient[c] = Number<T>::store((powers[c] / sum - (c == label ? 1.0F : 0.0F)) * scale);
  return logf(sum) + (largest - logits[label]);
}

}  // namespace breakeven::cuda
