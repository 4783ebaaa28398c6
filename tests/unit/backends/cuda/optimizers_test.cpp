// Tests the CUDA backend's updates and loss scale, on the CPU.
#include "backends/cuda/kernels/optimizers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace breakeven::cuda {
namespace {

constexpr AdamRule no_change{.rate = 0, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 0};

/// Gradients of many sizes and both signs, and zero.
const std::vector<float> tried_gradients{0.5F, -0.25F, 0, 1e-3F, -2, 1e-7F, 0.125F, 3};

TEST(CudaOptimizers, SgdIsAsDefined) {
  const SgdRule rule{.rate = 0.01F, .momentum = 0.9F};
  float w = 0.5F, velocity = 0;
  double exact = 0.5, exact_velocity = 0;
  for (const float g : tried_gradients) {
    sgd_update(rule, g, w, velocity);
    exact_velocity = 0.9 * exact_velocity + static_cast<double>(g);
    exact -= 0.01 * exact_velocity;
    EXPECT_NEAR(w, exact, 1e-6);
  }
}

TEST(CudaOptimizers, AdamIsAsDefined) {
  const AdamRule rule{.rate = 1e-3F, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8F};
  for (const double scale : {1.0, 1e-7}) {  // where the epsilon does not matter, and where it does
    StepState state;
    advance_corrections(rule, state);
    float w = 0.005F, m = 0, v = 0;
    double exact = static_cast<double>(w), exact_m = 0, exact_v = 0;
    int step = 0;
    for (const float gradient : tried_gradients) {
      const double g = scale * static_cast<double>(gradient);
      adam_update(rule, state, static_cast<float>(g), w, m, v);
      finish_step(false, rule, state);
      ++step;
      exact_m = 0.9 * exact_m + 0.1 * g;
      exact_v = 0.999 * exact_v + 0.001 * g * g;
      exact -= 1e-3 * (exact_m / (1 - std::pow(0.9, step))) /
               (std::sqrt(exact_v / (1 - std::pow(0.999, step))) + 1e-8);
      EXPECT_NEAR(w, exact, 2e-8) << step << " " << scale;
    }
    EXPECT_EQ(state.updates, step);
  }
}

TEST(CudaLossScale, HalvesAndSkipsWhereAGradientIsNotFinite) {
  StepState state;
  state.loss_scale = 1024;
  state.finite_steps = 7;
  state.not_finite = 1;
  advance_corrections(no_change, state);
  const float correction = state.correction1;
  finish_step(true, no_change, state);
  EXPECT_EQ(state.loss_scale, 512);
  EXPECT_EQ(state.finite_steps, 0);
  EXPECT_EQ(state.not_finite, 0);
  EXPECT_EQ(state.updates, 0);
  EXPECT_EQ(state.correction1, correction);  // adam made no update
  EXPECT_EQ(state.losses, 1U);               // the loss was computed nevertheless
}

TEST(CudaLossScale, DoublesAfterManyFiniteSteps) {
  StepState state;
  state.loss_scale = 1024;
  for (int step = 0; step < scale_growth_interval - 1; ++step) finish_step(true, no_change, state);
  EXPECT_EQ(state.loss_scale, 1024);
  finish_step(true, no_change, state);
  EXPECT_EQ(state.loss_scale, 2048);
  EXPECT_EQ(state.finite_steps, 0);
}

TEST(CudaLossScale, StaysWithinItsBounds) {
  StepState state;
  state.loss_scale = least_scale;
  state.not_finite = 1;
  finish_step(true, no_change, state);
  EXPECT_EQ(state.loss_scale, least_scale);
  state.loss_scale = most_scale;
  state.finite_steps = scale_growth_interval - 1;
  finish_step(true, no_change, state);
  EXPECT_EQ(state.loss_scale, most_scale);
}

TEST(CudaLossScale, IsOneForOtherTypes) {
  StepState state;
  for (int step = 0; step < 2 * scale_growth_interval; ++step) finish_step(false, no_change, state);
  EXPECT_EQ(state.loss_scale, 1);
}

TEST(CudaLossScale, FirstOneIsAPowerOfTwoInTheMiddleOfTheRange) {
  for (const long long batch : {1, 2, 3, 5, 64, 1000, 1024, 65536}) {
    const float scale = first_loss_scale(batch);
    EXPECT_EQ(std::exp2(std::round(std::log2(scale))), scale) << batch;
    const float of_one_image = scale / static_cast<float>(batch);  // the largest gradient of a logit
    EXPECT_LE(of_one_image, 256) << batch;
    EXPECT_GE(of_one_image, 0.125F) << batch;
    EXPECT_LE(scale, 8192) << batch;
  }
}

}  // namespace
}  // namespace breakeven::cuda
