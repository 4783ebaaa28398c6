// A row for each category: bars, points with intervals, or all samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/charts/labels.h"
#include "reports/charts/svg_parts.h"

namespace breakeven::svg {
namespace {

constexpr double between_rows = 12;

/// One series in one category: several points if they are samples.
struct Slot {
  std::size_t series = 0;
  std::vector<ChartPoint> points = {};
  double middle = 0;  // in pixels
};

struct RowOfSlots {
  std::vector<std::string> label;  // lines
  std::vector<Slot> slots;
  double label_top = 0, top = 0, bottom = 0;
};

/// True if values are drawn as bars, which needs a linear axis: only there do lengths have a meaning.
bool has_bars(const Chart& chart) {
  return chart.kind == Chart::Kind::bars && !chart.y.logarithmic;
}

double slot_height(const Chart& chart, std::size_t slots) {
  if (chart.kind == Chart::Kind::distributions) return 30;
  return slots == 1 ? 18 : 15;
}

std::vector<RowOfSlots> rows_of(const Chart& chart) {
  std::vector<RowOfSlots> rows(chart.categories.size());
  for (std::size_t series = 0; series < chart.series.size(); ++series) {
    for (const ChartPoint& point : chart.series[series].points) {
      std::vector<Slot>& slots = rows.at(static_cast<std::size_t>(point.x)).slots;
      if (slots.empty() || slots.back().series != series) slots.push_back({.series = series});
      slots.back().points.push_back(point);
    }
  }
  return rows;
}

/// The median of a slot's samples, or its single measured value.
double middle_of(const Slot& slot) {
  std::vector<double> values;
  for (const ChartPoint& point : slot.points) values.push_back(point.y);
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Labels beside the rows on wide paper, above them on narrow. Returns where the last row ends.
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

/// Draws the samples. Those that would hide one another stand above and below the middle, in their order.
std::string dots(const Slot& slot, const Scale& x, const Look& look) {
  constexpr double radius = 1.7, step_height = 2.6;
  std::vector<int> taken;  // in each column of a dot's width
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
                     look.colour, path);
}

std::string strip_text(const Chart& chart, const Slot& slot) {
  return fmt::format("{}, {}: median {}, {} samples", chart.series[slot.series].label,
                     place_text(chart, slot.points.front().x), value_text(middle_of(slot), chart.y.unit),
                     slot.points.size());
}

std::string draw_slot(const Chart& chart, const Paper& paper, const Slot& slot, const Scale& x,
                      const Look& look) {
  const ChartPoint& point = slot.points.front();
  const double at = x.at(middle_of(slot));
  if (chart.series[slot.series].is_limit)
    return line(at, slot.middle - 8, at, slot.middle + 8, look.colour, 2);
  if (chart.kind == Chart::Kind::distributions) {
    return fmt::format("<g>{}{}{}</g>\n", tooltip(strip_text(chart, slot)), dots(slot, x, look),
                       line(at, slot.middle - 13, at, slot.middle + 13, paper.colour("ink"), 2));
  }
  const std::string tip = point_text(chart, chart.series[slot.series], point);
  std::string made;
  if (has_bars(chart)) {
    const double height = slot_height(chart, 2) - 3;
    made += fmt::format(
        R"(<g class="bar">{}<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="0.75"/></g>)"
        "\n",
        tooltip(tip), std::min(x.at(0), at), slot.middle - height / 2, std::abs(at - x.at(0)), height,
        look.colour);
  }
  if (has_interval(point))
    made += interval_bar(x.at(*point.low), x.at(*point.high), slot.middle, true,
                         has_bars(chart) ? paper.colour("ink") : look.colour);
  return has_bars(chart) ? made : made + marker(at, slot.middle, look, marker_radius + 0.5, tip);
}

/// The heights over which the axis is drawn: all of it, or only the rows if their labels stand between them.
using Spans = std::vector<Range>;

std::string across(const Spans& spans, double x, const std::string& colour, double width,
                   std::string_view dash = {}) {
  std::string made;
  for (const Range& span : spans) made += line(x, span.low, x, span.high, colour, width, dash);
  return made;
}

/// Draws the reference value as a line, with the zone around it that does not matter.
std::string reference_marks(const Chart& chart, const Paper& paper, const Scale& x, const Spans& spans) {
  if (!chart.reference) return {};
  std::string made;
  const double low = x.at(*chart.reference * (1 - chart.tolerance));
  const double high = x.at(*chart.reference * (1 + chart.tolerance));
  for (const Range& span : spans) {
    if (chart.tolerance > 0)
      made += fmt::format(
          R"(<rect class="tolerance" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="0.16"/>)"
          "\n",
          std::min(low, high), span.low, std::abs(high - low), span.high - span.low, paper.colour("soft"));
  }
  return made + across(spans, x.at(*chart.reference), paper.colour("soft"), 1.25, "4 3");
}

std::string grid(const std::vector<double>& ticks, const std::vector<std::string>& texts, const Paper& paper,
                 const Scale& x, const Spans& spans) {
  std::vector<double> positions, widths;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    positions.push_back(x.at(ticks[i]));
    widths.push_back(text_width(texts[i]));
  }
  std::string made;
  for (const std::size_t i : without_overlap(positions, widths, 10)) {
    made += across(spans, positions[i], paper.colour("line"), 1);
    made += text(positions[i], spans.back().high + 15, texts[i],
                 {.colour = paper.colour("soft"), .anchor = Anchor::middle});
  }
  return made;
}

double right_end(const Slot& slot, const Scale& x) {
  double end = 0;
  for (const ChartPoint& point : slot.points)
    end = std::max(end, x.at(std::max(point.y, point.high.value_or(point.y))));
  return end;
}

/// The label of each category, beside the rows or above each: in two lines, such that different labels stay
/// different.
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
  return in_lines(shortened(chart.categories, 1.6 * width));  // two lines hold that nearly always
}

}  // namespace

Part rows_part(const Chart& chart, const Paper& paper, double top) {
  const std::vector<Look> looks = looks_of(chart, paper);
  const bool above = !paper.is_wide();
  Part made{.svg = {}, .bottom = top};
  if (chart.series.size() > 1) made = legend(chart, looks, paper, top);
  if (!chart.y.label.empty()) {
    made.bottom += line_height;
    made.svg += text(0, made.bottom - 3, shortened({chart.y.label}, paper.width).front(),
                     {.colour = paper.colour("soft")});
  }
  made.bottom += 6;

  std::vector<RowOfSlots> rows = rows_of(chart);
  const auto labels = category_labels(chart, above ? paper.width - 24 : 0.36 * paper.width);
  double label_width = 0, value_width = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].label = labels[i];
    for (const std::string& one : labels[i]) label_width = std::max(label_width, text_width(one));
    for (const Slot& slot : rows[i].slots)
      value_width = std::max(value_width, text_width(value_text(middle_of(slot), chart.y.unit)));
  }
  const Range range = padded(range_of_y(chart), chart.y.logarithmic, has_bars(chart));
  const std::vector<double> ticks =
      chart.y.ticks.empty() ? round_ticks(range, chart.y.logarithmic, above ? 5 : 7) : chart.y.ticks;
  const std::vector<std::string> texts = tick_texts(ticks, chart.y.unit);
  double half_tick = 0;
  for (const std::string& one : texts) half_tick = std::max(half_tick, text_width(one) / 2);
  const double first_tick = texts.empty() ? 0 : std::ceil(text_width(texts.front()) / 2);
  const double left = above ? std::min(first_tick, 24.0) : label_width + 12;
  const Scale x(range, chart.y.logarithmic, left, paper.width - std::max(value_width + 10, half_tick));

  const double bottom = place_rows(rows, chart, above, made.bottom + 4);
  Spans spans{{.low = made.bottom, .high = bottom}};
  if (above) {
    spans.clear();
    for (const RowOfSlots& row : rows) spans.push_back({.low = row.top, .high = row.bottom + 2});
  }
  made.svg += grid(ticks, texts, paper, x, spans) + reference_marks(chart, paper, x, spans);
  for (const RowOfSlots& row : rows) {
    for (std::size_t i = 0; i < row.label.size(); ++i)
      made.svg +=
          text(above ? left : label_width, row.label_top + line_height * static_cast<double>(i) + 11,
               row.label[i], {.colour = paper.colour("ink"), .anchor = above ? Anchor::start : Anchor::end});
    for (const Slot& slot : row.slots) {
      made.svg += draw_slot(chart, paper, slot, x, looks[slot.series]);
      if (!chart.series[slot.series].is_limit)
        made.svg += text(right_end(slot, x) + 8, slot.middle + 4, value_text(middle_of(slot), chart.y.unit),
                         {.colour = paper.colour("soft")});
    }
  }
  if (has_bars(chart)) made.svg += across(spans, x.at(0), paper.colour("soft"), 1);
  return {.svg = made.svg, .bottom = spans.back().high + 21};
}

}  // namespace breakeven::svg
