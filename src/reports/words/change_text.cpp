#include "reports/words/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/number_text.h"

namespace breakeven {
namespace {

/// A ratio as a signed percentage: small changes with a decimal, large ones without.
std::string signed_percent(double ratio) {
  constexpr double large = 20;
  const double percent = (ratio - 1) * 100;
  if (!std::isfinite(percent)) return "unknown";
  if (std::abs(percent) < 0.05) return "0.0";  // a change that rounds to 0 has no sign
  return std::abs(percent) < large ? fmt::format("{:+.1f}", percent) : fmt::format("{:+.0f}", percent);
}

/// True for changes of 3x or more, for which a factor is clearer than a percentage: -99.7 % is 320x faster.
bool is_factor(double ratio) {
  constexpr double large = 3;
  return std::isfinite(ratio) && ratio > 0 && (ratio >= large || ratio <= 1 / large);
}

}  // namespace

std::string change_text(double ratio) {
  if (!is_factor(ratio)) return signed_percent(ratio) + " %";
  return factor_text(std::max(ratio, 1 / ratio)) + (ratio > 1 ? " slower" : " faster");
}

std::string interval_text(const Ratio& ratio) {
  if (!is_factor(ratio.value))
    return fmt::format("{} to {} %", signed_percent(ratio.low), signed_percent(ratio.high));
  if (ratio.low < 1 && ratio.high > 1)  // as in "-20 % to 13x slower"
    return fmt::format("{} to {}", change_text(ratio.low), change_text(ratio.high));
  return ratio.value > 1 ? fmt::format("{} to {}", factor_text(ratio.low), factor_text(ratio.high))
                         : fmt::format("{} to {}", factor_text(1 / ratio.high), factor_text(1 / ratio.low));
}

std::string change_text(const Ratio& ratio) {
  return fmt::format("{}, {}", change_text(ratio.value), interval_text(ratio));
}

}  // namespace breakeven
