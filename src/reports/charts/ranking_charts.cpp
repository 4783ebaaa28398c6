#include "reports/charts/ranking_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "reports/charts/parts.h"
#include "reports/document/names.h"
#include "reports/text.h"

namespace breakeven {
namespace {

constexpr std::size_t most_side_by_side = 6;  // machines for each case, as many as a picture shows

ChartAxis axis_of(Metric metric, const Ranking& ranking) {
  if (metric == Metric::time) return {.label = "time", .unit = ChartUnit::seconds};
  if (metric == Metric::energy) return {.label = "joules"};
  return {.label = ranking.prices ? printable(ranking.prices->currency) : "cost"};
}

/// The work for one unit of the currency. The interval is dropped if the cost may be 0.
std::optional<Estimate> bought_by_one(std::optional<Estimate> cost) {
  if (!cost) return std::nullopt;
  if (cost->interval && !(cost->interval->low > 0)) cost->interval.reset();
  return amount_over(1, *cost);
}

/// An empty chart of one amount. The cost of a run is too small to read: the chart shows the work for one
/// unit of the currency, as the table does.
Chart empty_amount_chart(const Ranking& ranking, Metric metric) {
  Chart chart{
      .name = fmt::format("ranking-{}", name(metric)),
      .title = fmt::format("{} of {}; less is better", capitalised(std::string(name(metric))),
                           ranking.weighted ? "all of the work, once" : "one case, as the geometric mean"),
      .kind = Chart::Kind::bars,
      .y = axis_of(metric, ranking),
      .less_is_better = true};
  if (metric == Metric::cost) {
    const std::string bought = fmt::format("{} for 1 {}", work_in_short(ranking), chart.y.label);
    chart.title = capitalised(bought) + "; more is better";
    chart.y.label = bought;
    chart.less_is_better = false;
  }
  return chart;
}

Chart amount_chart(const Ranking& ranking, Metric metric) {
  Chart chart = empty_amount_chart(ranking, metric);
  std::size_t left_out = 0;
  for (const Ranked& one : ranking.ranked) {
    const auto point = point_at(static_cast<double>(chart.categories.size()),
                                metric == Metric::cost ? bought_by_one(one.cost) : one.amount(metric));
    if (!point) continue;
    if (chart.categories.size() == most_bars) {
      ++left_out;
      continue;
    }
    chart.categories.push_back(printable(one.candidate.name));
    add_point(chart, std::string(name(metric)), point);
  }
  chart.note = left_out_text(left_out, "machine", "machines");
  return finished(std::move(chart));
}

/// The shortest time of one case over all candidates.
const Estimate* fastest_of(const Ranking& ranking, std::size_t entry) {
  const Estimate* best = nullptr;
  for (const Ranked& one : ranking.ranked) {
    const auto& seconds = one.parts[entry].seconds;
    if (seconds && seconds->value > 0 && (best == nullptr || seconds->value < best->value)) best = &*seconds;
  }
  return best;
}

Chart case_chart(const Ranking& ranking) {
  Chart chart{.name = "ranking-cases",
              .title = "Case by case: how many times the fastest's time; less is better",
              .kind = Chart::Kind::bars,
              .y = {.label = "times the fastest's"},
              .less_is_better = true};
  const std::size_t machines = std::min(ranking.ranked.size(), most_side_by_side);
  for (std::size_t i = 0; i < machines; ++i)
    chart.series.push_back({.label = printable(ranking.ranked[i].candidate.name)});
  std::size_t left_out = 0;
  for (std::size_t e = 0; e < ranking.entries.size(); ++e) {
    const Estimate* best = fastest_of(ranking, e);
    if (best == nullptr) continue;
    if (chart.categories.size() == most_bars) {
      ++left_out;
      continue;
    }
    const auto x = static_cast<double>(chart.categories.size());
    chart.categories.push_back(printable(ranking.entries[e].title));
    for (std::size_t i = 0; i < machines; ++i) {
      const auto& seconds = ranking.ranked[i].parts[e].seconds;
      if (!seconds) continue;
      if (const auto point = point_at(x, &*seconds == best ? Estimate{.value = 1} : ratio(*seconds, *best)))
        chart.series[i].points.push_back(*point);
    }
  }
  std::vector<std::string> notes{left_out_text(ranking.ranked.size() - machines, "machine", "machines"),
                                 left_out_text(left_out, "case", "cases")};
  std::erase(notes, "");
  chart.note = fmt::format("{}", fmt::join(notes, " "));
  return finished(std::move(chart));
}

Chart front_chart(const Ranking& ranking, Metric against) {
  Chart chart{.name = "ranking-front",
              .title = fmt::format("Time against {}; less of both is better", name(against)),
              .kind = Chart::Kind::points,
              .x = axis_of(Metric::time, ranking),
              .y = axis_of(against, ranking),
              .less_is_better = true};
  std::vector<const Ranked*> machines;
  for (const Ranked& one : ranking.ranked) {
    if (one.seconds && point_at(one.seconds->value, one.amount(against))) machines.push_back(&one);
  }
  // The best in either are on the front.
  std::stable_partition(machines.begin(), machines.end(), [](const Ranked* one) { return one->on_front; });
  const std::size_t shown = std::min(machines.size(), most_side_by_side);
  chart.note = left_out_text(machines.size() - shown, "machine", "machines");
  machines.resize(shown);
  for (const Ranked* machine : machines) {
    const Ranked& one = *machine;
    if (const auto point = point_at(one.seconds->value, one.amount(against)))
      chart.series.push_back(
          {.label = printable(one.candidate.name) + (one.on_front ? ", on the Pareto front" : ""),
           .points = {*point}});
  }
  return finished(std::move(chart));
}

bool has_enough(const Chart& chart) {
  std::size_t points = 0;
  for (const ChartSeries& series : chart.series) points += series.points.size();
  return points > 1;
}

}  // namespace

std::string work_in_short(const Ranking& ranking) {
  return ranking.weighted ? "runs of the mix" : "cases";
}

std::vector<Chart> rank_charts(const Ranking& ranking, const std::string& of) {
  std::vector<Chart> made;
  made.reserve(all_metrics.size() + 2);
  std::array shown = all_metrics;
  std::stable_partition(shown.begin(), shown.end(), [&](Metric metric) { return metric == ranking.by; });
  for (const Metric metric : shown) made.push_back(amount_chart(ranking, metric));
  made.push_back(case_chart(ranking));
  Chart front = front_chart(ranking, Metric::cost);
  if (!has_enough(front)) front = front_chart(ranking, Metric::energy);
  made.push_back(std::move(front));
  std::erase_if(made, [](const Chart& chart) { return !has_enough(chart); });
  constexpr std::string_view begin = "ranking-";
  for (Chart& chart : made) {
    if (!of.empty()) chart.name.insert(begin.size(), of + "-");
  }
  return made;
}

std::vector<Chart> rank_charts(const Rankings& rankings) {
  std::vector<Chart> made;
  for (const Ranking& ranking : rankings.all) {
    std::vector<Chart> charts = rank_charts(ranking, rankings.all.size() == 1 ? "" : slug_of(ranking.op));
    std::ranges::move(charts, std::back_inserter(made));
  }
  return made;
}

}  // namespace breakeven
