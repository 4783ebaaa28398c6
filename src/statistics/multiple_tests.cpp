#include "statistics/multiple_tests.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace breakeven {

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double least = 0;  // an adjusted p-value is at least the one before it
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    least = std::max(least, std::min(1.0, left * p_values[order[rank]]));
    adjusted[order[rank]] = least;
  }
  return adjusted;
}

}  // namespace breakeven
