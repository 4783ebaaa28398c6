#include "reports/document/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace breakeven {
namespace {

constexpr const char* unknown = "unknown";

/// Rounds a value other than 0 to three significant digits, so that its unit is chosen after rounding: 999.7
/// µs becomes 1.00 ms.
double rounded(double value) {
  const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
  const double near = std::round(value / step) * step;
  // At the limits of double the step may be 0 or the product infinite.
  return std::isfinite(near) && near != 0 ? near : value;
}

std::string in_unit(double value, std::span<const ScaledUnit> units, std::string_view unit_of_zero) {
  if (!std::isfinite(value)) return unknown;
  if (value == 0) return fmt::format("0 {}", unit_of_zero);
  const double size = std::abs(rounded(value)) * (1 + 1e-9);
  std::size_t unit = 0;
  while (unit + 1 < units.size() && size >= units[unit + 1].size) ++unit;
  return fmt::format("{} {}", format_number(value / units[unit].size), units[unit].name);
}

}  // namespace

std::string format_number(double value) {
  if (!std::isfinite(value)) return unknown;
  if (value == 0) return "0";
  const double magnitude = std::floor(std::log10(std::abs(rounded(value))) + 1e-9);
  if (magnitude < -4 || magnitude >= 9) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, std::max(0, 2 - static_cast<int>(magnitude)));
}

std::string format_seconds(double seconds) {
  return in_unit(seconds, second_units, "s");
}

std::string format_joules(double joules) {
  return in_unit(joules, joule_units, "J");
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return unknown;
  static constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; std::abs(bytes) >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{} {}", format_number(bytes), units[unit]);
}

std::string format_percent(double fraction) {
  if (!std::isfinite(fraction)) return unknown;
  const double percent = fraction * 100;
  if (percent == 0) return "0%";
  if (percent > 0 && percent < 0.05) return "<0.1%";
  return fmt::format("{:.{}f}%", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

std::string count_text(double value) {
  if (!std::isfinite(value)) return unknown;
  const std::string digits = fmt::format("{:.0f}", value);
  return digits == "-0" ? "0" : grouped(digits);
}

std::string number_text(double value) {
  constexpr double beyond_reading = 1e12;
  if (!std::isfinite(value) || std::abs(value) < 999.5) return format_number(value);
  return std::abs(value) < beyond_reading ? count_text(rounded(value)) : fmt::format("{:.2e}", value);
}

std::string factor_text(double ratio) {
  if (!std::isfinite(ratio)) return unknown;
  const double size = std::abs(ratio);
  if (size >= 99.5) return number_text(ratio) + "x";
  // Near 1, a tenth is too coarse to show a difference.
  return fmt::format("{:.{}f}x", ratio, size >= 9.95 ? 0 : size < 1.095 ? 2 : 1);
}

std::string percent_text(double fraction) {
  std::string text = format_percent(fraction);
  if (!text.ends_with('%')) return text;
  text.pop_back();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + " %";
}

}  // namespace breakeven
