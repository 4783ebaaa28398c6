// Formats numbers with their units for readers, by the rules of results/number_text.h.
#pragma once

#include <array>
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

/// `3.21 ms`: three significant digits in ns, µs, ms or s.
std::string format_seconds(double seconds);

/// `3.21 mJ`: the same in nJ, µJ, mJ, J or kJ.
std::string format_joules(double joules);

/// `16.0 GiB`.
std::string format_bytes(double bytes);

/// 0.012 -> `1.2 %`, 0.03 -> `3 %`, 0.53 -> `53 %`: at most two significant digits, one decimal below 1 %;
/// `<0.1 %` instead of 0.
std::string percent_text(double fraction);
/// The same without its unit, for the first of two bounds.
std::string percent_number(double fraction);
/// 0.03 -> `3.0 %`: with its decimal, so that the decimal points of a column are aligned.
std::string aligned_percent(double fraction);

}  // namespace breakeven
