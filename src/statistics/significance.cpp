#include "statistics/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "statistics/distributions.h"

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

/// The indices of the values, the smallest value first.
std::vector<std::size_t> rising_order(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Mean and variance of the mean of the logarithms of `values`.
struct Moments {
  double mean = 0;
  double variance_of_mean = 0;
  double degrees_of_freedom = 0;
};

Moments moments(std::span<const double> values) {
  std::vector<double> logarithms;
  for (const double value : values) logarithms.push_back(std::log(value));
  const auto n = static_cast<double>(values.size());
  const double deviation = standard_deviation(logarithms);
  return {
      .mean = mean(logarithms), .variance_of_mean = deviation * deviation / n, .degrees_of_freedom = n - 1};
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

double sign_flip_p_value(const std::vector<double>& values) {
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

std::optional<LogRatio> log_ratio(std::span<const double> over, std::span<const double> under) {
  if (over.size() < 2 || under.size() < 2) return std::nullopt;
  const Moments a = moments(over);
  const Moments b = moments(under);
  const double variance = a.variance_of_mean + b.variance_of_mean;
  // The formula below would divide 0 by 0 if neither group varies.
  const double share = variance > 0 ? a.variance_of_mean / variance : 0.5;
  return LogRatio{.mean = a.mean - b.mean,
                  .standard_error = std::sqrt(variance),
                  .degrees_of_freedom = 1 / (share * share / a.degrees_of_freedom +
                                             (1 - share) * (1 - share) / b.degrees_of_freedom)};
}

Interval ratio_interval(const LogRatio& ratio, double confidence) {
  const double reach =
      ratio.standard_error * student_t_exceeded(ratio.degrees_of_freedom, (1 - confidence) / 2);
  return {.low = std::exp(ratio.mean - reach), .high = std::exp(ratio.mean + reach)};
}

double p_value(const LogRatio& ratio) {
  if (ratio.standard_error == 0) return ratio.mean == 0 ? 1 : 0;
  return 2 * student_t_tail(ratio.degrees_of_freedom, std::abs(ratio.mean) / ratio.standard_error);
}

LogRatio beside_usual(const std::vector<double>& further, const std::vector<double>& usual) {
  const auto count = static_cast<double>(usual.size());
  return {.mean = mean(further) - mean(usual),
          .standard_error =
              standard_deviation(usual) * std::sqrt(1 / static_cast<double>(further.size()) + 1 / count),
          .degrees_of_freedom = count - 1};
}

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  const std::vector<std::size_t> order = rising_order(p_values);
  std::vector<double> adjusted(p_values.size());
  double least = 0;  // an adjusted p-value is at least the one before it
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    least = std::max(least, std::min(1.0, left * p_values[order[rank]]));
    adjusted[order[rank]] = least;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg_adjusted(const std::vector<double>& p_values) {
  const std::vector<std::size_t> order = rising_order(p_values);
  const auto tests = static_cast<double>(p_values.size());
  std::vector<double> adjusted(p_values.size());
  double most = 1;  // an adjusted p-value is at most the one after it
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    most = std::min(most, p_values[i] * tests / static_cast<double>(rank));
    adjusted[i] = most;
  }
  return adjusted;
}

}  // namespace breakeven
