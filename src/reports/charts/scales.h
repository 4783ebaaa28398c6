// Axes of pictures: their range, the positions of values, their ticks and the format of numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "reports/charts/chart.h"

namespace breakeven::svg {

struct Range {
  double low = INFINITY, high = -INFINITY;

  bool is_empty() const { return low > high; }
  bool spans(double factor) const { return low > 0 && high / low >= factor; }
  void cover(double value);
};

/// Adds space at both ends, so that the range always has an extent. It begins at 0 if `from_zero` and the
/// axis is linear.
Range padded(Range range, bool logarithmic, bool from_zero);

/// Maps values to pixels.
struct Scale {
  Range values;
  bool logarithmic = false;
  double from = 0, to = 0;

  double at(double value) const;
};

/// At most `most` (at least 2) round numbers within the range: 1, 2 and 5 times powers of ten, or only powers
/// of ten if a logarithmic axis spans many. Powers of two on a logarithmic axis of bytes.
std::vector<double> round_ticks(Range range, bool logarithmic, std::size_t most,
                                ChartUnit unit = ChartUnit::number);

/// The indices of those of the rising `positions` whose labels, of these sizes and centred on them, stay
/// `gap` apart. The first and the last are always included if both fit.
std::vector<std::size_t> without_overlap(const std::vector<double>& positions,
                                         const std::vector<double>& sizes, double gap);

/// Three significant digits: 229k, 15.9 µs, 1.47x, 1 GiB.
std::string value_text(double value, ChartUnit unit);

/// The same, but whole numbers below a million are exact: 10k, 4,096.
std::string tick_text(double value, ChartUnit unit, int digits = 3);

/// Writes the ticks with as many digits as distinguish them.
std::vector<std::string> tick_texts(const std::vector<double>& ticks, ChartUnit unit);

}  // namespace breakeven::svg
