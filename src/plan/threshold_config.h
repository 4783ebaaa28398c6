// A config that asks from which value of a parameter on one side is faster than the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/config.h"
#include "plan/price.h"
#include "plan/sweep.h"
#include "results/quantity.h"

namespace breakeven {

inline constexpr std::array threshold_sides{"baseline", "challenger"};

/// One of the two that are compared: at every value, the fastest of its backends, or what uses the least
/// energy.
struct ThresholdSide {
  std::vector<std::string> backends;
  int threads = 0;  // 0: all
  std::optional<HourlyPrice> price = {};
};

/// One combination of all other parameters.
struct ThresholdQuestion {
  std::string title;  // as in "matmul, m = n = k, transfer each, f32"
  std::int64_t from = 1, to = 1;
  double factor = 2;  // between the values that are measured first
  std::string parameter;
  std::array<Sweep, 2> sides;  // in which that parameter alone is open

  /// Throws ConfigError where the value makes a case that cannot be.
  PlannedCase at(std::size_t side, std::int64_t value) const;
};

struct ThresholdConfig {
  std::string title;
  std::string parameter;
  std::int64_t multiple = 1;                 // of which the values are, but for the ends of a range
  double width = 0.04;                       // that an interval should have
  std::vector<Quantity> in{Quantity::time};  // each question is asked in each of these
  Measure measure;
  std::array<ThresholdSide, 2> sides;  // the baseline, and its challenger
  bool unlike_precision = false;       // the sides compute in different types, as was asked for
  std::vector<ThresholdQuestion> questions;
  std::string json;  // the file's text
};

/// Throws ConfigError, also for a config that has no "threshold".
ThresholdConfig read_threshold_config(const std::filesystem::path& path);

}  // namespace breakeven
