// Formats numbers and lists for people.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

/// "a", "a and b", "a, b and c".
inline std::string joined_text(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

}  // namespace breakeven
