// A config that asks for the value of a parameter from which one side is faster than the other.
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
#include "results/metric.h"

namespace breakeven {

inline constexpr std::array threshold_sides{"baseline", "challenger"};

/// One of the two sides that are compared. At every value, its fastest backend is used, or the one that needs
/// the least of another metric.
struct ThresholdSide {
  std::vector<std::string> backends;
  int threads = 0;  // 0: all CPUs
  std::optional<HourlyPrice> price = {};
};

/// One combination of all parameters but the one that is searched.
struct ThresholdQuestion {
  std::string title = {};  // such as "matmul, m = n = k, transfer each, f32"
  std::int64_t from = 1, to = 1;
  double factor = 2;  // ratio of the values that are measured first
  std::string parameter;
  std::array<Sweep, 2> sides;  // only the searched parameter varies

  /// The case of a side at a value. Throws ConfigError if such a case is not possible.
  PlannedCase at(std::size_t side, std::int64_t value) const;
};

struct ThresholdConfig {
  std::string title;
  std::string parameter;
  std::int64_t multiple = 1;             // all values but the ends of a range are multiples of it
  double width = 0.04;                   // requested width of an interval
  std::vector<Metric> in{Metric::time};  // the metrics; each question is answered for each of them
  Measure measure;
  std::array<ThresholdSide, 2> sides;  // the baseline and the challenger
  bool unlike_precision = false;       // the config allows the sides to have different dtypes
  std::vector<ThresholdQuestion> questions;
  std::string json;  // the file's text
};

/// Reads a config with a "threshold". Throws ConfigError, also if there is none.
ThresholdConfig read_threshold_config(const std::filesystem::path& path);

}  // namespace breakeven
