// A picture under construction, and the parts that all pictures have: texts, lines, markers, the legend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/charts/chart.h"
#include "reports/charts/scales.h"

namespace breakeven::svg {

inline constexpr std::size_t most_series = 6;
inline constexpr double marker_radius = 3.5;

/// The appearance that distinguishes a series: colour, shape, and dashes for GPUs.
struct Look {
  std::string colour, dash = {};
  std::size_t shape = 0;
};

struct TextLook {
  std::string_view colour = "soft";
  std::string_view anchor = "start";  // or "middle" or "end": the part of the text at its position
  bool bold = false;
  std::string_view full = {};  // the tooltip, if the text is shortened
};

/// A position in pixels, from the left and from the top.
struct Spot {
  double x = 0, y = 0;
};

/// SVG text that grows downwards. Colours are named, as in the table of colours.
class Picture {
 public:
  Picture(const Chart& of, double wide, bool for_page);

  const Chart& chart;
  const double width;
  const std::vector<Look> looks;  // of the chart's series
  std::string svg = {};
  double bottom = 0;  // where the next part can begin

  bool is_wide() const { return width >= 480; }
  /// The CSS variable of a colour on a page, otherwise its value on light backgrounds.
  std::string colour(std::string_view name) const;

  void text(double x, double y, std::string_view content, const TextLook& look = {});
  /// Adds a path with these attributes. `kind` is its class, if not empty.
  void path(std::string_view kind, std::string_view d, std::string_view attributes);
  void line(Spot from, Spot to, std::string_view colour, double line_width, std::string_view dash = {});
  void rectangle(std::string_view kind, Spot corner, double wide, double high, std::string_view colour,
                 double opacity);
  void marker(Spot at, const Look& look, double radius, std::string_view tip);
  /// Adds a bar from low to high with caps, along x or along y.
  void interval_bar(double low, double high, double across, bool along_x, std::string_view colour);

  /// Adds the text below the existing content, in at most four lines.
  void paragraph(const std::string& content, const TextLook& look = {});
  /// Adds the name of the y axis below the existing content.
  void name_of_y();
  /// Adds the marker and label of each series, in rows as wide as the picture.
  void legend();

 private:
  bool for_page_;
};

/// Draws one of the two arrangements: an x and a y axis, or a row for each category.
void draw_lines(Picture& picture);
void draw_rows(Picture& picture);

std::string tooltip(std::string_view text);
std::string dashes_text(std::string_view dash);  // an attribute; empty for a solid line
/// "M1.0,2.0L3.0,4.0".
std::string path_through(const std::vector<Spot>& spots);

std::vector<std::string> labels_of(const Chart& chart);  // of the chart's series
/// "oneDNN, batch 64: 229k (226k to 232k)".
std::string point_text(const Chart& chart, const ChartSeries& series, const ChartPoint& point);
/// "batch 64", or the category's name.
std::string place_text(const Chart& chart, double x);
bool has_rows(const Chart& chart);  // categories rather than an axis of x
/// True if values are drawn as bars, which needs a linear axis: only there do lengths have a meaning.
bool has_bars(const Chart& chart);
bool has_interval(const ChartPoint& point);

/// Ticks with their labels, and the width of the labels.
struct Ticks {
  Ticks(const std::vector<double>& at, ChartUnit unit);
  Ticks(std::vector<double> at, std::vector<std::string> named);

  std::vector<double> values;
  std::vector<std::string> texts;
  std::vector<double> widths;

  double widest() const;
};
/// The range of y that the picture must include.
Range range_of_y(const Chart& chart);

}  // namespace breakeven::svg
