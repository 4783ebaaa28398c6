// The update of one parameter, and the loss scale for f16.
#pragma once

#include <cmath>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

struct SgdRule {
  float rate = 0, momentum = 0;
};

struct AdamRule {
  float rate = 0;
  double beta1 = 0, beta2 = 0;  // in f64, because the corrections are differences from 1
  float epsilon = 0;
};

/// The state from earlier training steps. It is on the device, so that no step waits for the host.
struct StepState {
  float loss_scale = 1;  // factor by which gradients are scaled
  int finite_steps = 0;  // since the scale last changed
  int updates = 0;       // number of updates made
  int not_finite = 0;    // set if a gradient of the current step is not finite
  double power1 = 1;     // adam: beta1^t and beta2^t, where t is the number of the next update
  double power2 = 1;
  float correction1 = 1;  // 1 - power1 and 1 - power2
  float correction2 = 1;
  unsigned losses = 0;  // number of steps whose loss was stored
};

BREAKEVEN_HOST_DEVICE inline void sgd_update(const SgdRule& rule, float g, float& w, float& velocity) {
  velocity = rule.momentum * velocity + g;
  w -= rule.rate * velocity;
}

BREAKEVEN_HOST_DEVICE inline void adam_update(const AdamRule& rule, const StepState& state, float g, float& w,
                                              float& m, float& v) {
  const auto beta1 = static_cast<float>(rule.beta1);
  const auto beta2 = static_cast<float>(rule.beta2);
  m = beta1 * m + static_cast<float>(1.0 - rule.beta1) * g;
  v = beta2 * v + static_cast<float>(1.0 - rule.beta2) * g * g;
  w -= rule.rate * (m / state.correction1) / (sqrtf(v / state.correction2) + rule.epsilon);
}

/// Advances to the next update. One thread does this in every step, and pow() would take too long.
BREAKEVEN_HOST_DEVICE inline void advance_corrections(const AdamRule& rule, StepState& state) {
  state.power1 *= rule.beta1;
  state.power2 *= rule.beta2;
  state.correction1 = static_cast<float>(1.0 - state.power1);
  state.correction2 = static_cast<float>(1.0 - state.power2);
}

/// The rules of PyTorch's GradScaler, except that the first step should never overflow.
constexpr float scale_growth = 2;
constexpr int scale_growth_interval = 2000;  // finite steps
constexpr float least_scale = 1;
constexpr float most_scale = 16777216;

/// The initial loss scale, a power of two. The gradient of one image's loss with respect to its logits is at
/// most 1; it is divided by the batch and multiplied by this scale. The result is at least 128 for one image
/// and 1/8 for the largest batch, in the middle of f16's range, 2^-24 to 65504. So the layers' factors do not
/// make it leave the range, and neither does summing gradients over a batch, which makes them less than 8192
/// times those of the mean loss.
inline float first_loss_scale(long long batch) {
  float scale = 128;
  while (scale < 128.0F * static_cast<float>(batch) && scale < 8192.0F) scale *= 2;
  return scale;
}

/// Ends a step, after its update, which is skipped if a gradient was not finite. `scales`: the loss scale is
/// adapted, as in f16. Otherwise the user sees gradients that are not finite.
BREAKEVEN_HOST_DEVICE inline void finish_step(bool scales, const AdamRule& rule, StepState& state) {
  if (state.not_finite != 0) {
    state.loss_scale = fmaxf(state.loss_scale / scale_growth, least_scale);
    state.finite_steps = 0;
    state.not_finite = 0;
  } else {
    ++state.updates;
    advance_corrections(rule, state);
    if (scales && ++state.finite_steps == scale_growth_interval) {
      state.loss_scale = fminf(state.loss_scale * scale_growth, most_scale);
      state.finite_steps = 0;
    }
  }
  ++state.losses;
}

}  // namespace breakeven::cuda
