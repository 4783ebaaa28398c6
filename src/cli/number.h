#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace breakeven {

/// Parses all of `text` as a number; empty if it is not one.
inline std::optional<double> number_from(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || behind != end) return std::nullopt;
  return value;
}

}  // namespace breakeven
