#include "statistics/highest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/distributions.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

/// The largest number of members below half.
std::size_t most_high(std::size_t members) {
  return members < 3 ? 0 : (members - 1) / 2;
}

/// The logarithm of the number of choices of `high` of `members`, divided by the share of the error
/// probability.
double log_correction(std::size_t members, std::size_t high) {
  const auto all = static_cast<double>(members);
  const auto chosen = static_cast<double>(high);
  const double log_choices = std::lgamma(all + 1) - std::lgamma(chosen + 1) - std::lgamma(all - chosen + 1);
  const auto most = static_cast<double>(std::max(high, most_high(members)));
  return log_choices + chosen * std::log(2.0) + std::log(1 - std::exp2(-most));
}

std::vector<double> joined(std::span<const Values> members) {
  std::vector<double> all;
  for (const Values& values : members) all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// The logarithm of the probability that so many further values are all as high as a value with the logarithm
/// `log_tail` of its own. Their probabilities must not be multiplied, because they share the error of the
/// usual values' spread. This is the mean of the product where that error has a gamma distribution, as in
/// exponential noise: nearly the product with many usual values, and hardly less than one value's with few.
double log_tail_of_all(double log_tail, std::size_t further, std::size_t usual) {
  const auto shape = static_cast<double>(usual - 1);
  return -shape * std::log1p(static_cast<double>(further) * std::expm1(-log_tail / shape));
}

/// The log_tail of one value with which log_tail_of_all() is `log_tail`.
double log_tail_of_one(double log_tail, std::size_t further, std::size_t usual) {
  const auto shape = static_cast<double>(usual - 1);
  return -shape * std::log1p(std::expm1(-log_tail / shape) / static_cast<double>(further));
}

}  // namespace

UsualValues::UsualValues(const std::vector<double>& values) : count_(values.size()), middle_(median(values)) {
  for (const double value : values) spread_ += std::abs(value - middle_);
  // Times that agree more closely than this do so by chance, or by a coarse clock.
  constexpr double least_spread = 1e-3;
  spread_ = std::max(spread_ / static_cast<double>(count_ - 1), least_spread);
}

double UsualValues::degrees_of_freedom() const {
  constexpr double of_the_worst_noise = 3;
  return std::min(of_the_worst_noise, static_cast<double>(count_) - 1);
}

/// By simulation: how much further out than Student's distribution the tails of all five kinds of noise are
/// at most.
double UsualValues::factor() const {
  if (count_ < 4) return count_ == 2 ? 2.7 : 3.8;
  const auto count = static_cast<double>(count_);
  return 1.55 + 36 / (count * count);
}

double UsualValues::log_tail(double value) const {
  if (value <= middle_) return 0;
  const double distance = (value - middle_) / (spread_ * factor());
  const double tail = student_t_tail(degrees_of_freedom(), std::min(distance, 1e100));
  return std::log(std::max(tail, std::numeric_limits<double>::min()));
}

double UsualValues::exceeded(double log_probability) const {
  if (log_probability < std::log(std::numeric_limits<double>::min()))
    return std::numeric_limits<double>::infinity();
  return middle_ + spread_ * factor() * student_t_exceeded(degrees_of_freedom(), std::exp(log_probability));
}

double log_p_of_highest(std::span<const Values> falling, std::size_t high) {
  const UsualValues usual(joined(falling.subspan(high)));
  const std::vector<double> values = joined(falling.first(high));
  const double one = usual.log_tail(*std::ranges::min_element(values));
  return log_tail_of_all(one, values.size(), usual.count()) + log_correction(falling.size(), high);
}

HighestMembers least_likely(std::span<const Values> falling) {
  HighestMembers least;
  double log_p = 0;
  for (std::size_t high = 1; high <= most_high(falling.size()); ++high) {
    const double one = log_p_of_highest(falling, high);
    if (one >= log_p) continue;
    log_p = one;
    least = {.p_value = std::exp(log_p), .members = high};
  }
  return least;
}

double high_from(std::span<const Values> others, const Values& member, std::size_t high, double log_level) {
  const UsualValues usual(joined(others.subspan(high - 1)));
  const std::size_t values = joined(others.first(high - 1)).size() + member.size();
  const double all = log_level - log_correction(others.size() + 1, high);
  return usual.exceeded(log_tail_of_one(all, values, usual.count()));
}

}  // namespace breakeven
