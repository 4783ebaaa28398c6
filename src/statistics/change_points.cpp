#include "statistics/change_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>

#include "statistics/distributions.h"
#include "statistics/level_shift.h"

namespace breakeven {
namespace {

/// The most values on each side of a change from which its ratio is estimated. More would cost time and add
/// little.
constexpr std::size_t most_for_ratio = 200;

/// The number of ways to write the numbers up to `u` as sums of at most `parts` parts. It is the number of
/// arrangements with at most `u` pairs in the wrong order, if no part can be larger than the other group.
class Partitions {
 public:
  static constexpr std::size_t most_parts = 25;
  static constexpr std::size_t most = 2047;

  Partitions() {
    std::array<double, most + 1> exactly{1};  // with at most `parts` parts; initially none, so only 0
    for (std::size_t parts = 1; parts <= most_parts; ++parts) {
      // Either all parts are above 0 and one can be taken off each, or there is one part less.
      for (std::size_t u = parts; u <= most; ++u) exactly[u] += exactly[u - parts];
      std::partial_sum(exactly.begin(), exactly.end(), up_to_[parts].begin());
    }
  }
  double up_to(std::size_t parts, std::size_t u) const { return up_to_[parts][u]; }

 private:
  std::array<std::array<double, most + 1>, most_parts + 1> up_to_{};
};

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// The logarithm of the upper tail of the standard normal distribution at z.
double log_normal_tail(double z) {
  if (z < 30) return std::log(normal_tail(z));
  return -z * z / 2 - std::log(z * std::sqrt(2 * std::numbers::pi));  // for z where the tail underflows to 0
}

/// The reciprocal of a position's weight: the factor that multiplies its p-value.
double penalty(std::size_t position, std::size_t count, double sum_of_weights) {
  return static_cast<double>(std::min(position, count - position)) * sum_of_weights;
}
double sum_of_weights(std::size_t count) {
  double sum = 0;
  for (std::size_t t = least_segment; t + least_segment <= count; ++t)
    sum += 1 / static_cast<double>(std::min(t, count - t));
  return sum;
}

/// Hashes an index, so that equal values get ranks in an order independent of their order in time (the
/// finaliser of Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t scattered(std::uint64_t index) {
  std::uint64_t x = index + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

struct Split {
  std::size_t position = 0;
  double log_p = 0;
};

struct Ranks {
  std::vector<double> spread;  // all different
  std::vector<double> shared;  // equal values have the mean of their ranks
};

Ranks ranks_of(std::span<const double> values) {
  const std::size_t count = values.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] < values[b] : scattered(a) < scattered(b);
  });
  Ranks ranks{.spread = std::vector<double>(count), .shared = std::vector<double>(count)};
  for (std::size_t first = 0; first < count;) {
    std::size_t end = first + 1;
    while (end < count && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t r = first; r < end; ++r) {
      ranks.spread[order[r]] = static_cast<double>(r + 1);
      ranks.shared[order[r]] = static_cast<double>(first + 1 + end) / 2;
    }
    first = end;
  }
  return ranks;
}

/// The logarithm of the two-sided, weighted p-value of the position after `before` of `count` values.
/// `sum_of_ranks` is the sum of the ranks of the values before it.
double log_p_value(std::size_t before, std::size_t count, double sum_of_ranks, double weights) {
  const auto first = static_cast<double>(before);
  const auto pairs = first * static_cast<double>(count - before);
  const double wrong = sum_of_ranks - first * (first + 1) / 2;  // pairs in which the earlier value is larger
  return log_rank_tail(std::min(before, count - before), std::max(before, count - before),
                       std::min(wrong, pairs - wrong)) +
         std::log(2 * penalty(before, count, weights));
}

/// The position at which the values before and after differ most; empty if there are too few values. Equal
/// values share their ranks to find the position. For the p-value their ranks are spread, because the test is
/// exact only without ties.
std::optional<Split> best_split(std::span<const double> values) {
  const std::size_t count = values.size();
  if (count < 2 * least_segment) return std::nullopt;
  const Ranks ranks = ranks_of(values);
  const double weights = sum_of_weights(count);
  Split best;
  double shared = 0;
  double spread = 0;
  double least = 0;
  for (std::size_t t = 1; t + least_segment <= count; ++t) {
    shared += ranks.shared[t - 1];
    spread += ranks.spread[t - 1];
    if (t < least_segment) continue;
    const double log_p = log_p_value(t, count, shared, weights);
    if (log_p >= least) continue;
    least = log_p;
    best = {.position = t, .log_p = log_p_value(t, count, spread, weights)};
  }
  return best;
}

/// The logarithm of the weighted p-value of the position, if values may resemble those before them.
double log_p_in_correlated_noise(std::span<const double> values, std::size_t position) {
  const double weight = penalty(position, values.size(), sum_of_weights(values.size()));
  return log_p_of_shift(values, position) + std::log(weight);
}

/// The position from which values are nearer to the later level than to the earlier one, by the sum of the
/// distances of their logarithms to the levels' medians. Ranks decide whether there is a change, distances
/// where it is.
std::size_t place(std::span<const double> values, std::size_t split) {
  const auto log_median = [&](std::span<const double> part) {
    return std::log(median({part.begin(), part.end()}));
  };
  const double earlier = log_median(values.first(split));
  const double later = log_median(values.subspan(split));
  double cost = 0;  // of assigning the values so far to the earlier level instead of the later one
  double least = 0;
  std::size_t best = split;
  for (std::size_t t = 1; t + least_segment <= values.size(); ++t) {
    const double x = std::log(values[t - 1]);
    cost += std::abs(x - earlier) - std::abs(x - later);
    if (t < least_segment || (t > least_segment && cost >= least)) continue;
    least = cost;
    best = t;
  }
  return best;
}

/// Sets the ratio of the change and its interval.
void estimate_ratio(ChangePoint& change, std::span<const double> before, std::span<const double> after) {
  if (before.size() > most_for_ratio) before = before.last(most_for_ratio);
  if (after.size() > most_for_ratio) after = after.first(most_for_ratio);
  std::vector<double> ratios;
  ratios.reserve(before.size() * after.size());
  for (const double b : before) {
    for (const double a : after) ratios.push_back(a / b);
  }
  std::ranges::sort(ratios);
  const std::size_t pairs = ratios.size();
  const auto m = static_cast<double>(before.size());
  const auto n = static_cast<double>(after.size());
  constexpr double z = 1.959964;  // 97.5 % of the standard normal distribution
  const double cut = std::floor(m * n / 2 - z * std::sqrt(m * n * (m + n + 1) / 12));
  const std::size_t outside = cut >= 1 ? static_cast<std::size_t>(cut) - 1 : 0;
  change.ratio = pairs % 2 == 1 ? ratios[pairs / 2] : std::sqrt(ratios[pairs / 2 - 1] * ratios[pairs / 2]);
  change.interval = {.low = ratios[outside], .high = ratios[pairs - 1 - outside]};
}

}  // namespace

double log_rank_tail(std::size_t few, std::size_t many, double u) {
  static const Partitions partitions;
  if (few <= Partitions::most_parts && u <= static_cast<double>(std::min(many, Partitions::most))) {
    return std::min(
        0.0, std::log(partitions.up_to(few, static_cast<std::size_t>(u))) - log_choose(few + many, few));
  }
  const auto m = static_cast<double>(few);
  const auto n = static_cast<double>(many);
  const double z = (m * n / 2 - u - 0.5) / std::sqrt(m * n * (m + n + 1) / 12);
  return log_normal_tail(z);
}

std::vector<ChangePoint> change_points(std::span<const double> values, double threshold, double level) {
  const double log_level = std::log(level);
  std::vector<ChangePoint> found;
  struct Segment {
    std::size_t begin, end;
  };
  std::vector<Segment> segments{{.begin = 0, .end = values.size()}};
  while (!segments.empty()) {
    const Segment s = segments.back();
    segments.pop_back();
    const auto split = best_split(values.subspan(s.begin, s.end - s.begin));
    if (!split || split->log_p > log_level) continue;
    const std::size_t position = s.begin + split->position;
    found.push_back({.position = position, .p_value = std::exp(split->log_p)});
    segments.push_back({.begin = s.begin, .end = position});
    segments.push_back({.begin = position, .end = s.end});
  }
  std::ranges::sort(found, {}, &ChangePoint::position);

  const auto between_neighbours = [&](std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].position;
    return Segment{.begin = begin, .end = i + 1 == found.size() ? values.size() : found[i + 1].position};
  };
  const auto measure = [&](std::size_t i) {
    const auto [begin, end] = between_neighbours(i);
    const std::size_t position = begin + place(values.subspan(begin, end - begin), found[i].position - begin);
    found[i].position = position;
    estimate_ratio(found[i], values.subspan(begin, position - begin),
                   values.subspan(position, end - position));
  };
  for (std::size_t i = 0; i < found.size(); ++i) measure(i);
  // Undoes the changes that are not changes, one at a time, because a neighbour's level changes with each.
  const auto undo = [&](std::vector<ChangePoint>::iterator change) {
    const auto i = static_cast<std::size_t>(found.erase(change) - found.begin());
    if (i > 0) measure(i - 1);
    if (i < found.size()) measure(i);
  };
  const auto size = [](const ChangePoint& c) { return std::abs(std::log(c.ratio)); };
  std::map<std::array<std::size_t, 3>, double> known;  // by the begin, the change and the end of a stretch
  while (!found.empty()) {
    const auto smallest = std::ranges::min_element(found, {}, size);
    if (size(*smallest) < std::log1p(threshold)) {
      undo(smallest);
      continue;
    }
    std::vector<double> log_p(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [begin, end] = between_neighbours(i);
      const auto [place, is_new] = known.try_emplace({begin, found[i].position, end});
      if (is_new)
        place->second =
            log_p_in_correlated_noise(values.subspan(begin, end - begin), found[i].position - begin);
      log_p[i] = place->second;
    }
    const auto least = std::ranges::max_element(log_p);
    if (*least <= log_level) {
      for (std::size_t i = 0; i < found.size(); ++i)
        found[i].p_value = std::max(found[i].p_value, std::exp(log_p[i]));
      break;
    }
    undo(found.begin() + (least - log_p.begin()));
  }
  return found;
}

double least_p_value(std::size_t count) {
  double least = 0;
  const double weights = sum_of_weights(count);
  for (std::size_t t = least_segment; t + least_segment <= count; ++t)
    least = std::min(least, log_rank_tail(std::min(t, count - t), std::max(t, count - t), 0) +
                                std::log(2 * penalty(t, count, weights)));
  return std::exp(least);
}

std::size_t values_to_tell(std::size_t before, double level) {
  for (std::size_t after = least_segment; after <= before; ++after) {
    const std::size_t count = before + after;
    if (log_rank_tail(after, before, 0) + std::log(2 * penalty(before, count, sum_of_weights(count))) <=
        std::log(level))
      return after;
  }
  return 0;
}

}  // namespace breakeven
