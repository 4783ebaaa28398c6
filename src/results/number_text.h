// Formats numbers for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace breakeven {

/// The number with separators of thousands: "1,048,576".
inline std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace breakeven
