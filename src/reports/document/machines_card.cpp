#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "reports/charts/parts.h"
#include "reports/document/cards.h"
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
  std::erase_if(best, [](const auto& entry) { return std::ranges::count(entry.second, nullptr) > 0; });
  return best;
}

/// The geometric mean of a machine's times divided by another's, over all problems or over those of one
/// operation.
Estimate mean_ratio(const BestById& best, std::size_t machine, std::size_t other,
                    const std::string& op = "") {
  std::vector<Estimate> ratios;
  for (const auto& [id, results] : best) {
    if (op.empty() || results.front()->op == op)
      ratios.push_back(ratio(results[machine]->seconds->estimate(), results[other]->seconds->estimate()));
  }
  return geometric_mean(ratios);
}

}  // namespace

std::optional<Card> machines_card(const std::vector<MachineRuns>& machines) {
  if (machines.size() < 2) return std::nullopt;
  const BestById best = best_by_id(machines);
  if (best.empty()) return std::nullopt;
  // The machine with the smallest mean ratio comes first.
  std::vector<std::size_t> order(machines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return mean_ratio(best, a, b).value < 1; });
  const std::size_t leader = order.front();
  const std::string& fastest = machines[leader].name;
  std::vector<std::string> ops;
  for (const auto& [id, results] : best) {
    if (std::ranges::count(ops, results.front()->op) == 0) ops.push_back(results.front()->op);
  }
  Table table{.title = fmt::format("Time over {}'s, by the fastest library of each", fastest),
              .columns = {essential("machine"), {"all", CellKind::ratio}}};
  Chart chart = ratio_chart("machines", fmt::format("Time over {}'s, on average", fastest), Chart::Kind::bars,
                            "times as long");
  for (const std::string& op : ops) {
    chart.categories.push_back(capitalised(plural_of(op)));
    if (ops.size() > 1) table.columns.push_back({plural_of(op), CellKind::ratio});
  }
  const auto over_leader = [&](std::size_t m, const std::string& op) {
    return m == leader ? Estimate{.value = 1} : mean_ratio(best, m, leader, op);
  };
  std::vector<std::string> others;
  // Series are sorted by name, as in pictures of one operation, so that a machine has the same colour
  // everywhere on a page.
  std::vector<std::size_t> by_name = order;
  std::ranges::sort(by_name, {}, [&](std::size_t m) { return machines[m].name; });
  for (const std::size_t m : by_name) {
    const bool has_gpu =
        std::ranges::any_of(best, [&](const auto& entry) { return entry.second[m]->device != "cpu"; });
    for (std::size_t i = 0; i < ops.size(); ++i)
      add_point(chart, machines[m].name, point_at(static_cast<double>(i), over_leader(m, ops[i])), has_gpu);
  }
  for (const std::size_t m : order) {
    const bool is_leader = m == leader;
    const std::string& name = machines[m].name;
    const double mean = mean_ratio(best, m, leader).value;
    TableRow row{.cells = {{name, is_leader ? Tone::best : Tone::plain}, mean}};
    if (ops.size() > 1) {
      for (const std::string& op : ops) row.cells.emplace_back(over_leader(m, op).value);
    }
    table.rows.push_back(std::move(row));
    if (!is_leader)
      others.push_back(fmt::format("{}{} {}", name, others.empty() ? " takes" : "", factor_text(mean)));
  }
  Card card{.question = "Which machine is the fastest?", .short_answer = fastest};
  add_sentence(card.answer, fmt::format("{} is the fastest of {} machines, each with its fastest library.",
                                        fastest, machines.size()));
  add_sentence(
      card.answer,
      fmt::format("Over the {} {} that all of them have, {} as long on average.", count_text(best.size()),
                  ops.size() == 1 ? plural_of(ops.front()) : "problems", joined_text(others)));
  card.picture = finished(std::move(chart));
  card.tables.push_back(std::move(table));
  return card;
}

}  // namespace breakeven
