#include "reports/charts/result_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "reports/charts/ladder_charts.h"
#include "reports/charts/parts.h"
#include "reports/charts/threshold_chart.h"
#include "reports/document/descriptions.h"
#include "reports/document/families.h"
#include "reports/document/lower_precision.h"
#include "reports/document/names.h"
#include "reports/document/runs.h"
#include "reports/text.h"
#include "statistics/estimate.h"
#include "verdicts/candidate.h"
#include "verdicts/machines.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

using Members = std::vector<std::pair<double, const Timed*>>;

// ---- one parameter that moves

/// "Training the MLP, bf16": what the members have in common.
std::string work_text(const Family& family, const std::string& dtype) {
  std::string text = activity_of(*family.members.front().second->result);
  if (!family.fixed_without_network.empty()) text += ", " + family.fixed_without_network;
  return dtype.empty() ? text : fmt::format("{}, {}", text, printable(dtype));
}

std::string name_of(const Family& family, const std::string& dtype) {
  return slug_of(fmt::format("{} {} {} {}", family.op, family.parameter, family.fixed, dtype));
}

Chart curve_chart(const Family& family, const std::string& dtype, const std::string& suffix,
                  std::string_view what) {
  return {.name = name_of(family, dtype) + suffix,
          .title = fmt::format("{}: {} by {}", work_text(family, dtype), what, printable(family.parameter)),
          .kind = Chart::Kind::lines,
          .x = {.label = printable(family.parameter)},
          .y = {.label = std::string(what)},
          .categories = {},
          .series = {}};
}

/// The members of one dtype, and its name; all of them, without a name, where they are few enough for one
/// picture.
std::vector<std::pair<std::string, Members>> pictures_of(const Family& family) {
  constexpr std::size_t most_series = 6;
  std::set<std::string> labels;
  std::map<std::string, Members> by_dtype;
  for (const auto& member : family.members) {
    labels.insert(member.second->label);
    by_dtype[member.second->result->dtype].push_back(member);
  }
  if (labels.size() <= most_series || by_dtype.size() == 1) return {{"", family.members}};
  std::vector<std::pair<std::string, Members>> pictures(by_dtype.begin(), by_dtype.end());
  // f32 is what everybody knows: its picture comes first.
  std::stable_partition(pictures.begin(), pictures.end(), [](const auto& p) { return p.first == "f32"; });
  return pictures;
}

Unit unit_of(const Members& members) {
  std::vector<const CaseResult*> results;
  results.reserve(members.size());
  for (const auto& [x, timed] : members) results.push_back(timed->result);
  return unit_of(results);
}

Chart rate_chart(const Family& family, const std::string& dtype, const Members& members) {
  const Unit unit = unit_of(members);
  Chart chart = curve_chart(family, dtype, "", unit.label);
  SeriesByLabel series;
  for (const auto& [x, timed] : members) {
    if (const auto point = rate_at(x, *timed->result, unit))
      series.add(dtype.empty() ? timed->label : timed->backend, *point, timed->is_gpu());
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

/// Against the fastest CPU backend of the same dtype at each value; empty without other devices.
Chart speedup_chart(const Family& family) {
  Chart chart = curve_chart(family, "", "-speedup", "times as fast as the fastest CPU backend");
  chart.reference = 1;
  chart.y.unit = ChartUnit::ratio;
  std::map<std::string, const CaseResult*> fastest;  // by case
  for (const auto& [x, timed] : family.members) {
    if (!timed->is_gpu()) keep_faster(fastest[timed->result->id], *timed->result);
  }
  SeriesByLabel series;
  for (const auto& [x, timed] : family.members) {
    const auto cpu = fastest.find(timed->result->id);
    if (!timed->is_gpu() || cpu == fastest.end()) continue;
    const Estimate faster = ratio(cpu->second->seconds->estimate(), timed->result->seconds->estimate());
    if (const auto point = point_at(x, faster)) series.add(timed->label, *point, true);
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

Chart latency_chart(const Family& family) {
  Chart chart = curve_chart(family, "", "-latency", "median latency, up to the 99th percentile,");
  chart.y = {.label = "latency", .unit = ChartUnit::seconds};
  SeriesByLabel series;
  for (const auto& [x, timed] : family.members) {
    const auto& latency = timed->result->latency;
    if (!latency || !(latency->p50 > 0) || !std::isfinite(latency->p99)) continue;
    series.add(timed->label, {.x = x, .y = latency->p50, .low = latency->p50, .high = latency->p99},
               timed->is_gpu());
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

// ---- the rest

/// Problems of one operation that are in no family: as many as people can read.
Chart bar_chart(const std::string& op, const std::vector<const CaseResult*>& all) {
  const Unit unit = unit_of(all);
  Chart chart{.name = slug_of(op),
              .title = fmt::format("{}: {}", capitalised(plural_of(op)), unit.label),
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
      series.add(backend_title(c->backend), *point, c->device != "cpu");
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

/// For each device with ceilings: the rates reached, over the operations a byte, under its ceilings.
std::vector<Chart> roofline_charts(const std::vector<Timed>& all, const Runs& runs) {
  constexpr double largest = 1e18;  // bytes: beyond any cache
  const CeilingsByDevice known = ceilings(runs);
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
      roof.chart.title = c.device == "cpu" ? "Roofline" : "Roofline of the " + printable(c.device);
      roof.chart.x.label = "operations a byte";
      roof.chart.y.label = "GFLOP/s";
    }
    const double intensity = c.flop / c.bytes;
    const double rate = c.flop / c.seconds->median * 1e-9;
    if (!std::isfinite(intensity) || !std::isfinite(rate)) continue;
    roof.series.add(timed.label, {.x = intensity, .y = rate}, timed.is_gpu());
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

/// The loss of each training problem over steps, or over the seconds that they took, up to the last step that
/// all have.
std::vector<Chart> loss_charts(const std::vector<Timed>& all, bool by_seconds) {
  const auto steps_at = [](const CaseResult& c, std::size_t i) {
    return (static_cast<double>(i) + 0.5) *
           static_cast<double>(std::max<std::int64_t>(1, c.training->loss_stride));
  };
  std::map<std::string, std::vector<const Timed*>> problems;
  std::vector<std::string> order;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (!c.training || c.training->loss.size() < 2) continue;
    const std::string key = c.op + "|" + rest_of(c.parameters, "dtype", false);
    if (problems[key].empty()) order.push_back(key);
    problems[key].push_back(&timed);
  }
  std::vector<Chart> made;
  for (const std::string& key : order) {
    const std::vector<const Timed*>& members = problems[key];
    const CaseResult& first = *members.front()->result;
    double last_step = INFINITY;
    for (const Timed* timed : members)
      last_step = std::min(last_step, steps_at(*timed->result, timed->result->training->loss.size() - 1));
    Chart chart{.name = slug_of(fmt::format("{} {} loss {}", first.op, problem_title(first),
                                            by_seconds ? "seconds" : "steps")),
                .title = fmt::format("{}: loss by {}", problem_title(first), by_seconds ? "time" : "steps"),
                .kind = Chart::Kind::lines,
                .x = {.label = by_seconds ? "time of training" : "steps",
                      .unit = by_seconds ? ChartUnit::seconds : ChartUnit::number},
                .y = {.label = "loss"},
                .categories = {},
                .series = {}};
    for (const Timed* timed : members) {
      const CaseResult& c = *timed->result;
      ChartSeries series{.label = timed->label, .points = {}, .is_gpu = timed->is_gpu()};
      for (std::size_t i = 0; i < c.training->loss.size() && steps_at(c, i) <= last_step; ++i) {
        const double x = by_seconds ? steps_at(c, i) * c.seconds->median : steps_at(c, i);
        if (std::isfinite(c.training->loss[i])) series.points.push_back({.x = x, .y = c.training->loss[i]});
      }
      chart.series.push_back(std::move(series));
    }
    made.push_back(std::move(chart));
  }
  return made;
}

// ---- all of them

void make_names_unique(std::vector<Chart>& all) {
  std::set<std::string> taken;
  for (Chart& chart : all) {
    std::string name = chart.name.empty() ? "chart" : chart.name;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{}-{}", chart.name, number);
    chart.name = name;
  }
}

void drop_empty(std::vector<Chart>& all) {
  std::erase_if(all, [](const Chart& chart) {
    return std::none_of(chart.series.begin(), chart.series.end(),
                        [](const ChartSeries& series) { return !series.is_limit && !series.points.empty(); });
  });
}

void append(std::vector<Chart>& all, std::vector<Chart> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<Chart> machine_charts(const Runs& runs) {
  const std::vector<Timed> all = timed_results(runs);
  const std::vector<Family> families = families_of(all);
  std::vector<Chart> made;
  for (const Family& family : families) {
    const auto pictures = pictures_of(family);
    for (const auto& [dtype, members] : pictures) {
      made.push_back(rate_chart(family, dtype, members));
      if (pictures.size() == 1) made.back().name = name_of(family, "");
    }
    made.push_back(speedup_chart(family));
    made.push_back(latency_chart(family));
  }
  made.push_back(lower_precision_chart(all));
  std::set<const CaseResult*> on_ladders;
  append(made, ladder_charts(all, on_ladders));
  append(made, bar_charts(all, families, std::move(on_ladders)));
  append(made, loss_charts(all, false));
  append(made, loss_charts(all, true));
  append(made, roofline_charts(all, runs));
  drop_empty(made);
  make_names_unique(made);
  return made;
}

std::vector<Chart> across_machines_charts(const Runs& runs) {
  const std::vector<MachineRuns> machines = machines_of(runs);
  std::map<std::string, std::string> machine_names;  // by key
  for (const MachineRuns& machine : machines) machine_names[machine.key] = machine.name;
  const std::vector<Timed> all = timed_results(runs);
  std::vector<Chart> made;
  for (const Family& family : families_of(all)) {
    std::map<std::string, Members> by_dtype;
    for (const auto& member : family.members) by_dtype[member.second->result->dtype].push_back(member);
    for (const auto& [dtype, members] : by_dtype) {
      const Unit unit = unit_of(members);
      Chart chart = curve_chart(family, by_dtype.size() > 1 ? dtype : "", "", unit.label);
      chart.name = "machines-" + chart.name;
      std::map<std::pair<std::string, double>, const CaseResult*> best;  // by machine and value
      for (const auto& [x, timed] : members)
        keep_faster(best[{machine_key(timed->run->host), x}], *timed->result);
      SeriesByLabel series;
      for (const auto& [where, result] : best) {
        if (const auto point = rate_at(where.second, *result, unit))
          series.add(machine_names[where.first], *point, result->device != "cpu");
      }
      chart.series = series.take();
      choose_scales(chart);
      if (chart.series.size() > 1) made.push_back(std::move(chart));
    }
  }
  make_names_unique(made);
  return made;
}

std::vector<Chart> charts(std::span<const Result> results, std::span<const Threshold> thresholds) {
  std::vector<Chart> made;
  for (const Threshold& threshold : thresholds) {
    for (const ThresholdAnswer& answer : threshold.answers)
      made.push_back(threshold_chart(threshold, answer));
  }
  const std::vector<MachineRuns> machines = machines_of(runs_of(results));
  for (const MachineRuns& machine : machines) {
    std::vector<Chart> of_machine = machine_charts(machine.runs);
    if (machines.size() > 1) {
      for (Chart& chart : of_machine) {
        chart.name = slug_of(machine.name + " " + chart.name);
        chart.title = fmt::format("{} ({})", chart.title, machine.name);
      }
    }
    append(made, std::move(of_machine));
  }
  if (machines.size() > 1) append(made, across_machines_charts(runs_of(results)));
  drop_empty(made);
  make_names_unique(made);
  return made;
}

}  // namespace breakeven
