#include "workloads/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workloads/random.h"

namespace breakeven {

Peak::Peak(const Parameters& p)
    : dots(p.integer("dots")), steps(p.integer("steps")), dtype(p.dtype()), tuned(is_tuned(p)) {}

std::int64_t Peak::accumulated_steps() const {
  constexpr std::int64_t most_of_f8 = 8;
  return facts(dtype).has_short_accumulators ? std::min(steps, most_of_f8) : steps;
}

namespace {

/// The fraction of their sums that tensor cores' accumulators may lose in f8e4m3: twice the mean. On average
/// each product loses half of the last of 13 bits, in a sum half as large as the final one. If a product is
/// larger than the sum so far, the others are shifted to it.
double lost_of_f8(const Peak& p) {
  return 2 * 0x1p-13 * static_cast<double>(p.accumulated_steps() * p.length()) / 4;
}

class PeakWorkload final : public Workload {
 public:
  std::string_view op() const override { return "peak"; }
  std::string_view meaning() const override {
    return "multiply-adds on operands that stay in registers: what arithmetic gives where nothing else "
           "limits";
  }
  std::string_view plural() const override { return "peaks"; }

  const std::vector<Parameter>& parameters() const override {
    // The default values: even shares for most numbers of cores, and a tenth of a second on two.
    constexpr std::int64_t usual_dots = Peak::granule * 240;
    constexpr std::int64_t usual_steps = 1024;
    // Sums of 8-bit integers must fit into 32 bits.
    constexpr std::int64_t most_steps = 4096;
    static const std::vector<Parameter> all{
        integer_parameter("dots", "dot products side by side, a multiple of 3072", Peak::granule,
                          std::int64_t{1} << 32U, usual_dots),
        integer_parameter("steps", "how often each is added to its sum", 1, most_steps, usual_steps),
        tuned_parameter(),
        dtype_parameter(all_dtypes()),
    };
    return all;
  }

  void check(const Parameters& parameters) const override {
    const Peak p(parameters);
    if (p.dots % Peak::granule != 0)
      throw InvalidCase("dots",
                        fmt::format("dots is {} and must be a multiple of {}", p.dots, Peak::granule));
  }

  std::vector<Parameters> examples() const override {
    return {{{"dots", Peak::granule}, {"steps", std::int64_t{1}}},
            {{"dots", Peak::granule * 5}, {"steps", std::int64_t{7}}},
            {{"dots", Peak::granule * 7}, {"steps", std::int64_t{512}}}};
  }

  double flop(const Parameters& parameters) const override {
    const Peak p(parameters);
    return 2.0 * static_cast<double>(p.dots) * static_cast<double>(p.steps) * static_cast<double>(p.length());
  }
  double bytes(const Parameters&) const override { return 2 * Peak::vector_bytes + sizeof(double); }

  OutputShape output(const Parameters&) const override { return one_number; }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Peak p(parameters);
    const RandomStream a(seed, stream::first_operand);
    const RandomStream b(seed, stream::second_operand);
    long double dot = 0;
    for (std::int64_t i = 0; i < p.length(); ++i) {
      dot += static_cast<long double>(input_value(p.dtype, a, i)) *
             static_cast<long double>(input_value(p.dtype, b, i));
    }
    return evidence_of_number(static_cast<double>(dot * static_cast<long double>(p.dots * p.steps)), seed,
                              elements);
  }

  /// The tolerance relative to the sum of all products' sizes; a product of two numbers uniform in [-1, 1)
  /// has size a quarter. An accumulator adds the same value repeatedly until it is emptied, and may round to
  /// the same side each time, which loses at most half of the steps' roundoffs. Twice that is allowed,
  /// because the products of few numbers may be twice as large. The emptied values are added up sequentially
  /// in f64.
  Tolerance tolerance(const Parameters& parameters, const Evidence& truth) const override {
    const Peak p(parameters);
    const DtypeFacts& type = facts(p.dtype);
    const double product = type.is_integer() ? 32 * 32 : 0.25;
    const double additions = static_cast<double>(p.accumulated_steps()) / 2 + static_cast<double>(p.length());
    const double rounded_inputs = type.rounds_inputs() ? type.unit_roundoff : 0;
    const double scale = product * flop(parameters) / 2;
    const double lost = type.has_short_accumulators && !truth.elements.empty()
                            ? lost_of_f8(p) * std::abs(truth.elements.front()) / scale + 0x1p-13
                            : 0;
    return {.element_scale = scale,
            .relative = 2 * type.accumulator.roundoff * additions + 2 * rounded_inputs + lost +
                        facts(Dtype::f64).unit_roundoff * static_cast<double>(p.dots)};
  }
};

const WorkloadRegistration<PeakWorkload> peak_registered;

}  // namespace
}  // namespace breakeven
