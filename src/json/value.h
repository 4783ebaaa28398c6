// Converts JSON values to C++ values and back, without the implicit conversions of nlohmann_json's get().
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace breakeven {

/// A JSON value that keeps the order of keys.
using Json = nlohmann::ordered_json;

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;

/// `json` as a T; empty if it has another type. get() would also make an integer from a fraction, from true
/// or from a number outside the integer's range (undefined behaviour for a double).
template <typename T>
std::optional<T> exactly(const Json& json) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!json.is_number_integer()) return std::nullopt;
    const auto in_range = [](auto number) {
      return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
    };
    return json.is_number_unsigned() ? in_range(json.get<std::uint64_t>())
                                     : in_range(json.get<std::int64_t>());
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) return std::nullopt;
    return json.get<T>();
  } else if constexpr (is_vector<T>) {
    if (!json.is_array()) return std::nullopt;
    T values;
    for (const auto& element : json) {
      auto value = exactly<typename T::value_type>(element);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  } else {
    try {
      return json.get<T>();
    } catch (const nlohmann::json::exception&) {
      return std::nullopt;
    }
  }
}

/// `value` as JSON; null for NaN and infinity, which JSON does not have. 0 must not stand for unknown.
inline Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

}  // namespace breakeven
