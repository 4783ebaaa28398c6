// src/workloads/softmax.cpp: what is computed.
#include <cmath>

#include "workloads/random.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// y[r][c] = exp(x[r][c]) / sum of exp(x[r][...]), row by row. x is `rows` x `columns`, row-major.
class SoftmaxWorkload final : public Workload {
 public:
  std::string_view op() const override { return "softmax"; }
  std::string_view meaning() const override { return "the softmax of each row of a matrix"; }
  std::string_view plural() const override { return "softmaxes"; }

  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all{
        integer_parameter("rows", "rows of the matrix", 1, 1 << 24),
        integer_parameter("columns", "values in a row", 1, 1 << 24),
        dtype_parameter({Dtype::f32, Dtype::f64}),
    };
    return all;
  }
  void check(const Parameters&) const override {}  // every combination is possible

  // Cases for `breakeven conformance`: a single value, a tail behind a vector's width, a long row.
  std::vector<Parameters> examples() const override {
    return {{{"rows", std::int64_t{1}}, {"columns", std::int64_t{1}}},
            {{"rows", std::int64_t{5}}, {"columns", std::int64_t{37}}},
            {{"rows", std::int64_t{3}}, {"columns", std::int64_t{4096}}}};
  }

  /// One exponential, one addition and one division an element.
  double flop(const Parameters& p) const override { return 3.0 * elements(p); }
  /// Each input is read once, each result written once.
  double bytes(const Parameters& p) const override {
    return 2.0 * elements(p) * static_cast<double>(facts(p.dtype()).bytes());
  }
  double memory(const Parameters& p) const override { return bytes(p); }

  OutputShape output(const Parameters& p) const override {
    return {.outer = p.integer("rows"), .channels = p.integer("columns"), .inner = 1};
  }

  Evidence expect(const Parameters& p, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const std::int64_t columns = p.integer("columns");
    std::vector<double> all;
    for (std::int64_t row = 0; row < p.integer("rows"); ++row) {
      const auto x =
          input_values(p.dtype(), RandomStream(seed, stream::first_operand), row * columns, columns);
      double sum = 0;
      for (const double value : x) sum += std::exp(value);
      for (const double value : x) all.push_back(std::exp(value) / sum);
    }
    return evidence_of(Dtype::f64, all.data(), output(p), seed, elements);
  }

  /// The sum of a row is of `columns` roundings at random, the exponential and the division of a few more.
  /// Eight standard deviations, as in sum_tolerance(). A value is of size exp(x) / (columns sinh 1), and the
  /// root mean square of exp(x) is sqrt(sinh(2) / 2).
  Tolerance tolerance(const Parameters& p, const Evidence&) const override {
    const auto columns = static_cast<double>(p.integer("columns"));
    const OutputShape shape = output(p);
    return {.element_scale = std::sqrt(std::sinh(2.0) / 2) / std::sinh(1.0) / columns,
            .terms_per_projection =
                static_cast<double>(shape.elements()) / static_cast<double>(projection_count(shape)),
            .relative = 8 * facts(p.dtype()).accumulator.roundoff * (4 + std::sqrt(columns)),
            .relative_loss = 0};
  }

 private:
  static double elements(const Parameters& p) {
    return static_cast<double>(p.integer("rows")) * static_cast<double>(p.integer("columns"));
  }
};

const WorkloadRegistration<SoftmaxWorkload> softmax_registered;

}  // namespace
}  // namespace breakeven
