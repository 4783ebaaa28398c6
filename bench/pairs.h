// Times two variants of the same work in turn, for the comparisons in this folder.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "statistics/summary.h"

namespace breakeven::bench {

/// The seconds of one call of `work`.
template <typename Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds per call in a bare loop.
template <typename Call>
double bare_loop(std::int64_t iterations, Call call) {
  const double seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < iterations; ++i) call();
  });
  return seconds / static_cast<double>(iterations);
}

/// Numbers between -1 and 1.
inline std::vector<float> inputs(int count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return uniform(generator); });
  return values;
}

/// The number of calls that take 10 ms together, as the driver determines it. `loop` runs a number of calls
/// and returns the seconds per call.
template <typename Loop>
std::int64_t iterations_of_a_sample(Loop loop) {
  loop(10);  // the first calls are cold
  return static_cast<std::int64_t>(std::ceil(0.010 / loop(10)));
}

/// The number of pairs from the command line, 200 by default. If it is invalid, prints the usage and ends the
/// program with status 2.
inline std::size_t pairs_wanted(int argc, char** argv, const char* program) {
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 200;
  if (argc <= 2 && count >= 1 && count <= 1'000'000) return static_cast<std::size_t>(count);
  fmt::print(stderr, "usage: {} [PAIRS], from 1 to 1000000\n", program);
  std::exit(2);
}

struct Pair {
  double first = 0, second = 0;
};

/// `count` pairs of the values that `first` and `second` return. Each pair is in random order, because the
/// second finds warmer caches and a hotter CPU.
template <typename First, typename Second>
std::vector<Pair> alternate(std::size_t count, First first, Second second) {
  std::mt19937 generator(1);
  std::vector<Pair> pairs(count);
  for (Pair& pair : pairs) {
    if (generator() % 2 == 0) {
      pair.first = first();
      pair.second = second();
    } else {
      pair.second = second();
      pair.first = first();
    }
  }
  return pairs;
}

struct Medians {
  double first = 0, second = 0;
  double ratio() const { return second / first; }
};

inline Medians medians(const std::vector<Pair>& pairs) {
  std::vector<double> first;
  std::vector<double> second;
  for (const Pair& pair : pairs) {
    first.push_back(pair.first);
    second.push_back(pair.second);
  }
  return {.first = median(std::move(first)), .second = median(std::move(second))};
}

/// The middle 95 % of the ratio of medians over pairs drawn with replacement. Whole pairs are drawn, because
/// a disturbance affects both sides of a pair.
inline Interval ratio_interval(const std::vector<Pair>& pairs) {
  constexpr int draws = 2000;
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::size_t> draw(0, pairs.size() - 1);
  std::vector<double> ratios;
  std::vector<Pair> drawn(pairs.size());
  for (int d = 0; d < draws; ++d) {
    std::generate(drawn.begin(), drawn.end(), [&] { return pairs[draw(generator)]; });
    ratios.push_back(medians(drawn).ratio());
  }
  return {.low = quantile(ratios, 0.025), .high = quantile(ratios, 0.975)};
}

}  // namespace breakeven::bench
