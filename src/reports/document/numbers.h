// Formats numbers for readers: three significant digits, thousands separated, with a suitable unit. A number
// that is not finite is "unknown", never 0.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include "results/number_text.h"

namespace breakeven {

struct ScaledUnit {
  double size;
  std::string_view name;
};
inline constexpr std::array<ScaledUnit, 4> second_units{{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}};
inline constexpr std::array<ScaledUnit, 5> joule_units{
    {{1e-9, "nJ"}, {1e-6, "µJ"}, {1e-3, "mJ"}, {1, "J"}, {1e3, "kJ"}}};

/// Three significant digits, without an exponent if that is short: 0.0123, 1.23, 12.3, 123, 12345.
std::string format_number(double value);

/// `3.21 ms`: three significant digits in ns, µs, ms or s.
std::string format_seconds(double seconds);

/// `3.21 mJ`: the same in nJ, µJ, mJ, J or kJ.
std::string format_joules(double joules);

/// `16.0 GiB`.
std::string format_bytes(double bytes);

/// 0.012 -> `1.2%`; two significant digits from 1 % up, one decimal below, `<0.1%` instead of 0.
std::string format_percent(double fraction);

/// `62,900`: three significant digits, thousands separated.
std::string number_text(double value);

/// `62,935`: all digits, thousands separated.
std::string count_text(double value);
std::string count_text(std::integral auto value) {
  return grouped(value);
}

/// `0.97x`, `1.04x`, `1.5x`, `12x`: two significant digits, or three near 1 and from 100 up.
std::string factor_text(double ratio);

/// 0.012 -> `1.2 %`, 0.03 -> `3 %`, 0.53 -> `53 %`: at most two significant digits; `<0.1 %` instead of 0.
std::string percent_text(double fraction);

}  // namespace breakeven
