#include "statistics/mean.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace breakeven {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Interval mean_interval(const std::vector<double>& values, double error_each_side) {
  const auto n = static_cast<double>(values.size());
  const double middle = mean(values);
  const boost::math::students_t_distribution<double> student(n - 1);
  const double half_width = boost::math::quantile(boost::math::complement(student, error_each_side)) *
                            standard_deviation(values) / std::sqrt(n);
  return {.low = middle - half_width, .high = middle + half_width};
}

}  // namespace breakeven
