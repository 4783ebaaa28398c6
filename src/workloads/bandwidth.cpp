#include "workloads/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "workloads/parallel.h"
#include "workloads/random.h"
#include "workloads/transfer.h"

namespace breakeven {

Bandwidth::Bandwidth(const Parameters& p) : bytes(p.integer("bytes")), dtype(p.dtype()), tuned(is_tuned(p)) {}

OutputShape Bandwidth::shape() const {
  const std::int64_t channels = std::gcd(elements(), std::int64_t{1024});
  return {.outer = 1, .channels = channels, .inner = elements() / channels};
}

std::string bytes_text(std::int64_t bytes) {
  for (const auto& [size, unit] : {std::pair{1LL << 30U, "GiB"}, {1LL << 20U, "MiB"}, {1LL << 10U, "KiB"}}) {
    if (bytes % size == 0) return fmt::format("{} {}", bytes / size, unit);
  }
  return fmt::format("{} bytes", bytes);
}

std::string Bandwidth::title() const {
  return fmt::format("{} {}", bytes_text(bytes), name(dtype));
}

void Bandwidth::check() const {
  if (bytes % 64 != 0)
    throw InvalidCase("bytes", fmt::format("bytes is {} and must be a multiple of 64", bytes));
}

Parameter Bandwidth::bytes_parameter() {
  return integer_parameter("bytes", "size of each array, a multiple of 64", 64, std::int64_t{1} << 40U);
}

namespace {

class BandwidthWorkload : public Workload {
 public:
  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all = with_transfer({
        Bandwidth::bytes_parameter(),
        tuned_parameter(),
        dtype_parameter({Dtype::f64, Dtype::f32}),
    });
    return all;
  }

  std::string title(const Parameters& parameters) const override {
    return Bandwidth(parameters).title() + how_text(parameters);
  }

  void check(const Parameters& parameters) const override { Bandwidth(parameters).check(); }

  std::vector<Parameters> examples() const override {
    std::vector<Parameters> all;
    all.reserve(std::size(Bandwidth::example_bytes));
    for (const std::int64_t bytes : Bandwidth::example_bytes) all.push_back({{"bytes", bytes}});
    return all;
  }

  double flop(const Parameters& parameters) const override {
    return operations() * static_cast<double>(Bandwidth(parameters).elements());
  }
  double bytes(const Parameters& parameters) const override {
    return arrays() * static_cast<double>(Bandwidth(parameters).bytes);
  }

 private:
  virtual double arrays() const = 0;
  virtual double operations() const = 0;  // per element
};

class TriadWorkload final : public BandwidthWorkload {
 public:
  std::string_view op() const override { return "triad"; }
  std::string_view plural() const override { return "triads"; }
  std::string_view meaning() const override {
    return "a = b + 3 c on arrays: two read and one written, each counted once";
  }

  OutputShape output(const Parameters& parameters) const override { return Bandwidth(parameters).shape(); }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Bandwidth p(parameters);
    const RandomStream b(seed, stream::first_operand);
    const RandomStream c(seed, stream::second_operand);
    return array_truth(output(parameters), seed, elements,
                       [&](std::int64_t first, std::int64_t count, double* values) {
                         std::array<double, array_block> factors{};
                         read_inputs(p.dtype, b, first, count, values);
                         read_inputs(p.dtype, c, first, count, factors.data());
                         for (std::int64_t i = 0; i < count; ++i)
                           values[i] += triad_factor * factors[static_cast<std::size_t>(i)];
                       });
  }

  /// Each element is one product of inputs in [-1, 1) plus one input, of typical size sqrt((1 + 9) / 3).
  Tolerance tolerance(const Parameters& parameters, const Evidence&) const override {
    return {.element_scale = std::sqrt(10.0 / 3.0),
            .terms_per_projection = terms_per_projection(output(parameters)),
            .relative = 8 * facts(parameters.dtype()).output.roundoff};
  }

 private:
  double arrays() const override { return 3; }
  double operations() const override { return 2; }
};

class ReadWorkload final : public BandwidthWorkload {
 public:
  std::string_view op() const override { return "read"; }
  std::string_view plural() const override { return "sums of an array"; }
  std::string_view meaning() const override { return "the sum of an array: what reading alone takes"; }

  OutputShape output(const Parameters&) const override { return one_number; }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Bandwidth p(parameters);
    const RandomStream a(seed, stream::first_operand);
    // Inputs are multiples of 2^-23 in [-1, 1): float64 adds up a block of them without rounding, in any
    // order.
    constexpr std::int64_t block_size = std::int64_t{1} << 20U;
    std::vector<double> sums(static_cast<std::size_t>((p.elements() + block_size - 1) / block_size), 0.0);
    parallel_for(std::ssize(sums), threads_for(p.elements()), [&](std::int64_t block) {
      std::array<double, array_block> values{};
      const std::int64_t last = std::min(p.elements(), (block + 1) * block_size);
      double sum = 0;
      for (std::int64_t first = block * block_size; first < last; first += array_block) {
        const std::int64_t count = std::min(array_block, last - first);
        read_inputs(p.dtype, a, first, count, values.data());
        sum = std::reduce(values.begin(), values.begin() + count, sum);
      }
      sums[static_cast<std::size_t>(block)] = sum;
    });
    const long double sum = std::accumulate(sums.begin(), sums.end(), 0.0L);
    return evidence_of_number(static_cast<double>(sum), seed, elements);
  }

  Tolerance tolerance(const Parameters& parameters, const Evidence&) const override {
    return sum_tolerance(parameters.dtype(), Bandwidth(parameters).elements(), output(parameters));
  }

 private:
  double arrays() const override { return 1; }
  double operations() const override { return 1; }
};

const WorkloadRegistration<TriadWorkload> triad;
const WorkloadRegistration<ReadWorkload> read;

}  // namespace
}  // namespace breakeven
