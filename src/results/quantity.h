// By what machines and backends are compared.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

enum class Quantity { time, energy, cost };
inline constexpr std::array quantities{Quantity::time, Quantity::energy, Quantity::cost};

constexpr std::string_view name(Quantity quantity) {
  switch (quantity) {
    case Quantity::energy:
      return "energy";
    case Quantity::cost:
      return "cost";
    case Quantity::time:
      break;
  }
  return "time";
}

inline std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  names.reserve(quantities.size());
  for (const Quantity quantity : quantities) names.emplace_back(name(quantity));
  return names;
}

constexpr std::optional<Quantity> parse_quantity(std::string_view text) {
  for (const Quantity quantity : quantities) {
    if (name(quantity) == text) return quantity;
  }
  return std::nullopt;
}

}  // namespace breakeven
