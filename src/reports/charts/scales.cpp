#include "reports/charts/scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <span>

#include "reports/document/numbers.h"

namespace breakeven::svg {
namespace {

double rounded_to(double value, int digits) {
  return std::stod(fmt::format("{:.{}e}", value, digits - 1));
}

/// The smallest number that is 1, 2 or 5 times a power of ten and at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= least * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(Range range, std::size_t most) {
  const double step = round_step((range.high - range.low) / static_cast<double>(most));
  std::vector<double> ticks;
  const double first = std::ceil(range.low / step - 1e-9);
  for (std::size_t i = 0; i <= most; ++i) {
    const double tick = (first + static_cast<double>(i)) * step;
    if (tick <= range.high + 1e-9 * step) ticks.push_back(tick == 0 ? 0.0 : tick);
  }
  return ticks;
}

std::vector<double> ticks_of_decades(Range range, int every, std::initializer_list<double> mantissas) {
  std::vector<double> ticks;
  const int last = static_cast<int>(std::floor(std::log10(range.high)));
  for (int decade = static_cast<int>(std::floor(std::log10(range.low))); decade <= last; ++decade) {
    for (const double mantissa : mantissas) {
      const double tick = mantissa * std::pow(10.0, decade);
      const bool is_inside = tick >= range.low * (1 - 1e-9) && tick <= range.high * (1 + 1e-9);
      if (is_inside && decade % every == 0) ticks.push_back(tick);
    }
  }
  return ticks;
}

/// Round numbers of bytes: powers of two on a logarithmic axis; on a linear one, round numbers in the unit of
/// the largest.
std::vector<double> round_bytes(Range range, bool logarithmic, std::size_t most) {
  std::vector<double> ticks;
  if (logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log2(std::max(1.0, range.low))));
    const int last = static_cast<int>(std::floor(std::log2(range.high)));
    for (int power = first; power <= last; power += (last - first) / static_cast<int>(most) + 1)
      ticks.push_back(std::exp2(power));
  } else {
    const double unit = std::pow(1024.0, std::floor(std::log2(std::max(1.0, range.high)) / 10));
    for (const double tick : linear_ticks({range.low / unit, range.high / unit}, most))
      ticks.push_back(tick * unit);
  }
  std::erase_if(ticks, [](double tick) { return tick != 0 && tick < 1; });  // removes fractions of a byte
  return ticks;
}

/// From size `from` on, a number is multiplied by `factor` and followed by `text`.
struct Step {
  double from, factor;
  const char* text;
};
constexpr std::array<Step, 4> steps_of_seconds{
    {{1, 1, " s"}, {1e-3, 1e3, " ms"}, {1e-6, 1e6, " µs"}, {0, 1e9, " ns"}}};
/// From 1,000 on, bytes are shown as a fraction of the next unit instead of a number of four digits.
constexpr std::array<Step, 5> steps_of_bytes{{{1e3 * 0x1p30, 0x1p-40, " TiB"},
                                              {1e3 * 0x1p20, 0x1p-30, " GiB"},
                                              {1e3 * 0x1p10, 0x1p-20, " MiB"},
                                              {1e3, 0x1p-10, " KiB"},
                                              {0, 1, " B"}}};
constexpr std::array<Step, 5> suffixes{
    {{1e12, 1e-12, "T"}, {1e9, 1e-9, "G"}, {1e6, 1e-6, "M"}, {1e3, 1e-3, "k"}, {0, 1, ""}}};

const Step& step_of(std::span<const Step> steps, double value, int digits) {
  const double size = std::abs(rounded_to(value, digits)) * (1 + 1e-9);
  return *std::find_if(steps.begin(), steps.end() - 1, [size](const Step& s) { return size >= s.from; });
}

std::string number_text(double value, int digits, bool whole_is_exact) {
  if (value == 0) return "0";
  const double near = rounded_to(value, digits);
  if (whole_is_exact && std::abs(value) < 1e6 && value == std::round(value) && near != value)
    return count_text(value);
  const double size = std::abs(near);
  if (size < 1e-4 || size >= 1e15) {
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    return fmt::format("{:.{}g}e{}", near / std::pow(10.0, exponent), digits, exponent);
  }
  const Step& suffix = step_of(suffixes, value, digits);
  return fmt::format("{:.{}g}{}", near * suffix.factor, digits, suffix.text);
}

std::string text_with_unit(double value, ChartUnit unit, int digits, bool whole_is_exact) {
  const bool is_time = unit == ChartUnit::seconds;
  if (value == 0 || !(is_time || unit == ChartUnit::bytes))
    return number_text(value, digits, whole_is_exact) + (unit == ChartUnit::ratio ? "x" : "");
  const Step& step =
      is_time ? step_of(steps_of_seconds, value, digits) : step_of(steps_of_bytes, value, digits);
  return number_text(value * step.factor, digits, whole_is_exact && step.factor == 1) + step.text;
}

}  // namespace

void Range::cover(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

Range padded(Range range, bool logarithmic, bool from_zero) {
  if (range.is_empty()) return {.low = logarithmic ? 1.0 : 0.0, .high = 10};
  if (logarithmic) {
    const double span = std::log10(range.high / range.low);
    const double factor = std::pow(10.0, span > 1e-6 ? 0.05 * span : 0.2);
    return {.low = range.low / factor, .high = range.high * factor};
  }
  if (from_zero) range.cover(0);
  const double span = range.high - range.low;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const double room = span > 1e-9 * size ? 0.05 * span : size > 0 ? 0.5 * size : 0.5;
  return {.low = from_zero && range.low == 0 ? 0 : range.low - room,
          .high = from_zero && range.high == 0 && range.low < 0 ? 0 : range.high + room};
}

double Scale::at(double value) const {
  const auto along = [&](double x) { return logarithmic ? std::log10(x) : x; };
  return from + (along(value) - along(values.low)) / (along(values.high) - along(values.low)) * (to - from);
}

std::vector<double> round_ticks(Range range, bool logarithmic, std::size_t most, ChartUnit unit) {
  if (unit == ChartUnit::bytes) return round_bytes(range, logarithmic, most);
  if (!logarithmic) return linear_ticks(range, most);
  std::vector<double> fine = ticks_of_decades(range, 1, {1, 2, 5});
  if (fine.size() < 3) return linear_ticks(range, most);
  if (fine.size() <= most) return fine;
  for (int every = 1;; ++every) {
    std::vector<double> ticks = ticks_of_decades(range, every, {1});
    if (ticks.size() <= most) return ticks;
  }
}

std::vector<std::size_t> without_overlap(const std::vector<double>& positions,
                                         const std::vector<double>& sizes, double gap) {
  std::vector<std::size_t> kept;
  const auto fits = [&](std::size_t a, std::size_t b) {
    return std::abs(positions[b] - positions[a]) >= (sizes[a] + sizes[b]) / 2 + gap;
  };
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i + 1 == positions.size()) {
      while (kept.size() > 1 && !fits(kept.back(), i)) kept.pop_back();
    }
    if (kept.empty() || fits(kept.back(), i)) kept.push_back(i);
  }
  return kept;
}

std::string value_text(double value, ChartUnit unit) {
  return text_with_unit(value, unit, 3, false);
}

std::string tick_text(double value, ChartUnit unit, int digits) {
  return text_with_unit(value, unit, digits, true);
}

std::vector<std::string> tick_texts(const std::vector<double>& ticks, ChartUnit unit) {
  std::vector<std::string> texts(ticks.size());
  for (int digits = 3; digits <= 15; ++digits) {
    std::ranges::transform(ticks, texts.begin(), [&](double tick) { return tick_text(tick, unit, digits); });
    if (std::set<std::string>(texts.begin(), texts.end()).size() == texts.size()) break;
  }
  return texts;
}

}  // namespace breakeven::svg
