#include "reports/threshold_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/chart_parts.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// Of how far ahead the challenger is; the chart's axis.
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

std::string machine_text(const Threshold& t) {
  return printable(t.from_results ? fmt::format("{} and {}", t.sides[0].name, t.sides[1].name) : t.host.name);
}

std::string change_text(const LeadChange& change) {
  return change.earliest == change.latest
             ? fmt::format("from {} on", change.from)
             : fmt::format("from {} on ({} to {})", change.from, change.earliest, change.latest);
}

}  // namespace

std::string question_of(const ThresholdAnswer& answer) {
  return printable(answer.in == Quantity::time ? answer.title
                                               : fmt::format("{}: in {}", answer.title, name(answer.in)));
}

Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer) {
  const std::string ahead = fmt::format("{} over {}", name_of_side(threshold, 1), name_of_side(threshold, 0));
  Chart chart{.name = chart_slug(fmt::format("threshold {}", question_of(answer))),
              .title = fmt::format("Threshold: {}, {}", question_of(answer), machine_text(threshold)),
              .kind = Chart::Kind::lines,
              .x = {.label = printable(threshold.parameter)},
              .y = {.label = std::string(lead_axis(answer.in))},
              .categories = {},
              .series = {}};
  std::vector<ChartPoint> points;
  for (const ThresholdPoint& point : answer.points) {
    if (const auto shown = lead_at(point)) points.push_back(*shown);
  }
  if (points.empty()) return chart;
  std::stable_sort(points.begin(), points.end(),
                   [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; });
  const double least = std::min(low->y, 1.0);
  const double most = std::max(high->y, 1.0);
  chart.series.push_back({.label = printable(ahead), .points = points});
  chart.series.push_back({.label = "neither ahead",
                          .points = {{.x = points.front().x, .y = 1}, {.x = points.back().x, .y = 1}},
                          .is_limit = true});
  for (const LeadChange& change : answer.found.changes) {
    const auto at = static_cast<double>(change.from);
    chart.series.push_back({.label = change_text(change),
                            .points = {{.x = at, .y = least}, {.x = at, .y = most}},
                            .is_limit = true});
  }
  choose_scales(chart);
  return chart;
}

}  // namespace breakeven
