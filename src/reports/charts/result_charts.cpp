#include "reports/charts/result_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "reports/charts/parts.h"
#include "reports/document/document.h"
#include "reports/document/families.h"
#include "reports/document/frameworks.h"
#include "reports/document/ladders.h"
#include "reports/document/names.h"
#include "reports/document/runs.h"
#include "reports/text.h"
#include "reports/words/threshold_words.h"
#include "verdicts/roofline.h"
#include "verdicts/scaling.h"

namespace breakeven {
namespace {

using Members = decltype(Family::members);

/// True if the chart has this category, or can have one more.
bool is_readable_with(const Chart& chart, const std::string& category) {
  const auto& known = chart.categories;
  return known.size() < most_bars || std::ranges::find(known, category) != known.end();
}

/// The axis for the values of a parameter.
ChartAxis parameter_axis(const std::string& parameter) {
  return {.label = printable(parameter), .unit = parameter == "bytes" ? ChartUnit::bytes : ChartUnit::number};
}

// ---- one varying parameter

/// "Training the MLP, bf16: GFLOP/s by batch": what the members have in common, and what is shown.
std::string curve_title(const Family& family, const std::string& dtype, std::string_view what) {
  std::string work = family.work();
  if (!dtype.empty()) work += ", " + printable(dtype);
  return fmt::format("{}: {} by {}", work, what, printable(family.parameter));
}

std::string name_of(const Family& family, const std::string& dtype) {
  std::string fixed;
  for (const auto& [name, value] : family.fixed) fixed += fmt::format("{} {} ", name, value);
  return slug_of(fmt::format("{} {} {}{}", family.op, family.parameter, fixed, dtype));
}

/// Makes a chart of a family, without points.
Chart family_chart(const Family& family, const std::string& suffix, std::string_view what, ChartAxis y) {
  return {.name = name_of(family, "") + suffix,
          .title = curve_title(family, "", what),
          .x = parameter_axis(family.parameter),
          .y = std::move(y)};
}

/// A chart of the rates of one family, or of one dtype in it.
Chart curve_chart(const Family& family, const std::string& dtype, const std::vector<Rated>& rates) {
  Chart chart =
      rate_chart({.name = name_of(family, dtype), .title = {}, .x = parameter_axis(family.parameter)}, rates);
  chart.title = curve_title(family, dtype, chart.y.label);
  return chart;
}

/// The members of each dtype. With only one dtype, or if `few` says that all fit into one picture, all
/// members under an empty name.
std::map<std::string, Members> by_dtype(const Family& family, bool few) {
  std::map<std::string, Members> found;
  for (const auto& member : family.members) found[member.second->result->dtype].push_back(member);
  return few || found.size() == 1 ? std::map<std::string, Members>{{"", family.members}} : found;
}

void add_rate_charts(std::vector<Chart>& made, const Family& family) {
  constexpr std::size_t most_series = 6;
  std::set<std::string> labels;
  for (const auto& [x, timed] : family.members) labels.insert(timed->label);
  const auto first = std::ssize(made);
  for (const auto& [dtype, members] : by_dtype(family, labels.size() <= most_series)) {
    std::vector<Rated> rates;
    for (const auto& [x, timed] : members)
      rates.push_back(
          {.x = x, .label = dtype.empty() ? timed->label : timed->backend, .result = timed->result});
    // f32 is the most familiar dtype, so its picture comes first.
    made.insert(dtype == "f32" ? made.begin() + first : made.end(), curve_chart(family, dtype, rates));
  }
}

/// The speed relative to the fastest CPU backend of the same dtype at each value; empty if there is no other
/// device.
Chart speedup_chart(const Family& family) {
  constexpr const char* what = "times as fast as the fastest CPU backend";
  Chart chart = family_chart(family, "-speedup", what, {.label = what, .unit = ChartUnit::ratio});
  chart.about = {Focus::gpu};
  chart.reference = 1;
  std::map<std::string, const CaseResult*> fastest;  // by case
  for (const auto& [x, timed] : family.members) {
    if (!timed->is_gpu()) keep_faster(fastest[timed->result->id], *timed->result);
  }
  for (const auto& [x, timed] : family.members) {
    const auto cpu = fastest.find(timed->result->id);
    if (!timed->is_gpu() || cpu == fastest.end()) continue;
    const Estimate faster = ratio(cpu->second->seconds->estimate(), timed->result->seconds->estimate());
    add_point(chart, timed->label, point_at(x, faster), true);
  }
  return finished(std::move(chart));
}

Chart latency_chart(const Family& family) {
  Chart chart = family_chart(family, "-latency", "median latency, up to the 99th percentile,",
                             {.label = "latency", .unit = ChartUnit::seconds});
  chart.about = {Focus::latency};
  chart.is_aside = true;
  chart.less_is_better = true;
  for (const auto& [x, timed] : family.members) {
    const auto& latency = timed->result->latency;
    if (!latency || !(latency->p50 > 0) || !std::isfinite(latency->p99)) continue;
    const ChartPoint point{.x = x, .y = latency->p50, .low = latency->p50, .high = latency->p99};
    add_point(chart, timed->label, point, timed->is_gpu());
  }
  return finished(std::move(chart));
}

// ---- lower precision and steps of optimisation

/// The speed of the other dtypes relative to f32, by operation and device; empty if no problem was measured
/// in both.
Chart lower_precision_chart(const std::vector<Timed>& all) {
  Chart chart{.name = "lower-precision",
              .title = "How many times as fast as f32: mean and range over the problems",
              .about = {Focus::precision},
              .kind = Chart::Kind::bars,
              .y = {.label = "times as fast as f32", .unit = ChartUnit::ratio},
              .reference = 1};
  for (const OverValue& one : over_f32(all)) {
    const bool is_gpu = one.device != "cpu";
    const double x = category(chart, printable(one.value));
    add_point(chart, capitalised(plural_of(one.op)) + (is_gpu ? " on the GPU" : ""),
              ChartPoint{.x = x, .y = one.mean, .low = one.least, .high = one.most}, is_gpu);
  }
  return finished(std::move(chart));
}

/// The mean time of each framework divided by the fastest library's, and the range over the problems, by
/// device; empty if no problem was measured with both.
Chart frameworks_chart(const std::vector<Timed>& all) {
  Chart chart = ratio_chart("frameworks", "Time over the fastest library's: mean and range over the problems",
                            Chart::Kind::bars, "times as long as the fastest library");
  chart.about = {Focus::frameworks, Focus::gpu_libraries};
  chart.less_is_better = true;
  for (const auto& [device, problems] : framework_problems(all)) {
    const bool is_gpu = device != "cpu";
    for (const FrameworkCost& cost : framework_costs(problems))
      add_point(chart, is_gpu ? "on the GPU" : "on the CPU",
                ChartPoint{.x = category(chart, backend_title(cost.backend)),
                           .y = cost.mean.value,
                           .low = cost.least,
                           .high = cost.most},
                is_gpu);
  }
  return finished(std::move(chart));
}

/// The time with operands read from memory in each run, divided by that with the same operands in each run,
/// by operation and device; empty if no problem was measured with both.
Chart operands_chart(const std::vector<Timed>& all) {
  Chart chart =
      ratio_chart("operands", "Time with operands read from memory: mean and range over the problems",
                  Chart::Kind::bars, "times as long as with the same operands in each run");
  chart.about = {Focus::operands};
  chart.less_is_better = true;
  for (const OverValue& one : over_value(all, "operands", "reused")) {
    const bool is_gpu = one.device != "cpu";
    add_point(chart, is_gpu ? "on the GPU" : "on the CPU",
              ChartPoint{.x = category(chart, capitalised(plural_of(one.op))),
                         .y = 1 / one.mean,
                         .low = 1 / one.most,
                         .high = 1 / one.least},
              is_gpu);
  }
  return finished(std::move(chart));
}

/// The rate of each step of a ladder, by backend.
Chart ladder_chart(const Ladder& ladder) {
  Chart chart{.name = slug_of(ladder.name + " steps of optimisation"),
              .title = fmt::format("{}, by steps of optimisation: {}", ladder.work, ladder.unit),
              .about = {Focus::graphs, Focus::steps},
              .kind = Chart::Kind::bars,
              .y = {.label = ladder.unit},
              .categories = ladder.steps};
  for (const auto& [backend, rungs] : ladder.backends) {
    for (const Rung& rung : rungs)
      add_point(chart, backend, point_at(static_cast<double>(rung.step), rung.rate), rung.timed->is_gpu());
  }
  return finished(std::move(chart));
}

// ---- several ranks

/// The title of the work of ranks: "mlp, batch 128, f32, by 2 ranks", or with that batch on each of them.
std::string work_of_ranks(const Scaling& scaling) {
  const Value* overlap = scaling.many->parameters.find("overlap");
  return fmt::format("{}, {} {} ranks{}", problem_title(*scaling.one), scaling.is_weak ? "each of" : "by",
                     scaling.ranks, overlap != nullptr && *overlap == Value(false) ? ", not overlapped" : "");
}

/// The images per second on several ranks over those of as many perfect ones.
Chart efficiency_chart(const Runs& runs) {
  Chart chart{.name = "ranks",
              .title = "Several ranks: images per second over ideal",
              .about = {Focus::scaling},
              .kind = Chart::Kind::intervals,
              .y = {.label = "of ideal", .unit = ChartUnit::ratio},
              .reference = 1};
  std::set<std::string> left_out;
  for (const Result* run : runs) {
    for (const Scaling& one : scalings_of(*run)) {
      const std::string work = work_of_ranks(one);
      if (!is_readable_with(chart, work))
        left_out.insert(work);
      else
        add_point(chart, backend_title(one.many->backend), point_at(category(chart, work), one.efficiency),
                  one.many->device != "cpu");
    }
  }
  chart.note = left_out_text(left_out.size(), "problem", "problems");
  return finished(std::move(chart));
}

// ---- the rest

/// Bars for problems that are in no other chart, by operation: as many as are readable.
std::vector<Chart> bar_charts(const std::vector<Timed>& all, const std::set<const CaseResult*>& shown) {
  std::vector<Chart> made;
  for (const Group& of_op :
       groups_of(all, [&](const Timed& t) { return shown.contains(t.result) ? "" : t.result->op; })) {
    const std::string& op = of_op.front()->result->op;
    Chart chart{.name = slug_of(op), .title = {}, .kind = Chart::Kind::bars};
    std::vector<Rated> rates;
    std::set<std::string> left_out;
    for (const Timed* timed : of_op) {
      const std::string problem = problem_title(*timed->result);
      if (!is_readable_with(chart, problem))
        left_out.insert(problem);
      else
        rates.push_back({.x = category(chart, problem), .label = timed->backend, .result = timed->result});
    }
    chart.note = left_out_text(left_out.size(), "problem", "problems");
    made.push_back(rate_chart(std::move(chart), rates));
    made.back().title = fmt::format("{}: {}", capitalised(plural_of(op)), made.back().y.label);
  }
  return made;
}

/// A roofline for each device with ceilings: the measured rates by operations per byte, under the ceilings.
std::vector<Chart> roofline_charts(const Measurements& measured) {
  constexpr double largest = 1e18;  // bytes, beyond any cache
  const auto device_with_ceilings = [&](const Timed& timed) -> std::string {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c) || !(c.flop > 0) || !(c.bytes > 0)) return "";
    const Ceilings& roof = measured.ceilings[timed.device];
    return roof.flop_per_second(c.dtype) && roof.bytes_per_second(largest) ? std::to_string(timed.device)
                                                                           : "";
  };
  std::vector<Chart> made;
  for (const Group& of_device : groups_of(measured.timed, device_with_ceilings)) {
    const CaseResult& first = *of_device.front()->result;
    const Ceilings& roof = measured.ceilings[of_device.front()->device];
    Chart chart{.name = fmt::format("roofline-{}", made.size() + 1),
                .title = first.device == "cpu" ? "Roofline" : "Roofline of the " + printable(first.device),
                .kind = Chart::Kind::points,
                .x = {.label = "operations a byte"},
                .y = {.label = "GFLOP/s"}};
    std::set<std::string> dtypes;
    double low = INFINITY, high = 0;  // operations per byte
    for (const Timed* timed : of_device) {
      const CaseResult& c = *timed->result;
      const double intensity = c.flop / c.bytes;
      const double rate = c.flop / c.seconds->median * 1e-9;
      if (!std::isfinite(intensity) || !std::isfinite(rate)) continue;
      add_point(chart, timed->label, ChartPoint{.x = intensity, .y = rate}, timed->is_gpu());
      dtypes.insert(c.dtype);
      low = std::min(low, intensity);
      high = std::max(high, intensity);
    }
    const double memory = *roof.bytes_per_second(largest);
    for (const std::string& dtype : dtypes) {
      const double peak = *roof.flop_per_second(dtype);
      const double ridge = peak / memory;
      const double from = std::min(low, ridge) / 2;
      chart.series.push_back({.label = fmt::format("ceiling, {}", printable(dtype)),
                              .points = {{.x = from, .y = from * memory * 1e-9},
                                         {.x = ridge, .y = peak * 1e-9},
                                         {.x = std::max(high, ridge) * 2, .y = peak * 1e-9}},
                              .is_limit = true});
    }
    made.push_back(finished(std::move(chart)));
  }
  return made;
}

/// The loss of each training problem over steps, or over the seconds that they took, up to the last step that
/// all backends have.
std::vector<Chart> loss_charts(const std::vector<Timed>& all, bool by_seconds) {
  const auto steps_at = [](const CaseResult& c, std::size_t i) {
    return (static_cast<double>(i) + 0.5) *
           static_cast<double>(std::max<std::int64_t>(1, c.training->loss_stride));
  };
  const auto problem = [](const Timed& timed) {
    const CaseResult& c = *timed.result;
    return c.training && c.training->loss.size() > 1 ? c.op + "|" + rest_of(c.parameters, "dtype", false)
                                                     : "";
  };
  std::vector<Chart> made;
  for (const Group& members : groups_of(all, problem)) {
    const CaseResult& first = *members.front()->result;
    double last_step = INFINITY;
    for (const Timed* timed : members)
      last_step = std::min(last_step, steps_at(*timed->result, timed->result->training->loss.size() - 1));
    const std::string title = problem_title(first);
    Chart& chart = made.emplace_back();
    chart.name = slug_of(fmt::format("{} {} loss {}", first.op, title, by_seconds ? "seconds" : "steps"));
    chart.title = fmt::format("{}: loss by {}", title, by_seconds ? "time" : "steps");
    chart.x = by_seconds ? ChartAxis{.label = "time of training", .unit = ChartUnit::seconds}
                         : ChartAxis{.label = "steps"};
    chart.y.label = "loss";
    chart.is_aside = true;
    chart.less_is_better = true;
    for (const Timed* timed : members) {
      const CaseResult& c = *timed->result;
      ChartSeries& series =
          chart.series.emplace_back(ChartSeries{.label = timed->label, .is_gpu = timed->is_gpu()});
      for (std::size_t i = 0; i < c.training->loss.size() && steps_at(c, i) <= last_step; ++i) {
        const double x = by_seconds ? steps_at(c, i) * c.seconds->median : steps_at(c, i);
        if (std::isfinite(c.training->loss[i])) series.points.push_back({.x = x, .y = c.training->loss[i]});
      }
    }
  }
  return made;
}

// ---- all of them

/// Removes charts without measurements, and makes the names unique.
std::vector<Chart> usable(std::vector<Chart> all) {
  const auto is_measured = [](const ChartSeries& series) {
    return !series.is_limit && !series.points.empty();
  };
  std::erase_if(all, [&](const Chart& chart) { return std::ranges::none_of(chart.series, is_measured); });
  UniqueNames names("{}-{}");
  for (Chart& chart : all) chart.name = names.take(chart.name.empty() ? "chart" : chart.name).text;
  return all;
}

void append(std::vector<Chart>& all, std::vector<Chart> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

}  // namespace

std::vector<Chart> machine_charts(const Measurements& measured) {
  const std::vector<Timed>& all = measured.timed;
  std::vector<Chart> made;
  std::set<const CaseResult*> shown;
  for (const Family& family : measured.families) {
    for (const auto& [x, timed] : family.members) shown.insert(timed->result);
    add_rate_charts(made, family);
    made.push_back(speedup_chart(family));
    made.push_back(latency_chart(family));
  }
  made.push_back(lower_precision_chart(all));
  for (const Ladder& ladder : ladders_of(all)) {
    made.push_back(ladder_chart(ladder));
    for (const auto& [backend, rungs] : ladder.backends) {
      for (const Rung& rung : rungs) shown.insert(rung.timed->result);
    }
  }
  made.push_back(efficiency_chart(measured.runs));
  append(made, bar_charts(all, shown));
  made.push_back(frameworks_chart(all));
  made.push_back(operands_chart(all));
  append(made, loss_charts(all, false));
  append(made, loss_charts(all, true));
  append(made, roofline_charts(measured));
  return usable(std::move(made));
}

std::vector<Chart> across_machines_charts(const Measurements& measured) {
  const std::vector<MachineRuns> machines = machines_of(measured.runs);
  std::vector<Chart> made;
  for (const Family& family : measured.families) {
    for (const auto& [dtype, members] : by_dtype(family, false)) {
      std::map<std::pair<std::string, double>, const CaseResult*> best;  // by machine and value
      for (const auto& [x, timed] : members)
        keep_faster(best[{machines[timed->machine].name, x}], *timed->result);
      std::vector<Rated> rates;
      rates.reserve(best.size());
      for (const auto& [where, result] : best)
        rates.push_back({.x = where.second, .label = where.first, .result = result});
      Chart chart = curve_chart(family, dtype, rates);
      chart.name = "machines-" + chart.name;
      if (chart.series.size() > 1) made.push_back(std::move(chart));
    }
  }
  return usable(std::move(made));
}

std::string question_of(const ThresholdAnswer& answer) {
  const std::string work = work_title(answer.title);
  return answer.in == Metric::time ? work : fmt::format("{}, by {}", work, name(answer.in));
}

Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer) {
  // In the order of Metric.
  static constexpr std::array leads{"times as fast", "times as economical", "times as cheap"};
  const std::string challenger = printable(name_of_side(threshold, 1));
  Chart chart{
      .name = slug_of(fmt::format("threshold {}{}", answer.title,
                                  answer.in == Metric::time ? "" : fmt::format(" in {}", name(answer.in)))),
      .title = fmt::format("{}: how far {} is ahead of {}", question_of(answer), challenger,
                           printable(name_of_side(threshold, 0))),
      .x = parameter_axis(threshold.parameter),
      .y = {.label = leads.at(static_cast<std::size_t>(answer.in)), .unit = ChartUnit::ratio},
      .reference = 1};
  const std::vector<BackendRecord>& backends = threshold.sides[1].backends;
  const bool is_gpu = std::ranges::any_of(backends, [](const BackendRecord& backend) {
    return backend.available && !backend.device.empty() && backend.device != "cpu";
  });
  for (const ThresholdPoint& point : answer.points) {
    if (const auto ratio = point.ratio())
      add_point(chart, printable(short_names_of_sides(threshold)[1]),
                point_at(static_cast<double>(point.value), amount_over(1, *ratio)), is_gpu);
  }
  if (chart.series.empty()) return chart;
  for (const LeadChange& change : answer.found.changes) {
    // An interpolated change may lie anywhere between the two measured values.
    const bool is_between = change.interpolated && change.last_below > 0;
    chart.marks.push_back({.x = static_cast<double>(change.from),
                           .low = static_cast<double>(is_between ? change.last_below : change.earliest),
                           .high = static_cast<double>(is_between ? change.first_above : change.latest),
                           .label = "from " + value_text(threshold.parameter, change.from)});
  }
  return finished(std::move(chart));
}

std::vector<Chart> charts(std::span<const Result> results, std::span<const Threshold> thresholds) {
  std::vector<Chart> made;
  for (const Threshold& threshold : thresholds) {
    for (const ThresholdAnswer& answer : threshold.answers)
      made.push_back(threshold_chart(threshold, answer));
  }
  const std::vector<MachineRuns> machines = machines_of(runs_of(results));
  for (const MachineRuns& machine : machines) {
    std::vector<Chart> of_machine = machine_charts(Measurements(machine.runs));
    for (Chart& chart : of_machine) {
      if (machines.size() == 1) break;
      chart.name = slug_of(machine.name + " " + chart.name);
      chart.title = fmt::format("{} ({})", chart.title, machine.name);
    }
    append(made, std::move(of_machine));
  }
  if (machines.size() > 1) append(made, across_machines_charts(Measurements(runs_of(results))));
  return usable(std::move(made));
}

}  // namespace breakeven
