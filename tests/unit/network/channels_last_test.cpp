// Tests the weights of the CUDA backend's networks, whose tensors have channels last.
#include "network/channels_last.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/network_fixtures.h"

namespace breakeven {
namespace {

constexpr std::uint64_t turned_seed = 2;

std::size_t tensor_named(const Network& network, const std::string& name) {
  for (std::size_t i = 0; i < network.parameters.size(); ++i) {
    if (network.parameters[i].name == name) return i;
  }
  ADD_FAILURE() << "no tensor " << name;
  return 0;
}

/// Checks that each row of a tensor, channels x pixels in its definition, is pixels x channels here.
void expect_turned(const std::string& network_name, const std::string& tensor, std::size_t channels,
                   std::size_t pixels) {
  const Network network = network_of({{"network", network_name}});
  const std::size_t index = tensor_named(network, tensor);
  const auto plain = initial_values(network, index, turned_seed);
  const auto turned = channels_last_values(network, index, turned_seed);
  ASSERT_EQ(turned.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::size_t row = i / (channels * pixels);
    const std::size_t channel = i / pixels % channels;
    const std::size_t pixel = i % pixels;
    ASSERT_EQ(turned[(row * pixels + pixel) * channels + channel], plain[i]) << i;
  }
}

TEST(CudaChannelsLast, FiltersAreKrsc) {
  expect_turned("cnn", "conv1.weight", 1, 9);
  expect_turned("cnn", "conv2.weight", 32, 9);
  expect_turned("lenet", "conv2.weight", 6, 25);
}

TEST(CudaChannelsLast, SoAreTheColumnsOfADenseLayerBehindImages) {
  expect_turned("cnn", "dense1.weight", 64, 12 * 12);
  expect_turned("lenet", "dense1.weight", 16, 5 * 5);
}

TEST(CudaChannelsLast, OthersStay) {
  for (const std::string name : {"mlp", "transformer"}) {
    const Network network = network_of({{"network", name}});
    for (std::size_t i = 0; i < network.parameters.size(); ++i)
      EXPECT_EQ(channels_last_values(network, i, turned_seed), initial_values(network, i, turned_seed))
          << name << " " << i;
  }
  const Network network = network_of({{"network", "cnn"}});
  for (const std::string name : {"conv1.bias", "dense1.bias", "dense2.weight"}) {
    const std::size_t i = tensor_named(network, name);
    EXPECT_EQ(channels_last_values(network, i, turned_seed), initial_values(network, i, turned_seed)) << name;
  }
}

}  // namespace
}  // namespace breakeven
