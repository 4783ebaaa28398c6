// Tests the CUDA backend's updates and loss scale, on the CPU.
#include "backends/cuda/kernels/optimizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/reference/reference_network.h"
#include "unit/network_fixtures.h"
#include "workloads/batch_order.h"

namespace breakeven::cuda {
namespace {

constexpr std::uint64_t trained_seed = 5;
constexpr int trained_steps = 4;

/// Trains a small network with the reference. Passes the gradients of each step to `follow(tensor, element,
/// gradient)`, which returns the updated parameter, and compares it with the reference's.
template <typename Follow, typename EndStep>
void expect_as_the_reference(const std::string& optimizer, const Follow& follow, const EndStep& end_step) {
  const TemporaryFolder folder;
  write_dataset(folder.path(), 64, 1);
  const Case problem = case_of("train", {{"network", "mlp"},
                                         {"width", std::int64_t{4}},
                                         {"batch", std::int64_t{8}},
                                         {"optimizer", optimizer},
                                         {"data", folder.path().string()}});
  const ModelTask task = model_task(problem.parameters, trained_seed);
  const LabelledImages& data = task.data->images(Split::train);
  ReferenceNetwork<double> network(task.network, trained_seed);
  for (int step = 0; step < trained_steps; ++step) {
    const auto rows = rows_from(static_cast<std::uint32_t>(step) * 8, task.batch, data.count());
    std::vector<float> pixels(static_cast<std::size_t>(task.batch * image_pixels));
    data.gather(rows, pixels.data());
    std::vector<std::uint8_t> labels;
    for (const std::uint32_t row : rows) labels.push_back(data.labels[row]);
    network.forward(pixels);
    network.backward(labels, task.batch);
    const auto gradients = network.gradients();
    network.update(*task.optimizer);
    for (std::size_t t = 0; t < gradients.size(); ++t) {
      for (std::size_t i = 0; i < gradients[t].size(); ++i) {
        const double reached = network.parameters()[t][i];
        EXPECT_NEAR(follow(t, i, static_cast<float>(gradients[t][i]), *task.optimizer), reached,
                    2e-6 * std::max(1e-2, std::abs(reached)))
            << step << " " << t << " " << i;
      }
    }
    end_step(*task.optimizer);
  }
}

/// One parameter and its optimiser state.
struct One {
  float w = 0, m = 0, v = 0;
};

/// All parameters of the test's network, at their initial values.
std::vector<std::vector<One>> initial() {
  const Network network = network_of({{"network", "mlp"}, {"width", std::int64_t{4}}});
  std::vector<std::vector<One>> all;
  for (std::size_t t = 0; t < network.parameters.size(); ++t) {
    all.emplace_back();
    for (const float w : initial_values(network, t, trained_seed)) all.back().push_back({.w = w});
  }
  return all;
}

TEST(CudaOptimizers, SgdIsThatOfTheReference) {
  auto parameters = initial();
  expect_as_the_reference(
      "sgd",
      [&](std::size_t t, std::size_t i, float g, const Optimizer& optimizer) {
        One& one = parameters[t][i];
        sgd_update({static_cast<float>(optimizer.learning_rate), static_cast<float>(optimizer.momentum)}, g,
                   one.w, one.m);
        return static_cast<double>(one.w);
      },
      [](const Optimizer&) {});
}

TEST(CudaOptimizers, AdamIsThatOfTheReference) {
  auto parameters = initial();
  StepState state;
  const auto rule = [](const Optimizer& optimizer) {
    return AdamRule{static_cast<float>(optimizer.learning_rate), optimizer.beta1, optimizer.beta2,
                    static_cast<float>(optimizer.epsilon)};
  };
  advance_corrections(rule(Optimizer{}), state);
  expect_as_the_reference(
      "adam",
      [&](std::size_t t, std::size_t i, float g, const Optimizer& optimizer) {
        One& one = parameters[t][i];
        adam_update(rule(optimizer), state, g, one.w, one.m, one.v);
        return static_cast<double>(one.w);
      },
      [&](const Optimizer& optimizer) { finish_step(false, rule(optimizer), state); });
  EXPECT_EQ(state.updates, trained_steps);
}

TEST(CudaLossScale, HalvesAndSkipsWhereAGradientIsNotFinite) {
  StepState state;
  state.loss_scale = 1024;
  state.finite_steps = 7;
  state.not_finite = 1;
  const AdamRule rule{.rate = 0, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 0};
  advance_corrections(rule, state);
  const float correction = state.correction1;
  finish_step(true, rule, state);
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
  const AdamRule rule{.rate = 0, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 0};
  for (int step = 0; step < scale_growth_interval - 1; ++step) finish_step(true, rule, state);
  EXPECT_EQ(state.loss_scale, 1024);
  finish_step(true, rule, state);
  EXPECT_EQ(state.loss_scale, 2048);
  EXPECT_EQ(state.finite_steps, 0);
}

TEST(CudaLossScale, StaysWithinItsBounds) {
  const AdamRule rule{.rate = 0, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 0};
  StepState state;
  state.loss_scale = least_scale;
  state.not_finite = 1;
  finish_step(true, rule, state);
  EXPECT_EQ(state.loss_scale, least_scale);
  state.loss_scale = most_scale;
  state.finite_steps = scale_growth_interval - 1;
  finish_step(true, rule, state);
  EXPECT_EQ(state.loss_scale, most_scale);
}

TEST(CudaLossScale, IsOneForOtherTypes) {
  StepState state;
  const AdamRule rule{.rate = 0, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 0};
  for (int step = 0; step < 2 * scale_growth_interval; ++step) finish_step(false, rule, state);
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
