// A chart's content as data: made once, and drawn as SVG for pages and files alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// A value with the ends of its 95 % interval, where they are known.
struct ChartPoint {
  double x = 0, y = 0;
  std::optional<double> low = {}, high = {};  // of y
};

struct ChartSeries {
  std::string label;
  std::vector<ChartPoint> points = {};  // by x, rising
  bool is_limit = false;                // a ceiling, or a line to compare with: not measured
  bool is_gpu = false;                  // drawn in the accent colour, which nothing else has
};

/// The unit of an axis's numbers, which decides how its ticks are written.
enum class ChartUnit { number, seconds, ratio, bytes };

struct ChartAxis {
  std::string label = {};
  bool logarithmic = false;
  ChartUnit unit = ChartUnit::number;
  std::vector<double> ticks = {};  // the values measured; empty: round numbers
};

/// A value of x that answers the question, such as a break-even: a line across the picture, with its
/// interval.
struct ChartMark {
  double x = 0;
  std::optional<double> low = {}, high = {};
  std::string label;
};

struct Chart {
  enum class Kind {
    lines,          // a curve a series; intervals as bands
    points,         // marks alone
    bars,           // a horizontal bar for each category and series, lengths from 0
    intervals,      // a point with its interval for each category and series, beside `reference`
    distributions,  // all samples of each category and series, beside one another, with their medians
  };

  std::string name;   // unique among the charts of a report: letters, digits and -
  std::string title;  // printable
  Kind kind = Kind::lines;
  ChartAxis x = {}, y = {};                  // of bars, intervals and distributions: y is the axis of lengths
  std::vector<std::string> categories = {};  // for these kinds; x is an index into them
  std::vector<ChartSeries> series = {};
  std::vector<ChartMark> marks = {};
  std::optional<double> reference = {};  // a value of y to compare with: 1 of ratios
  double tolerance = 0;                  // for intervals: the fraction of `reference` that is ignored
  std::string note = {};                 // beneath the picture, such as what is left out
};

}  // namespace breakeven
