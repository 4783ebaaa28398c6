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

constexpr double label_gap = 12;  // between the end of a line and its label

/// The plot area in pixels, with its scales.
struct Plot {
  Picture& picture;
  double left = 0, right = 0, top = 0, bottom = 0;
  Scale x, y;

  const Chart& chart() const { return picture.chart; }
  Spot at(const ChartPoint& point) const { return {.x = x.at(point.x), .y = y.at(point.y)}; }
};

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
  const bool from_zero = chart.kind == Chart::Kind::points;
  return !from_zero && range.low < range.high ? range : padded(range, chart.x.logarithmic, from_zero);
}

/// The ticks of x: the chart's own; else the measured values if they are few; else round values.
Ticks ticks_of_x(const Chart& chart, Range range) {
  constexpr std::size_t few = 12, most_round = 7;
  if (!chart.categories.empty()) {
    std::vector<double> places(chart.categories.size());
    std::iota(places.begin(), places.end(), 0.0);
    return {std::move(places), chart.categories};
  }
  std::set<double> measured(chart.x.ticks.begin(), chart.x.ticks.end());
  if (measured.empty() && chart.kind == Chart::Kind::lines) {
    for (const ChartSeries& series : chart.series) {
      if (series.is_limit) continue;
      for (const ChartPoint& point : series.points) measured.insert(point.x);
    }
    if (measured.size() > few) measured.clear();
  }
  std::erase_if(measured, [&](double value) { return value < range.low || value > range.high; });
  return {measured.empty() ? round_ticks(range, chart.x.logarithmic, most_round, chart.x.unit)
                           : std::vector<double>(measured.begin(), measured.end()),
          chart.x.unit};
}

bool is_dense(const ChartSeries& series) {
  constexpr std::size_t most_markers = 60;  // more are a curve
  return series.points.size() > most_markers;
}

/// The points that are drawn: for a series of many points, the smallest and the largest in each pixel column.
std::vector<ChartPoint> drawn_points(const Plot& plot, const ChartSeries& series) {
  if (!is_dense(series)) return series.points;
  std::vector<ChartPoint> kept;
  const auto column = [&](const ChartPoint& point) { return std::floor(plot.x.at(point.x)); };
  for (auto begin = series.points.begin(); begin != series.points.end();) {
    const auto end = std::find_if(begin, series.points.end(),
                                  [&](const ChartPoint& point) { return column(point) != column(*begin); });
    const auto low = std::ranges::min_element(begin, end, {}, &ChartPoint::y);
    const auto high = std::ranges::max_element(begin, end, {}, &ChartPoint::y);
    kept.push_back(*std::min(low, high));
    if (low != high) kept.push_back(*std::max(low, high));
    begin = end;
  }
  return kept;
}

/// Draws intervals: as a band for adjacent points, as a bar for a single point.
void draw_intervals(const Plot& plot, const std::vector<ChartPoint>& points, const Look& look) {
  for (auto begin = points.begin(); begin != points.end(); ++begin) {
    const auto end = std::find_if_not(begin, points.end(), has_interval);
    std::vector<Spot> highs, lows;
    for (auto at = begin; at != end; ++at) {
      highs.push_back({.x = plot.x.at(at->x), .y = plot.y.at(*at->high)});
      lows.push_back({.x = highs.back().x, .y = plot.y.at(*at->low)});
    }
    if (plot.chart().kind == Chart::Kind::lines && highs.size() > 1) {
      highs.insert(highs.end(), lows.rbegin(), lows.rend());
      plot.picture.path("band", path_through(highs) + "z",
                        fmt::format(R"(fill="{}" fill-opacity="0.18")", plot.picture.colour(look.colour)));
    } else {
      for (std::size_t i = 0; i < lows.size(); ++i)
        plot.picture.interval_bar(lows[i].y, highs[i].y, lows[i].x, false, look.colour);
    }
    if (end == points.end()) break;
    begin = end;
  }
}

/// True if the two curves coincide at the points that both have.
bool coincide(const Plot& plot, const ChartSeries& one, const ChartSeries& other) {
  const auto common = std::ssize(one.points.size() < other.points.size() ? one.points : other.points);
  return !one.is_limit && !other.is_limit && common > 1 &&
         std::equal(one.points.begin(), one.points.begin() + common, other.points.begin(),
                    [&](const ChartPoint& p, const ChartPoint& q) {
                      const Spot a = plot.at(p), b = plot.at(q);
                      return std::abs(a.x - b.x) < 1 && std::abs(a.y - b.y) < 1.5;
                    });
}

/// Draws the curve of `order[at]` so that curves that coincide with it stay visible. A curve below others is
/// wider than they are. A dense curve, whose edges cannot be distinguished, has gaps that show the curves
/// below it.
void draw_curve(const Plot& plot, const std::vector<std::size_t>& order, std::size_t at) {
  const ChartSeries& series = plot.chart().series[order[at]];
  const Look& look = plot.picture.looks[order[at]];
  if (plot.chart().kind == Chart::Kind::points && !series.is_limit) return;
  std::vector<Spot> spots;
  for (const ChartPoint& point : drawn_points(plot, series)) spots.push_back(plot.at(point));
  if (spots.size() < 2) return;
  std::size_t beneath = 0, above = 0;
  for (std::size_t other = 0; other < order.size(); ++other) {
    if (other != at && coincide(plot, series, plot.chart().series[order[other]]))
      ++(other < at ? beneath : above);
  }
  const bool dense = is_dense(series);
  plot.picture.path(
      "curve", path_through(spots),
      fmt::format(R"(fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"{})",
                  plot.picture.colour(look.colour),
                  series.is_limit || dense ? 1.25 : 2.25 + 2.5 * static_cast<double>(above),
                  dashes_text(dense && beneath > 0 ? fmt::format("8 {}", 8 * beneath) : look.dash)));
}

/// The radius of a marker. A marker above others is larger than they are.
double radius_of(const Plot& plot, std::size_t series, Spot at) {
  double hidden = 0;
  for (std::size_t later = series + 1; later < plot.chart().series.size(); ++later) {
    const ChartSeries& other = plot.chart().series[later];
    if (other.is_limit || is_dense(other)) continue;
    hidden += static_cast<double>(std::ranges::count_if(other.points, [&](const ChartPoint& point) {
      return std::hypot(at.x - plot.at(point).x, at.y - plot.at(point).y) < 2.5;
    }));
  }
  return marker_radius + 1.8 * hidden;
}

/// Draws limits below measured curves. Among dense curves, the longest is drawn first, because it would hide
/// the others.
void draw_series(const Plot& plot) {
  const std::vector<ChartSeries>& all = plot.chart().series;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    return std::pair(!all[i].is_limit, is_dense(all[i]) ? -std::ssize(all[i].points) : 0);
  };
  std::ranges::stable_sort(order, {}, rank);
  for (const std::size_t i : order) {
    if (!all[i].is_limit) draw_intervals(plot, drawn_points(plot, all[i]), plot.picture.looks[i]);
  }
  for (std::size_t at = 0; at < order.size(); ++at) draw_curve(plot, order, at);
  for (const std::size_t i : order) {
    if (all[i].is_limit || is_dense(all[i])) continue;
    for (const ChartPoint& point : all[i].points)
      plot.picture.marker(plot.at(point), plot.picture.looks[i], radius_of(plot, i, plot.at(point)),
                          point_text(plot.chart(), all[i], point));
  }
}

/// The labels beside the ends of lines; empty if there is no room for them.
std::vector<std::string> direct_labels(const Picture& picture, double height) {
  const std::vector<ChartSeries>& all = picture.chart.series;
  const bool has_ends = picture.chart.kind == Chart::Kind::lines ||
                        std::ranges::all_of(all, [](const ChartSeries& s) { return s.points.size() == 1; });
  if (!picture.is_wide() || !has_ends || static_cast<double>(all.size()) * line_height > height) return {};
  return shortened(labels_of(picture.chart), 0.3 * picture.width, true);
}

/// Draws labels in the colours of their lines, next to the picture or next to single points.
void draw_direct_labels(const Plot& plot, const std::vector<std::string>& labels) {
  std::vector<Spot> ends;
  std::vector<double> heights;
  for (const ChartSeries& series : plot.chart().series) {
    ends.push_back(plot.at(series.points.back()));
    heights.push_back(ends.back().y);
  }
  const std::vector<double> places = spread(heights, line_height - 1, plot.top + 2, plot.bottom - 2);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string& colour = plot.picture.looks[i].colour;
    const ChartSeries& series = plot.chart().series[i];
    const double begin = plot.right + label_gap;
    if (std::abs(places[i] - ends[i].y) > 4 || plot.right - ends[i].x > 12)
      plot.picture.path(
          "", path_through({{ends[i].x + marker_radius + 1, ends[i].y}, {begin - 2, places[i]}}),
          fmt::format(R"(stroke="{}" stroke-opacity="0.45" fill="none")", plot.picture.colour(colour)));
    plot.picture.text(begin, places[i] + 4, labels[i],
                      {.colour = colour, .bold = !series.is_limit, .full = series.label});
  }
}

/// The label of a mark, above the picture in as many rows as all of them need.
struct MarkLabel {
  std::string text;
  double begin = 0, row = 0;
};

std::vector<MarkLabel> mark_labels(const Chart& chart, const Scale& x, double width) {
  std::vector<std::string> labels;
  for (const ChartMark& mark : chart.marks) labels.push_back(mark.label);
  std::vector<double> ends;  // of each row
  std::vector<MarkLabel> made;
  for (std::string& text : shortened(labels, width, true)) {
    const double wide = text_width(text, true);
    const double begin = std::max(0.0, std::min(x.at(chart.marks[made.size()].x) - wide / 2, width - wide));
    auto row = std::ranges::find_if(ends, [&](double end) { return end + 8 <= begin; });
    if (row == ends.end()) row = ends.insert(row, 0);
    *row = begin + wide;
    made.push_back({std::move(text), begin, static_cast<double>(row - ends.begin())});
  }
  return made;
}

void draw_marks(const Plot& plot, const std::vector<MarkLabel>& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const ChartMark& mark = plot.chart().marks[i];
    const double baseline = plot.top - 10 - line_height * labels[i].row, at = plot.x.at(mark.x);
    if (mark.low && mark.high) {
      const double low = plot.x.at(*mark.low), high = plot.x.at(*mark.high);
      plot.picture.rectangle("mark", {low, plot.top}, std::max(1.0, high - low), plot.bottom - plot.top,
                             "ink", 0.1);
    }
    plot.picture.line({at, baseline + 3}, {at, plot.bottom}, "ink", 1.25);
    plot.picture.text(labels[i].begin, baseline, labels[i].text,
                      {.colour = "ink", .bold = true, .full = mark.label});
  }
}

void draw_y_axis(const Plot& plot, const Ticks& ticks) {
  std::vector<double> positions, sizes(ticks.values.size(), line_height - 1);
  for (const double value : ticks.values) positions.push_back(plot.y.at(value));
  for (const std::size_t i : without_overlap(positions, sizes, 0)) {
    plot.picture.line({plot.left, positions[i]}, {plot.right, positions[i]}, "line", 1);
    plot.picture.text(plot.left - 8, positions[i] + 4, ticks.texts[i], {.anchor = "end"});
  }
  plot.picture.line({plot.left, plot.bottom}, {plot.right, plot.bottom}, "soft", 1);
  if (!plot.chart().reference) return;
  const double reference = plot.y.at(*plot.chart().reference);
  plot.picture.line({plot.left, reference}, {plot.right, reference}, "soft", 1.25, "4 3");
}

/// Draws the x axis. Its name is in front of the first tick if there is room, else below.
void draw_x_axis(const Plot& plot, const Ticks& ticks) {
  constexpr double gap = 10;
  Picture& picture = plot.picture;
  const std::string& name = plot.chart().x.label;
  std::vector<double> positions;
  for (const double value : ticks.values) positions.push_back(plot.x.at(value));
  picture.bottom = plot.bottom + 18;
  double begin = picture.width;
  for (const std::size_t i : without_overlap(positions, ticks.widths, gap)) {
    const double half = ticks.widths[i] / 2;
    const double middle = std::max(half, std::min(positions[i], picture.width - half));
    picture.line({positions[i], plot.bottom}, {positions[i], plot.bottom + 4}, "soft", 1);
    picture.text(middle, picture.bottom, ticks.texts[i], {.anchor = "middle"});
    begin = std::min(begin, middle - half);
  }
  const double room = begin - gap;
  if (text_width(name) <= room && room <= plot.left + 8) {
    picture.text(room, picture.bottom, name, {.anchor = "end"});
  } else if (!name.empty()) {
    picture.bottom += line_height + 2;
    picture.text(plot.left, picture.bottom, shortened({name}, picture.width - plot.left).front());
  }
  picture.bottom += 6;
}

}  // namespace

void draw_lines(Picture& picture) {
  const Chart& chart = picture.chart;
  const double height = picture.is_wide() ? 190 : 180;
  const std::vector<std::string> labels = direct_labels(picture, height);
  if (labels.empty()) picture.legend();
  picture.name_of_y();

  const Range y_range = padded(range_of_y(chart), chart.y.logarithmic, !chart.y.is_zoomed);
  const Range x_range = range_of_x(chart);
  const Ticks y_ticks(round_ticks(y_range, chart.y.logarithmic, chart.y.logarithmic ? 10 : 7, chart.y.unit),
                      chart.y.unit);
  const Ticks x_ticks = ticks_of_x(chart, x_range);
  double label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, text_width(label, true));
  const double name_width = text_width(chart.x.label);
  const double first_width = x_ticks.widths.empty() ? 0 : x_ticks.widths.front();
  const double left = std::max(y_ticks.widest() + 8, name_width <= 60 ? name_width + first_width / 2 + 4 : 0);
  const double right = picture.width - (labels.empty() ? 4 : label_width + label_gap);
  const Scale x{x_range, chart.x.logarithmic, left + 8, right - 8};
  const std::vector<MarkLabel> marks = mark_labels(chart, x, picture.width);
  double top = picture.bottom + 6;
  for (const MarkLabel& mark : marks) top = std::max(top, picture.bottom + 10 + line_height * (mark.row + 1));

  const Plot plot{.picture = picture,
                  .left = left,
                  .right = right,
                  .top = top,
                  .bottom = top + height,
                  .x = x,
                  .y = {y_range, chart.y.logarithmic, top + height, top}};
  draw_y_axis(plot, y_ticks);
  draw_marks(plot, marks);
  draw_series(plot);
  draw_direct_labels(plot, labels);
  draw_x_axis(plot, x_ticks);
}

}  // namespace breakeven::svg
