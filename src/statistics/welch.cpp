#include "statistics/welch.h"

#include <cmath>
#include <vector>

#include "statistics/distributions.h"
#include "statistics/mean.h"

namespace breakeven {
namespace {

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

}  // namespace breakeven
