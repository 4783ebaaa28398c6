// The content of a chart as data. It is drawn as SVG, for pages and for files.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "results/focus.h"

namespace breakeven {

/// A value with the bounds of its 95 % interval, if known.
struct ChartPoint {
  double x = 0, y = 0;
  std::optional<double> low = {}, high = {};  // bounds of y
};

struct ChartSeries {
  std::string label;
  std::vector<ChartPoint> points = {};  // by rising x
  bool is_limit = false;                // a ceiling or a line to compare with, not a measurement
  bool is_gpu = false;                  // drawn in a shade of the accent colour, used for nothing else
};

/// The unit of an axis, which decides how its ticks are written.
enum class ChartUnit { number, seconds, ratio, bytes };

struct ChartAxis {
  std::string label = {};
  bool logarithmic = false;
  ChartUnit unit = ChartUnit::number;
  std::vector<double> ticks = {};  // of x: the measured values; if empty, round numbers
  bool is_zoomed = false;          // of y: fits the values, without 0
};

/// A value of x that answers the question, such as a break-even. It is drawn as a line across the picture,
/// with its interval.
struct ChartMark {
  double x = 0;
  std::optional<double> low = {}, high = {};
  std::string label;
};

struct Chart {
  enum class Kind {
    lines,          // a curve for each series, intervals as bands
    points,         // markers only
    bars,           // a horizontal bar for each category and series, starting at 0
    intervals,      // a point with its interval for each category and series, next to `reference`
    distributions,  // all samples of each category and series, side by side, with their medians
  };

  std::string name;               // letters, digits and -; unique among the charts of a report
  std::string title;              // printable
  std::vector<Focus> about = {};  // the topics whose answer it shows
  bool is_aside = false;          // never chosen for a topic that it is not about
  Kind kind = Kind::lines;
  ChartAxis x = {}, y = {};  // for bars, intervals and distributions, y is the horizontal axis
  std::vector<std::string> categories = {};  // for these kinds, and for lines in place of numbers; x is an
                                             // index into them
  std::vector<ChartSeries> series = {};
  std::vector<ChartMark> marks = {};
  std::optional<double> reference = {};  // a value of y to compare with, such as 1 for ratios
  double tolerance = 0;                  // for intervals: the fraction of `reference` that is ignored
  bool less_is_better = false;           // of y; of too many series, the best are shown
  std::string note = {};                 // below the picture, such as what is left out

  bool is_about(Focus focus) const { return std::ranges::find(about, focus) != about.end(); }
};

}  // namespace breakeven
