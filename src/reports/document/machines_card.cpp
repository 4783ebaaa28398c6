#include "reports/document/machines_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/charts/parts.h"
#include "reports/document/lower_precision.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "statistics/estimate.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// The fastest result of each machine, by id.
using BestById = std::map<std::string, std::vector<const CaseResult*>>;

BestById best_by_id(const std::vector<MachineRuns>& machines) {
  BestById best;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    for (const Result* run : machines[m].runs) {
      for (const CaseResult& c : run->cases) {
        if (!c.has_time() || is_ceiling(c)) continue;
        auto& of_id = best[c.id];
        of_id.resize(machines.size(), nullptr);
        keep_faster(of_id[m], c);
      }
    }
  }
  std::erase_if(best, [](const auto& entry) {
    return std::find(entry.second.begin(), entry.second.end(), nullptr) != entry.second.end();
  });
  return best;
}

using Times = std::vector<Estimate>;

/// For each machine, its times in the order of the problems.
std::vector<Times> times_of(const BestById& best, std::size_t machines, const std::string& op) {
  std::vector<Times> times(machines);
  for (const auto& [id, results] : best) {
    if (!op.empty() && results.front()->op != op) continue;
    for (std::size_t m = 0; m < machines; ++m) times[m].push_back(results[m]->seconds->estimate());
  }
  return times;
}

/// The geometric mean of its times over those of another machine.
Estimate mean_ratio(const Times& machine, const Times& other) {
  std::vector<Estimate> ratios(machine.size());
  std::transform(machine.begin(), machine.end(), other.begin(), ratios.begin(), ratio);
  return geometric_mean(ratios);
}

}  // namespace

std::optional<Card> machines_card(const std::vector<MachineRuns>& machines) {
  if (machines.size() < 2) return std::nullopt;
  const BestById best = best_by_id(machines);
  if (best.empty()) return std::nullopt;
  const std::vector<Times> all = times_of(best, machines.size(), "");
  // The fastest one is that which no other is ahead of on average.
  std::vector<std::size_t> order(machines.size());
  for (std::size_t m = 0; m < order.size(); ++m) order[m] = m;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return mean_ratio(all[a], all[b]).value < 1; });
  const std::size_t leader = order.front();

  std::vector<std::string> ops;
  for (const auto& [id, results] : best) {
    if (std::find(ops.begin(), ops.end(), results.front()->op) == ops.end())
      ops.push_back(results.front()->op);
  }
  const std::string problems = ops.size() == 1 ? plural_of(ops.front()) : "problems";
  Table table{.title = fmt::format("Time over {}'s, by the fastest library of each", machines[leader].name),
              .columns = {{.name = "machine", .essential = true}, {.name = "all", .kind = CellKind::ratio}}};
  Chart chart{.name = "machines",
              .title = fmt::format("Time over {}'s, on average", machines[leader].name),
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = "times as long", .unit = ChartUnit::ratio},
              .categories = {},
              .series = {},
              .reference = 1};
  std::vector<std::vector<Times>> by_op;
  for (const std::string& op : ops) {
    by_op.push_back(times_of(best, machines.size(), op));
    chart.categories.push_back(capitalised(plural_of(op)));
    if (ops.size() > 1) table.columns.push_back({.name = plural_of(op), .kind = CellKind::ratio});
  }
  std::vector<std::string> others;
  for (const std::size_t m : order) {
    const bool is_leader = m == leader;
    const double mean = mean_ratio(all[m], all[leader]).value;
    TableRow row{.cells = {{.value = machines[m].name, .tone = is_leader ? Tone::best : Tone::plain},
                           {.value = mean}}};
    const bool has_gpu = std::any_of(best.begin(), best.end(),
                                     [&](const auto& entry) { return entry.second[m]->device != "cpu"; });
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Estimate of_op = is_leader ? Estimate{.value = 1} : mean_ratio(by_op[i][m], by_op[i][leader]);
      if (ops.size() > 1) row.cells.push_back({.value = of_op.value});
      add_point(chart, machines[m].name, point_at(static_cast<double>(i), of_op), has_gpu);
    }
    table.rows.push_back(std::move(row));
    if (!is_leader)
      others.push_back(
          fmt::format("{}{} {}", machines[m].name, others.empty() ? " takes" : "", factor_text(mean)));
  }
  Card card{.id = {}, .question = "Which machine is the fastest?", .short_answer = machines[leader].name};
  card.answer.push_back(
      {.text = fmt::format("{} is the fastest of {} machines, each with its fastest library.",
                           machines[leader].name, machines.size())});
  card.answer.push_back(
      {.text = fmt::format("Over the {} {} that all of them have, {} as long on average.",
                           count_text(static_cast<double>(best.size())), problems, joined_text(others))});
  card.picture = finished(std::move(chart));
  card.tables.push_back(std::move(table));
  return card;
}

}  // namespace breakeven
