// Formats numbers and lists for people: three significant digits, thousands separated. A number that is not
// finite is "unknown", never 0.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "statistics/estimate.h"
#include "text/counted.h"

namespace breakeven {

/// Rounds a value other than 0 to three significant digits.
double rounded_to_three(double value);

/// Three significant digits, without an exponent if that is short: 0.0123, 1.23, 12.3, 123, 12345.
std::string format_number(double value);

/// `62,900`: three significant digits, thousands separated.
std::string number_text(double value);

/// `62,935`: all digits, thousands separated.
std::string count_text(double value);
std::string count_text(std::integral auto value) {
  return grouped(value);
}

/// `3.50`, `0.09`, `0.0104`, `1,234.50`: an amount of money with two decimals, or more where it is small.
std::string money_text(double amount);

/// `0.97x`, `1.04x`, `1.5x`, `12x`: two significant digits, or three near 1 and from 100 up.
std::string factor_text(double ratio);

/// `1.5x`; `~1.5x` for a rough ratio.
std::string factor_text(double ratio, bool is_rough);

/// The same for a ratio that is rough if it has no interval.
std::string factor_text(const Estimate& ratio);

/// "a", "a and b", "a, b and c".
inline std::string joined_text(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

}  // namespace breakeven
