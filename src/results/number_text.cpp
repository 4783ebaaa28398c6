#include "results/number_text.h"

#include <algorithm>
#include <cmath>

namespace breakeven {

double rounded_to_three(double value) {
  const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
  const double near = std::round(value / step) * step;
  // At the limits of double the step may be 0 or the product infinite.
  return std::isfinite(near) && near != 0 ? near : value;
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return "unknown";
  if (value == 0) return "0";
  const double magnitude = std::floor(std::log10(std::abs(rounded_to_three(value))) + 1e-9);
  if (magnitude < -4 || magnitude >= 9) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, std::max(0, 2 - static_cast<int>(magnitude)));
}

std::string count_text(double value) {
  if (!std::isfinite(value)) return "unknown";
  const std::string digits = fmt::format("{:.0f}", value);
  return digits == "-0" ? "0" : grouped(digits);
}

std::string number_text(double value) {
  constexpr double beyond_reading = 1e12;
  if (!std::isfinite(value) || std::abs(value) < 999.5) return format_number(value);
  return std::abs(value) < beyond_reading ? count_text(rounded_to_three(value))
                                          : fmt::format("{:.2e}", value);
}

std::string money_text(double amount) {
  constexpr double readable_from = 1e-6, readable_to = 1e12;
  if (!(amount >= readable_from && amount < readable_to)) return number_text(amount);
  const int magnitude = static_cast<int>(std::floor(std::log10(amount)));
  constexpr int least = 2;
  int decimals = std::max(least, 2 - magnitude);
  std::string text = fmt::format("{:.{}f}", amount, decimals);
  for (; decimals > least && text.back() == '0'; --decimals) text.pop_back();
  const std::size_t point = text.find('.');
  return grouped(text.substr(0, point)) + text.substr(point);
}

std::string factor_text(double ratio) {
  if (!std::isfinite(ratio)) return "unknown";
  const double size = std::abs(ratio);
  if (size >= 99.5) return number_text(ratio) + "x";
  // Near 1, a tenth is too coarse to show a difference.
  return fmt::format("{:.{}f}x", ratio, size >= 9.95 ? 0 : size < 1.095 ? 2 : 1);
}

std::string factor_text(double ratio, bool is_rough) {
  return (is_rough ? "~" : "") + factor_text(ratio);
}

std::string factor_text(const Estimate& ratio) {
  return factor_text(ratio.value, !ratio.interval);
}

}  // namespace breakeven
