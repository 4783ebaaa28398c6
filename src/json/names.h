// Enumerations and the names of their values, in one table each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace breakeven {

/// An enumeration with a function names_of(E) that returns an array of the names of its values, which count
/// up from 0.
template <typename E>
concept Named = std::is_enum_v<E> && requires(E value) {
  names_of(value).size();
};

template <Named E>
constexpr std::string_view name(E value) {
  return names_of(value).at(static_cast<std::size_t>(value));
}

/// The value with this name; empty if there is none.
template <Named E>
constexpr std::optional<E> parse_name(std::string_view text) {
  const auto names = names_of(E{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

template <Named E>
std::vector<std::string> all_names() {
  const auto names = names_of(E{});
  return {names.begin(), names.end()};
}

}  // namespace breakeven
