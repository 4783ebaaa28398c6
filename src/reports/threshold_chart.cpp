#include "reports/threshold_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/chart_parts.h"
#include "reports/text.h"
#include "statistics/mean.h"

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

/// Two launches have an interval that says nothing.
constexpr std::size_t fewest_for_interval = 3;

std::optional<ChartPoint> lead_at(const ThresholdPoint& point) {
  if (point.log_ratios.empty()) return std::nullopt;
  Estimate lead{.value = std::exp(-mean(point.log_ratios))};
  if (point.log_ratios.size() >= fewest_for_interval) {
    const Interval interval = trimmed_mean_interval(point.log_ratios, 0, 0.025);
    lead.interval = Interval{.low = std::exp(-interval.high), .high = std::exp(-interval.low)};
  }
  return point_at(static_cast<double>(point.value), lead);
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
              .title = fmt::format("Threshold: {}, {}", question_of(answer), printable(threshold.host.name)),
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
