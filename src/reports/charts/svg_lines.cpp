// Curves and points between two axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "reports/charts/labels.h"
#include "reports/charts/svg_parts.h"

namespace breakeven::svg {
namespace {

constexpr std::size_t most_markers = 60;  // of a series: more are a curve

/// The plot area in pixels, with its scales and the looks of its series.
struct Plot {
  const Chart& chart;
  const Paper& paper;
  std::vector<Look> looks;
  double left = 0, right = 0, top = 0, bottom = 0;
  Scale x, y;

  double x_of(const ChartPoint& point) const { return x.at(point.x); }
  double y_of(const ChartPoint& point) const { return y.at(point.y); }
};

struct Ticks {
  std::vector<double> values;
  std::vector<std::string> texts;
  std::vector<double> widths;

  double widest() const { return widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end()); }
};

Ticks ticks_of(std::vector<double> values, ChartUnit unit) {
  Ticks made{.values = std::move(values), .texts = {}, .widths = {}};
  made.texts = tick_texts(made.values, unit);
  for (const std::string& one : made.texts) made.widths.push_back(text_width(one));
  return made;
}

Range range_of_x(const Chart& chart) {
  Range range;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) range.cover(point.x);
  }
  for (const ChartMark& mark : chart.marks) {
    range.cover(mark.x);
    range.cover(mark.low.value_or(mark.x));
    range.cover(mark.high.value_or(mark.x));
  }
  if (chart.kind == Chart::Kind::points) return padded(range, chart.x.logarithmic, true);
  return range.low < range.high ? range : padded(range, chart.x.logarithmic, false);
}

/// The ticks of x: the chart's own; else the measured values if they are few; else round values.
std::vector<double> x_ticks(const Chart& chart, Range range) {
  constexpr std::size_t few = 12, most_round = 7;
  std::set<double> measured(chart.x.ticks.begin(), chart.x.ticks.end());
  if (measured.empty() && chart.kind == Chart::Kind::lines) {
    for (const ChartSeries& series : chart.series) {
      if (series.is_limit) continue;
      for (const ChartPoint& point : series.points) measured.insert(point.x);
    }
    if (measured.size() > few) measured.clear();
  }
  std::erase_if(measured, [&](double value) { return value < range.low || value > range.high; });
  return measured.empty() ? round_ticks(range, chart.x.logarithmic, most_round)
                          : std::vector<double>(measured.begin(), measured.end());
}

/// The points that are drawn: for a series of many points, the smallest and the largest in each pixel column.
std::vector<ChartPoint> drawn_points(const Plot& plot, const ChartSeries& series) {
  if (series.points.size() <= most_markers) return series.points;
  std::vector<ChartPoint> kept;
  const auto column = [&](const ChartPoint& point) { return std::floor(plot.x_of(point)); };
  for (std::size_t begin = 0; begin < series.points.size();) {
    std::size_t end = begin, low = begin, high = begin;
    for (; end < series.points.size() && column(series.points[end]) == column(series.points[begin]); ++end) {
      if (series.points[end].y < series.points[low].y) low = end;
      if (series.points[end].y > series.points[high].y) high = end;
    }
    kept.push_back(series.points[std::min(low, high)]);
    if (low != high) kept.push_back(series.points[std::max(low, high)]);
    begin = end;
  }
  return kept;
}

std::string polyline(const Plot& plot, const std::vector<ChartPoint>& points) {
  std::string path;
  for (const ChartPoint& point : points)
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", plot.x_of(point), plot.y_of(point));
  return path;
}

/// Draws intervals: of neighbouring points as a band, of a single point as a bar.
std::string intervals(const Plot& plot, const std::vector<ChartPoint>& points, const Look& look) {
  std::string made;
  for (std::size_t begin = 0; begin < points.size(); ++begin) {
    std::size_t end = begin;
    while (end < points.size() && has_interval(points[end])) ++end;
    const bool is_band = plot.chart.kind == Chart::Kind::lines && end - begin > 1;
    std::string band;
    for (std::size_t i = begin; i < end; ++i) {
      const double x = plot.x_of(points[i]);
      if (!is_band)
        made += interval_bar(plot.y.at(*points[i].low), plot.y.at(*points[i].high), x, false, look.colour);
      band += fmt::format("{}{:.1f},{:.1f}", band.empty() ? "M" : "L", x, plot.y.at(*points[i].high));
    }
    for (std::size_t i = end; i-- > begin;)
      band += fmt::format("L{:.1f},{:.1f}", plot.x_of(points[i]), plot.y.at(*points[i].low));
    if (is_band)
      made += fmt::format(R"(<path class="band" d="{}z" fill="{}" fill-opacity="0.18"/>)"
                          "\n",
                          band, look.colour);
    begin = end;
  }
  return made;
}

/// True if the two curves coincide at the points that both have.
bool coincide(const Plot& plot, std::size_t one, std::size_t other) {
  const std::vector<ChartPoint>& a = plot.chart.series[one].points;
  const std::vector<ChartPoint>& b = plot.chart.series[other].points;
  const std::size_t common = std::min(a.size(), b.size());
  return !plot.chart.series[one].is_limit && !plot.chart.series[other].is_limit && common > 1 &&
         std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), b.begin(),
                    [&](const ChartPoint& p, const ChartPoint& q) {
                      return std::abs(plot.x_of(p) - plot.x_of(q)) < 1 &&
                             std::abs(plot.y_of(p) - plot.y_of(q)) < 1.5;
                    });
}

double hidden_points(const Plot& plot, std::size_t series, const ChartPoint& point) {
  double count = 0;
  for (std::size_t later = series + 1; later < plot.chart.series.size(); ++later) {
    for (const ChartPoint& other : plot.chart.series[later].points) {
      if (!plot.chart.series[later].is_limit && plot.chart.series[later].points.size() <= most_markers &&
          std::hypot(plot.x_of(point) - plot.x_of(other), plot.y_of(point) - plot.y_of(other)) < 2.5)
        ++count;
    }
  }
  return count;
}

/// Draws the curve of `order[at]` so that curves that coincide with it can be seen too. A curve beneath
/// others is wider than they are. A curve of many points, whose edges nobody could make out, leaves gaps for
/// the curves beneath it.
std::string curve(const Plot& plot, const std::vector<std::size_t>& order, std::size_t at) {
  const ChartSeries& series = plot.chart.series[order[at]];
  const Look& look = plot.looks[order[at]];
  if (plot.chart.kind == Chart::Kind::points && !series.is_limit) return {};
  const std::vector<ChartPoint> points = drawn_points(plot, series);
  if (points.size() < 2) return {};
  std::size_t beneath = 0, above = 0;
  for (std::size_t other = 0; other < order.size(); ++other) {
    if (other != at && coincide(plot, order[at], order[other])) ++(other < at ? beneath : above);
  }
  const bool is_dense = series.points.size() > most_markers;
  const double width = series.is_limit || is_dense ? 1.25 : 2.25 + 2.5 * static_cast<double>(above);
  const std::string dash = is_dense && beneath > 0 ? fmt::format("8 {}", 8 * beneath) : look.dash;
  return fmt::format(
      R"(<path class="curve" d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"{}/>)"
      "\n",
      polyline(plot, points), look.colour, width,
      dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dash));
}

std::string markers(const Plot& plot, std::size_t i) {
  const ChartSeries& series = plot.chart.series[i];
  std::string made;
  if (series.is_limit || series.points.size() > most_markers) return made;
  for (const ChartPoint& point : series.points)
    made +=
        marker(plot.x_of(point), plot.y_of(point), plot.looks[i],
               marker_radius + 1.8 * hidden_points(plot, i, point), point_text(plot.chart, series, point));
  return made;
}

/// Draws limits beneath measured curves and, of curves of many points, the longest first, since it would hide
/// the others.
std::string series_marks(const Plot& plot) {
  std::vector<std::size_t> order(plot.chart.series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const ChartSeries& series = plot.chart.series[i];
    return std::pair(!series.is_limit, series.points.size() > most_markers
                                           ? -static_cast<std::ptrdiff_t>(series.points.size())
                                           : 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::string made;
  for (const std::size_t i : order) {
    if (!plot.chart.series[i].is_limit)
      made += intervals(plot, drawn_points(plot, plot.chart.series[i]), plot.looks[i]);
  }
  for (std::size_t at = 0; at < order.size(); ++at) made += curve(plot, order, at);
  for (const std::size_t i : order) made += markers(plot, i);
  return made;
}

/// The place where a label begins, and the series that it belongs to.
struct Wanted {
  std::size_t series;
  double x, y;
};

/// Labels in the colours of their lines: beside the picture, or beside points that stand alone.
std::string end_labels(const Plot& plot, const std::vector<std::string>& labels) {
  std::vector<Wanted> wanted;
  std::vector<double> heights;
  for (std::size_t i = 0; i < plot.chart.series.size(); ++i) {
    const ChartPoint& last = plot.chart.series[i].points.back();
    wanted.push_back({.series = i, .x = plot.x_of(last), .y = plot.y_of(last)});
    heights.push_back(wanted.back().y);
  }
  const std::vector<double> places = spread(heights, line_height - 1, plot.top + 2, plot.bottom - 2);
  std::string made;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Look& look = plot.looks[i];
    const double begin = plot.right + label_gap;
    if (std::abs(places[i] - wanted[i].y) > 4 || plot.right - wanted[i].x > 12)
      made += fmt::format(
          R"(<path d="M{:.1f},{:.1f}L{:.1f},{:.1f}" stroke="{}" stroke-opacity="0.45" fill="none"/>)"
          "\n",
          wanted[i].x + marker_radius + 1, wanted[i].y, begin - 2, places[i], look.colour);
    const std::string& full = plot.chart.series[i].label;
    made += text(begin, places[i] + 4, labels[i],
                 {.colour = look.colour,
                  .bold = !plot.chart.series[i].is_limit,
                  .tooltip = labels[i] == full ? "" : full});
  }
  return made;
}

/// Lines across the picture, their labels above it in as many rows as they need.
struct MarkLabels {
  std::vector<std::string> texts;
  std::vector<std::size_t> rows;
  std::vector<double> begins;
  std::size_t count = 0;  // of rows
};

MarkLabels mark_labels(const Chart& chart, const Scale& x, double width) {
  MarkLabels made;
  std::vector<double> ends;  // of each row
  std::vector<std::string> labels;
  for (const ChartMark& mark : chart.marks) labels.push_back(mark.label);
  made.texts = shortened(labels, width, true);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double wide = text_width(made.texts[i], true);
    const double begin = std::max(0.0, std::min(x.at(chart.marks[i].x) - wide / 2, width - wide));
    const auto row = static_cast<std::size_t>(
        std::find_if(ends.begin(), ends.end(), [&](double end) { return end + 8 <= begin; }) - ends.begin());
    if (row == ends.size()) ends.emplace_back();
    ends[row] = begin + wide;
    made.rows.push_back(row);
    made.begins.push_back(begin);
  }
  made.count = ends.size();
  return made;
}

std::string mark_lines(const Plot& plot, const MarkLabels& labels) {
  std::string made;
  const std::string ink = plot.paper.colour("ink");
  for (std::size_t i = 0; i < plot.chart.marks.size(); ++i) {
    const ChartMark& mark = plot.chart.marks[i];
    const double baseline = plot.top - 10 - line_height * static_cast<double>(labels.rows[i]);
    if (mark.low && mark.high)
      made += fmt::format(
          R"(<rect class="mark" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="0.1"/>)"
          "\n",
          plot.x.at(*mark.low), plot.top, std::max(1.0, plot.x.at(*mark.high) - plot.x.at(*mark.low)),
          plot.bottom - plot.top, ink);
    made += line(plot.x.at(mark.x), baseline + 3, plot.x.at(mark.x), plot.bottom, ink, 1.25);
    made += text(labels.begins[i], baseline, labels.texts[i],
                 {.colour = ink, .bold = true, .tooltip = labels.texts[i] == mark.label ? "" : mark.label});
  }
  return made;
}

std::string y_axis(const Plot& plot, const Ticks& ticks) {
  std::vector<double> positions, sizes(ticks.values.size(), line_height - 1);
  for (const double value : ticks.values) positions.push_back(plot.y.at(value));
  std::string made;
  for (const std::size_t i : without_overlap(positions, sizes, 0)) {
    made += line(plot.left, positions[i], plot.right, positions[i], plot.paper.colour("line"), 1);
    made += text(plot.left - 8, positions[i] + 4, ticks.texts[i],
                 {.colour = plot.paper.colour("soft"), .anchor = Anchor::end});
  }
  return made + line(plot.left, plot.bottom, plot.right, plot.bottom, plot.paper.colour("soft"), 1);
}

/// The axis's name stands in front of the first tick where there is room, else beneath.
Part x_axis(const Plot& plot, const Ticks& ticks) {
  constexpr double gap = 10;
  const std::string soft = plot.paper.colour("soft");
  std::vector<double> positions;
  for (const double value : ticks.values) positions.push_back(plot.x.at(value));
  Part part{.svg = {}, .bottom = plot.bottom + 18};
  double begin = plot.paper.width;
  for (const std::size_t i : without_overlap(positions, ticks.widths, gap)) {
    const double half = ticks.widths[i] / 2;
    const double middle = std::max(half, std::min(positions[i], plot.paper.width - half));
    part.svg += line(positions[i], plot.bottom, positions[i], plot.bottom + 4, soft, 1);
    part.svg += text(middle, part.bottom, ticks.texts[i], {.colour = soft, .anchor = Anchor::middle});
    begin = std::min(begin, middle - half);
  }
  const double room = begin - gap;
  if (text_width(plot.chart.x.label) <= room && room <= plot.left + 8) {
    part.svg += text(room, part.bottom, plot.chart.x.label, {.colour = soft, .anchor = Anchor::end});
  } else if (!plot.chart.x.label.empty()) {
    part.bottom += line_height + 2;
    part.svg += text(plot.left, part.bottom,
                     shortened({plot.chart.x.label}, plot.paper.width - plot.left).front(), {.colour = soft});
  }
  part.bottom += 6;
  return part;
}

/// The labels beside the ends of lines; empty if there is no room for them.
std::vector<std::string> direct_labels(const Chart& chart, const Paper& paper, double height) {
  const bool has_ends = chart.kind == Chart::Kind::lines ||
                        std::all_of(chart.series.begin(), chart.series.end(),
                                    [](const ChartSeries& s) { return s.points.size() == 1; });
  if (!paper.is_wide() || !has_ends || static_cast<double>(chart.series.size()) * line_height > height)
    return {};
  std::vector<std::string> labels;
  for (const ChartSeries& series : chart.series) labels.push_back(series.label);
  return shortened(labels, 0.3 * paper.width, true);
}

}  // namespace

Part lines_part(const Chart& chart, const Paper& paper, double top) {
  const double height = paper.is_wide() ? 190 : 180;
  const std::vector<Look> looks = looks_of(chart, paper);
  const std::vector<std::string> labels = direct_labels(chart, paper, height);
  Part made{.svg = {}, .bottom = top};
  if (labels.empty()) made = legend(chart, looks, paper, top);

  const Range y_range = padded(range_of_y(chart), chart.y.logarithmic, true);
  const Range x_range = range_of_x(chart);
  const Ticks y_ticks =
      ticks_of(chart.y.ticks.empty() ? round_ticks(y_range, chart.y.logarithmic, chart.y.logarithmic ? 10 : 7)
                                     : chart.y.ticks,
               chart.y.unit);
  const Ticks x_ticks_shown = ticks_of(x_ticks(chart, x_range), chart.x.unit);
  double label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, text_width(label, true));
  const double name_width = text_width(chart.x.label);
  const double first_width = x_ticks_shown.widths.empty() ? 0 : x_ticks_shown.widths.front();
  const double left = std::max(y_ticks.widest() + 8, name_width <= 60 ? name_width + first_width / 2 + 4 : 0);
  const double right = paper.width - (labels.empty() ? 4 : label_width + label_gap);
  const Scale x(x_range, chart.x.logarithmic, left + 8, right - 8);
  const MarkLabels marks = mark_labels(chart, x, paper.width);

  if (!chart.y.label.empty()) {
    made.bottom += line_height;
    made.svg += text(0, made.bottom - 3, shortened({chart.y.label}, paper.width).front(),
                     {.colour = paper.colour("soft")});
  }
  const double plot_top =
      made.bottom + (marks.count > 0 ? 10 : 6) + line_height * static_cast<double>(marks.count);
  const Plot plot{.chart = chart,
                  .paper = paper,
                  .looks = looks,
                  .left = left,
                  .right = right,
                  .top = plot_top,
                  .bottom = plot_top + height,
                  .x = x,
                  .y = Scale(y_range, chart.y.logarithmic, plot_top + height, plot_top)};
  made.svg += y_axis(plot, y_ticks);
  if (chart.reference)
    made.svg += line(left, plot.y.at(*chart.reference), right, plot.y.at(*chart.reference),
                     paper.colour("soft"), 1.25, "4 3");
  made.svg += mark_lines(plot, marks) + series_marks(plot);
  if (!labels.empty()) made.svg += end_labels(plot, labels);
  const Part axis = x_axis(plot, x_ticks_shown);
  return {.svg = made.svg + axis.svg, .bottom = axis.bottom};
}

}  // namespace breakeven::svg
