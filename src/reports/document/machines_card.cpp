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

/// The mean ratio to the first of `order`.
Estimate over_first(const BestById& best, std::size_t machine, const std::vector<std::size_t>& order,
                    const std::string& op = "") {
  return machine == order.front() ? Estimate{.value = 1} : mean_ratio(best, machine, order.front(), op);
}

Chart machines_chart(const std::vector<MachineRuns>& machines, const BestById& best,
                     const std::vector<std::size_t>& order, const std::vector<std::string>& ops) {
  constexpr std::ptrdiff_t most_machines = 6;  // in one picture
  Chart chart =
      ratio_chart("machines", fmt::format("Time over {}'s, on average", machines[order.front()].name),
                  Chart::Kind::bars, "times as long");
  chart.less_is_better = true;
  for (const std::string& op : ops) chart.categories.push_back(capitalised(plural_of(op)));
  std::vector<std::size_t> shown(order.begin(), order.begin() + std::min(std::ssize(order), most_machines));
  if (order.size() > shown.size())
    chart.note = fmt::format("{} in the table.", counted_text(order.size() - shown.size(), "more machine is",
                                                              "more machines are"));
  // Series are sorted by name, as in pictures of one operation, so that a machine has the same colour
  // everywhere on a page.
  std::ranges::sort(shown, {}, [&](std::size_t m) { return machines[m].name; });
  for (const std::size_t m : shown) {
    const bool has_gpu =
        std::ranges::any_of(best, [&](const auto& entry) { return entry.second[m]->device != "cpu"; });
    for (std::size_t i = 0; i < ops.size(); ++i)
      add_point(chart, machines[m].name, point_at(static_cast<double>(i), over_first(best, m, order, ops[i])),
                has_gpu);
  }
  return finished(std::move(chart));
}

/// Adds who is first, of how many, and how far the others are behind.
void tell_order(Card& card, const std::vector<std::string>& first, const std::vector<std::string>& others,
                const std::string& problems) {
  const std::size_t machines = first.size() + others.size();
  const std::string names = joined_text(first);
  const bool is_shared = first.size() > 1;
  card.short_answer = is_shared ? names + " are not distinguishable" : names;
  if (is_shared) {
    const std::vector<std::string> rest(first.begin() + 1, first.end());
    add_sentence(
        card.answer,
        fmt::format("{} share the first place of {} machines, each with its fastest library: {} {} not "
                    "distinguishable from {}.",
                    names, machines, joined_text(rest), rest.size() == 1 ? "is" : "are", first.front()));
  } else {
    add_sentence(card.answer, fmt::format("{} is the fastest of {} machines, each with its fastest library.",
                                          names, machines));
  }
  add_sentence(card.answer, others.empty()
                                ? fmt::format("They were compared over {}.", problems)
                                : fmt::format("Over {}, {} as long{} on average.", problems,
                                              joined_text(others), is_shared ? " as " + first.front() : ""));
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
  std::vector<std::string> ops;
  for (const auto& [id, results] : best) {
    if (std::ranges::count(ops, results.front()->op) == 0) ops.push_back(results.front()->op);
  }
  Table table{
      .title = fmt::format("Time over {}'s, by the fastest library of each", machines[order.front()].name),
      .columns = {essential("machine"), {"all", CellKind::ratio}}};
  if (ops.size() > 1) {
    for (const std::string& op : ops) table.columns.push_back({plural_of(op), CellKind::ratio});
  }
  std::vector<std::string> first;  // the fastest machine, and those that may be as fast
  std::vector<std::string> others;
  for (const std::size_t m : order) {
    const std::string& name = machines[m].name;
    const Estimate mean = over_first(best, m, order);
    const bool is_first = may_be_equal(mean);
    TableRow row{.cells = {{name, is_first ? Tone::best : Tone::plain}, mean.value}};
    if (ops.size() > 1) {
      for (const std::string& op : ops) row.cells.emplace_back(over_first(best, m, order, op).value);
    }
    table.rows.push_back(std::move(row));
    if (is_first)
      first.push_back(name);
    else
      others.push_back(fmt::format("{}{} {}", name, others.empty() ? " takes" : "", factor_text(mean.value)));
  }
  Card card{.question = "Which machine is the fastest?"};
  tell_order(card, first, others,
             fmt::format("the {} {} that all of them have", count_text(best.size()),
                         ops.size() == 1 ? plural_of(ops.front()) : "problems"));
  card.picture = machines_chart(machines, best, order, ops);
  card.tables.push_back(std::move(table));
  return card;
}

}  // namespace breakeven
