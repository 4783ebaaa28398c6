// The metrics by which machines and backends are compared.
#pragma once

#include <array>
#include <string_view>

#include "json/names.h"

namespace breakeven {

enum class Metric { time, energy, cost };
inline constexpr std::array all_metrics{Metric::time, Metric::energy, Metric::cost};

constexpr std::array<std::string_view, 3> names_of(Metric) {
  return {"time", "energy", "cost"};
}

}  // namespace breakeven
