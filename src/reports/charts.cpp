#include "reports/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "reports/comparison.h"
#include "reports/families.h"
#include "reports/narrower_types.h"
#include "reports/text.h"
#include "reports/threshold_chart.h"
#include "statistics/estimate.h"
#include "verdicts/candidate.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

constexpr std::size_t most_bars = 24;

/// What a user compares.
struct Unit {
  const char* label;
  double (*of_run)(const CaseResult&);  // in the label's unit times seconds
};

/// Images a second where there are any, operations where they are more than the bytes in some of them, else
/// bytes.
template <typename Range>
Unit unit_of(const Range& all) {
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

/// As a rate: of the longest time the lowest. Nothing where it is no number.
std::optional<ChartPoint> rate_at(double x, const CaseResult& c, const Unit& unit) {
  const double amount = unit.of_run(c);
  ChartPoint point{.x = x, .y = amount / c.seconds->median};
  if (!std::isfinite(point.y) || !(point.y > 0)) return std::nullopt;
  if (const auto interval = c.seconds->interval()) {
    point.low = amount / interval->high;
    point.high = amount / interval->low;
  }
  return point;
}

bool spans(double low, double high, double factor) {
  return low > 0 && high / low >= factor;
}

// ---- one parameter that moves

/// Series by label, in the order of the results, their points by x.
class SeriesByLabel {
 public:
  void add(const std::string& label, const ChartPoint& point) {
    const auto [index, is_new] = index_.try_emplace(label, all_.size());
    if (is_new) all_.push_back({.label = label, .points = {}});
    all_[index->second].points.push_back(point);
  }
  std::vector<ChartSeries> take() {
    for (ChartSeries& series : all_) {
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    }
    return std::move(all_);
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<ChartSeries> all_;
};

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
    ChartPoint point{.x = x, .y = faster.value};
    if (faster.interval) {
      point.low = faster.interval->low;
      point.high = faster.interval->high;
    }
    series.add(timed->label, point);
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

// ---- ladders

/// Of each operation and device, how many times as fast as f32 the other dtypes are; empty where nothing was
/// measured in both.
Chart narrower_types_chart(const std::vector<Timed>& all) {
  Chart chart{.name = "narrower-types",
              .title = "Other types: how many times as fast as f32, mean and range over the problems",
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = "times as fast as f32"},
              .categories = {},
              .series = {}};
  const std::vector<OverF32> found = narrower_types(all);
  std::set<std::string> devices;
  for (const OverF32& one : found) devices.insert(one.device);
  SeriesByLabel series;
  for (const OverF32& one : found) {
    const std::string dtype = printable(one.dtype);
    auto at = std::find(chart.categories.begin(), chart.categories.end(), dtype);
    if (at == chart.categories.end()) at = chart.categories.insert(at, dtype);
    series.add(printable(devices.size() > 1 ? fmt::format("{} on {}", one.op, one.device) : one.op),
               {.x = static_cast<double>(at - chart.categories.begin()),
                .y = one.mean,
                .low = one.least,
                .high = one.most});
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

/// What can be turned on or off, and what else makes a rate higher.
constexpr std::array steps_of_optimisation{"tuned", "fused", "graph", "batch"};

/// The rung of a ladder that a case is on: "bf16 + tuned + fused, batch 64", of what varies in it.
std::string rung_of(const CaseResult& c, const std::set<std::string>& varying) {
  std::string text = printable(c.dtype);
  for (const char* name : steps_of_optimisation) {
    const Value* value = c.parameters.find(name);
    if (value == nullptr || !varying.contains(name)) continue;
    if (const bool* on = std::get_if<bool>(value)) {
      if (*on) text += fmt::format(" + {}", name);
    } else {
      text += fmt::format(", {} {}", name, printable(to_string(*value)));
    }
  }
  return text;
}

/// Cases that differ in those and in their dtype alone, and in one that is on or off.
struct Ladder {
  std::vector<const Timed*> members;
  std::map<std::string, std::set<Value>> values;  // by parameter

  std::set<std::string> varying() const {
    std::set<std::string> names;
    for (const auto& [name, seen] : values) {
      if (seen.size() > 1) names.insert(name);
    }
    return names;
  }
  bool is_one() const {
    return std::any_of(values.begin(), values.end(), [](const auto& of) {
      return of.second.size() > 1 && std::holds_alternative<bool>(*of.second.begin());
    });
  }
};

std::vector<Ladder> ladders_of(const std::vector<Timed>& all) {
  std::map<std::string, std::size_t> index;
  std::vector<Ladder> found;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c)) continue;
    Parameters rest = c.parameters;
    for (const char* name : steps_of_optimisation) {
      if (rest.find(name) != nullptr) rest.set(name, std::int64_t{0});
    }
    const auto [at, is_new] =
        index.try_emplace(fmt::format("{}|{}", c.op, rest_of(rest, "dtype", false)), found.size());
    if (is_new) found.emplace_back();
    Ladder& ladder = found[at->second];
    ladder.members.push_back(&timed);
    for (const char* name : steps_of_optimisation) {
      if (const Value* value = c.parameters.find(name)) ladder.values[name].insert(*value);
    }
  }
  std::erase_if(found, [](const Ladder& ladder) { return !ladder.is_one(); });
  return found;
}

/// What each step of optimisation buys, in the order of the results; without bars where there are too few or
/// too many of them.
Chart ladder_chart(const Ladder& ladder) {
  constexpr std::size_t fewest_rungs = 3;
  const CaseResult& first = *ladder.members.front()->result;
  std::vector<const CaseResult*> members(ladder.members.size());
  std::transform(ladder.members.begin(), ladder.members.end(), members.begin(),
                 [](const Timed* timed) { return timed->result; });
  const Unit unit = unit_of(members);
  const std::set<std::string> varying = ladder.varying();
  std::vector<std::string> what{first.op};
  if (const Value* network = first.parameters.find("network")) what.push_back(to_string(*network));
  Chart chart{.name = chart_slug(fmt::format("{} steps of optimisation", fmt::join(what, " "))),
              .title = fmt::format("Steps of optimisation: {}, {}",
                                   printable(fmt::format("{}", fmt::join(what, " "))), unit.label),
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = unit.label},
              .categories = {},
              .series = {}};
  SeriesByLabel series;
  for (const Timed* timed : ladder.members) {
    const std::string rung = rung_of(*timed->result, varying);
    auto at = std::find(chart.categories.begin(), chart.categories.end(), rung);
    if (at == chart.categories.end()) at = chart.categories.insert(at, rung);
    const auto point = rate_at(static_cast<double>(at - chart.categories.begin()), *timed->result, unit);
    if (point) series.add(timed->place, *point);
  }
  if (chart.categories.size() >= fewest_rungs && chart.categories.size() <= most_bars)
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

void choose_scales(Chart& chart) {
  double low_x = INFINITY, high_x = 0, low_y = INFINITY, high_y = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      low_x = std::min(low_x, point.x);
      high_x = std::max(high_x, point.x);
      low_y = std::min(low_y, point.low.value_or(point.y));
      high_y = std::max(high_y, point.high.value_or(point.y));
    }
  }
  chart.x.logarithmic = chart.kind != Chart::Kind::bars && spans(low_x, high_x, 16);
  chart.y.logarithmic = spans(low_y, high_y, 30);
}

std::string chart_slug(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!made.empty() && made.back() != '-') {
      made += '-';
    }
  }
  while (!made.empty() && made.back() == '-') made.pop_back();
  return made;
}

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
  for (const Ladder& ladder : ladders_of(all)) {
    made.push_back(ladder_chart(ladder));
    if (made.back().series.empty()) continue;
    for (const Timed* timed : ladder.members) on_ladders.insert(timed->result);
  }
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
