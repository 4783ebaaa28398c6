#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workloads/parallel.h"
#include "workloads/random.h"
#include "workloads/rotation.h"
#include "workloads/transfer.h"

namespace breakeven {
namespace {

Pass parse_pass(const std::string& text) {
  if (text == "forward") return Pass::forward;
  return text == "backward_data" ? Pass::backward_data : Pass::backward_weights;
}

constexpr std::int64_t as_given = -1;

std::int64_t horizontal(const Parameters& p, std::string_view name, std::int64_t vertical) {
  const std::int64_t value = p.integer(name);
  return value == as_given ? vertical : value;
}

bool is_in(std::int64_t position, std::int64_t size) {
  return position >= 0 && position < size;
}

/// The number of positions below `count` for which reads(position, tap) is true for any tap below `taps`.
template <typename Reads>
std::int64_t count_if_any(std::int64_t count, std::int64_t taps, const Reads& reads) {
  std::int64_t found = 0;
  for (std::int64_t position = 0; position < count; ++position) {
    std::int64_t tap = 0;
    while (tap < taps && !reads(position, tap)) ++tap;
    if (tap < taps) ++found;
  }
  return found;
}

/// The operands of one problem. Any element can be generated individually.
struct Operands {
  RandomStream source, weights, gradient;
  explicit Operands(std::uint64_t seed)
      : source(seed, stream::first_operand),
        weights(seed, stream::second_operand),
        gradient(seed, stream::output_gradient) {}
};

double forward_element(const Conv2d& p, const Operands& in, std::int64_t index) {
  const std::int64_t x = index % p.q();
  const std::int64_t y = index / p.q() % p.p();
  const std::int64_t k = index / (p.p() * p.q()) % p.k;
  const std::int64_t image = index / (p.p() * p.q() * p.k);
  const std::int64_t group_c = p.group_c();
  const std::int64_t group = k / p.group_k();
  long double sum = 0;
  for (std::int64_t c = 0; c < group_c; ++c) {
    for (std::int64_t r = 0; r < p.r; ++r) {
      for (std::int64_t s = 0; s < p.s; ++s) {
        const std::int64_t row = p.source_row(y, r);
        const std::int64_t column = p.source_column(x, s);
        if (row < 0 || row >= p.h || column < 0 || column >= p.w) continue;
        sum += static_cast<long double>(input_value(
                   p.dtype, in.source, ((image * p.c + group * group_c + c) * p.h + row) * p.w + column)) *
               static_cast<long double>(
                   input_value(p.dtype, in.weights, ((k * group_c + c) * p.r + r) * p.s + s));
      }
    }
  }
  return static_cast<double>(sum);
}

double backward_data_element(const Conv2d& p, const Operands& in, std::int64_t index) {
  const std::int64_t column = index % p.w;
  const std::int64_t row = index / p.w % p.h;
  const std::int64_t c = index / (p.h * p.w) % p.c;
  const std::int64_t image = index / (p.h * p.w * p.c);
  const std::int64_t group_c = p.group_c();
  const std::int64_t group = c / group_c;
  long double sum = 0;
  for (std::int64_t r = 0; r < p.r; ++r) {
    const std::int64_t y_strided = row + p.pad_h - r * p.dilation;
    if (y_strided < 0 || y_strided % p.stride_h != 0 || y_strided / p.stride_h >= p.p()) continue;
    for (std::int64_t s = 0; s < p.s; ++s) {
      const std::int64_t x_strided = column + p.pad_w - s * p.dilation;
      if (x_strided < 0 || x_strided % p.stride_w != 0 || x_strided / p.stride_w >= p.q()) continue;
      for (std::int64_t k = group * p.group_k(); k < (group + 1) * p.group_k(); ++k) {
        sum += static_cast<long double>(input_value(
                   p.dtype, in.gradient,
                   ((image * p.k + k) * p.p() + y_strided / p.stride_h) * p.q() + x_strided / p.stride_w)) *
               static_cast<long double>(
                   input_value(p.dtype, in.weights, ((k * group_c + c % group_c) * p.r + r) * p.s + s));
      }
    }
  }
  return static_cast<double>(sum);
}

double backward_weights_element(const Conv2d& p, const Operands& in, std::int64_t index) {
  const std::int64_t s = index % p.s;
  const std::int64_t r = index / p.s % p.r;
  const std::int64_t c = index / (p.r * p.s) % p.group_c();
  const std::int64_t k = index / (p.r * p.s * p.group_c());
  const std::int64_t source_channel = k / p.group_k() * p.group_c() + c;
  const auto [first, last] = p.columns_inside(s, 0, p.q());
  long double sum = 0;
  for (std::int64_t image = 0; image < p.n; ++image) {
    for (std::int64_t y = 0; y < p.p(); ++y) {
      const std::int64_t row = p.source_row(y, r);
      if (row < 0 || row >= p.h) continue;
      for (std::int64_t x = first; x < last; ++x) {
        sum += static_cast<long double>(
                   input_value(p.dtype, in.gradient, ((image * p.k + k) * p.p() + y) * p.q() + x)) *
               static_cast<long double>(
                   input_value(p.dtype, in.source,
                               ((image * p.c + source_channel) * p.h + row) * p.w + p.source_column(x, s)));
      }
    }
  }
  return static_cast<double>(sum);
}

/// The sum over the output channels with signs: one convolution with summed weights for each input channel.
std::vector<double> forward_channel_sums(const Conv2d& p, const Operands& in,
                                         const std::vector<double>& signs) {
  std::vector<double> sums(static_cast<std::size_t>(p.n * p.p() * p.q()), 0.0);
  std::vector<double> weights(static_cast<std::size_t>(p.c * p.r * p.s), 0.0);  // c x r x s
  for (std::int64_t k = 0; k < p.k; ++k) {
    const std::int64_t per_filter = p.group_c() * p.r * p.s;
    const auto filter = input_values(p.dtype, in.weights, k * per_filter, per_filter);
    double* into = weights.data() + k / p.group_k() * per_filter;
    for (std::int64_t i = 0; i < per_filter; ++i)
      into[i] += signs[static_cast<std::size_t>(k)] * filter[static_cast<std::size_t>(i)];
  }
  parallel_for(p.n, threads_for(p.elements_source()), [&](std::int64_t image) {
    for (std::int64_t c = 0; c < p.c; ++c) {
      const auto plane = input_values(p.dtype, in.source, (image * p.c + c) * p.h * p.w, p.h * p.w);
      for_read_runs(p, [&](std::int64_t tap, std::int64_t source, std::int64_t result, std::int64_t count) {
        const double weight = weights[static_cast<std::size_t>(c * p.r * p.s + tap)];
        const double* from = plane.data() + source;
        double* into = sums.data() + image * p.p() * p.q() + result;
        for (std::int64_t x = 0; x < count; ++x) into[x] += weight * from[x * p.stride_w];
      });
    }
  });
  return sums;
}

/// The sum over the input channels with signs: one transposed convolution with summed weights for each output
/// channel.
std::vector<double> backward_data_channel_sums(const Conv2d& p, const Operands& in,
                                               const std::vector<double>& signs) {
  std::vector<double> sums(static_cast<std::size_t>(p.n * p.h * p.w), 0.0);
  std::vector<double> weights(static_cast<std::size_t>(p.k * p.r * p.s), 0.0);  // k x r x s
  for (std::int64_t k = 0; k < p.k; ++k) {
    for (std::int64_t c = 0; c < p.group_c(); ++c) {
      const double sign = signs[static_cast<std::size_t>(k / p.group_k() * p.group_c() + c)];
      const auto filter = input_values(p.dtype, in.weights, (k * p.group_c() + c) * p.r * p.s, p.r * p.s);
      for (std::int64_t i = 0; i < p.r * p.s; ++i)
        weights[static_cast<std::size_t>(k * p.r * p.s + i)] += sign * filter[static_cast<std::size_t>(i)];
    }
  }
  parallel_for(p.n, threads_for(p.elements_result()), [&](std::int64_t image) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      const auto plane = input_values(p.dtype, in.gradient, (image * p.k + k) * p.p() * p.q(), p.p() * p.q());
      for_read_runs(p, [&](std::int64_t tap, std::int64_t source, std::int64_t result, std::int64_t count) {
        const double weight = weights[static_cast<std::size_t>(k * p.r * p.s + tap)];
        const double* from = plane.data() + result;
        double* into = sums.data() + image * p.h * p.w + source;
        for (std::int64_t x = 0; x < count; ++x) into[x * p.stride_w] += weight * from[x];
      });
    }
  });
  return sums;
}

/// The sum over the output channels with signs: correlates each source channel with its group's summed
/// gradient.
std::vector<double> backward_weights_channel_sums(const Conv2d& p, const Operands& in,
                                                  const std::vector<double>& signs) {
  constexpr std::int64_t elements_at_once = std::int64_t{1} << 22U;
  std::vector<double> sums(static_cast<std::size_t>(p.group_c() * p.r * p.s), 0.0);
  const std::int64_t plane = p.p() * p.q();
  const std::int64_t all = p.n * p.groups;  // pairs of an image and a group
  const std::int64_t at_once = std::clamp<std::int64_t>(elements_at_once / plane, 1, all);
  std::vector<double> gradients(static_cast<std::size_t>(at_once * plane));
  const int threads = threads_for(std::max(p.elements_source(), p.elements_result()));
  for (std::int64_t first = 0; first < all; first += at_once) {
    const std::int64_t pairs = std::min(at_once, all - first);
    parallel_for(pairs, threads, [&](std::int64_t i) {
      double* const into = gradients.data() + i * plane;
      std::fill_n(into, plane, 0.0);
      for (std::int64_t k = 0; k < p.group_k(); ++k) {
        const std::int64_t filter = (first + i) % p.groups * p.group_k() + k;
        const auto values =
            input_values(p.dtype, in.gradient, ((first + i) * p.group_k() + k) * plane, plane);
        for (std::int64_t at = 0; at < plane; ++at)
          into[at] += signs[static_cast<std::size_t>(filter)] * values[static_cast<std::size_t>(at)];
      }
    });
    parallel_for(p.group_c(), threads, [&](std::int64_t c) {
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t channel = (first + i) * p.group_c() + c;
        const auto source = input_values(p.dtype, in.source, channel * p.h * p.w, p.h * p.w);
        for_read_runs(p, [&](std::int64_t tap, std::int64_t from, std::int64_t result, std::int64_t length) {
          const double* values = source.data() + from;
          const double* with = gradients.data() + i * plane + result;
          double sum = 0;
          for (std::int64_t x = 0; x < length; ++x) sum += with[x] * values[x * p.stride_w];
          sums[static_cast<std::size_t>(c * p.r * p.s + tap)] += sum;
        });
      }
    });
  }
  return sums;
}

class Conv2dWorkload final : public Workload {
 public:
  std::string_view op() const override { return "conv2d"; }
  std::string_view meaning() const override { return "two-dimensional convolution and its gradients"; }
  std::string_view plural() const override { return "convolutions"; }

  const std::vector<Parameter>& parameters() const override {
    constexpr std::int64_t most = 1 << 20;
    static const std::vector<Parameter> all = with_transfer({
        integer_parameter("n", "images", 1, most, 1),
        integer_parameter("c", "channels of the source", 1, most),
        integer_parameter("h", "height of the source", 1, most),
        integer_parameter("w", "width of the source", 1, most),
        integer_parameter("k", "channels of the result: filters", 1, most),
        integer_parameter("r", "height of a filter", 1, most),
        integer_parameter("s", "width of a filter", 1, most),
        integer_parameter("stride", "rows and columns from one result to the next", 1, most, 1),
        integer_parameter("stride_w", "columns, where they are not as the rows; -1: as stride", as_given,
                          most, as_given),
        integer_parameter("pad", "rows and columns of zeros on every side", 0, most, 0),
        integer_parameter("pad_w", "columns, where they are not as the rows; -1: as pad", as_given, most,
                          as_given),
        integer_parameter("dilation", "distance of a filter's elements", 1, most, 1),
        integer_parameter("groups", "channels are split into this many independent convolutions", 1, most, 1),
        choice_parameter("pass", "the result, or one of its gradients",
                         {"forward", "backward_data", "backward_weights"}, "forward"),
        tuned_parameter(),
        operands_parameter(),
        dtype_parameter(dtypes_of_convolutions()),
    });
    return all;
  }

  std::string title(const Parameters& parameters) const override {
    const Conv2d p(parameters);
    const auto pair = [](std::int64_t rows, std::int64_t columns) {
      return rows == columns ? fmt::format("{}", rows) : fmt::format("{}x{}", rows, columns);
    };
    std::string pass = parameters.text("pass");
    std::replace(pass.begin(), pass.end(), '_', ' ');
    return fmt::format("{}x{}x{}x{}, {} {}x{}, stride {}, pad {}{}{}, {} {}{}", p.n, p.c, p.h, p.w, p.k, p.r,
                       p.s, pair(p.stride_h, p.stride_w), pair(p.pad_h, p.pad_w),
                       p.dilation == 1 ? "" : fmt::format(", dilation {}", p.dilation),
                       p.groups == 1 ? "" : fmt::format(", groups {}", p.groups), pass, name(p.dtype),
                       how_text(parameters));
  }

  void normalise(Parameters& parameters) const override {
    if (parameters.integer("stride_w") == parameters.integer("stride")) parameters.set("stride_w", as_given);
    if (parameters.integer("pad_w") == parameters.integer("pad")) parameters.set("pad_w", as_given);
  }

  void check(const Parameters& parameters) const override {
    const Conv2d p(parameters);
    if (p.stride_w == 0)
      throw InvalidCase("stride_w", "stride_w is 0 and must be at least 1, or -1 for the same as stride");
    if (p.c % p.groups != 0)
      throw InvalidCase("groups",
                        fmt::format("{} channels (c) cannot be split into {} groups", p.c, p.groups));
    if (p.k % p.groups != 0)
      throw InvalidCase("groups",
                        fmt::format("{} filters (k) cannot be split into {} groups", p.k, p.groups));
    if (p.h + 2 * p.pad_h < p.dilation * (p.r - 1) + 1) {
      throw InvalidCase(
          "r", fmt::format("a filter of height {} with dilation {} is taller than the padded source ({})",
                           p.r, p.dilation, p.h + 2 * p.pad_h));
    }
    if (p.w + 2 * p.pad_w < p.dilation * (p.s - 1) + 1) {
      throw InvalidCase(
          "s", fmt::format("a filter of width {} with dilation {} is wider than the padded source ({})", p.s,
                           p.dilation, p.w + 2 * p.pad_w));
    }
    const double largest = static_cast<double>(p.n) * static_cast<double>(std::max(p.c, p.k)) *
                           static_cast<double>(p.h + 2 * p.pad_h) * static_cast<double>(p.w + 2 * p.pad_w);
    const double filters = static_cast<double>(p.k) * static_cast<double>(p.c) * static_cast<double>(p.r) *
                           static_cast<double>(p.s);
    if (std::max(largest, filters) > 0x1p47)
      throw InvalidCase("n", "the tensors would have more than 10^14 elements: make them smaller");
    if (p.pass != Pass::forward && p.dtype == Dtype::s8)
      throw InvalidCase("dtype", "gradients in s8 are not a thing people compute");
    check_operands(parameters);
  }

  std::vector<Parameters> examples() const override {
    constexpr std::array names{"n",      "c",        "h",   "w",     "k",        "r",     "s",
                               "stride", "stride_w", "pad", "pad_w", "dilation", "groups"};
    using Sizes = std::array<std::int64_t, names.size()>;
    constexpr std::array shapes{
        Sizes{1, 1, 1, 1, 1, 1, 1, 1, -1, 0, -1, 1, 1},
        Sizes{2, 16, 14, 14, 32, 3, 3, 1, -1, 1, -1, 1, 1},
        Sizes{3, 5, 11, 9, 7, 3, 2, 2, 1, 1, 0, 1, 1},     // tails, and different numbers of rows and columns
        Sizes{2, 32, 8, 8, 16, 1, 1, 1, -1, 0, -1, 1, 1},  // pointwise
        Sizes{1, 3, 23, 23, 8, 7, 7, 2, -1, 3, -1, 1, 1},
        Sizes{2, 8, 12, 12, 8, 3, 3, 1, -1, 2, -1, 2, 1},    // dilated
        Sizes{2, 8, 10, 10, 12, 3, 3, 1, -1, 1, -1, 1, 4},   // grouped
        Sizes{1, 16, 9, 9, 16, 3, 3, 2, -1, 1, -1, 1, 16},   // depthwise
        Sizes{2, 64, 15, 19, 64, 3, 3, 1, -1, 1, -1, 1, 1},  // enough channels for Winograd; odd sides
        Sizes{2, 64, 19, 15, 96, 3, 3, 2, -1, 1, -1, 1, 2},
    };
    std::vector<Parameters> all;
    const auto add = [&](const Sizes& sizes, const char* pass) {
      Parameters& added = all.emplace_back();
      for (std::size_t i = 0; i < sizes.size(); ++i) added.set(names[i], sizes[i]);
      added.set("pass", std::string(pass));
    };
    for (const auto* pass : {"forward", "backward_data", "backward_weights"}) {
      for (const Sizes& sizes : shapes) add(sizes, pass);
      // Large enough, so a few of them suffice.
      add({4, 64, 28, 28, 32, 1, 1, 1, -1, 0, -1, 1, 1}, pass);
      all.back().set("operands", std::string("rotating"));
    }
    return all;
  }

  double flop(const Parameters& parameters) const override {
    const Conv2d p(parameters);
    return 2.0 * static_cast<double>(p.elements_result()) * static_cast<double>(p.group_c()) *
           static_cast<double>(p.r * p.s);
  }

  /// The lower limit: each row and column of a filter takes a single multiplication (Winograd, Arithmetic
  /// Complexity of Computations, SIAM 1980), and results that read padding alone take none.
  Least least(const Parameters& parameters) const override {
    const Conv2d p(parameters);
    const auto rows =
        count_if_any(p.p(), p.r, [&](auto y, auto tap) { return is_in(p.source_row(y, tap), p.h); });
    const auto columns =
        count_if_any(p.q(), p.s, [&](auto x, auto tap) { return is_in(p.source_column(x, tap), p.w); });
    const double of_each = 2.0 * static_cast<double>(p.n * p.k) * static_cast<double>(p.group_c());
    return {.flop = of_each * static_cast<double>(rows) * static_cast<double>(columns),
            .bytes = bytes(parameters)};
  }

  double bytes(const Parameters& parameters) const override {
    const Conv2d p(parameters);
    const auto all = static_cast<double>(p.elements_source() + p.elements_weights() + p.elements_result());
    const auto written = static_cast<double>(p.elements_output());
    return (all - written) * static_cast<double>(facts(p.dtype).bytes()) +
           written * static_cast<double>(output_bytes(p.dtype));
  }

  OutputShape output(const Parameters& parameters) const override { return Conv2d(parameters).output(); }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Conv2d p(parameters);
    const Operands in(seed);
    const auto element = p.pass == Pass::forward         ? forward_element
                         : p.pass == Pass::backward_data ? backward_data_element
                                                         : backward_weights_element;
    const auto channel_sums = p.pass == Pass::forward         ? forward_channel_sums
                              : p.pass == Pass::backward_data ? backward_data_channel_sums
                                                              : backward_weights_channel_sums;
    Evidence truth;
    truth.elements =
        values_at(elements, 2 * p.terms(), [&](std::int64_t index) { return element(p, in, index); });
    truth.projections =
        fold_positions(channel_sums(p, in, channel_signs(seed, output(parameters).channels)), seed);
    return truth;
  }

  Tolerance tolerance(const Parameters& parameters, const Evidence&) const override {
    const Conv2d p(parameters);
    Tolerance allowed = sum_tolerance(p.dtype, p.terms(), output(parameters));
    // Libraries compute filters of several elements with fewer multiplications than the definition has, and
    // with larger errors: in PyTorch's gradients of 3 x 3 weights on an H100 they were 1.1 times what plain
    // sums may have.
    constexpr double of_minimal_filtering = 4;
    if (p.dtype == Dtype::f32 && p.r * p.s > 1) allowed.relative *= of_minimal_filtering;
    return allowed;
  }
};

const WorkloadRegistration<Conv2dWorkload> conv2d_registered;

}  // namespace

Conv2d::Conv2d(const Parameters& p)
    : n(p.integer("n")),
      c(p.integer("c")),
      h(p.integer("h")),
      w(p.integer("w")),
      k(p.integer("k")),
      r(p.integer("r")),
      s(p.integer("s")),
      stride_h(p.integer("stride")),
      stride_w(horizontal(p, "stride_w", stride_h)),
      pad_h(p.integer("pad")),
      pad_w(horizontal(p, "pad_w", pad_h)),
      dilation(p.integer("dilation")),
      groups(p.integer("groups")),
      pass(parse_pass(p.text("pass"))),
      dtype(p.dtype()),
      tuned(is_tuned(p)) {}

OutputShape Conv2d::output() const {
  switch (pass) {
    case Pass::forward:
      return {.outer = n, .channels = k, .inner = p() * q()};
    case Pass::backward_data:
      return {.outer = n, .channels = c, .inner = h * w};
    case Pass::backward_weights:
      return {.outer = 1, .channels = k, .inner = group_c() * r * s};
  }
  return {};
}

}  // namespace breakeven
