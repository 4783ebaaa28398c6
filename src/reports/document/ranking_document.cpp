#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "rank/rank.h"
#include "reports/charts/ranking_charts.h"
#include "reports/document/builders.h"
#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/standings.h"
#include "reports/text.h"
#include "reports/words/rank_words.h"
#include "text/counted.h"

namespace breakeven {
namespace {

/// "=2" if several candidates share the place.
std::string place_text(const Ranked& one, const Ranking& ranking) {
  const auto sharing = std::ranges::count(ranking.ranked, one.place, &Ranked::place);
  return fmt::format("{}{}", sharing > 1 ? "=" : "", one.place);
}

/// "; each machine works in 30 % of the hours paid"; empty if no cost depends on it.
std::string use_text(const Ranking& ranking) {
  if (!ranking.prices) return "";
  return ranking.use < 1
             ? fmt::format("; each machine works in {} of the hours paid", percent_text(ranking.use))
             : "; each machine works in all hours paid";
}

/// "ranked by the time of the whole mix once, 12 cases".
std::string work_text(const Ranking& ranking) {
  const std::string counted = counted_text(ranking.entries.size(), "case", "cases");
  return ranking.weighted
             ? fmt::format("ranked by the {} of the whole mix once, {}", name(ranking.by), counted)
             : fmt::format("ranked by {}: the geometric mean of the {} that all machines have",
                           name(ranking.by), counted);
}

/// "3 of 5 cases in bf16", "2 of 5 cases predicted", and why a machine has no place or cannot be compared in
/// a metric.
std::string notes_on(const Ranked& one, const Ranking& ranking) {
  std::map<std::string, std::size_t> apart;
  for (const RankedPart& part : one.parts) {
    if (const ComputedBy by = part.counted(ranking.by); by.in_place) ++apart["in " + by.dtype];
    if (part.predicted && !one.predicted) ++apart["predicted"];
  }
  std::vector<std::string> notes;
  notes.reserve(apart.size() + all_metrics.size());
  for (const auto& [how, count] : apart)
    notes.push_back(fmt::format("{} of {} {}", count, counted_text(one.parts.size(), "case", "cases"), how));
  for (const Metric metric : all_metrics) {
    const std::string why = unknown_text(ranking, one, metric);
    if (!why.empty() && (metric == ranking.by || (metric == Metric::cost && ranking.prices)))
      notes.push_back(fmt::format("{}: {}", name(metric), why));
  }
  return fmt::format("{}", fmt::join(notes, "; "));
}

/// "11 hours", "58 minutes": of each day.
std::string time_of_day(double share) {
  const double hours = share * 24;
  constexpr double almost_all = 23.5;
  if (hours < 1) return fmt::format("{:.2g} minutes", hours * 60);
  return fmt::format("{:.{}g} hours", hours, hours < almost_all ? 2 : 3);
}

std::string payback_text(const Payback& payback, const std::optional<Prices>& prices) {
  if (payback.bought) {
    const std::string electricity = payback.with_electricity ? ""
                                    : prices && prices->electricity
                                        ? ", its electricity not counted, because its energy is not known"
                                        : ", its electricity not counted";
    if (!payback.hours)
      return fmt::format("{}, bought, never pays for itself: {} does the same for less than its electricity.",
                         payback.gpu, payback.cpu);
    return fmt::format(
        "{}, bought, has paid for itself after {} hours of this work, against the price of {}{}.",
        payback.gpu, number_text(*payback.hours), payback.cpu, electricity);
  }
  if (payback.busy->value > 1 && may_be_equal(*payback.busy))
    return fmt::format("{}, rented and always busy, is not distinguishable from {} by the cost of this work.",
                       payback.gpu, payback.cpu);
  if (payback.busy->value > 1)
    return fmt::format("{}, rented, is {}x as dear for this work as {}, however busy it is.", payback.gpu,
                       format_number(payback.busy->value), payback.cpu);
  return fmt::format("{}, rented, is cheaper than {} if it works for more than {} a day{}.", payback.gpu,
                     payback.cpu, time_of_day(payback.busy->value),
                     payback.busy->interval
                         ? fmt::format(" ({} to {})", time_of_day(payback.busy->interval->low),
                                       time_of_day(payback.busy->interval->high))
                         : "");
}

/// Names the machines on the Pareto front of the metrics that are known of two machines or more, and those
/// that were compared without one of them.
void add_front(std::vector<Sentence>& said, const std::vector<std::string>& front, const Ranking& ranking) {
  std::vector<std::string> metrics;
  std::vector<std::string> not_known;
  for (const Metric metric : all_metrics) {
    std::size_t known = 0;
    std::vector<std::string> without;
    for (const Ranked& one : ranking.ranked) {
      if (one.amount(metric))
        ++known;
      else if (one.seconds)
        without.push_back(one.candidate.name);
    }
    if (known < 2) continue;
    metrics.emplace_back(name(metric));
    if (!without.empty())
      not_known.push_back(fmt::format("This leaves out the {} of {}, which is not known.", name(metric),
                                      joined_text(without)));
  }
  if (metrics.size() < 2) return;
  add_sentence(said, fmt::format("For each of these, no other machine is better in {} at once: {}.",
                                 joined_text(metrics), joined_text(front)));
  for (const std::string& sentence : not_known) add_sentence(said, sentence);
}

std::vector<std::string> names_of_first(const Ranking& ranking) {
  std::vector<std::string> first;
  for (const Ranked& one : ranking.ranked) {
    if (one.place == 1) first.push_back(printable(one.candidate.name));
  }
  return first;
}

/// "CPU of a takes the least time.", of those that have a place if others have none; then how far the others
/// are behind.
void add_order(std::vector<Sentence>& said, const Ranking& ranking) {
  const auto with_place = static_cast<std::size_t>(
      std::ranges::count_if(ranking.ranked, [](const Ranked& one) { return one.place > 0; }));
  const std::string among =
      with_place == ranking.ranked.size() || !ranking.weighted
          ? ""
          : fmt::format("Of the {} machines whose {} is known for {}, ", with_place, name(ranking.by),
                        ranking.entries.size() == 1 ? "the case"
                                                    : fmt::format("all {} cases", ranking.entries.size()));
  const std::vector<std::string> first = names_of_first(ranking);
  if (first.size() > 1)
    add_sentence(said, fmt::format("{}{} share the first place: by {} they are not distinguishable.", among,
                                   joined_text(first), name(ranking.by)));
  if (first.size() == 1)
    add_sentence(said, fmt::format("{}{} takes the least {}.", among, first.front(), name(ranking.by)));
  std::vector<std::string> behind;
  for (const Ranked& one : ranking.ranked) {
    if (one.place > 1 && one.behind)
      behind.push_back(fmt::format("{}{} {}{}", one.candidate.name, behind.empty() ? " takes" : "",
                                   one.behind->interval ? "" : "about ", factor_text(one.behind->value)));
  }
  if (!behind.empty()) add_sentence(said, fmt::format("{} as much.", joined_text(behind)));
}

/// The machines without a place that the first does not beat in the cases that they have: it may owe its
/// place to what they lack.
void add_unranked_ahead(std::vector<Sentence>& said, const Ranking& ranking) {
  for (const Ranked& one : ranking.ranked) {
    if (!one.behind_in_part || one.behind_in_part->value >= 1 || one.has_all()) continue;
    const std::size_t lacking = one.parts.size() - one.known;
    add_sentence(
        said,
        fmt::format("{} is not ranked, because it lacks {} of {}. For the {} that it has, {} takes "
                    "{} as much.",
                    one.candidate.name, lacking, counted_text(one.parts.size(), "case", "cases"), one.known,
                    ranking.ranked.front().candidate.name, factor_text(1 / one.behind_in_part->value)),
        Tone::warning);
  }
}

/// The first place and how far the others are behind, the Pareto front, and when a GPU pays for itself.
std::vector<Sentence> rank_sentences(const Ranking& ranking) {
  std::vector<Sentence> said;
  std::vector<std::string> front;
  for (const Ranked& one : ranking.ranked) {
    if (one.on_front) front.push_back(one.candidate.name);
  }
  if (ranking.can_rank()) add_order(said, ranking);
  add_unranked_ahead(said, ranking);
  if (ranking.can_rank()) add_sentence(said, uncounted_text(ranking.uncounted), Tone::quiet);
  if (ranking.can_rank() && front.size() > 1) add_front(said, front, ranking);
  for (const Payback& payback : ranking.paybacks) add_sentence(said, payback_text(payback, ranking.prices));
  if (!ranking.nobody.empty())
    add_sentence(said, fmt::format("Not measured on any machine: {}.", fmt::join(ranking.nobody, "; ")));
  return said;
}

// ---- tables

std::optional<double> value_of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::optional<double> runs_for(const std::optional<Estimate>& amount, double unit) {
  return amount ? std::optional(unit / amount->value) : std::nullopt;
}

/// How many times the first's amount it takes: "~1.5x" without an interval.
TableCell behind_cell(const Ranked& one, const Ranking& ranking) {
  const bool is_exact = !one.behind || one.behind->interval || &one == &ranking.ranked.front();
  return is_exact ? TableCell(value_of(one.behind)) : TableCell(factor_text(*one.behind));
}

Table order_table(const Ranking& ranking) {
  const std::string currency = ranking.prices ? printable(ranking.prices->currency) : "";
  using enum CellKind;
  Table table{.title = capitalised(work_text(ranking)) + use_text(ranking),
              .columns = {essential("place"),
                          essential("machine"),
                          essential("time", seconds),
                          {"95 %", spread},
                          essential("over the first's", ratio),
                          {"energy", joules},
                          {work_in_short(ranking) + " a kWh", number},
                          {currency + " an hour"},
                          {work_in_short(ranking) + " for 1 " + currency, number},
                          {"notes"}}};
  for (const Ranked& one : ranking.ranked) {
    if (one.place == 0) continue;
    const Tone tone = one.place == 1 ? Tone::best : Tone::plain;
    table.rows.push_back({.cells = {{place_text(one, ranking), tone},
                                    {printable(one.candidate.name), tone},
                                    value_of(one.seconds),
                                    one.seconds ? relative_half_width(*one.seconds) : std::nullopt,
                                    behind_cell(one, ranking),
                                    value_of(one.joules),
                                    runs_for(one.joules, joules_per_kwh),
                                    one.offer ? text_cell(money_text(*one.offer->per_hour)) : TableCell(),
                                    runs_for(one.cost, 1),
                                    text_cell(notes_on(one, ranking))}});
  }
  return table;
}

/// The machines without a place in a ranking of a mix: what they have, how they compare in that, and what
/// they lack.
Table unranked_table(const Ranking& ranking) {
  Table table{
      .title = "Not ranked",
      .columns = {essential("machine"), {"cases"}, {"over the first's, in these", CellKind::ratio}, {"why"}}};
  for (const Ranked& one : ranking.ranked) {
    if (one.place > 0 || (!ranking.weighted && one.known == 0)) continue;
    table.rows.push_back(
        {.cells = {printable(one.candidate.name), fmt::format("{} of {}", one.known, one.parts.size()),
                   value_of(one.behind_in_part), text_cell(unknown_text(ranking, one, ranking.by))}});
  }
  return table;
}

/// "1.24 ms", "3.1 J"; of costs "0.12 USD for a million images", because that of one run is too small to
/// read.
std::string least_text(const Ranking& ranking, double least, std::int64_t samples) {
  if (ranking.by == Metric::time) return format_seconds(least);
  if (ranking.by == Metric::energy) return format_joules(least);
  const double runs = 1e6 / static_cast<double>(std::max<std::int64_t>(samples, 1));
  return fmt::format("{} {} for a million {}", money_text(least * runs), printable(ranking.prices->currency),
                     samples > 0 ? "images" : "runs");
}

/// The amount of a case on a machine as a multiple of the least; or why that is not known.
TableCell case_cell(const Ranking& ranking, const Ranked& one, std::size_t entry, double least) {
  const RankedPart& part = one.parts[entry];
  const auto amount = amount_of_part(ranking, one, entry);
  if (!amount) return text_cell(unknown_in_short(part));
  const ComputedBy computed = part.counted(ranking.by);
  TableCell cell{std::optional(*amount / least), computed.in_place ? printable(computed.dtype) : ""};
  if (*amount <= least) cell.tone = Tone::best;
  return cell;
}

/// The least amount of a case over all machines, with its backend.
struct LeastOfCase {
  std::optional<double> amount = {};
  std::string backend = {};
  std::int64_t samples = 0;
};

LeastOfCase least_of_case(const Ranking& ranking, std::size_t entry) {
  LeastOfCase least;
  for (const Ranked& one : ranking.ranked) {
    least.samples = std::max(least.samples, one.parts[entry].samples);
    const auto amount = amount_of_part(ranking, one, entry);
    if (!amount || (least.amount && *amount >= *least.amount)) continue;
    least.amount = amount;
    least.backend = backend_title(one.parts[entry].counted(ranking.by).backend);
  }
  return least;
}

/// The machines of the table of cases: all of a mix, and those that have the cases that count otherwise.
std::vector<const Ranked*> machines_by_case(const Ranking& ranking) {
  std::vector<const Ranked*> machines;
  for (const Ranked& one : ranking.ranked) {
    if (ranking.weighted || one.place > 0) machines.push_back(&one);
  }
  return machines;
}

/// A row for each case with the least amount that it takes on any machine, and a column for each machine with
/// how many times that it takes there.
Table case_table(const Ranking& ranking) {
  constexpr std::size_t most = 8;
  std::vector<const Ranked*> machines = machines_by_case(ranking);
  Table table{.title = "Case by case, as multiples of the least",
              .columns = {essential("case"), essential(fmt::format("least {}", name(ranking.by))), {"with"}}};
  if (machines.size() > most) {
    table.title += fmt::format("; {} left out",
                               counted_text(machines.size() - most, "more machine is", "more machines are"));
    machines.resize(most);
  }
  if (ranking.weighted) table.columns.push_back({"weight", CellKind::number});
  for (const Ranked* one : machines)
    table.columns.push_back({printable(one->candidate.name), CellKind::ratio});
  for (std::size_t e = 0; e < ranking.entries.size(); ++e) {
    const LeastOfCase least = least_of_case(ranking, e);
    TableRow row{
        .cells = {printable(ranking.entries[e].title),
                  least.amount ? text_cell(least_text(ranking, *least.amount, least.samples)) : TableCell(),
                  text_cell(least.backend)}};
    if (ranking.weighted) row.cells.emplace_back(ranking.entries[e].weight);
    for (const Ranked* one : machines)
      row.cells.push_back(case_cell(ranking, *one, e, least.amount.value_or(1)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table fit_table(const std::vector<RankedFit>& fits) {
  Table table{
      .title = "What fits into memory",
      .columns = {essential("the largest"), {"machine"}, {"that fits", CellKind::count}, {"limited by"}}};
  for (const RankedFit& fit : fits) {
    for (const auto& [candidate, of] : fit.largest)
      table.rows.push_back(
          {.cells = {text_cell(fit.title), text_cell(candidate), of.largest, text_cell(of.limit)}});
  }
  return table;
}

TableCell money_cell(const std::optional<double>& amount) {
  return amount ? text_cell(money_text(*amount)) : TableCell();
}

Table price_table(const Ranking& ranking) {
  Table table{
      .title = "Prices",
      .columns = {
          essential("machine"), {"offer"}, {"an hour"}, {"to buy"}, {"currency"}, {"source"}, {"date"}}};
  const auto add = [&](const Ranked& one, const Offer& offer, const std::optional<double>& hourly,
                       const std::optional<double>& purchase) {
    table.rows.push_back({.cells = {text_cell(one.candidate.name), text_cell(offer.name), money_cell(hourly),
                                    money_cell(purchase), text_cell(offer.from.currency),
                                    text_cell(offer.from.source), text_cell(offer.from.date)}});
  };
  for (const Ranked& one : ranking.ranked) {
    if (one.offer) add(one, *one.offer, one.offer->per_hour, std::nullopt);
    if (one.to_buy) add(one, *one.to_buy, std::nullopt, one.to_buy->purchase);
  }
  return table;
}

Fold machine_fold(const Ranked& one) {
  if (one.predicted)
    return {.title = printable(one.candidate.name),
            .sentences = {{.text = "Predicted: nobody has measured it."}}};
  std::vector<BackendRecord> backends;
  for (const auto* some : {&one.candidate.backends, &one.candidate.lacking}) {
    for (const BackendRecord* backend : *some) backends.push_back(*backend);
  }
  return {.title = printable(one.candidate.name),
          .sentences = machine_sentences(one.candidate.host, backends)};
}

/// A row for each kind of work, a column for each machine with the time over the first's.
Table work_table(const Rankings& rankings) {
  std::vector<std::string> machines;  // those of most kinds first
  std::map<std::string, std::size_t> count;
  for (const Ranking& ranking : rankings.all) {
    for (const Ranked& one : ranking.ranked) {
      if (one.place > 0 && ++count[one.candidate.name] == 1) machines.push_back(one.candidate.name);
    }
  }
  std::ranges::stable_sort(machines, std::ranges::greater(),
                           [&](const std::string& machine) { return count[machine]; });
  const Metric by = rankings.all.front().by;
  Table table{
      .title = fmt::format("{} over the least, as the geometric mean of the cases that machines share",
                           capitalised(std::string(name(by)))),
      .columns = {essential("work"), {"cases", CellKind::count}}};
  for (const std::string& machine : machines) table.columns.push_back({printable(machine), CellKind::ratio});
  for (const Ranking& ranking : rankings.all) {
    TableRow row{.cells = {capitalised(work_name(ranking.op)), ranking.entries.size()}};
    row.cells.resize(table.columns.size());
    for (const Ranked& one : ranking.ranked) {
      if (one.place == 0) continue;
      const auto column = std::ranges::find(machines, one.candidate.name) - machines.begin();
      TableCell& cell = row.cells[2 + static_cast<std::size_t>(column)];
      cell = value_of(one.behind);
      cell.tone = one.place == 1 ? Tone::best : Tone::plain;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Answers for all kinds of work at once: no mean over them is the time of any work.
Card work_card(const Rankings& rankings) {
  Card card{.id = "work", .question = "All kinds of work", .short_answer = "differs by kind of work"};
  for (const Ranking& ranking : rankings.all) {
    const std::vector<std::string> first = names_of_first(ranking);
    const auto machines = static_cast<std::size_t>(
        std::ranges::count_if(ranking.ranked, [](const Ranked& one) { return one.place > 0; }));
    add_sentence(card.answer,
                 fmt::format("{}: {} {} the least {} of {}, over {}.", capitalised(work_name(ranking.op)),
                             joined_text(first), first.size() == 1 ? "takes" : "take", name(ranking.by),
                             counted_text(machines, "machine", "machines"),
                             counted_text(ranking.entries.size(), "case", "cases")));
  }
  card.tables.push_back(work_table(rankings));
  return card;
}

/// One entry for each machine of any ranking, by name.
std::map<std::string, const Ranked*> machines_of(const Rankings& rankings) {
  std::map<std::string, const Ranked*> machines;
  for (const Ranking& ranking : rankings.all) {
    for (const Ranked& one : ranking.ranked) machines.try_emplace(one.candidate.name, &one);
  }
  return machines;
}

}  // namespace

void add_rank_caveats(std::vector<Sentence>& said, std::span<const Ranking> rankings) {
  std::vector<std::string> names;  // in the order of places
  std::map<std::string, std::vector<double>> shares;
  std::map<std::string, std::size_t> interrupted;
  for (const Ranking& ranking : rankings) {
    for (const Ranked& one : ranking.ranked) {
      if (interrupted.try_emplace(one.candidate.name).second) names.push_back(one.candidate.name);
      interrupted[one.candidate.name] += one.interrupted;
      for (const RankedPart& part : one.parts) {
        if (part.own_speed && one.place > 0) shares[one.candidate.name].push_back(*part.own_speed);
      }
    }
  }
  std::vector<std::string> missing;
  for (const std::string& machine : names) {
    add_sentence(said, slow_machine_text(machine, shares[machine]), Tone::warning);
    if (interrupted[machine] > 0)
      missing.push_back(
          fmt::format("{} of {}", counted_text(interrupted[machine], "result", "results"), machine));
  }
  if (!missing.empty())
    add_sentence(said, fmt::format("Interrupted runs did not measure {}.", joined_text(missing)),
                 Tone::warning);
}

Card ranking_card(const Ranking& ranking, const std::string& of) {
  Card order{.id = "order", .question = fmt::format("Which machine takes the least {}?", name(ranking.by))};
  order.answer = rank_sentences(ranking);
  order.short_answer = ranking.can_rank() ? joined_text(names_of_first(ranking)) : "not known";
  std::vector<Chart> charts = rank_charts(ranking, of);
  order.picture = take_first(charts);
  constexpr std::size_t most_at_a_glance = 12;
  const bool has_few_cases = ranking.entries.size() <= most_at_a_glance && of.empty();
  add_table(order.tables, order_table(ranking));
  add_table(order.tables, unranked_table(ranking));
  add_table(has_few_cases ? order.tables : order.details, case_table(ranking));
  add_fold(order.folds, more_pictures(std::move(charts)));
  const Table prices = price_table(ranking);
  if (!prices.rows.empty()) order.folds.push_back({.title = prices.title, .tables = {prices}});
  return order;
}

Document document_of(const Rankings& rankings) {
  const bool is_one = rankings.all.size() == 1;
  const Ranking& first = rankings.all.front();
  Document document{.title = !is_one               ? "Which machine for which work?"
                             : first.title.empty() ? "Which machine for this work?"
                                                   : printable(first.title)};
  const auto machines = machines_of(rankings);
  document.about = about_line({counted_text(machines.size(), "machine", "machines"),
                               date_text(rankings.created), tool_text(rankings.tool_version)});
  if (!is_one) document.cards.push_back(work_card(rankings));
  for (const Ranking& ranking : rankings.all) {
    Card& card = document.cards.emplace_back(ranking_card(ranking, is_one ? "" : slug_of(ranking.op)));
    if (!is_one) {
      card.id += "-" + slug_of(ranking.op);
      card.question = fmt::format("{}: which machine takes the least {}?", capitalised(work_name(ranking.op)),
                                  name(ranking.by));
    }
    if (!ranking.can_rank())
      card.answer.insert(card.answer.begin(),
                         {.text = "No two machines can be compared for this work.", .tone = Tone::warning});
  }
  add_rank_caveats(is_one ? document.cards.front().answer : document.notes, rankings.all);
  for (const std::string& note : ranking_notes(rankings)) add_sentence(document.notes, note, Tone::warning);
  if (Table fits = fit_table(rankings.fits); !fits.rows.empty())
    document.folds.push_back({.title = fits.title, .tables = {fits}});
  for (const auto& [machine, one] : machines) document.folds.push_back(machine_fold(*one));
  return document;
}

}  // namespace breakeven
