// Counts in texts: "1 case", "1,200 cases".
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace breakeven {

/// The digits of a whole number with separators of thousands: "1,048,576".
inline std::string grouped(std::string digits) {
  const std::size_t first_digit = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first_digit + 3;) digits.insert(at -= 3, ",");
  return digits;
}
inline std::string grouped(std::integral auto number) {
  return grouped(fmt::format("{}", number));
}

/// "1 case", "12 cases", with thousands separated.
std::string counted_text(std::integral auto count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : several);
}

}  // namespace breakeven
