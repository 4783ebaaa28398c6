#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "reports/charts/parts.h"
#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "results/counted_samples.h"
#include "statistics/estimate.h"
#include "verdicts/machines.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// The fewest problems that name a fastest machine. Winning fewer, even all of them, may be due to the choice
/// of problems: the two-sided sign test gives 5 of 5 a p-value of 0.06, and 6 of 6 one of 0.03.
constexpr std::size_t fewest_problems = 6;

/// The fastest result of each machine, by id and the state of the caches.
using BestById = std::map<std::string, std::vector<const CaseResult*>>;

BestById best_by_id(const Runs& runs, std::size_t machines) {
  BestById best;
  for (const MeasuredCase& one : cases_of(runs)) {
    if (!one.has_time() || is_ceiling(*one.result)) continue;
    // With cold caches a case is another problem.
    auto& of_id = best[one.result->id + (one.caches == "cold" ? ", cold caches" : "")];
    of_id.resize(machines, nullptr);
    keep_faster(of_id[one.machine], *one.result);
  }
  std::erase_if(best, [](const auto& entry) { return std::ranges::count(entry.second, nullptr) > 0; });
  return best;
}

/// A machine's times divided by another's.
std::vector<Estimate> ratios_of(const BestById& best, std::size_t machine, std::size_t other) {
  std::vector<Estimate> ratios;
  ratios.reserve(best.size());
  for (const auto& [id, results] : best)
    ratios.push_back(ratio(results[machine]->seconds->estimate(), results[other]->seconds->estimate()));
  return ratios;
}

/// Their geometric mean.
Estimate mean_ratio(const BestById& best, std::size_t machine, std::size_t other) {
  return between_runs(geometric_mean(ratios_of(best, machine, other)));
}

/// The geometric mean as a text: "1.5x", "~1.5x" if it is rough.
std::string mean_ratio_text(const BestById& best, std::size_t machine, std::size_t other) {
  const std::vector<Estimate> ratios = ratios_of(best, machine, other);
  return factor_text(geometric_mean(ratios).value, is_rough(ratios));
}

/// The machines, the one with the shortest times on average first.
std::vector<std::size_t> in_order(const BestById& best) {
  std::vector<std::size_t> order(best.begin()->second.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return mean_ratio(best, a, b).value < 1; });
  return order;
}

/// The problems with one operation or with one dtype.
struct Group {
  std::string name;   // "f32", "matrix products"
  std::string title;  // "f32", "Matrix products"
  BestById best = {};
};

std::vector<Group> parts_of(const BestById& best, bool by_dtype) {
  InOrder<std::string, BestById> parts;
  for (const auto& one : best) {
    const CaseResult& first = *one.second.front();
    at_key(parts, by_dtype ? printable(first.dtype) : plural_of(first.op)).insert(one);
  }
  std::vector<Group> all;
  all.reserve(parts.size());
  for (auto& [name, of_part] : parts)
    all.push_back({.name = name, .title = by_dtype ? name : capitalised(name), .best = std::move(of_part)});
  return all;
}

/// How much longer than the fastest machine of some part another machine takes there, where it is longest; 1
/// if no part is surely faster on another machine.
double largest_lag(const std::vector<Group>& parts, std::size_t machine) {
  double largest = 1;
  for (const Group& part : parts) {
    const Estimate lag = mean_ratio(part.best, machine, in_order(part.best).front());
    if (lag.value > 1 + equivalence && !may_be_equal(lag)) largest = std::max(largest, lag.value);
  }
  return largest;
}

/// The problems that all machines have, in parts, and the order of the machines over all.
struct SideBySide {
  BestById best;
  std::vector<std::string> names;  // by machine
  std::vector<std::size_t> order;
  std::vector<Group> parts;
  std::string depends_on = {};  // "dtype" or "operation", where another machine is the fastest in some part

  const std::string& first() const { return names[order.front()]; }
};

SideBySide side_by_side(BestById best, std::vector<std::string> names) {
  const std::vector<std::size_t> order = in_order(best);
  std::vector<Group> dtypes = parts_of(best, true);
  std::vector<Group> operations = parts_of(best, false);
  const double by_dtype = largest_lag(dtypes, order.front());
  const double by_operation = largest_lag(operations, order.front());
  const bool depends = best.size() >= fewest_problems && std::max(by_dtype, by_operation) > 1;
  const bool takes_dtypes = depends ? by_dtype >= by_operation : operations.size() == 1 && dtypes.size() > 1;
  return {.best = std::move(best),
          .names = std::move(names),
          .order = order,
          .parts = std::move(takes_dtypes ? dtypes : operations),
          .depends_on = !depends       ? ""
                        : takes_dtypes ? "dtype"
                                       : "operation"};
}

/// The number of problems for which a machine is the fastest on a GPU.
std::size_t gpu_problems(const BestById& best, std::size_t machine) {
  return static_cast<std::size_t>(
      std::ranges::count_if(best, [&](const auto& entry) { return entry.second[machine]->device != "cpu"; }));
}

/// The machine's name, with the GPU on which it is the fastest for some problem: "vm with H200".
std::string name_with_gpus(const MachineRuns& machine, const BestById& best, std::size_t index) {
  std::set<std::string> gpus;
  for (const auto& [id, results] : best) {
    const CaseResult& fastest = *results[index];
    if (fastest.device == "cpu") continue;
    for (const Result* run : machine.runs) {
      for (const BackendRecord& backend : run->backends) {
        if (backend.name == fastest.backend && !backend.device_name.empty())
          gpus.insert(printable(short_gpu_name(backend.device_name)));
      }
    }
  }
  std::erase_if(gpus, [&](const std::string& gpu) { return machine.name.find(gpu) != std::string::npos; });
  return gpus.empty() ? machine.name
                      : fmt::format("{} with {}", machine.name, joined_text({gpus.begin(), gpus.end()}));
}

Chart machines_chart(const SideBySide& all) {
  constexpr std::ptrdiff_t most_machines = 6;  // in one picture
  Chart chart = ratio_chart("machines", fmt::format("Time over {}'s, on average", all.first()),
                            Chart::Kind::bars, "times as long");
  chart.less_is_better = true;
  for (const Group& part : all.parts) chart.categories.push_back(part.title);
  std::vector<std::size_t> shown(all.order.begin(),
                                 all.order.begin() + std::min(std::ssize(all.order), most_machines));
  if (all.order.size() > shown.size())
    chart.note = fmt::format("{} in the table.", counted_text(all.order.size() - shown.size(),
                                                              "more machine is", "more machines are"));
  // Series are sorted by name, as in pictures of one operation, so that a machine has the same colour
  // everywhere on a page.
  std::ranges::sort(shown, {}, [&](std::size_t m) { return all.names[m]; });
  for (const std::size_t m : shown) {
    const bool has_gpu = gpu_problems(all.best, m) > 0;
    for (std::size_t i = 0; i < all.parts.size(); ++i) {
      const Estimate mean =
          m == all.order.front() ? Estimate{.value = 1} : mean_ratio(all.parts[i].best, m, all.order.front());
      add_point(chart, all.names[m], point_at(static_cast<double>(i), mean), has_gpu);
    }
  }
  return finished(std::move(chart));
}

Table machines_table(const SideBySide& all) {
  Table table{.title = fmt::format("Time over {}'s, by the fastest library of each; all problems count alike",
                                   all.first()),
              .columns = {essential("machine"), {"all", CellKind::ratio}}};
  const bool has_parts = all.parts.size() > 1;
  for (const Group& part : all.parts) {
    if (has_parts) table.columns.push_back({part.name, CellKind::ratio});
  }
  for (const std::size_t m : all.order) {
    const Estimate mean = mean_ratio(all.best, m, all.order.front());
    TableRow row{.cells = {{all.names[m], may_be_equal(mean) ? Tone::best : Tone::plain}, mean.value}};
    for (const Group& part : all.parts) {
      if (has_parts) row.cells.emplace_back(mean_ratio(part.best, m, all.order.front()).value);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "14 matrix products measured on each".
std::string problems_text(const SideBySide& all) {
  const bool one_operation = parts_of(all.best, false).size() == 1;
  return fmt::format("{} {} measured on each", count_text(all.best.size()),
                     one_operation ? plural_of(all.best.begin()->second.front()->op) : "problems");
}

/// A sentence for each machine that is the fastest in some part: how far the next is behind there.
void tell_parts(Card& card, const SideBySide& all) {
  InOrder<std::size_t, std::vector<const Group*>> by_machine;
  for (const std::size_t m : all.order) {
    for (const Group& part : all.parts) {
      if (in_order(part.best).front() == m) at_key(by_machine, m).push_back(&part);
    }
  }
  for (const auto& [machine, parts] : by_machine) {
    BestById together;
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const Group* part : parts) {
      together.insert(part->best.begin(), part->best.end());
      names.push_back(part->name);
    }
    const std::size_t next = in_order(together)[1];
    const bool is_equal = may_be_equal(mean_ratio(together, next, machine));
    const std::string where =
        fmt::format("{} {} ({})", all.depends_on == "dtype" ? "in" : "for", joined_text(names),
                    counted_text(together.size(), "problem", "problems"));
    add_sentence(card.answer,
                 is_equal ? fmt::format("{} and {} are not distinguishable {}.", all.names[machine],
                                        all.names[next], where)
                          : fmt::format("{} is ahead {}: {} takes {} as long.", all.names[machine], where,
                                        all.names[next], mean_ratio_text(together, next, machine)));
  }
}

/// The number of problems in which every other machine is slower.
std::size_t wins_of(const BestById& best, std::size_t machine) {
  const auto wins = [&](const auto& entry) {
    const std::vector<const CaseResult*>& results = entry.second;
    return std::ranges::all_of(results, [&](const CaseResult* other) {
      const Estimate lag = ratio(other->seconds->estimate(), results[machine]->seconds->estimate());
      return other == results[machine] || (lag.value > 1 && !may_be_equal(lag));
    });
  };
  return static_cast<std::size_t>(std::ranges::count_if(best, wins));
}

/// Adds the mean times of the machines that are slower than the first on average.
void tell_means(Card& card, const SideBySide& all, const std::string& over) {
  std::vector<std::string> others;
  for (const std::size_t m : all.order) {
    if (!may_be_equal(mean_ratio(all.best, m, all.order.front())))
      others.push_back(fmt::format("{}{} {}", all.names[m], others.empty() ? " takes" : "",
                                   mean_ratio_text(all.best, m, all.order.front())));
  }
  add_sentence(card.answer,
               others.empty() ? fmt::format("{}, they are not distinguishable.", over)
                              : fmt::format("{}, {} as long as {}.", over, joined_text(others), all.first()));
}

/// Names the fastest machine, or those that share the first place.
void tell_first(Card& card, const SideBySide& all) {
  std::vector<std::string> equals;  // of the first
  for (const std::size_t m : all.order) {
    if (m != all.order.front() && may_be_equal(mean_ratio(all.best, m, all.order.front())))
      equals.push_back(all.names[m]);
  }
  const std::string among = fmt::format("{} machines, each with its fastest library", all.order.size());
  if (equals.empty()) {
    const std::size_t wins = wins_of(all.best, all.order.front());
    const bool is_all = wins == all.best.size();
    card.short_answer = all.first();
    add_sentence(card.answer, fmt::format("{} is the fastest of {}, {} {}.", all.first(), among,
                                          is_all ? "for all" : "on average over the", problems_text(all)));
    if (!is_all && wins > 0)
      add_sentence(card.answer,
                   fmt::format("The intervals show it to be the fastest for {} of them.", count_text(wins)));
  } else {
    std::vector<std::string> names{all.first()};
    names.insert(names.end(), equals.begin(), equals.end());
    card.short_answer = joined_text(names) + " are not distinguishable";
    add_sentence(
        card.answer,
        fmt::format("{} share the first place of {}: over the {}, {} {} not distinguishable from {}.",
                    joined_text(names), among, problems_text(all), joined_text(equals),
                    equals.size() == 1 ? "is" : "are", all.first()));
  }
  if (equals.size() + 1 < all.order.size()) tell_means(card, all, "On average");
}

/// Answers which machine is the fastest, as far as the problems allow.
void tell_order(Card& card, const SideBySide& all) {
  if (!all.depends_on.empty()) {
    card.short_answer = fmt::format("depends on the {}", all.depends_on);
    add_sentence(card.answer,
                 fmt::format("The fastest of {} machines, each with its fastest library, depends "
                             "on the {}.",
                             all.order.size(), all.depends_on));
    tell_parts(card, all);
  } else if (all.best.size() < fewest_problems) {
    const std::string problems = counted_text(all.best.size(), "problem", "problems");
    card.short_answer = fmt::format("not answered: only {} in common", problems);
    add_sentence(card.answer, fmt::format("Only {} measured on {} machines: too few to name the fastest.",
                                          problems + (all.best.size() == 1 ? " was" : " were"),
                                          every_text(all.order.size())));
    tell_means(card, all, all.best.size() == 1 ? "For it" : "On average over them");
  } else {
    tell_first(card, all);
  }
}

/// Adds, for each machine, on how many problems its times are those of a GPU, and whether its processor ran
/// below its own speed.
void tell_conditions(Card& card, const SideBySide& all) {
  for (const std::size_t m : all.order) {
    const std::size_t on_gpu = gpu_problems(all.best, m);
    if (on_gpu > 0 && on_gpu < all.best.size())
      add_sentence(
          card.answer,
          fmt::format("The times of {} are its GPU's for {} of the {} problems and its CPU's for the others.",
                      all.names[m], count_text(on_gpu), count_text(all.best.size())));
  }
  for (const std::size_t m : all.order) {
    std::vector<double> shares;
    for (const auto& [id, results] : all.best) {
      if (const auto share = own_speed_of(*results[m])) shares.push_back(*share);
    }
    add_sentence(card.answer, slow_machine_text(all.names[m], shares), Tone::warning);
  }
}

}  // namespace

std::optional<Card> machines_card(const Runs& runs) {
  const std::vector<MachineRuns> machines = machines_of(runs);
  if (machines.size() < 2) return std::nullopt;
  BestById best = best_by_id(runs, machines.size());
  if (best.empty()) return std::nullopt;
  std::vector<std::string> names;
  names.reserve(machines.size());
  for (std::size_t m = 0; m < machines.size(); ++m) names.push_back(name_with_gpus(machines[m], best, m));
  const SideBySide all = side_by_side(std::move(best), std::move(names));
  Card card{.question = "Which machine is the fastest?"};
  tell_order(card, all);
  tell_conditions(card, all);
  card.picture = machines_chart(all);
  card.tables.push_back(machines_table(all));
  return card;
}

}  // namespace breakeven
