// Compares the reference's gradients with finite differences of its loss. All backends are compared with the
// reference, so it is compared with nothing but calculus.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/reference/reference_network.h"
#include "unit/network_fixtures.h"
#include "workloads/random.h"

namespace breakeven {
namespace {

std::vector<float> random_images(std::int64_t count) {
  std::vector<float> pixels(static_cast<std::size_t>(count * image_pixels));
  fill_inputs(Dtype::f32, pixels.data(), std::ssize(pixels), RandomStream(5, 0));
  return pixels;
}

const std::vector<std::uint8_t> three_labels{3, 0, 9};

double loss_of(ReferenceNetwork<double>& network, const std::vector<float>& images) {
  std::vector<double> unused(three_labels.size() * classes);
  return cross_entropy<double>(network.forward(images), three_labels, std::ssize(three_labels),
                               unused.data());
}

/// Compares some elements of every parameter tensor's gradient.
void expect_true_gradients(const Network& description) {
  ReferenceNetwork<double> network(description, 2);
  const auto images = random_images(std::ssize(three_labels));
  network.forward(images);
  const double loss = network.backward(three_labels, std::ssize(three_labels));
  ASSERT_NEAR(loss, loss_of(network, images), 1e-12);
  for (std::size_t t = 0; t < description.parameters.size(); ++t) {
    const auto& gradient = network.gradients()[t];
    const double largest = std::abs(*std::max_element(
        gradient.begin(), gradient.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    ASSERT_GT(largest, 0) << description.parameters[t].name;
    auto& values = network.parameters()[t];
    const RandomStream numbers(t, 0);
    for (std::uint64_t check = 0; check < 12; ++check) {
      const std::size_t i = numbers.bits(check) % values.size();
      // Small enough that hardly any ReLU or maximum changes sides within it.
      constexpr double h = 1e-6;
      const double value = values[i];
      values[i] = value + h;
      const double above = loss_of(network, images);
      values[i] = value - h;
      const double below = loss_of(network, images);
      values[i] = value;
      EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-6 * largest + 1e-9)
          << description.parameters[t].name << " element " << i;
    }
  }
}

// dense, ReLU
TEST(NetworkGradients, Mlp) {
  expect_true_gradients(network_of({{"network", "mlp"}, {"width", 16}}));
}

// conv2d with and without padding, max_pool, dense
TEST(NetworkGradients, Lenet) {
  expect_true_gradients(network_of({{"network", "lenet"}}));
}

// dense on tokens, positions, attention, residuals, layer_norm, GELU, mean_tokens
TEST(NetworkGradients, Transformer) {
  expect_true_gradients(
      network_of({{"network", "transformer"}, {"width", 12}, {"heads", 3}, {"hidden", 20}}));
}

// Forms that no current network has, but a backend may meet: strided convolution, odd sizes in a pool, GELU
// after a convolution.
TEST(NetworkGradients, StridedConvolutionAndOddPool) {
  Layer conv;
  conv.kind = LayerKind::conv2d;
  conv.name = "conv";
  conv.activation = Activation::gelu;
  conv.c = 1;
  conv.h = conv.w = image_side;
  conv.k = 3;
  conv.filter = 4;
  conv.stride = 3;
  conv.pad = 2;
  conv.p = conv.q = (image_side + 4 - 4) / 3 + 1;  // 10
  conv.weights = 0;
  conv.bias = 1;
  Layer second = conv;
  second.name = "second";
  second.c = 3;
  second.h = second.w = 10;
  second.k = 2;
  second.filter = 2;
  second.stride = 1;
  second.pad = 0;
  second.p = second.q = 9;
  second.weights = 2;
  second.bias = 3;
  Layer pool;
  pool.kind = LayerKind::max_pool;
  pool.name = "pool";
  pool.c = pool.k = 2;
  pool.h = pool.w = 9;
  pool.filter = pool.stride = 2;
  pool.p = pool.q = 4;
  Layer dense;
  dense.name = "dense";
  dense.in = 32;
  dense.out = classes;
  dense.weights = 4;
  dense.bias = 5;
  const auto tensor = [](std::string name, std::vector<std::int64_t> shape) {
    return ParameterTensor{.name = std::move(name),
                           .shape = std::move(shape),
                           .start = ParameterTensor::Start::uniform,
                           .scale = 0.25F};
  };
  expect_true_gradients(
      {.name = "made up",
       .layers = {conv, second, pool, dense},
       .parameters = {tensor("conv.weight", {3, 1, 4, 4}), tensor("conv.bias", {3}),
                      tensor("second.weight", {2, 3, 2, 2}), tensor("second.bias", {2}),
                      tensor("dense.weight", {classes, 32}), tensor("dense.bias", {classes})}});
}

TEST(NetworkGradients, ABatchMayBeTakenInParts) {
  const Network description = network_of({{"network", "lenet"}});
  const auto images = random_images(3);
  ReferenceNetwork<double> whole(description, 1);
  whole.forward(images);
  const double loss = whole.backward(three_labels, 3);
  ReferenceNetwork<double> parts(description, 1);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    parts.forward(std::span(images).subspan(i * image_pixels, image_pixels));
    sum += parts.backward(std::span(three_labels).subspan(i, 1), 3);
  }
  EXPECT_NEAR(sum, loss, 1e-13);
  for (std::size_t t = 0; t < description.parameters.size(); ++t) {
    for (std::size_t i = 0; i < whole.gradients()[t].size(); ++i)
      ASSERT_NEAR(parts.gradients()[t][i], whole.gradients()[t][i], 1e-13);
  }
}

TEST(NetworkGradients, TheNumberOfThreadsDoesNotMatter) {
  const Network description = network_of({{"network", "lenet"}});
  const auto images = random_images(3);
  ReferenceNetwork<double> one(description, 1, nullptr, 1);
  ReferenceNetwork<double> five(description, 1, nullptr, 5);
  one.forward(images);
  five.forward(images);
  EXPECT_NEAR(one.backward(three_labels, 3), five.backward(three_labels, 3), 1e-13);
  EXPECT_NEAR(one.gradients()[0][0], five.gradients()[0][0], 1e-13);
}

// Two steps by hand on one parameter.
TEST(NetworkOptimizer, SgdKeepsItsVelocity) {
  ReferenceNetwork<double> network(network_of({{"network", "mlp"}, {"width", 4}}), 1);
  const auto images = random_images(3);
  const Optimizer sgd{.kind = Optimizer::Kind::sgd, .learning_rate = 0.1, .momentum = 0.5};
  double w = network.parameters()[5][0];
  double velocity = 0;
  for (int step = 0; step < 2; ++step) {
    network.forward(images);
    network.backward(three_labels, 3);
    velocity = 0.5 * velocity + network.gradients()[5][0];
    w -= 0.1 * velocity;
    network.update(sgd);
    EXPECT_DOUBLE_EQ(network.parameters()[5][0], w);
    EXPECT_EQ(network.gradients()[5][0], 0);
  }
}

TEST(NetworkOptimizer, AdamCorrectsItsBias) {
  ReferenceNetwork<double> network(network_of({{"network", "mlp"}, {"width", 4}}), 1);
  const auto images = random_images(3);
  const Optimizer adam{.kind = Optimizer::Kind::adam, .learning_rate = 0.1};
  double w = network.parameters()[5][0];
  double m = 0;
  double v = 0;
  for (int step = 1; step <= 2; ++step) {
    network.forward(images);
    network.backward(three_labels, 3);
    const double g = network.gradients()[5][0];
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= 0.1 * (m / (1 - std::pow(0.9, step))) / (std::sqrt(v / (1 - std::pow(0.999, step))) + 1e-8);
    network.update(adam);
    EXPECT_NEAR(network.parameters()[5][0], w, 1e-12);
  }
}

}  // namespace
}  // namespace breakeven
