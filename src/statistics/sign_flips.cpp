#include "statistics/sign_flips.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "statistics/summary.h"

namespace breakeven {
namespace {

/// The sums of `values` under all choices of signs, in rising order.
std::vector<double> sums(const std::vector<double>& values) {
  std::vector<double> made{0};
  for (const double value : values) {
    std::vector<double> longer;
    longer.reserve(2 * made.size());
    for (const double sum : made) {
      longer.push_back(sum + value);
      longer.push_back(sum - value);
    }
    made = std::move(longer);
  }
  std::ranges::sort(made);
  return made;
}

}  // namespace

std::vector<double> limited(std::vector<double> values, double times) {
  if (values.empty()) return values;
  std::vector<double> magnitudes;
  magnitudes.reserve(values.size());
  for (const double value : values) magnitudes.push_back(std::abs(value));
  const double most = times * median(std::move(magnitudes));
  for (double& value : values) value = std::clamp(value, -most, most);
  return values;
}

double sign_flip_chance(const std::vector<double>& values) {
  // Counts the pairs of sums, one from each half, that reach the observed sum. This takes 2^(n/2) steps.
  const auto middle = values.begin() + std::ssize(values) / 2;
  const std::vector<double> left = sums({values.begin(), middle});
  const std::vector<double> right = sums({middle, values.end()});
  double observed = 0, magnitude = 0;
  for (const double value : values) {
    observed += value;
    magnitude += std::abs(value);
  }
  observed -= 1e-12 * magnitude;  // sums in another order round differently
  double reached = 0;
  std::size_t enough = right.size();  // right[enough] and all after it reach it with the current left one
  for (const double sum : left) {
    while (enough > 0 && sum + right[enough - 1] >= observed) --enough;
    reached += static_cast<double>(right.size() - enough);
  }
  return reached / (static_cast<double>(left.size()) * static_cast<double>(right.size()));
}

}  // namespace breakeven
