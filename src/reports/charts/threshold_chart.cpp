#include "reports/charts/threshold_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/charts/parts.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// The axis of how far ahead the challenger is.
std::string_view lead_axis(Quantity in) {
  switch (in) {
    case Quantity::energy:
      return "times as economical";
    case Quantity::cost:
      return "times as cheap";
    case Quantity::time:
      break;
  }
  return "times as fast";
}

std::optional<ChartPoint> lead_at(const ThresholdPoint& point) {
  const auto ratio = point.ratio();
  if (!ratio) return std::nullopt;
  Estimate lead{.value = 1 / ratio->value};
  if (ratio->interval)
    lead.interval = Interval{.low = 1 / ratio->interval->high, .high = 1 / ratio->interval->low};
  return point_at(static_cast<double>(point.value), lead);
}

}  // namespace

std::string question_of(const ThresholdAnswer& answer) {
  const std::string work = work_title(answer.title);
  return answer.in == Quantity::time ? work : fmt::format("{}, by {}", work, name(answer.in));
}

Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer) {
  const std::string challenger = printable(name_of_side(threshold, 1));
  Chart chart{
      .name = slug_of(fmt::format("threshold {}{}", answer.title,
                                  answer.in == Quantity::time ? "" : fmt::format(" in {}", name(answer.in)))),
      .title = fmt::format("{}: how far {} is ahead of {}", question_of(answer), challenger,
                           printable(name_of_side(threshold, 0))),
      .kind = Chart::Kind::lines,
      .x = {.label = printable(threshold.parameter)},
      .y = {.label = std::string(lead_axis(answer.in)), .unit = ChartUnit::ratio},
      .categories = {},
      .series = {},
      .reference = 1};
  std::vector<ChartPoint> points;
  for (const ThresholdPoint& point : answer.points) {
    if (const auto shown = lead_at(point)) points.push_back(*shown);
  }
  if (points.empty()) return chart;
  std::stable_sort(points.begin(), points.end(),
                   [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  chart.series.push_back({.label = challenger, .points = std::move(points)});
  for (const LeadChange& change : answer.found.changes) {
    chart.marks.push_back({.x = static_cast<double>(change.from),
                           .low = static_cast<double>(change.earliest),
                           .high = static_cast<double>(change.latest),
                           .label = fmt::format("from {}", count_text(static_cast<double>(change.from)))});
  }
  choose_scales(chart);
  return chart;
}

}  // namespace breakeven
