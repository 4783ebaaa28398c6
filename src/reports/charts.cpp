#include "reports/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/chart_parts.h"
#include "reports/comparison.h"
#include "reports/families.h"
#include "reports/ladder_charts.h"
#include "reports/text.h"
#include "reports/threshold_chart.h"
#include "statistics/estimate.h"
#include "verdicts/candidate.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

// ---- one parameter that moves

std::string title_of(const Family& family, std::string_view what) {
  return fmt::format("{}: {} by {}{}{}", printable(family.op), what, printable(family.parameter),
                     family.fixed.empty() ? "" : ", ", family.fixed);
}

std::string name_of(const Family& family) {
  return chart_slug(family.op + " " + family.parameter + " " + family.fixed);
}

Chart rate_chart(const Family& family) {
  std::vector<const CaseResult*> members;
  for (const auto& [x, timed] : family.members) members.push_back(timed->result);
  const Unit unit = unit_of(members);
  Chart chart{.name = name_of(family),
              .title = title_of(family, unit.label),
              .kind = Chart::Kind::lines,
              .x = {.label = printable(family.parameter)},
              .y = {.label = unit.label},
              .categories = {},
              .series = {}};
  SeriesByLabel series;
  for (const auto& [x, timed] : family.members) {
    if (const auto point = rate_at(x, *timed->result, unit)) series.add(timed->label, *point);
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

/// Against the fastest CPU backend of the same machine and dtype at each value; empty without other devices.
Chart speedup_chart(const Family& family) {
  Chart chart{.name = name_of(family) + "-speedup",
              .title = title_of(family, "speed-up over the fastest CPU backend"),
              .kind = Chart::Kind::lines,
              .x = {.label = printable(family.parameter)},
              .y = {.label = "times as fast"},
              .categories = {},
              .series = {}};
  std::map<std::string, const CaseResult*> fastest;  // by machine and case
  const auto key = [](const Timed& timed) { return timed.run->host.name + "\n" + timed.result->id; };
  for (const auto& [x, timed] : family.members) {
    if (timed->result->device != "cpu") continue;
    const CaseResult*& best = fastest[key(*timed)];
    if (best == nullptr || timed->result->seconds->median < best->seconds->median) best = timed->result;
  }
  SeriesByLabel series;
  std::set<double> values;
  for (const auto& [x, timed] : family.members) {
    const auto cpu = fastest.find(key(*timed));
    if (timed->result->device == "cpu" || cpu == fastest.end()) continue;
    const Estimate faster = ratio(cpu->second->seconds->estimate(), timed->result->seconds->estimate());
    const auto point = point_at(x, faster);
    if (!point) continue;
    series.add(timed->label, *point);
    values.insert(x);
  }
  chart.series = series.take();
  if (chart.series.empty()) return chart;
  chart.series.push_back({.label = "as fast as the CPU",
                          .points = {{.x = *values.begin(), .y = 1}, {.x = *values.rbegin(), .y = 1}},
                          .is_limit = true});
  choose_scales(chart);
  return chart;
}

Chart latency_chart(const Family& family) {
  Chart chart{.name = name_of(family) + "-latency",
              .title = title_of(family, "median latency, up to the 99th percentile,"),
              .kind = Chart::Kind::lines,
              .x = {.label = printable(family.parameter)},
              .y = {.label = "milliseconds"},
              .categories = {},
              .series = {}};
  SeriesByLabel series;
  for (const auto& [x, timed] : family.members) {
    const auto& latency = timed->result->latency;
    if (!latency || !(latency->p50 > 0) || !std::isfinite(latency->p99)) continue;
    series.add(timed->label,
               {.x = x, .y = 1e3 * latency->p50, .low = 1e3 * latency->p50, .high = 1e3 * latency->p99});
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

// ---- the rest

/// Of one operation, what is in no family: as many problems as people can read.
Chart bar_chart(const std::string& op, const std::vector<const CaseResult*>& all) {
  const Unit unit = unit_of(all);
  Chart chart{.name = chart_slug(op),
              .title = fmt::format("{}: {}", printable(op), unit.label),
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = unit.label},
              .categories = {},
              .series = {}};
  SeriesByLabel series;
  std::map<std::string, std::size_t> index;  // of problems
  for (const CaseResult* c : all) {
    const std::string problem = problem_title(*c);
    if (!index.contains(problem)) {
      if (chart.categories.size() == most_bars) continue;
      index[problem] = chart.categories.size();
      chart.categories.push_back(problem);
    }
    if (const auto point = rate_at(static_cast<double>(index[problem]), *c, unit))
      series.add(printable(c->backend), *point);
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

std::vector<Chart> bar_charts(const std::vector<Timed>& all, const std::vector<Family>& families,
                              std::set<const CaseResult*> shown) {
  for (const Family& family : families) {
    for (const auto& [x, timed] : family.members) shown.insert(timed->result);
  }
  std::vector<std::string> order;
  std::map<std::string, std::vector<const CaseResult*>> by_op;
  for (const Timed& timed : all) {
    if (shown.contains(timed.result)) continue;
    std::vector<const CaseResult*>& of_op = by_op[timed.result->op];
    if (of_op.empty()) order.push_back(timed.result->op);
    of_op.push_back(timed.result);
  }
  std::vector<Chart> made(order.size());
  std::transform(order.begin(), order.end(), made.begin(),
                 [&](const std::string& op) { return bar_chart(op, by_op[op]); });
  return made;
}

/// Of each device with ceilings: what was reached over the operations for each byte, under what it can do at
/// most.
std::vector<Chart> roofline_charts(const std::vector<Timed>& all, std::span<const Result> results) {
  constexpr double largest = 1e18;  // bytes: beyond any cache
  const CeilingsByDevice known = ceilings(results);
  struct Roof {
    Chart chart;
    SeriesByLabel series;
    const Ceilings* ceilings = nullptr;
    std::set<std::string> dtypes;
    double low = INFINITY, high = 0;  // operations for each byte
  };
  std::vector<std::string> order;
  std::map<std::string, Roof> by_device;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c) || !(c.flop > 0) || !(c.bytes > 0)) continue;
    const Ceilings* of_device = find_ceilings(known, *timed.run, c);
    if (of_device == nullptr || !of_device->flop_per_second(c.dtype) || !of_device->bytes_per_second(largest))
      continue;
    const std::string key = device_key(*timed.run, c);
    const auto [found, is_new] = by_device.try_emplace(key);
    Roof& roof = found->second;
    if (is_new) {
      order.push_back(key);
      roof.ceilings = of_device;
      roof.chart.kind = Chart::Kind::points;
      roof.chart.name = fmt::format("roofline-{}", order.size());
      roof.chart.title = fmt::format("Roofline of {}{}", printable(timed.run->host.name),
                                     c.device == "cpu" ? "" : ", " + printable(c.device));
      roof.chart.x.label = "operations for each byte";
      roof.chart.y.label = "GFLOP/s";
    }
    const double intensity = c.flop / c.bytes;
    const double rate = c.flop / c.seconds->median * 1e-9;
    if (!std::isfinite(intensity) || !std::isfinite(rate)) continue;
    roof.series.add(timed.label, {.x = intensity, .y = rate});
    roof.dtypes.insert(c.dtype);
    roof.low = std::min(roof.low, intensity);
    roof.high = std::max(roof.high, intensity);
  }
  std::vector<Chart> made;
  for (const std::string& key : order) {
    Roof& roof = by_device[key];
    roof.chart.series = roof.series.take();
    const double memory = *roof.ceilings->bytes_per_second(largest);
    for (const std::string& dtype : roof.dtypes) {
      const double peak = *roof.ceilings->flop_per_second(dtype);
      const double ridge = peak / memory;
      const double from = std::min(roof.low, ridge) / 2;
      const double to = std::max(roof.high, ridge) * 2;
      roof.chart.series.push_back({.label = fmt::format("ceiling, {}", printable(dtype)),
                                   .points = {{.x = from, .y = from * memory * 1e-9},
                                              {.x = ridge, .y = peak * 1e-9},
                                              {.x = to, .y = peak * 1e-9}},
                                   .is_limit = true});
    }
    choose_scales(roof.chart);
    made.push_back(std::move(roof.chart));
  }
  return made;
}

/// Of each training problem, over steps or over the seconds that they took.
std::vector<Chart> loss_charts(const std::vector<Timed>& all, bool by_seconds) {
  std::vector<Chart> made;
  std::map<std::string, std::size_t> index;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (!c.training || c.training->loss.size() < 2) continue;
    const auto [found, is_new] =
        index.try_emplace(c.op + "|" + rest_of(c.parameters, "dtype", false), made.size());
    if (is_new) {
      made.push_back({.name = chart_slug(fmt::format("{} {} loss {}", c.op, problem_title(c),
                                                     by_seconds ? "seconds" : "steps")),
                      .title = fmt::format("{} {}: loss by {}", printable(c.op), problem_title(c),
                                           by_seconds ? "time" : "steps"),
                      .kind = Chart::Kind::lines,
                      .x = {.label = by_seconds ? "seconds of training" : "steps"},
                      .y = {.label = "loss"},
                      .categories = {},
                      .series = {}});
    }
    ChartSeries series{.label = timed.label, .points = {}};
    const auto stride = static_cast<double>(std::max<std::int64_t>(1, c.training->loss_stride));
    for (std::size_t i = 0; i < c.training->loss.size(); ++i) {
      const double loss = c.training->loss[i];
      const double steps = (static_cast<double>(i) + 0.5) * stride;
      if (std::isfinite(loss))
        series.points.push_back({.x = by_seconds ? steps * c.seconds->median : steps, .y = loss});
    }
    made[found->second].series.push_back(std::move(series));
  }
  return made;
}

void make_names_unique(std::vector<Chart>& all) {
  std::set<std::string> taken;
  for (Chart& chart : all) {
    std::string name = chart.name.empty() ? "chart" : chart.name;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{}-{}", chart.name, number);
    chart.name = name;
  }
}

}  // namespace

std::vector<Chart> charts(std::span<const Result> results, std::span<const Threshold> thresholds) {
  const std::vector<Timed> all = timed_results(results);
  const std::vector<Family> families = families_of(all);
  std::vector<Chart> made;
  for (const Threshold& threshold : thresholds) {
    for (const ThresholdAnswer& answer : threshold.answers)
      made.push_back(threshold_chart(threshold, answer));
  }
  for (const Family& family : families) {
    made.push_back(rate_chart(family));
    made.push_back(speedup_chart(family));
    made.push_back(latency_chart(family));
  }
  made.push_back(narrower_types_chart(all));
  std::set<const CaseResult*> on_ladders;
  for (Chart& chart : ladder_charts(all, on_ladders)) made.push_back(std::move(chart));
  const auto append = [&](std::vector<Chart> more) {
    for (Chart& chart : more) made.push_back(std::move(chart));
  };
  append(bar_charts(all, families, std::move(on_ladders)));
  append(loss_charts(all, false));
  append(loss_charts(all, true));
  append(roofline_charts(all, results));
  std::erase_if(made, [](const Chart& chart) {
    return std::none_of(chart.series.begin(), chart.series.end(),
                        [](const ChartSeries& series) { return !series.is_limit && !series.points.empty(); });
  });
  make_names_unique(made);
  return made;
}

}  // namespace breakeven
