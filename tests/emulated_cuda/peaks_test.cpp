// Tests the kernels that measure a device's arithmetic rate, for each unit of each generation. A launch that
// fills a real device is too large to emulate, so they are called with less work.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cuda/capability.h"
#include "backends/cuda/kernels/peak_kernels.h"
#include "workloads/peak.h"
#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

struct Vector {
  alignas(8) std::array<std::byte, Peak::vector_bytes> bytes{};
  std::vector<double> values;
};

/// Small integers, which every type represents exactly, and so their sums: i * factor mod 7, minus 2.
Vector vector_of(Dtype dtype, std::size_t factor) {
  Vector made;
  for (std::size_t i = 0; i < Peak::vector_bytes / facts(dtype).bytes(); ++i)
    made.values.push_back(static_cast<double>(i * factor % 7) - 2);
  facts(dtype).input.store(made.values.data(), std::ssize(made.values), made.bytes.data(), 0);
  return made;
}

int threads_together(const PeakUnit& unit) {
  if (unit.name.starts_with("wgmma")) return 128;
  return unit.name.starts_with("mma") ? 32 : 1;
}

struct Device {
  Capability capability;
  std::size_t units = 0;  // of all dtypes
};

class EmulatedPeaks : public testing::TestWithParam<Device> {};

TEST_P(EmulatedPeaks, AreOfRightSums) {
  const Capability capability = GetParam().capability;
  std::size_t units = 0;
  for (const Dtype dtype : computed_by(capability, all_dtypes())) {
    const Vector a = vector_of(dtype, 3);
    const Vector b = vector_of(dtype, 5);
    const double dot = std::inner_product(a.values.begin(), a.values.end(), b.values.begin(), 0.0);
    ASSERT_NE(dot, 0);
    for (const PeakUnit& unit : peak_units(dtype, capability)) {
      // Shares differ by one, and are larger than what the accumulators hold.
      const bool has_short_accumulators = facts(dtype).has_short_accumulators;
      const std::int64_t steps = has_short_accumulators ? 8 : 2;  // 8: as a case of f8e4m3 requests
      const std::int64_t share = has_short_accumulators ? 37 : 3;
      constexpr unsigned blocks = 2;
      const std::int64_t pieces = blocks * unit.threads / threads_together(unit) * share + 1;
      std::vector<double> sums(blocks * static_cast<std::size_t>(unit.threads), -1);
      unit.enqueue(
          {.a = a.bytes.data(), .b = b.bytes.data(), .pieces = pieces, .steps = steps, .sums = sums.data()},
          blocks, static_cast<unsigned>(unit.threads), nullptr);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), dot * static_cast<double>(pieces * unit.dots))
          << unit.name;
      ++units;
    }
  }
  EXPECT_EQ(units, GetParam().units);
}

/// A case that is not tuned uses the first unit: the newest, not one of an older GPU.
TEST(EmulatedPeakUnits, OfHopperBeginWithWarpGroups) {
  for (const Dtype dtype : {Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::f8e4m3, Dtype::s8})
    EXPECT_TRUE(peak_units(dtype, {9, 0}).at(0).name.starts_with("wgmma.")) << name(dtype);
  EXPECT_EQ(peak_units(Dtype::f64, {9, 0}).at(0).name, "mma.m16n8k8.f64");
  EXPECT_EQ(peak_units(Dtype::f64, {8, 0}).at(0).name, "mma.m8n8k4.f64");
}

/// Accumulators of f8e4m3 have 13 bits. If they are emptied as often as a case requests, their sum is right.
TEST(EmulatedPeakUnits, OfF8AreRightInManySteps) {
  constexpr std::uint64_t seed = 1;
  constexpr std::int64_t steps = 64;
  Vector a;
  Vector b;
  fill_inputs(Dtype::f8e4m3, a.bytes.data(), Peak::vector_bytes, RandomStream(seed, stream::first_operand));
  fill_inputs(Dtype::f8e4m3, b.bytes.data(), Peak::vector_bytes, RandomStream(seed, stream::second_operand));
  for (const PeakUnit& unit : peak_units(Dtype::f8e4m3, {9, 0})) {
    const Case problem =
        make_case(*find_workload("peak"),
                  {{"dots", Peak::granule * unit.dots}, {"steps", steps}, {"dtype", std::string("f8e4m3")}});
    const Evidence truth = problem.workload->expect(problem.parameters, seed, {0});
    const auto threads = static_cast<unsigned>(unit.threads);
    const std::int64_t workers = unit.threads / threads_together(unit);
    const auto is_right = [&](std::int64_t accumulated) {
      std::vector<double> sums(threads, -1);
      unit.enqueue({.a = a.bytes.data(),
                    .b = b.bytes.data(),
                    .pieces = workers * steps,
                    .steps = accumulated,
                    .sums = sums.data()},
                   1, threads, nullptr);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const double times = static_cast<double>(Peak::granule) / static_cast<double>(workers);  // of the case
      const double sum = times * std::accumulate(sums.begin(), sums.end(), 0.0);
      const Tolerance tolerance = problem.workload->tolerance(problem.parameters, truth);
      return std::abs(sum - truth.elements[0]) <= tolerance.relative * tolerance.element_scale;
    };
    EXPECT_TRUE(is_right(Peak(problem.parameters).accumulated_steps())) << unit.name;
    // The first of three groups of a multiprocessor empties its accumulators after a third, the first time.
    EXPECT_FALSE(is_right(3 * steps)) << unit.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EmulatedPeaks,
                         testing::Values(Device{{7, 5}, 4}, Device{{8, 0}, 7}, Device{{8, 9}, 8},
                                         Device{{9, 0}, 20}),
                         [](const auto& device) {
                           return "sm_" + std::to_string(device.param.capability.major * 10 +
                                                         device.param.capability.minor);
                         });

}  // namespace
}  // namespace breakeven::cuda
