#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "unit/network_fixtures.h"
#include "workloads/network.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;

// Expected values: PyTorch's counts of the parameters of the same modules.
TEST(NetworkDescription, ParametersAreAsManyAsPublished) {
  EXPECT_EQ(network_of({{"network", "mlp"}}).parameter_elements(), 669706);
  EXPECT_EQ(network_of({{"network", "lenet"}}).parameter_elements(),
            61706);  // LeCun et al. 1998, as built today
  EXPECT_EQ(network_of({{"network", "cnn"}}).parameter_elements(), 1199882);  // PyTorch's examples/mnist
  const std::int64_t encoder_layer = 198272;  // torch.nn.TransformerEncoderLayer(128, 4, 512)
  EXPECT_EQ(network_of({{"network", "transformer"}}).parameter_elements(),
            encoder_layer + 29 * 128 + 28 * 128 + 129 * 10);
}

TEST(NetworkDescription, LayersFitTogether) {
  ASSERT_GE(network_names().size(), 4U);
  for (const std::string& name : network_names()) {
    const Network network = network_of({{"network", name}});
    std::int64_t before = image_pixels;
    std::set<std::string> names;
    std::set<std::size_t> parameters;
    for (const Layer& layer : network.layers) {
      EXPECT_EQ(layer.input_elements(), before) << name << " " << layer.name;
      before = layer.output_elements();
      EXPECT_TRUE(names.insert(layer.name).second) << layer.name;
      for (const auto& index : {layer.weights, layer.bias}) {
        EXPECT_TRUE(!index || parameters.insert(*index).second);
      }
    }
    EXPECT_EQ(before, classes);
    EXPECT_EQ(parameters.size(), network.parameters.size());
  }
}

TEST(NetworkDescription, FlopIsTwoForEachMultiplyAdd) {
  const Network mlp = network_of({{"network", "mlp"}});
  const double weights = 784.0 * 512 + 512.0 * 512 + 512.0 * 10;
  EXPECT_EQ(flop_forward(mlp), 2 * weights);
  EXPECT_EQ(flop_backward(mlp), 2 * (2 * weights - 784.0 * 512));  // no gradient of the image
  const Network cnn = network_of({{"network", "cnn"}});
  const double first = 26.0 * 26 * 32 * 9;
  const double rest = 24.0 * 24 * 64 * 9 * 32 + 9216.0 * 128 + 128.0 * 10;
  EXPECT_EQ(flop_forward(cnn), 2 * (first + rest));
  EXPECT_EQ(flop_backward(cnn), 2 * (first + 2 * rest));
}

TEST(NetworkDescription, SizesAreParameters) {
  EXPECT_EQ(network_of({{"network", "mlp"}, {"width", 64}}).parameter_elements(),
            785 * 64 + 65 * 64 + 65 * 10);
  const Network narrow = network_of({{"network", "transformer"}, {"width", 8}, {"heads", 2}});
  EXPECT_EQ(narrow.layers.front().out, 8);
}

void expect_refused(const Given& given, const std::string& parameter, const std::string& words) {
  try {
    network_of(given);
    FAIL() << "nothing was refused";
  } catch (const InvalidCase& e) {
    EXPECT_EQ(e.parameter(), parameter);
    EXPECT_THAT(e.what(), HasSubstr(words));
  }
}

TEST(NetworkDescription, ImpossibleSizesAreRefused) {
  expect_refused({{"network", "cnn"}, {"width", 64}}, "width", "leave it out");
  expect_refused({{"network", "mlp"}, {"heads", 2}}, "heads", "leave it out");
  expect_refused({{"network", "transformer"}, {"heads", 3}}, "heads", "128");
  expect_refused({{"network", "resnet"}}, "network", "one of mlp, lenet, cnn, transformer");
}

TEST(NetworkDescription, InitialValuesStayWithinPyTorchsBound) {
  const Network network = network_of({{"network", "transformer"}});
  for (std::size_t t = 0; t < network.parameters.size(); ++t) {
    const auto values = initial_values(network, t, 3);
    const ParameterTensor& tensor = network.parameters[t];
    ASSERT_EQ(std::ssize(values), tensor.elements());
    if (tensor.start != ParameterTensor::Start::uniform) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*low, -tensor.scale) << tensor.name;
    EXPECT_LE(*high, tensor.scale) << tensor.name;
    EXPECT_NE(values, initial_values(network, t, 4)) << tensor.name << " does not depend on the seed";
  }
  EXPECT_EQ(network.parameters[0].scale, static_cast<float>(1 / std::sqrt(28.0)));
}

TEST(NetworkDescription, WorkloadsRefuseWhatMakesNoSense) {
  const Given base{{"network", "mlp"}, {"batch", 8}};
  const auto with = [&](const std::string& name, const Value& value) {
    Given given = base;
    given.emplace_back(name, value);
    return given;
  };
  EXPECT_NO_THROW(case_of("train", base));
  EXPECT_THROW(case_of("train", with("learning_rate", -0.5)), InvalidCase);
  EXPECT_THROW(case_of("train", with("momentum", -0.5)), InvalidCase);
  EXPECT_NO_THROW(case_of("train", with("target_accuracy", 0.9)));
  EXPECT_THROW(case_of("train", with("target_accuracy", 1.5)), InvalidCase);
  EXPECT_THROW(case_of("train", with("dtype", std::string("s8"))), InvalidCase);
  EXPECT_THROW(case_of("infer", with("optimizer", std::string("adam"))), InvalidCase);
  EXPECT_TRUE(find_workload("infer")->measures_latency());
  EXPECT_EQ(find_workload("train")->samples(case_of("train", base).parameters), 8);
}

}  // namespace
}  // namespace breakeven
