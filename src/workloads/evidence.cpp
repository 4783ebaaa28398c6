#include "workloads/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>

#include "workloads/parallel.h"
#include "workloads/random.h"

namespace breakeven {

std::vector<std::int64_t> elements_to_check(std::int64_t elements, std::uint64_t seed) {
  constexpr std::int64_t most = 256;
  std::vector<std::int64_t> indices;
  if (elements <= most) {
    indices.resize(static_cast<std::size_t>(elements));
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
  }
  const RandomStream numbers(seed, stream::elements);
  // Includes the corners, where errors in tails show.
  indices = {0, elements - 1};
  for (std::uint64_t i = 0; std::ssize(indices) < most; ++i) {
    indices.push_back(static_cast<std::int64_t>(numbers.bits(i) % static_cast<std::uint64_t>(elements)));
  }
  return indices;
}

std::int64_t projection_count(const OutputShape& shape) {
  return std::min(shape.positions(), most_projections);
}

double terms_per_projection(const OutputShape& shape) {
  return static_cast<double>(shape.elements()) /
         static_cast<double>(std::max<std::int64_t>(projection_count(shape), 1));
}

double position_sign(std::uint64_t seed, std::int64_t position) {
  return RandomStream(seed, stream::position_signs).sign(static_cast<std::uint64_t>(position));
}

std::vector<double> channel_signs(std::uint64_t seed, std::int64_t channels) {
  const RandomStream numbers(seed, stream::channel_signs);
  std::vector<double> signs(static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < signs.size(); ++c) signs[c] = numbers.sign(c);
  return signs;
}

namespace {

/// Adds sign(c) * result[c, i] of all channels c to sums[i]. Results are stored as `signs.size()` channels of
/// `inner` each.
void add_channels(Dtype dtype, const void* results, std::span<const double> signs, std::int64_t inner,
                  double* sums) {
  constexpr std::int64_t at_once = 256;
  const auto& load = facts(dtype).output.load;
  std::array<double, at_once> values{};
  const std::int64_t all = std::ssize(signs) * inner;
  std::int64_t position = 0;
  auto sign = signs.begin();
  for (std::int64_t first = 0; first < all; first += at_once) {
    const std::int64_t count = std::min(at_once, all - first);
    load(results, first, count, values.data());
    for (std::int64_t i = 0; i < count; ++i) {
      sums[position] += *sign * values[static_cast<std::size_t>(i)];
      if (++position < inner) continue;
      position = 0;
      ++sign;
    }
  }
}

}  // namespace

std::vector<double> project(Dtype dtype, const void* output, const OutputShape& shape, std::uint64_t seed) {
  const auto signs = channel_signs(seed, shape.channels);
  std::vector<double> sums(static_cast<std::size_t>(shape.positions()), 0.0);
  const auto bytes = static_cast<std::int64_t>(output_bytes(dtype)) * shape.channels * shape.inner;
  parallel_for(shape.outer, threads_for(shape.elements()), [&](std::int64_t o) {
    add_channels(dtype, static_cast<const std::byte*>(output) + o * bytes, signs, shape.inner,
                 sums.data() + o * shape.inner);
  });
  return fold_positions(sums, seed);
}

std::vector<double> project(Dtype dtype, const OutputShape& shape, std::uint64_t seed,
                            const std::function<const void*(std::int64_t, std::int64_t)>& read) {
  constexpr std::int64_t piece = std::int64_t{1} << 22U;  // elements
  const auto signs = channel_signs(seed, shape.channels);
  std::vector<double> sums(static_cast<std::size_t>(shape.positions()), 0.0);
  const std::int64_t at_once = std::clamp<std::int64_t>(piece / shape.inner, 1, shape.channels);
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t start = 0; start < shape.channels; start += at_once) {
      const std::int64_t channels = std::min(at_once, shape.channels - start);
      const void* values = read((o * shape.channels + start) * shape.inner, channels * shape.inner);
      add_channels(dtype, values, {signs.data() + start, static_cast<std::size_t>(channels)}, shape.inner,
                   sums.data() + o * shape.inner);
    }
  }
  return fold_positions(sums, seed);
}

std::vector<double> fold_positions(const std::vector<double>& channel_sums, std::uint64_t seed) {
  const auto count =
      static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(channel_sums), most_projections));
  std::vector<double> folded(count, 0.0);
  for (std::size_t q = 0; q < channel_sums.size(); ++q) {
    folded[q % count] += position_sign(seed, static_cast<std::int64_t>(q)) * channel_sums[q];
  }
  return folded;
}

std::vector<double> values_at(const std::vector<std::int64_t>& elements, std::int64_t inputs,
                              const std::function<double(std::int64_t)>& value_of) {
  std::vector<double> values(elements.size());
  const std::int64_t count = std::ssize(elements);
  parallel_for(count, threads_for(count * inputs), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    values[at] = value_of(elements[at]);
  });
  return values;
}

Evidence evidence_of(Dtype dtype, const void* output, const OutputShape& shape, std::uint64_t seed,
                     const std::vector<std::int64_t>& elements) {
  Evidence shown;
  for (const std::int64_t e : elements) shown.elements.push_back(read_output(dtype, output, e));
  shown.projections = project(dtype, output, shape, seed);
  return shown;
}

Evidence evidence_of_number(double number, std::uint64_t seed, const std::vector<std::int64_t>& elements) {
  return {.elements = std::vector<double>(elements.size(), number),
          .projections = project(Dtype::f64, &number, one_number, seed)};
}

Tolerance sum_tolerance(Dtype dtype, std::int64_t length, const OutputShape& shape) {
  const DtypeFacts& type = facts(dtype);
  const double root = std::sqrt(static_cast<double>(length));
  const double deviation = (type.rounds_inputs() ? type.unit_roundoff : 0.0) +
                           type.accumulator.roundoff * (1.0 + root / 2.0) + type.output.roundoff;
  const double input_size = type.is_integer() ? 64.0 * 64.0 : 1.0;
  return {.element_scale = input_size * root / 3.0,
          .terms_per_projection = terms_per_projection(shape),
          .relative = 8.0 * deviation};
}

namespace {

/// Compares one part of the evidence, and keeps the largest error.
void compare(std::string_view what, const std::vector<double>& truth, const std::vector<double>& shown,
             double allowed, Verification& result, double& worst_share, auto unit_of) {
  if (shown.size() != truth.size()) {
    result.correct = false;
    result.detail =
        fmt::format("{} {} values were shown where {} were requested", shown.size(), what, truth.size());
    return;
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double unit = unit_of(truth[i]);
    const double error = std::abs(shown[i] - truth[i]) / unit;
    // A NaN must not pass. It compares false with everything.
    const bool good = error <= allowed;
    const double share = allowed > 0 ? error / allowed : error;
    if (!std::isfinite(shown[i]) || share > worst_share) {
      result.error = std::isfinite(shown[i]) ? error : shown[i];
      result.tolerance = allowed;
      worst_share = share;
    }
    if (!good) {
      if (result.correct) {
        result.detail = fmt::format("{} {} is {} and should be {}: off by {:.3g} where {:.3g} is allowed",
                                    what, i, shown[i], truth[i], error * unit, allowed * unit);
      }
      result.correct = false;
      if (!std::isfinite(shown[i])) return;
    }
  }
}

Verification judge_against(const Evidence& truth, const Evidence& shown, const Tolerance& tolerance) {
  Verification result{.error = 0,
                      .tolerance = tolerance.relative,
                      .correct = true,
                      .detail = {},
                      .elements = std::ssize(shown.elements),
                      .projections = std::ssize(shown.projections),
                      .losses = std::ssize(shown.losses)};
  if (shown.elements.empty() && shown.losses.empty()) {
    result.correct = false;
    result.detail = "nothing of the result was shown";
    return result;
  }
  double worst_share = -1;
  compare("element", truth.elements, shown.elements, tolerance.relative, result, worst_share,
          [&](double) { return tolerance.element_scale; });
  // A backend in another language may omit the projections; the report says how much was checked.
  if (!shown.projections.empty()) {
    const double unit = tolerance.element_scale * std::sqrt(tolerance.terms_per_projection);
    compare("projection", truth.projections, shown.projections, tolerance.relative, result, worst_share,
            [&](double) { return unit; });
  }
  compare("loss", truth.losses, shown.losses, tolerance.relative_loss, result, worst_share,
          [](double loss) { return std::max(std::abs(loss), 1e-30); });
  return result;
}

}  // namespace

Verification judge(const Evidence& truth, const Evidence& shown, const Tolerance& tolerance) {
  Verification result = judge_against(truth, shown, tolerance);
  for (const Evidence& alternative : truth.alternatives) {
    Verification other = judge_against(alternative, shown, tolerance);
    if (other.correct && (!result.correct || other.error < result.error)) result = std::move(other);
  }
  return result;
}

}  // namespace breakeven
