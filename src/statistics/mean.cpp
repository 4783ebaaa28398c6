#include "statistics/mean.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "statistics/distributions.h"

namespace breakeven {
namespace {

/// The number of values left out at either end.
std::size_t left_out(std::size_t values, double part) {
  return static_cast<std::size_t>(part * static_cast<double>(values));
}

/// The values in rising order, and the range that is kept.
struct Trimmed {
  Trimmed(const std::vector<double>& values, double part)
      : sorted(values),
        begin(sorted.begin() + static_cast<std::ptrdiff_t>(left_out(values.size(), part))),
        end(sorted.end() - static_cast<std::ptrdiff_t>(left_out(values.size(), part))) {
    std::ranges::sort(sorted);
  }
  std::vector<double> sorted;
  std::vector<double>::iterator begin, end;
};

}  // namespace

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double trimmed_mean(const std::vector<double>& values, double part) {
  const Trimmed trimmed(values, part);
  return mean({trimmed.begin, trimmed.end});
}

double trimmed_standard_error(const std::vector<double>& values, double part) {
  Trimmed trimmed(values, part);
  std::fill(trimmed.sorted.begin(), trimmed.begin, *trimmed.begin);
  std::fill(trimmed.end, trimmed.sorted.end(), *std::prev(trimmed.end));
  const auto n = static_cast<double>(values.size());
  return standard_deviation(trimmed.sorted) * std::sqrt(n) / static_cast<double>(trimmed.end - trimmed.begin);
}

Interval trimmed_mean_interval(const std::vector<double>& values, double part, double error_each_side) {
  const double middle = trimmed_mean(values, part);
  const auto left = values.size() - 2 * left_out(values.size(), part);
  const double half_width = student_t_exceeded(static_cast<double>(left - 1), error_each_side) *
                            trimmed_standard_error(values, part);
  return {.low = middle - half_width, .high = middle + half_width};
}

}  // namespace breakeven
