// One entry of a config's "workloads", and all the cases that it stands for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/values.h"
#include "workloads/workload.h"

namespace breakeven {

/// A case that a config asks for.
struct PlannedCase {
  Case problem;
  std::string label;  // what the case is called in its shape file, such as a layer's name
};

/// Values of a range, made when they are asked for: the range may be larger than memory.
struct Range {
  double from = 0;
  double step = 0;    // 0: there is a factor
  double factor = 0;  // 0: there is a step
  double count = 1;
  bool integers = true;

  Value value(std::size_t index) const;
};

/// What varies together: one parameter with its values, or the columns of a shape file with its rows.
struct Axis {
  enum class Written { value, list, range, shapes };

  Place place;  // of the value, list or range; of a shape file: its rows
  Written written = Written::value;
  std::vector<const Parameter*> columns;
  std::vector<std::vector<Cell>> rows;  // one cell a column
  std::vector<std::string> labels;      // one a row, of shape files that have them
  std::optional<Range> range;

  double size() const { return range ? range->count : static_cast<double>(rows.size()); }
  Cell cell(std::size_t row, std::size_t column) const {
    return range ? Cell{range->value(row)} : rows[row][column];
  }
  /// Where that cell is written.
  Place place_of(std::size_t row, std::size_t column) const;
};

struct Sweep {
  Place place;
  const Workload* workload = nullptr;
  std::vector<Axis> axes;  // as written; the first varies slowest

  /// How many combinations there are, without making them.
  double size() const;
  std::vector<PlannedCase> cases() const;

  /// Where a parameter varies by itself; null where it has no place of its own.
  const Axis* axis_of(std::string_view parameter) const;
  /// The same with one value of such a parameter.
  Sweep with(std::string_view parameter, const Value& value) const;
  /// A sweep for each combination of all others, in which that parameter alone varies as it does here.
  std::vector<Sweep> apart_from(std::string_view parameter) const;
};

/// Reads `{"op": ..., parameters ..., "shapes": FILE}`. `folder` is that of the config.
/// Throws ConfigError.
Sweep read_sweep(const Json& entry, const Place& place, const std::filesystem::path& folder);

}  // namespace breakeven
