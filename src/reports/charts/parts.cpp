#include "reports/charts/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/charts/scales.h"

namespace breakeven {

Unit unit_of(const std::vector<const CaseResult*>& all) {
  const auto any = [&](auto holds) { return std::ranges::any_of(all, holds); };
  if (any([](const CaseResult* c) { return c->samples > 0; }))
    return {.label = "images per second",
            .of_run = [](const CaseResult& c) { return static_cast<double>(c.samples); }};
  if (any([](const CaseResult* c) { return c->flop > c->bytes; }))
    return {.label = "GFLOP/s", .of_run = [](const CaseResult& c) { return c.flop * 1e-9; }};
  if (any([](const CaseResult* c) { return c->bytes > 0; }))
    return {.label = "GB/s", .of_run = [](const CaseResult& c) { return c.bytes * 1e-9; }};
  return {.label = "runs per second", .of_run = [](const CaseResult&) { return 1.0; }};
}

Estimate amount_over(double amount, const Estimate& estimate) {
  Estimate made{.value = amount / estimate.value};
  if (estimate.interval)
    made.interval =
        Interval{.low = amount / estimate.interval->high, .high = amount / estimate.interval->low};
  return made;
}

std::optional<ChartPoint> point_at(double x, const std::optional<Estimate>& estimate) {
  if (!estimate || !std::isfinite(estimate->value) || !(estimate->value > 0)) return std::nullopt;
  ChartPoint point{.x = x, .y = estimate->value};
  if (estimate->interval) {
    point.low = estimate->interval->low;
    point.high = estimate->interval->high;
  }
  return point;
}

std::string left_out_text(std::size_t more, std::string_view one, std::string_view several) {
  if (more == 0) return "";
  return fmt::format("{} more {} left out.", more,
                     more == 1 ? fmt::format("{} is", one) : fmt::format("{} are", several));
}

double category(Chart& chart, const std::string& name) {
  auto at = std::ranges::find(chart.categories, name);
  if (at == chart.categories.end()) at = chart.categories.insert(at, name);
  return static_cast<double>(at - chart.categories.begin());
}

void add_point(Chart& chart, const std::string& label, const std::optional<ChartPoint>& point, bool is_gpu) {
  if (!point) return;
  auto at = std::ranges::find(chart.series, label, &ChartSeries::label);
  if (at == chart.series.end()) at = chart.series.insert(at, {.label = label, .is_gpu = is_gpu});
  at->points.push_back(*point);
}

Chart rate_chart(Chart chart, const std::vector<Rated>& rates) {
  std::vector<const CaseResult*> results;
  results.reserve(rates.size());
  for (const Rated& rate : rates) results.push_back(rate.result);
  const Unit unit = unit_of(results);
  chart.y.label = unit.label;
  for (const auto& [x, label, result] : rates) {
    const Estimate rate = amount_over(unit.of_run(*result), result->seconds->estimate());
    add_point(chart, label, point_at(x, rate), result->device != "cpu");
  }
  return finished(std::move(chart));
}

Chart finished(Chart chart) {
  constexpr std::size_t most_ticks = 16;
  std::set<double> values;
  svg::Range x, y;
  for (ChartSeries& series : chart.series) {
    std::ranges::stable_sort(series.points, {}, &ChartPoint::x);
    for (const ChartPoint& point : series.points) {
      if (!series.is_limit) values.insert(point.x);
      x.cover(point.x);
      y.cover(point.low.value_or(point.y));
      y.cover(point.high.value_or(point.y));
    }
  }
  const bool has_curves = chart.kind == Chart::Kind::lines || chart.kind == Chart::Kind::points;
  chart.x.logarithmic = has_curves && x.spans(16);
  // Bars start at 0, which a logarithmic axis does not have.
  chart.y.logarithmic = chart.kind != Chart::Kind::bars && y.spans(30);
  if (chart.kind == Chart::Kind::lines && values.size() <= most_ticks)
    chart.x.ticks.assign(values.begin(), values.end());
  return chart;
}

}  // namespace breakeven
