// An entry of a config's "workloads", and all the cases that it expands to.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/values.h"
#include "workloads/workload.h"

namespace breakeven {

/// The largest number of cases. Configs with more, which would take years and usually contain a mistyped
/// range, are refused before the cases are made.
inline constexpr std::size_t most_cases = 100'000;

/// A case of a config.
struct PlannedCase {
  Case problem;
  std::string label;  // the case's name in its shape file, such as a layer's name
};

/// The values of a range. They are computed on demand: all of them might need more memory than there is.
struct Range {
  double from = 0;
  double step = 0;    // 0 if there is a factor
  double factor = 0;  // 0 if there is a step
  double count = 1;
  bool integers = true;

  Value value(std::size_t index) const;
};

/// Parameters that vary together: one parameter with its values, or the columns of a shape file with its
/// rows.
struct Axis {
  enum class Written { value, list, range, shapes };

  Place place;  // of the value, list or range; for a shape file, of its rows
  Written written = Written::value;
  std::vector<const Parameter*> columns;
  std::vector<std::vector<Cell>> rows = {};  // one cell per column
  std::vector<std::string> labels = {};      // one per row, for shape files with labels
  std::optional<Range> range = {};

  double size() const { return range ? range->count : static_cast<double>(rows.size()); }
  Cell cell(std::size_t row, std::size_t column) const {
    return range ? Cell{range->value(row)} : rows[row][column];
  }
  /// The place of a cell in its file.
  Place place_of(std::size_t row, std::size_t column) const;
};

struct Sweep {
  Place place;
  const Workload* workload = nullptr;
  std::vector<Axis> axes = {};  // in the order written; the first varies slowest

  /// The number of combinations, computed without making them.
  double size() const;
  std::vector<PlannedCase> cases() const;

  /// The axis of a parameter that varies by itself; null if there is none.
  const Axis* axis_of(std::string_view parameter) const;
  /// The same sweep with a single value of a parameter that varies by itself.
  Sweep with(std::string_view parameter, const Value& value) const;
  /// Returns a sweep for each combination of all other parameters. In it only `parameter` varies, as it does
  /// here.
  std::vector<Sweep> apart_from(std::string_view parameter) const;
};

/// Reads `{"op": ..., parameters ..., "shapes": FILE}`. `folder` is the config's folder. Throws ConfigError.
Sweep read_sweep(const Json& entry, const Place& place, const std::filesystem::path& folder);

/// An entry of "workloads". `weight`: how often each of its cases runs. `or_dtype`: the other dtypes that are
/// acceptable, too.
struct Share {
  Sweep sweep;
  double weight = 1;
  /// The sweep in each of the other dtypes, with the same cases in the same order.
  std::vector<Sweep> instead = {};
};

/// Reads an entry. Throws ConfigError.
Share read_share(const Json& entry, const Place& place, const std::filesystem::path& folder);

}  // namespace breakeven
