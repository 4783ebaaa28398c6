// Draws a row for each category: bars, points with intervals, or all samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/charts/labels.h"
#include "reports/charts/svg_parts.h"
#include "statistics/summary.h"
#include "text/counted.h"

namespace breakeven::svg {
namespace {

constexpr double between_rows = 12;

/// One series in one category. It has several points if they are samples.
struct Slot {
  std::size_t series = 0;
  std::vector<ChartPoint> points = {};
  double middle = 0;  // in pixels

  /// The median of the samples, or the single measured value.
  double value() const {
    std::vector<double> values;
    for (const ChartPoint& point : points) values.push_back(point.y);
    return median(std::move(values));
  }
};

struct RowOfSlots {
  std::vector<std::string> label;  // lines
  std::vector<Slot> slots;
  double label_top = 0, top = 0, bottom = 0;
};

double slot_height(const Chart& chart, std::size_t slots) {
  if (chart.kind == Chart::Kind::distributions) return 30;
  return slots == 1 ? 18 : 15;
}

/// The label of each category, next to the rows or above each, in two lines. Different labels stay different.
std::vector<std::vector<std::string>> category_labels(const Chart& chart, double width) {
  const auto in_lines = [width](const std::vector<std::string>& labels) {
    std::vector<std::vector<std::string>> lines;
    lines.reserve(labels.size());
    for (const std::string& label : labels) lines.push_back(wrapped(label, width, 2));
    return lines;
  };
  const auto different = [](const auto& all) { return std::set(all.begin(), all.end()).size(); };
  auto whole = in_lines(chart.categories);
  if (different(whole) == different(chart.categories)) return whole;
  return in_lines(shortened(chart.categories, 1.6 * width));  // nearly always fits into two lines
}

std::vector<RowOfSlots> rows_of(const Chart& chart, double label_width) {
  std::vector<RowOfSlots> rows;
  for (auto& label : category_labels(chart, label_width))
    rows.push_back({.label = std::move(label), .slots = {}});
  for (std::size_t series = 0; series < chart.series.size(); ++series) {
    for (const ChartPoint& point : chart.series[series].points) {
      std::vector<Slot>& slots = rows.at(static_cast<std::size_t>(point.x)).slots;
      if (slots.empty() || slots.back().series != series) slots.push_back({.series = series});
      slots.back().points.push_back(point);
    }
  }
  return rows;
}

/// Places labels next to the rows in wide pictures, above them in narrow ones. Returns where the last row
/// ends.
double place_rows(std::vector<RowOfSlots>& rows, const Chart& chart, bool labels_above, double top) {
  for (RowOfSlots& row : rows) {
    const double height = slot_height(chart, row.slots.size());
    const double slots = height * static_cast<double>(row.slots.size());
    const double label = line_height * static_cast<double>(row.label.size());
    row.label_top = top;
    row.top = top + (labels_above ? label + 2 : 0);
    row.bottom = row.top + (labels_above ? slots : std::max(slots, label));
    const double first = (row.top + row.bottom - slots + height) / 2;
    for (std::size_t i = 0; i < row.slots.size(); ++i)
      row.slots[i].middle = first + height * static_cast<double>(i);
    if (!labels_above) row.label_top = (row.top + row.bottom - label) / 2;
    top = row.bottom + between_rows;
  }
  return top - between_rows / 2;
}

/// Draws the samples. Those that would hide one another are stacked above and below the middle, in their
/// order.
std::string dots(const Slot& slot, const Scale& x, const std::string& colour) {
  constexpr double radius = 1.7, step_height = 2.6;
  std::vector<int> taken;  // number of dots in each column of a dot's width
  std::string path;
  for (const ChartPoint& point : slot.points) {
    const double at = x.at(point.y);
    const auto column = static_cast<std::size_t>(std::max(0.0, at / (1.6 * radius)));
    if (taken.size() <= column) taken.resize(column + 1);
    const int step = taken[column]++ % 9;
    const double offset = (step % 2 == 0 ? 1 : -1) * std::ceil(step / 2.0) * step_height;
    path += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}"/>)", at, slot.middle + offset, radius);
  }
  return fmt::format(R"(<g class="samples" fill="{}" fill-opacity="0.65">{}</g>)"
                     "\n",
                     colour, path);
}

void draw_slot(Picture& picture, const Slot& slot, const Scale& x) {
  const Chart& chart = picture.chart;
  const ChartSeries& series = chart.series[slot.series];
  const Look& look = picture.looks[slot.series];
  const ChartPoint& point = slot.points.front();
  const double at = x.at(slot.value());
  const std::string value = value_text(slot.value(), chart.y.unit);
  const auto line_across = [&](double half, std::string_view colour) {
    picture.line({at, slot.middle - half}, {at, slot.middle + half}, colour, 2);
  };
  if (series.is_limit) return line_across(8, look.colour);
  if (chart.kind == Chart::Kind::distributions) {
    picture.svg +=
        fmt::format("<g>{}{}",
                    tooltip(fmt::format("{}, {}: median {}, {}", series.label, place_text(chart, point.x),
                                        value, counted_text(slot.points.size(), "sample", "samples"))),
                    dots(slot, x, picture.colour(look.colour)));
    line_across(13, "ink");
    picture.svg += "</g>\n";
  } else {
    const std::string tip = point_text(chart, series, point);
    const double height = slot_height(chart, 2) - 3;
    if (has_bars(chart))
      picture.svg += fmt::format(
          R"(<g class="bar">{}<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="0.75"/></g>)"
          "\n",
          tooltip(tip), std::min(x.at(0), at), slot.middle - height / 2, std::abs(at - x.at(0)), height,
          picture.colour(look.colour));
    if (has_interval(point))
      picture.interval_bar(x.at(*point.low), x.at(*point.high), slot.middle, true,
                           has_bars(chart) ? "ink" : look.colour);
    if (!has_bars(chart)) picture.marker({at, slot.middle}, look, marker_radius + 0.5, tip);
  }
  double end = 0;
  for (const ChartPoint& one : slot.points)
    end = std::max(end, x.at(std::max(one.y, one.high.value_or(one.y))));
  picture.text(end + 8, slot.middle + 4, value);
}

/// The vertical ranges over which the axis is drawn: all of it, or only the rows if there are labels between
/// them.
using Spans = std::vector<Range>;

void draw_across(Picture& picture, const Spans& spans, double x, std::string_view colour, double width,
                 std::string_view dash = {}) {
  for (const Range& span : spans) picture.line({x, span.low}, {x, span.high}, colour, width, dash);
}

/// Draws the reference value as a line, with the tolerance around it.
void draw_reference(Picture& picture, const Scale& x, const Spans& spans) {
  const Chart& chart = picture.chart;
  if (!chart.reference) return;
  const double low = x.at(*chart.reference * (1 - chart.tolerance));
  const double high = x.at(*chart.reference * (1 + chart.tolerance));
  for (const Range& span : spans) {
    if (chart.tolerance > 0)
      picture.rectangle("tolerance", {std::min(low, high), span.low}, std::abs(high - low),
                        span.high - span.low, "soft", 0.16);
  }
  draw_across(picture, spans, x.at(*chart.reference), "soft", 1.25, "4 3");
}

void draw_grid(Picture& picture, const Ticks& ticks, const Scale& x, const Spans& spans) {
  std::vector<double> positions;
  for (const double tick : ticks.values) positions.push_back(x.at(tick));
  for (const std::size_t i : without_overlap(positions, ticks.widths, 10)) {
    draw_across(picture, spans, positions[i], "line", 1);
    picture.text(positions[i], spans.back().high + 15, ticks.texts[i], {.anchor = "middle"});
  }
}

}  // namespace

void draw_rows(Picture& picture) {
  const Chart& chart = picture.chart;
  const bool above = !picture.is_wide();
  if (chart.series.size() > 1) picture.legend();
  picture.name_of_y();
  picture.bottom += 6;

  std::vector<RowOfSlots> rows = rows_of(chart, above ? picture.width - 24 : 0.36 * picture.width);
  double label_width = 0, value_width = 0;
  for (const RowOfSlots& row : rows) {
    for (const std::string& one : row.label) label_width = std::max(label_width, text_width(one));
    for (const Slot& slot : row.slots)
      value_width = std::max(value_width, text_width(value_text(slot.value(), chart.y.unit)));
  }
  const Range range = padded(range_of_y(chart), chart.y.logarithmic, has_bars(chart));
  const Ticks ticks(round_ticks(range, chart.y.logarithmic, above ? 5 : 7, chart.y.unit), chart.y.unit);
  const double first_tick = ticks.widths.empty() ? 0 : std::ceil(ticks.widths.front() / 2);
  const double left = above ? std::min(first_tick, 24.0) : label_width + 12;
  const Scale x{range, chart.y.logarithmic, left,
                picture.width - std::max(value_width + 10, ticks.widest() / 2)};

  const double bottom = place_rows(rows, chart, above, picture.bottom + 4);
  Spans spans{{.low = picture.bottom, .high = bottom}};
  if (above) {
    spans.clear();
    for (const RowOfSlots& row : rows) spans.push_back({.low = row.top, .high = row.bottom + 2});
  }
  draw_grid(picture, ticks, x, spans);
  draw_reference(picture, x, spans);
  for (const RowOfSlots& row : rows) {
    for (std::size_t i = 0; i < row.label.size(); ++i)
      picture.text(above ? left : label_width, row.label_top + line_height * static_cast<double>(i) + 11,
                   row.label[i], {.colour = "ink", .anchor = above ? "start" : "end"});
    for (const Slot& slot : row.slots) draw_slot(picture, slot, x);
  }
  if (has_bars(chart)) draw_across(picture, spans, x.at(0), "soft", 1);
  picture.bottom = spans.back().high + 21;
}

}  // namespace breakeven::svg
