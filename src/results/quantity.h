// The metrics by which machines and backends are compared.
#pragma once

#include <array>
#include <string_view>

#include "json/names.h"

namespace breakeven {

enum class Quantity { time, energy, cost };
inline constexpr std::array quantities{Quantity::time, Quantity::energy, Quantity::cost};

constexpr std::array<std::string_view, 3> names_of(Quantity) {
  return {"time", "energy", "cost"};
}

}  // namespace breakeven
