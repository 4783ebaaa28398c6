#include "reports/charts/history_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "reports/document/names.h"
#include "reports/history.h"
#include "reports/words/change_text.h"

namespace breakeven {
namespace {

constexpr std::size_t most_charts = 12;

/// "0123456 2026-01-02", with the known parts; the run's number if none is known.
std::string tick_of(const Run& run) {
  std::string text = run.commit.substr(0, 7);
  if (!run.time.empty()) text += (text.empty() ? "" : " ") + run.time.substr(0, 10);
  return text.empty() ? fmt::format("run {}", run.id) : text;
}

/// The times of a series, with a mark between the runs of each of its changes.
Chart series_chart(const HistoryCheck& check, const Series& series, const Machine& machine) {
  const History& history = *check.history;
  const std::string where = history.machines.size() > 1 ? ", " + machine.name : "";
  Chart chart{
      .name = {},
      .title = fmt::format("{}, {}{}", case_title(series.case_id), backend_title(series.backend), where),
      .kind = Chart::Kind::lines,
      .y = {.label = "median time", .unit = ChartUnit::seconds, .is_zoomed = true}};
  ChartSeries& curve = chart.series.emplace_back(ChartSeries{.label = backend_title(series.backend)});
  std::vector<std::size_t> runs;
  for (const Measurement& m : series.measurements) {
    if (m.status != Status::ok || !(m.seconds > 0)) continue;
    curve.points.push_back({.x = static_cast<double>(runs.size()), .y = m.seconds});
    chart.categories.push_back(tick_of(history.runs[m.run]));
    runs.push_back(m.run);
  }
  for (const Change& change : check.changes) {
    const auto first_after = std::ranges::find(runs, change.first_after);
    if (change.series != &series || first_after == runs.end()) continue;
    chart.marks.push_back({.x = static_cast<double>(first_after - runs.begin()) - 0.5,
                           .label = fmt::format("{} at {}", change_text(change.ratio),
                                                tick_of(history.runs[change.first_after]))});
  }
  return chart;
}

}  // namespace

std::vector<Chart> history_charts(const HistoryCheck& check) {
  const History& history = *check.history;
  std::vector<const Series*> shown;
  std::vector<Chart> charts;
  const auto add = [&](const Series& series, const Machine& machine) {
    if (charts.size() == most_charts || series.measurements.size() < 2) return;
    if (std::ranges::find(shown, &series) != shown.end()) return;
    Chart chart = series_chart(check, series, machine);
    if (chart.categories.size() < 2) return;
    shown.push_back(&series);
    chart.name = charts.empty() ? "history" : fmt::format("history-{}", charts.size() + 1);
    charts.push_back(std::move(chart));
  };
  for (const Change& change : check.changes) add(*change.series, *change.machine);
  for (const auto* suspicions : {&check.suspicions, &check.promising}) {
    for (const Suspicion& suspicion : *suspicions) add(*suspicion.series, *suspicion.machine);
  }
  for (const Series& series : history.series) {
    if (charts.size() == most_charts) break;
    const auto machine = std::ranges::find(history.machines, series.machine, &Machine::id);
    if (machine != history.machines.end()) add(series, *machine);
  }
  return charts;
}

}  // namespace breakeven
