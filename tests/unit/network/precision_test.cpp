// Tests whether the tolerance distinguishes correct arithmetic from lower precision. The reference network in
// float32 stands for a correct f32 backend; with the operands of every product rounded to TF32 or bf16, it
// stands for one of lower precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "backends/reference/expected_networks.h"
#include "backends/reference/reference_network.h"
#include "unit/network_fixtures.h"
#include "worker/backend.h"
#include "workloads/batch_order.h"
#include "workloads/networks.h"

namespace breakeven {
namespace {

/// Ten fraction bits, to nearest, ties to even.
float to_tf32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0xfffU + (bits >> 13U & 1U)) & ~0x1fffU);
}
float rounded_to_bf16(float x) {
  return from_bf16(to_bf16(x));
}
float rounded_to_f16(float x) {
  return from_f16(to_f16(x));
}

/// Truncates like Hopper's wgmma when it reads operands.
float cut_to_tf32(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x1fffU);
}

constexpr std::uint64_t parameters_seed = 1;

/// The evidence of a backend that computes in float32 with operands rounded by `round`.
Evidence shown_by(RoundOperand<float> round, const Case& problem, const std::vector<std::int64_t>& elements) {
  const ModelTask task = model_task(problem.parameters, parameters_seed);
  const LabelledImages& data = task.data->images(Split::train);
  ReferenceNetwork<float> network(task.network, parameters_seed, round);
  BatchOrder order(data.count(), task.batch, parameters_seed);
  std::vector<float> pixels(static_cast<std::size_t>(task.batch * image_pixels));
  Evidence shown;
  for (int step = 0; step < first_steps; ++step) {
    const auto rows = order.next();
    data.gather(rows, pixels.data());
    std::vector<std::uint8_t> labels;
    for (const std::uint32_t row : rows) labels.push_back(data.labels[row]);
    const auto& logits = network.forward(pixels);
    if (step == 0) shown = logits_evidence({logits.begin(), logits.end()}, elements, parameters_seed);
    shown.losses.push_back(network.backward(labels, task.batch));
    network.update(*task.optimizer);
  }
  return shown;
}

struct Subject {
  std::string network, optimizer;
  double learning_rate = 0;  // its own
};

void expect_narrower_arithmetic_is_found(const Subject& subject) {
  const TemporaryFolder folder;
  write_dataset(folder.path(), 64, 1);
  const auto problem_in = [&](const std::string& dtype) {
    return case_of("train", {{"network", subject.network},
                             {"batch", 16},
                             {"optimizer", subject.optimizer},
                             {"learning_rate", subject.learning_rate},
                             {"data", folder.path().string()},
                             {"dtype", dtype}});
  };
  const Case f32 = problem_in("f32");
  const auto elements = elements_to_check(f32.workload->output(f32.parameters).elements(), parameters_seed);
  const auto truth_in = [&](const std::string& dtype) {
    const Case problem = problem_in(dtype);
    return reference_result(problem, parameters_seed, elements);
  };
  const Evidence truth = truth_in("f32");
  const Evidence truth_in_tf32 = truth_in("tf32");
  const auto verdict = [&](const Evidence& shown, const std::string& dtype) {
    const Case problem = problem_in(dtype);
    return judge(dtype == "tf32" ? truth_in_tf32 : truth, shown,
                 problem.workload->tolerance(problem.parameters, truth));
  };

  const Evidence honest = shown_by(nullptr, f32, elements);
  const Evidence tf32 = shown_by(to_tf32, f32, elements);
  const Evidence cut_tf32 = shown_by(cut_to_tf32, f32, elements);
  const Evidence f16 = shown_by(rounded_to_f16, f32, elements);
  const Evidence bf16 = shown_by(rounded_to_bf16, f32, elements);
  EXPECT_TRUE(verdict(honest, "f32").correct) << verdict(honest, "f32").detail;
  EXPECT_FALSE(verdict(tf32, "f32").correct);
  EXPECT_FALSE(verdict(f16, "f32").correct);
  EXPECT_TRUE(verdict(tf32, "tf32").correct) << verdict(tf32, "tf32").detail;
  EXPECT_TRUE(verdict(cut_tf32, "tf32").correct) << verdict(cut_tf32, "tf32").detail;
  EXPECT_LT(verdict(cut_tf32, "tf32").error, 0.5 * verdict(cut_tf32, "tf32").tolerance);
  EXPECT_FALSE(verdict(cut_tf32, "f32").correct);
  EXPECT_TRUE(verdict(f16, "f16").correct) << verdict(f16, "f16").detail;
  EXPECT_FALSE(verdict(bf16, "tf32").correct);
  EXPECT_TRUE(verdict(bf16, "bf16").correct) << verdict(bf16, "bf16").detail;
  // By a wide margin: sequential sums are the least accurate of any f32 backend, and TF32 is far off.
  EXPECT_LT(verdict(honest, "f32").error, 0.5 * verdict(honest, "f32").tolerance);
  EXPECT_GT(verdict(tf32, "f32").error, 10 * verdict(tf32, "f32").tolerance);

  // A training without its update has the right logits and the wrong losses.
  Evidence stuck = honest;
  stuck.losses[1] = stuck.losses[0];
  EXPECT_FALSE(verdict(stuck, "f32").correct);
}

TEST(SlowNetworkPrecision, Mlp) {
  expect_narrower_arithmetic_is_found({.network = "mlp", .optimizer = "sgd"});
  expect_narrower_arithmetic_is_found({.network = "mlp", .optimizer = "adam"});
  expect_narrower_arithmetic_is_found({.network = "mlp", .optimizer = "adam", .learning_rate = 0.01});
}
TEST(SlowNetworkPrecision, Lenet) {
  expect_narrower_arithmetic_is_found({.network = "lenet", .optimizer = "sgd"});
  expect_narrower_arithmetic_is_found({.network = "lenet", .optimizer = "adam"});
}
TEST(SlowNetworkPrecision, Cnn) {
  expect_narrower_arithmetic_is_found({.network = "cnn", .optimizer = "sgd"});
  expect_narrower_arithmetic_is_found({.network = "cnn", .optimizer = "adam"});
}
TEST(SlowNetworkPrecision, Transformer) {
  expect_narrower_arithmetic_is_found({.network = "transformer", .optimizer = "sgd"});
  expect_narrower_arithmetic_is_found({.network = "transformer", .optimizer = "adam"});
}

}  // namespace
}  // namespace breakeven
