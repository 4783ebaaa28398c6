#include "reports/charts/parts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace breakeven {
namespace {

bool spans(double low, double high, double factor) {
  return low > 0 && high / low >= factor;
}

}  // namespace

Unit unit_of(const std::vector<const CaseResult*>& all) {
  const auto any = [&](auto holds) { return std::any_of(all.begin(), all.end(), holds); };
  if (any([](const CaseResult* c) { return c->samples > 0; }))
    return {.label = "images per second",
            .of_run = [](const CaseResult& c) { return static_cast<double>(c.samples); }};
  if (any([](const CaseResult* c) { return c->flop > c->bytes; }))
    return {.label = "GFLOP/s", .of_run = [](const CaseResult& c) { return c.flop * 1e-9; }};
  if (any([](const CaseResult* c) { return c->bytes > 0; }))
    return {.label = "GB/s", .of_run = [](const CaseResult& c) { return c.bytes * 1e-9; }};
  return {.label = "runs per second", .of_run = [](const CaseResult&) { return 1.0; }};
}

std::optional<ChartPoint> point_at(double x, const Estimate& estimate) {
  if (!std::isfinite(estimate.value) || !(estimate.value > 0)) return std::nullopt;
  ChartPoint point{.x = x, .y = estimate.value};
  if (estimate.interval) {
    point.low = estimate.interval->low;
    point.high = estimate.interval->high;
  }
  return point;
}

std::optional<ChartPoint> rate_at(double x, const CaseResult& c, const Unit& unit) {
  const double amount = unit.of_run(c);
  Estimate rate{.value = amount / c.seconds->median};
  if (const auto interval = c.seconds->interval())
    rate.interval = Interval{.low = amount / interval->high, .high = amount / interval->low};
  return point_at(x, rate);
}

void choose_scales(Chart& chart) {
  constexpr std::size_t most_ticks = 16;
  std::set<double> values;
  double low_x = INFINITY, high_x = 0, low_y = INFINITY, high_y = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!series.is_limit) values.insert(point.x);
      low_x = std::min(low_x, point.x);
      high_x = std::max(high_x, point.x);
      low_y = std::min(low_y, point.low.value_or(point.y));
      high_y = std::max(high_y, point.high.value_or(point.y));
    }
  }
  const bool has_curves = chart.kind == Chart::Kind::lines || chart.kind == Chart::Kind::points;
  chart.x.logarithmic = has_curves && spans(low_x, high_x, 16);
  // Lengths are compared from 0.
  chart.y.logarithmic = chart.kind != Chart::Kind::bars && spans(low_y, high_y, 30);
  if (chart.kind == Chart::Kind::lines && values.size() <= most_ticks)
    chart.x.ticks.assign(values.begin(), values.end());
}

}  // namespace breakeven
