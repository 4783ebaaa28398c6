// Tests which results the verification accepts and which it refuses. Results are computed here, in plain
// loops that share no code with the workloads, and then corrupted like those of faulty backends.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "workloads/conv2d.h"
#include "workloads/host_tensors.h"
#include "workloads/matmul.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t judged_seed = 5;

/// Ten fraction bits, to nearest, as a tensor core rounds its inputs.
float to_tf32(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits += 0xfffU + ((bits >> 13U) & 1U);
  return std::bit_cast<float>(bits & ~0x1fffU);
}

using Rounding = std::function<float(float)>;
float as_it_is(float value) {
  return value;
}

/// A row-major product in f32, sums in f32, with inputs rounded first.
void multiply(const Matmul& p, HostTensors& t, const Rounding& rounded, bool transpose_b) {
  const auto* a = t.first_as<float>();
  const auto* b = t.second_as<float>();
  for (std::int64_t product = 0; product < p.batch; ++product) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l) {
          const float x = a[product * p.m * p.k + (p.transpose_a ? l * p.m + i : i * p.k + l)];
          const float y = b[product * p.k * p.n + (transpose_b ? j * p.k + l : l * p.n + j)];
          sum += rounded(x) * rounded(y);
        }
        t.output_as<float>()[(product * p.m + i) * p.n + j] = sum;
      }
    }
  }
}

/// One product of source, weights and result in the seven loops of a forward convolution: adds to any of the
/// three from the other two. `touch(source, weights, result)` is given flat indices.
void each_product(const Conv2d& p,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& touch) {
  const std::int64_t group_c = p.c / p.groups;
  const std::int64_t group_k = p.k / p.groups;
  for (std::int64_t n = 0; n < p.n; ++n) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      for (std::int64_t y = 0; y < p.p(); ++y) {
        for (std::int64_t x = 0; x < p.q(); ++x) {
          for (std::int64_t c = 0; c < group_c; ++c) {
            for (std::int64_t r = 0; r < p.r; ++r) {
              for (std::int64_t s = 0; s < p.s; ++s) {
                const std::int64_t row = y * p.stride_h - p.pad_h + r * p.dilation;
                const std::int64_t column = x * p.stride_w - p.pad_w + s * p.dilation;
                if (row < 0 || row >= p.h || column < 0 || column >= p.w) continue;
                const std::int64_t channel = k / group_k * group_c + c;
                touch(((n * p.c + channel) * p.h + row) * p.w + column,
                      ((k * group_c + c) * p.r + r) * p.s + s, ((n * p.k + k) * p.p() + y) * p.q() + x);
              }
            }
          }
        }
      }
    }
  }
}

/// Any pass, given its operands in the order of HostTensors, as sums of type T.
template <typename T>
std::vector<T> convolve(const Conv2d& p, const std::function<T(std::int64_t)>& first,
                        const std::function<T(std::int64_t)>& second) {
  std::vector<T> output(static_cast<std::size_t>(p.elements_output()), T{0});
  each_product(p, [&](std::int64_t source, std::int64_t weights, std::int64_t result) {
    switch (p.pass) {
      case Pass::forward:
        output[static_cast<std::size_t>(result)] += first(source) * second(weights);
        break;
      case Pass::backward_data:
        output[static_cast<std::size_t>(source)] += first(result) * second(weights);
        break;
      case Pass::backward_weights:
        output[static_cast<std::size_t>(weights)] += first(source) * second(result);
        break;
    }
  });
  return output;
}

void convolve(const Conv2d& p, HostTensors& t, const Rounding& rounded) {
  const auto sums = convolve<float>(
      p, [&](std::int64_t i) { return rounded(t.first_as<float>()[i]); },
      [&](std::int64_t i) { return rounded(t.second_as<float>()[i]); });
  std::copy(sums.begin(), sums.end(), t.output_as<float>());
}

/// A case in f32 and its plain computation.
struct Computation {
  Case problem;
  HostTensors tensors;
  std::function<void(HostTensors&, const Rounding&)> compute;

  Verification verdict() const {
    const Workload& w = *problem.workload;
    const auto elements = elements_to_check(w.output(problem.parameters).elements(), judged_seed);
    const Evidence truth = w.expect(problem.parameters, judged_seed, elements);
    return judge(truth, tensors.evidence(elements), w.tolerance(problem.parameters, truth));
  }
  float* output() { return tensors.output_as<float>(); }
  std::int64_t elements() const { return tensors.shape.elements(); }
};

Computation product(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_b = false) {
  Case problem = make_case(*find_workload("matmul"),
                           {{"m", m}, {"n", n}, {"k", k}, {"transpose_b", transpose_b}, {"dtype", "f32"}});
  const Matmul p(problem.parameters);
  return {.problem = std::move(problem),
          .tensors = HostTensors::of(p, judged_seed),
          .compute = [p](HostTensors& t, const Rounding& r) { multiply(p, t, r, p.transpose_b); }};
}

Computation convolution(const std::string& pass) {
  const Parameters given{{"n", 2}, {"c", 16}, {"h", 9},   {"w", 11},      {"k", 12},
                         {"r", 3}, {"s", 3},  {"pad", 1}, {"pass", pass}, {"dtype", "f32"}};
  Case problem = make_case(*find_workload("conv2d"), given);
  const Conv2d p(problem.parameters);
  return {.problem = std::move(problem),
          .tensors = HostTensors::of(p, judged_seed),
          .compute = [p](HostTensors& t, const Rounding& r) { convolve(p, t, r); }};
}

/// The parameter is a name, so that a failure shows which case it is.
class Judged : public testing::TestWithParam<std::string> {
 protected:
  static Computation made() {
    if (GetParam() == "matmul") return product(40, 31, 200);
    if (GetParam() == "matmul_transposed") return product(24, 24, 64, true);
    return convolution(GetParam());
  }
  Computation c = made();
};

INSTANTIATE_TEST_SUITE_P(Workloads, Judged,
                         testing::Values("matmul", "matmul_transposed", "forward", "backward_data",
                                         "backward_weights"),
                         [](const auto& name) { return name.param; });

TEST_P(Judged, PlainSumsInF32AreCorrect) {
  c.compute(c.tensors, as_it_is);
  const auto verdict = c.verdict();
  EXPECT_TRUE(verdict.correct) << verdict.detail;
  EXPECT_GT(verdict.error, 0) << "f32 is not float64: nothing has been compared";
}

TEST_P(Judged, InputsRoundedToTf32AreWrong) {
  c.compute(c.tensors, to_tf32);
  const auto verdict = c.verdict();
  EXPECT_FALSE(verdict.correct);
  EXPECT_GT(verdict.error, 5 * verdict.tolerance) << "not by chance";
}

TEST_P(Judged, OtherInputsAreWrong) {
  c.compute(c.tensors, [](float x) { return from_bf16(to_bf16(x)); });
  EXPECT_FALSE(c.verdict().correct) << "rounded to bf16";
  c.compute(c.tensors, [](float) { return 1.0F; });
  EXPECT_FALSE(c.verdict().correct) << "constant";
}

TEST_P(Judged, OutputNeverWrittenIsWrong) {
  EXPECT_FALSE(c.verdict().correct) << "it is poisoned from the start";
}

TEST_P(Judged, OneElementNeverWrittenIsWrongWhicheverItIs) {
  for (const std::int64_t missing : {std::int64_t{0}, c.elements() / 3, c.elements() - 1}) {
    c.compute(c.tensors, as_it_is);
    c.output()[missing] = std::nanf("");
    EXPECT_FALSE(c.verdict().correct) << missing;
  }
}

/// No element that is looked at by itself needs to be among those spoilt: the projections see all.
TEST_P(Judged, OneElementOffIsWrongWhicheverItIs) {
  for (std::int64_t spoilt = 0; spoilt < c.elements(); spoilt += c.elements() / 23 + 1) {
    c.compute(c.tensors, as_it_is);
    c.output()[spoilt] += 1;
    EXPECT_FALSE(c.verdict().correct) << spoilt;
  }
}

TEST_P(Judged, OutputsOfNoneInfinityAndTwiceTheResultAreWrong) {
  std::fill_n(c.output(), c.elements(), 0.0F);
  EXPECT_FALSE(c.verdict().correct) << "as alpha = 0 gives";
  c.compute(c.tensors, as_it_is);
  std::for_each_n(c.output(), c.elements(), [](float& x) { x *= 2; });
  EXPECT_FALSE(c.verdict().correct) << "as adding to an old result gives";
  c.compute(c.tensors, as_it_is);
  c.output()[0] = INFINITY;
  EXPECT_FALSE(c.verdict().correct);
}

TEST(JudgedMatmul, TheWrongTransposeIsWrong) {
  for (const bool transpose_b : {false, true}) {
    Computation c = product(24, 24, 24, transpose_b);
    const Matmul p(c.problem.parameters);
    multiply(p, c.tensors, as_it_is, !transpose_b);
    EXPECT_FALSE(c.verdict().correct);
  }
}

TEST(JudgedConv2d, AMirroredFilterIsWrong) {
  Computation c = convolution("forward");
  auto* weights = reinterpret_cast<float*>(c.tensors.second.data());
  for (int filter = 0; filter < 12 * 16; ++filter)
    std::reverse(weights + filter * 9, weights + filter * 9 + 9);
  c.compute(c.tensors, as_it_is);
  EXPECT_FALSE(c.verdict().correct) << "deep learning's convolution is a correlation";
}

TEST(Judge, ShowsNothingPassesNothing) {
  EXPECT_FALSE(judge({.elements = {1}, .projections = {}, .losses = {}}, {}, {.relative = 1}).correct);
  EXPECT_FALSE(judge({}, {}, {.relative = 1}).correct);
}

TEST(Judge, MissingValuesAreWrong) {
  const Evidence truth{.elements = {1, 2}, .projections = {3, 4}, .losses = {5, 6}};
  const Tolerance wide{.relative = 100, .relative_loss = 100};
  EXPECT_TRUE(judge(truth, truth, wide).correct);
  for (auto part : {&Evidence::elements, &Evidence::losses}) {
    Evidence shown = truth;
    (shown.*part).pop_back();
    EXPECT_FALSE(judge(truth, shown, wide).correct);
    (shown.*part).clear();
    EXPECT_FALSE(judge(truth, shown, wide).correct);
    (shown.*part) = {1, 2, 3};
    EXPECT_FALSE(judge(truth, shown, wide).correct) << "more than were asked for";
  }
  Evidence shown = truth;
  shown.projections.pop_back();
  EXPECT_FALSE(judge(truth, shown, wide).correct);
  shown.projections.clear();
  EXPECT_TRUE(judge(truth, shown, wide).correct) << "a backend may leave them out, and the report says so";
}

TEST(Judge, NaNNeverPasses) {
  const Evidence truth{.elements = {1}, .projections = {1}, .losses = {1}};
  const Tolerance wide{.relative = 1e300, .relative_loss = 1e300};
  for (auto part : {&Evidence::elements, &Evidence::projections, &Evidence::losses}) {
    for (const double none : {std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
      Evidence shown = truth;
      (shown.*part)[0] = none;
      EXPECT_FALSE(judge(truth, shown, wide).correct);
      EXPECT_FALSE(std::isfinite(judge(truth, shown, wide).error));
    }
    Evidence no_truth = truth;
    (no_truth.*part)[0] = std::nan("");
    EXPECT_FALSE(judge(no_truth, truth, wide).correct) << "what has no truth cannot be right";
  }
}

/// TF32's operands may be rounded or truncated, but a device does one of both.
TEST(Judge, AnAlternativeIsAsGoodAsTheTruth) {
  Evidence truth{.elements = {1, 2}, .projections = {}, .losses = {}};
  const Evidence alternative{.elements = {3, 4}, .projections = {}, .losses = {}};
  const Tolerance narrow{.relative = 0.1};
  EXPECT_FALSE(judge(truth, alternative, narrow).correct);
  truth.alternatives = {alternative};
  EXPECT_TRUE(judge(truth, truth, narrow).correct);
  EXPECT_TRUE(judge(truth, alternative, narrow).correct);
  const auto mixed = judge(truth, {.elements = {1, 4}, .projections = {}, .losses = {}}, narrow);
  EXPECT_FALSE(mixed.correct);
  EXPECT_THAT(mixed.detail, HasSubstr("element 1 is 4 and should be 2"));
}

TEST(Judge, SaysWhichValueIsWrong) {
  const auto verdict =
      judge({.elements = {1, 2}, .projections = {}, .losses = {}},
            {.elements = {1, 3}, .projections = {}, .losses = {}}, {.element_scale = 4, .relative = 0.125});
  EXPECT_EQ(verdict.detail, "element 1 is 3 and should be 2: off by 1 where 0.5 is allowed");
  EXPECT_EQ(verdict.error, 0.25) << "in the unit of files";
  EXPECT_EQ(verdict.tolerance, 0.125);
}

/// Integers are exact, and compared so.
TEST(Judge, S8MustBeExact) {
  const Case problem = make_case(*find_workload("matmul"), {{"m", 3}, {"n", 3}, {"k", 3}, {"dtype", "s8"}});
  const auto elements = elements_to_check(9, judged_seed);
  const Evidence truth = problem.workload->expect(problem.parameters, judged_seed, elements);
  Evidence shown = truth;
  const auto tolerance = problem.workload->tolerance(problem.parameters, truth);
  EXPECT_TRUE(judge(truth, shown, tolerance).correct);
  shown.elements[4] += 1;
  EXPECT_FALSE(judge(truth, shown, tolerance).correct);
}

// ---- the reference results, compared with plain loops in float64

class Truth : public testing::TestWithParam<Dtype> {};

INSTANTIATE_TEST_SUITE_P(Dtypes, Truth, testing::Values(Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

/// The projections of `output`, straight from their definition in evidence.h.
std::vector<double> projections_of(const std::vector<double>& output, const OutputShape& shape) {
  std::vector<double> folded(static_cast<std::size_t>(projection_count(shape)), 0.0);
  const auto signs = channel_signs(judged_seed, shape.channels);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const std::int64_t inner = i % shape.inner;
    const std::int64_t channel = i / shape.inner % shape.channels;
    const std::int64_t outer = i / (shape.inner * shape.channels);
    const std::int64_t position = outer * shape.inner + inner;
    folded[static_cast<std::size_t>(position % std::ssize(folded))] +=
        position_sign(judged_seed, position) * signs[static_cast<std::size_t>(channel)] *
        output[static_cast<std::size_t>(i)];
  }
  return folded;
}

/// Compares the reference result of a case with that of plain loops.
void expect_truth(const Case& problem, const std::vector<double>& plain) {
  const Workload& workload = *problem.workload;
  const OutputShape shape = workload.output(problem.parameters);
  ASSERT_EQ(shape.elements(), std::ssize(plain));
  const auto elements = elements_to_check(shape.elements(), judged_seed);
  const Evidence truth = workload.expect(problem.parameters, judged_seed, elements);
  ASSERT_EQ(truth.elements.size(), elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    EXPECT_NEAR(truth.elements[i], plain[static_cast<std::size_t>(elements[i])], 1e-11);
  const auto projections = projections_of(plain, shape);
  ASSERT_EQ(truth.projections.size(), projections.size());
  for (std::size_t i = 0; i < projections.size(); ++i)
    EXPECT_NEAR(truth.projections[i], projections[i], 1e-9);
}

std::vector<double> input_values(Dtype dtype, const RandomStream& stream, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = input_value(dtype, stream, i);
  return values;
}

TEST_P(Truth, OfConvolutionsIsThatOfPlainLoops) {
  const Workload& workload = *find_workload("conv2d");
  int passes_seen = 0;
  for (Parameters given : workload.examples()) {
    given.set("dtype", std::string(name(GetParam())));
    const Case problem = make_case(workload, given);
    SCOPED_TRACE(problem.id());
    const Conv2d p(problem.parameters);
    passes_seen |= 1 << static_cast<int>(p.pass);
    const RandomStream source(judged_seed, stream::first_operand);
    const RandomStream weights(judged_seed, stream::second_operand);
    const RandomStream gradient(judged_seed, stream::output_gradient);
    const auto& first = p.pass == Pass::backward_data ? gradient : source;
    const auto& second = p.pass == Pass::backward_weights ? gradient : weights;
    const auto first_values = input_values(
        p.dtype, first, p.pass == Pass::backward_data ? p.elements_result() : p.elements_source());
    const auto second_values = input_values(
        p.dtype, second, p.pass == Pass::backward_weights ? p.elements_result() : p.elements_weights());
    const auto plain = convolve<double>(
        p, [&](std::int64_t i) { return first_values[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i) { return second_values[static_cast<std::size_t>(i)]; });
    expect_truth(problem, plain);
  }
  EXPECT_EQ(passes_seen, 7) << "the examples must show every pass";
}

TEST_P(Truth, OfProductsIsThatOfPlainLoops) {
  const Workload& workload = *find_workload("matmul");
  ASSERT_GE(workload.examples().size(), 3U);
  for (Parameters given : workload.examples()) {
    given.set("dtype", std::string(name(GetParam())));
    const Case problem = make_case(workload, given);
    SCOPED_TRACE(problem.id());
    const Matmul p(problem.parameters);
    const RandomStream a(judged_seed, stream::first_operand);
    const RandomStream b(judged_seed, stream::second_operand);
    std::vector<double> plain;
    for (std::int64_t product = 0; product < p.batch; ++product) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j) {
          double sum = 0;
          for (std::int64_t l = 0; l < p.k; ++l) {
            const auto at_a = product * p.m * p.k + (p.transpose_a ? l * p.m + i : i * p.k + l);
            const auto at_b = product * p.k * p.n + (p.transpose_b ? j * p.k + l : l * p.n + j);
            sum += input_value(p.dtype, a, at_a) * input_value(p.dtype, b, at_b);
          }
          plain.push_back(sum);
        }
      }
    }
    expect_truth(problem, plain);
  }
}

}  // namespace
}  // namespace breakeven
