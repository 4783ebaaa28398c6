// The parts that make up a picture: colours, texts, markers, legends. Each is SVG text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/charts/chart.h"
#include "reports/charts/scales.h"

namespace breakeven::svg {

inline constexpr std::size_t most_series = 6;
inline constexpr std::string_view limit_dash = "4 3";
inline constexpr double marker_radius = 3.5;
inline constexpr double label_gap = 12;  // between the end of a line and its label

/// A part of a picture, and the height at which the next part can begin.
struct Part {
  std::string svg;
  double bottom = 0;
};

/// The surface that a picture is drawn on: its width in pixels, and whether it belongs to a page.
struct Paper {
  double width = 0;
  bool for_page = false;

  bool is_wide() const { return width >= 480; }
  /// The colour with this name: a CSS variable on a page, else its value for light backgrounds.
  std::string colour(std::string_view name) const;
};

/// The look that distinguishes a series from others: colour and shape, and dashes for GPUs.
struct Look {
  std::string colour, dash;
  std::size_t shape = 0;
};
std::vector<Look> looks_of(const Chart& chart, const Paper& paper);

enum class Anchor { start, middle, end };
struct TextLook {
  std::string colour;
  Anchor anchor = Anchor::start;
  bool bold = false;
  std::string tooltip = {};
};

/// Drops characters that XML cannot contain, and replaces characters that have a meaning in XML by entities.
std::string escaped(std::string_view text);
std::string tooltip(std::string_view text);
std::string text(double x, double y, std::string_view content, const TextLook& look);
std::string line(double x1, double y1, double x2, double y2, const std::string& colour, double width,
                 std::string_view dash = {});
std::string marker(double x, double y, const Look& look, double radius, std::string_view tip);

/// A bar from low to high with caps, along x or along y.
std::string interval_bar(double low, double high, double across, bool along_x, const std::string& colour);

/// The legend: the look of each series, in rows as wide as the paper.
Part legend(const Chart& chart, const std::vector<Look>& looks, const Paper& paper, double top);

/// "oneDNN, batch 64: 229k (226k to 232k)".
std::string point_text(const Chart& chart, const ChartSeries& series, const ChartPoint& point);
/// "batch 64", or the category's name.
std::string place_text(const Chart& chart, double x);
bool has_rows(const Chart& chart);  // categories rather than an axis of x
bool has_interval(const ChartPoint& point);

/// The range of y that the picture must include.
Range range_of_y(const Chart& chart);

/// The two arrangements: an axis of x and one of y, or a row for each category.
Part lines_part(const Chart& chart, const Paper& paper, double top);
Part rows_part(const Chart& chart, const Paper& paper, double top);

}  // namespace breakeven::svg
