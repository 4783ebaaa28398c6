#include "reports/charts/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/charts/labels.h"
#include "reports/charts/svg_parts.h"
#include "reports/text.h"

namespace breakeven {
namespace svg {
namespace {

bool is_usable(const Chart& chart, const ChartPoint& point) {
  if (!std::isfinite(point.x) || !std::isfinite(point.y)) return false;
  if (has_rows(chart))
    return point.x >= 0 && point.x < static_cast<double>(chart.categories.size()) &&
           point.x == std::floor(point.x);
  return !chart.x.logarithmic || point.x > 0;
}

/// Removes values that a logarithmic axis cannot show: drops points at 0, and ends intervals at the smallest
/// value above it.
void drop_what_no_axis_shows(Chart& chart, std::vector<std::string>& notes) {
  std::size_t dropped = 0;
  double least = INFINITY;
  for (ChartSeries& series : chart.series) {
    std::erase_if(series.points, [&](const ChartPoint& point) { return !is_usable(chart, point); });
    if (chart.y.logarithmic)
      dropped += std::erase_if(series.points, [](const ChartPoint& point) { return point.y <= 0; });
    for (const ChartPoint& point : series.points) least = std::min(least, point.y);
  }
  for (ChartSeries& series : chart.series) {
    for (ChartPoint& point : series.points) {
      if (chart.y.logarithmic && point.low && *point.low <= 0) point.low = std::min(least, point.y);
    }
  }
  if (chart.y.logarithmic && chart.reference && !(*chart.reference * (1 - chart.tolerance) > 0))
    chart.reference = {};
  if (chart.x.logarithmic)
    std::erase_if(chart.marks, [](const ChartMark& mark) { return !(mark.low.value_or(mark.x) > 0); });
  std::erase_if(chart.series, [](const ChartSeries& series) { return series.points.empty(); });
  if (dropped > 0)
    notes.push_back(fmt::format("{} of 0 {} not shown: the axis is logarithmic.",
                                dropped == 1 ? "A value" : fmt::format("{} values", dropped),
                                dropped == 1 ? "is" : "are"));
}

/// Keeps the series that are best at their last point.
void keep_best(Chart& chart, std::vector<std::string>& notes) {
  std::vector<ChartSeries>& all = chart.series;
  std::vector<double> last;
  const double sign = chart.less_is_better ? 1 : -1;
  for (const ChartSeries& series : all) {
    if (!series.is_limit) last.push_back(sign * series.points.back().y);
  }
  if (last.size() <= most_series) return;
  std::nth_element(last.begin(), last.begin() + most_series - 1, last.end());
  const double worst = last[most_series - 1];
  std::size_t kept = 0;
  std::erase_if(all, [&](const ChartSeries& series) {
    return !series.is_limit && (sign * series.points.back().y > worst || ++kept > most_series);
  });
  const std::size_t more = last.size() - most_series;
  notes.push_back(fmt::format("{} more {} left out.", more, more == 1 ? "is" : "are"));
}

/// Keeps as many samples of each strip as are distinguishable, evenly spread over their order, including the
/// smallest and the largest.
void thin_samples(Chart& chart, std::vector<std::string>& notes) {
  constexpr std::size_t most_samples = 200;
  if (chart.kind != Chart::Kind::distributions) return;
  std::size_t largest = 0;
  for (ChartSeries& series : chart.series) {
    std::map<double, std::vector<ChartPoint>> strips;
    for (const ChartPoint& point : series.points) strips[point.x].push_back(point);
    series.points.clear();
    for (auto& [category, samples] : strips) {
      largest = std::max(largest, samples.size());
      std::ranges::sort(samples, {}, &ChartPoint::y);
      const std::size_t count = std::min(samples.size(), most_samples);
      for (std::size_t i = 0; i < count; ++i)
        series.points.push_back(samples[count == 1 ? 0 : i * (samples.size() - 1) / (count - 1)]);
    }
  }
  if (largest > most_samples)
    notes.push_back(fmt::format("At most {} samples of each are drawn, of up to {}.", most_samples,
                                tick_text(static_cast<double>(largest), ChartUnit::number)));
}

/// Prepares the chart for drawing. Returns its notes, including what is left out.
std::vector<std::string> prepare(Chart& chart) {
  std::vector<std::string> notes;
  for (std::string* text : {&chart.title, &chart.x.label, &chart.y.label}) *text = printable(*text);
  for (std::string& category : chart.categories) category = printable(category);
  for (ChartSeries& series : chart.series) series.label = printable(series.label);
  for (ChartMark& mark : chart.marks) mark.label = printable(mark.label);
  drop_what_no_axis_shows(chart, notes);
  keep_best(chart, notes);
  thin_samples(chart, notes);
  if (!chart.note.empty()) notes.push_back(printable(chart.note));
  return notes;
}

/// Describes the picture for readers who cannot see it.
std::string description(const Chart& chart) {
  std::string made = chart.y.label;
  if (!has_rows(chart) && !chart.x.label.empty()) made += fmt::format(" by {}", chart.x.label);
  for (const ChartSeries& series : chart.series) {
    if (series.is_limit) continue;
    const auto written = [&](const ChartPoint& point) {
      return fmt::format("{} ({})", value_text(point.y, chart.y.unit), place_text(chart, point.x));
    };
    made += fmt::format("{}{}: {}", made.empty() ? "" : ". ", series.label, written(series.points.front()));
    if (series.points.size() > 1) made += fmt::format(" to {}", written(series.points.back()));
  }
  return made + ".";
}

}  // namespace
}  // namespace svg

std::string svg_text(const Chart& original, const SvgStyle& style) {
  using namespace svg;
  constexpr double margin = 12;  // for a file; a page has its own margin
  Chart chart = original;
  const std::vector<std::string> notes = prepare(chart);
  const double around = style.for_page ? 0 : margin;
  Picture picture(chart, style.width - 2 * around, style.for_page);
  if (!style.for_page) {
    picture.paragraph(chart.title, {.colour = "ink", .bold = true});
    picture.bottom += 6;
  }
  if (chart.series.empty()) {
    picture.paragraph("No values to show.");
  } else if (has_rows(chart)) {
    draw_rows(picture);
  } else {
    draw_lines(picture);
  }
  for (const std::string& note : notes) picture.paragraph(note);

  const double height = std::ceil(picture.bottom + 2 * around);
  const std::string ground = fmt::format(R"(<rect x="{0}" y="{0}" width="{1}" height="{2}" fill="#ffffff"/>)"
                                         "\n",
                                         -around, style.width, height);
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0} {0} {1} {2}" width="{1}" height="{2}" role="img" )"
      R"(aria-labelledby="{3}title {3}desc" font-family="system-ui, sans-serif" font-size="{4}">)"
      "\n<title id=\"{3}title\">{5}</title>\n<desc id=\"{3}desc\">{6}</desc>\n{7}{8}</svg>\n",
      around == 0 ? 0 : -around, style.width, height, xml_text(style.id_prefix), font_size,
      xml_text(chart.title), xml_text(description(chart)), style.for_page ? "" : ground, picture.svg);
}

}  // namespace breakeven
