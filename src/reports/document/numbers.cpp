#include "reports/document/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace breakeven {
namespace {

constexpr const char* unknown = "unknown";

std::string in_unit(double value, std::span<const ScaledUnit> units, std::string_view unit_of_zero) {
  if (!std::isfinite(value)) return unknown;
  if (value == 0) return fmt::format("0 {}", unit_of_zero);
  const double size = std::abs(rounded_to_three(value)) * (1 + 1e-9);
  std::size_t unit = 0;
  while (unit + 1 < units.size() && size >= units[unit + 1].size) ++unit;
  return fmt::format("{} {}", format_number(value / units[unit].size), units[unit].name);
}

/// "1.2", "3.0", "12", "<0.1".
std::string percent_digits(double fraction) {
  const double percent = fraction * 100;
  if (percent == 0) return "0";
  if (percent > 0 && percent < 0.05) return "<0.1";
  return fmt::format("{:.{}f}", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

}  // namespace

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

std::string aligned_percent(double fraction) {
  return std::isfinite(fraction) ? percent_digits(fraction) + " %" : unknown;
}

std::string percent_number(double fraction) {
  if (!std::isfinite(fraction)) return unknown;
  std::string digits = percent_digits(fraction);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits;
}

std::string percent_text(double fraction) {
  return std::isfinite(fraction) ? percent_number(fraction) + " %" : unknown;
}

}  // namespace breakeven
