#include "statistics/level_shift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "statistics/distributions.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

/// Noise with variance 1 in units of the series' own: an autoregressive process, and white noise for the
/// rest.
struct Noise {
  double share = 0;        // of the variance that is the process's
  double correlation = 0;  // of a value of the process with the next
};

/// A change of level, estimated for one kind of noise.
struct Shift {
  double log_likelihood = 0;
  double errors = 0;  // the change divided by its standard error, without its sign
};

/// The sums of products of what a filter could not predict: of the series, of a constant, and of a step.
struct Sums {
  double constant = 0, step = 0, both = 0, series_constant = 0, series_step = 0, series = 0;
  double log_variances = 0;
};

Sums filtered(const std::vector<double>& series, std::size_t position, const Noise& noise) {
  constexpr double least_variance = 1e-9;  // of the white part, so that a filter can always go on
  Sums sums;
  double variance = noise.share;  // of the process as it is predicted
  double predicted = 0, constant = 0, step = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double total = variance + 1 - noise.share + least_variance;
    const double of_series = series[i] - predicted;
    const double of_constant = 1 - constant;
    const double of_step = (i < position ? -0.5 : 0.5) - step;
    sums.log_variances += std::log(total);
    sums.constant += of_constant * of_constant / total;
    sums.both += of_constant * of_step / total;
    sums.step += of_step * of_step / total;
    sums.series_constant += of_constant * of_series / total;
    sums.series_step += of_step * of_series / total;
    sums.series += of_series * of_series / total;
    const double gain = variance / total;
    predicted = noise.correlation * (predicted + gain * of_series);
    constant = noise.correlation * (constant + gain * of_constant);
    step = noise.correlation * (step + gain * of_step);
    const double squared = noise.correlation * noise.correlation;
    variance = squared * variance * (1 - gain) + noise.share * (1 - squared);
  }
  return sums;
}

Shift shift_in(const std::vector<double>& series, std::size_t position, const Noise& noise) {
  const Sums sums = filtered(series, position, noise);
  const double determinant = sums.constant * sums.step - sums.both * sums.both;
  const double level = (sums.step * sums.series_constant - sums.both * sums.series_step) / determinant;
  const double change = (sums.constant * sums.series_step - sums.both * sums.series_constant) / determinant;
  const double rest = sums.series - level * sums.series_constant - change * sums.series_step;
  const double freedom = static_cast<double>(series.size()) - 2;
  const double variance = std::max(rest, std::numeric_limits<double>::min()) / freedom;
  return {.log_likelihood = -(freedom * std::log(variance) + sums.log_variances + std::log(determinant)) / 2,
          .errors = std::abs(change) / std::sqrt(variance * sums.constant / determinant)};
}

/// The logarithms, each at most three and a half standard deviations from the median of its level.
std::vector<double> limited_logarithms(std::span<const double> values, std::size_t position) {
  constexpr double most_deviations = 3.5;
  constexpr double deviations = 1.4826;  // of a normal distribution, in its median absolute deviation
  std::vector<double> series(values.size());
  std::ranges::transform(values, series.begin(), [](double value) { return std::log(value); });
  const auto change = series.begin() + static_cast<std::ptrdiff_t>(position);
  const double before = median({series.begin(), change});
  const double after = median({change, series.end()});
  std::vector<double> distances;
  distances.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i)
    distances.push_back(std::abs(series[i] - (i < position ? before : after)));
  double usual = deviations * median(distances);
  if (usual == 0) usual = mean(distances);  // of a coarse clock, most values may equal their level
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double level = i < position ? before : after;
    const double most = most_deviations * usual;
    // Around one level, because sums of large squares would round the small differences away.
    series[i] = std::clamp(series[i], level - most, level + most) - before;
  }
  return series;
}

}  // namespace

double log_p_of_shift(std::span<const double> values, std::size_t position) {
  constexpr std::array shares{0.1, 0.25, 0.5, 0.75, 0.9, 0.96, 0.985, 1.0};
  constexpr std::array correlations{0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99};
  constexpr double not_contradicted = 2;  // by the logarithm of the likelihood: 95 % of one parameter
  const std::vector<double> series = limited_logarithms(values, position);
  std::vector<Shift> shifts{shift_in(series, position, {})};
  for (const double share : shares) {
    for (const double correlation : correlations)
      shifts.push_back(shift_in(series, position, {.share = share, .correlation = correlation}));
  }
  const double best = std::ranges::max_element(shifts, {}, &Shift::log_likelihood)->log_likelihood;
  double errors = std::numeric_limits<double>::infinity();
  for (const Shift& shift : shifts) {
    if (shift.log_likelihood >= best - not_contradicted) errors = std::min(errors, shift.errors);
  }
  const double freedom = static_cast<double>(series.size()) - 4;
  return std::log(std::max(2 * student_t_tail(freedom, errors), std::numeric_limits<double>::min()));
}

}  // namespace breakeven
