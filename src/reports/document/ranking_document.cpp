#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

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

/// "=2" if several candidates share the place; "-" without a place.
std::string place_text(const Ranked& one, const Ranking& ranking) {
  if (one.place == 0) return "-";
  const auto sharing = std::ranges::count(ranking.ranked, one.place, &Ranked::place);
  return fmt::format("{}{}", sharing > 1 ? "=" : "", one.place);
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

std::string payback_text(const Payback& payback) {
  if (payback.bought) {
    const std::string electricity = payback.with_electricity ? "" : ", its electricity not counted";
    if (!payback.hours)
      return fmt::format("{}, bought, never pays for itself: {} does the same for less than its electricity.",
                         payback.gpu, payback.cpu);
    return fmt::format(
        "{}, bought, has paid for itself after {} hours of this work, against the price of {}{}.",
        payback.gpu, format_number(*payback.hours), payback.cpu, electricity);
  }
  if (payback.busy->value > 1 && may_be_equal(*payback.busy))
    return fmt::format("{}, rented and always busy, is not distinguishable from {} by the cost of this work.",
                       payback.gpu, payback.cpu);
  if (payback.busy->value > 1)
    return fmt::format("{}, rented, is {}x as dear for this work as {}, however busy it is.", payback.gpu,
                       format_number(payback.busy->value), payback.cpu);
  return fmt::format("{}, rented, is cheaper than {} where it is busy for more than {} of its hours{}.",
                     payback.gpu, payback.cpu, percent_text(payback.busy->value),
                     payback.busy->interval
                         ? fmt::format(" ({} to {})", percent_text(payback.busy->interval->low),
                                       percent_text(payback.busy->interval->high))
                         : "");
}

/// Adds a sentence for each machine with a place that ran below its own speed, and one on interrupted runs.
void add_rank_caveats(std::vector<Sentence>& said, const Ranking& ranking) {
  std::vector<std::string> missing;
  for (const Ranked& one : ranking.ranked) {
    std::vector<double> shares;
    for (const RankedPart& part : one.parts) {
      if (part.own_speed && one.place > 0) shares.push_back(*part.own_speed);
    }
    add_sentence(said, slow_machine_text(one.candidate.name, shares), Tone::warning);
    if (one.interrupted > 0)
      missing.push_back(
          fmt::format("{} of {}", counted_text(one.interrupted, "result", "results"), one.candidate.name));
  }
  if (!missing.empty())
    add_sentence(said, fmt::format("Interrupted runs did not measure {}.", joined_text(missing)),
                 Tone::warning);
}

/// Names the machines on the Pareto front, and those that were compared without a metric that others have.
void add_front(std::vector<Sentence>& said, const std::vector<std::string>& front, const Ranking& ranking) {
  add_sentence(
      said, fmt::format("For each of these, no other machine is better in time, energy and cost at once: {}.",
                        joined_text(front)));
  for (const Metric metric : all_metrics) {
    std::size_t known = 0;
    std::vector<std::string> without;
    for (const Ranked& one : ranking.ranked) {
      if (one.amount(metric))
        ++known;
      else if (one.seconds)
        without.push_back(one.candidate.name);
    }
    if (known > 0 && !without.empty())
      add_sentence(said, fmt::format("This leaves out the {} of {}, which is not known.", name(metric),
                                     joined_text(without)));
  }
}

/// One sentence each: the first place and how far the others are behind, caveats that may change that, the
/// Pareto front, and when a GPU pays for itself.
std::vector<Sentence> rank_sentences(const Ranking& ranking) {
  std::vector<Sentence> said;
  std::vector<std::string> first;
  std::vector<std::string> behind;
  std::vector<std::string> front;
  for (const Ranked& one : ranking.ranked) {
    if (one.on_front) front.push_back(one.candidate.name);
    if (one.place == 1) {
      first.push_back(one.candidate.name);
    } else if (one.place > 1 && one.behind) {
      behind.push_back(fmt::format("{}{} {}{}", one.candidate.name, behind.empty() ? " takes" : "",
                                   one.behind->interval ? "" : "about ", factor_text(one.behind->value)));
    }
  }
  const bool has_trade = ranking.prices || std::ranges::any_of(ranking.ranked, [](const Ranked& one) {
                           return one.joules.has_value();
                         });
  const bool is_ranked = ranking.can_rank();
  if (is_ranked) {
    if (first.size() > 1)
      add_sentence(said, fmt::format("{} share the first place: by {} they are not distinguishable.",
                                     joined_text(first), name(ranking.by)));
    if (first.size() == 1)
      add_sentence(said, fmt::format("{} takes the least {}.", first.front(), name(ranking.by)));
    if (!behind.empty()) add_sentence(said, fmt::format("{} as much.", joined_text(behind)));
    for (const std::string& cases : uncounted_texts(ranking.uncounted))
      add_sentence(said, cases, Tone::warning);
  }
  add_rank_caveats(said, ranking);
  if (is_ranked && front.size() > 1 && has_trade) add_front(said, front, ranking);
  for (const Payback& payback : ranking.paybacks) add_sentence(said, payback_text(payback));
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
  Table table{.title = capitalised(work_text(ranking)),
              .columns = {essential("place"),
                          essential("machine"),
                          essential("time", seconds),
                          {"95 %", spread},
                          essential("over the first's", ratio),
                          {"energy", joules},
                          {work_in_short(ranking) + " a kWh", number},
                          {currency + " an hour", number},
                          {work_in_short(ranking) + " for 1 " + currency, number},
                          {"notes"}}};
  for (const Ranked& one : ranking.ranked) {
    const Tone tone = one.place == 1 ? Tone::best : Tone::plain;
    table.rows.push_back(
        {.cells = {{place_text(one, ranking), tone},
                   {printable(one.candidate.name), tone},
                   value_of(one.seconds),
                   one.seconds ? relative_half_width(*one.seconds) : std::nullopt,
                   behind_cell(one, ranking),
                   value_of(one.joules),
                   runs_for(one.joules, joules_per_kwh),
                   one.offer ? TableCell(one.offer->per_hour, printable(one.offer->name)) : TableCell(),
                   runs_for(one.cost, 1),
                   text_cell(notes_on(one, ranking))}});
  }
  return table;
}

/// The amount that a case takes on a machine, with its backend; or why that is not known.
TableCell case_cell(const RankedPart& part, Metric by) {
  const auto& amount = part.amount(by);
  if (!amount) return text_cell(unknown_text(part, by));
  const ComputedBy computed = part.counted(by);
  const std::string dtype = computed.in_place ? ", " + printable(computed.dtype) : "";
  return {amount->value, backend_title(computed.backend) + dtype};
}

/// A row for each case, a column for each machine: energies in a ranking by energy, else times.
Table case_table(const Ranking& ranking) {
  constexpr std::size_t most = 8;
  const CellKind kind = ranking.by == Metric::energy ? CellKind::joules : CellKind::seconds;
  const std::size_t shown = std::min(ranking.ranked.size(), most);
  Table table{.title = "Case by case", .columns = {essential("case")}};
  if (const std::size_t more = ranking.ranked.size() - shown; more > 0)
    table.title += fmt::format("; {} left out", counted_text(more, "more machine is", "more machines are"));
  if (ranking.weighted) table.columns.push_back({"weight", CellKind::number});
  for (std::size_t i = 0; i < shown; ++i)
    table.columns.push_back({printable(ranking.ranked[i].candidate.name), kind});
  for (std::size_t e = 0; e < ranking.entries.size(); ++e) {
    TableRow row{.cells = {printable(ranking.entries[e].title)}};
    if (ranking.weighted) row.cells.emplace_back(ranking.entries[e].weight);
    for (std::size_t i = 0; i < shown; ++i)
      row.cells.push_back(case_cell(ranking.ranked[i].parts[e], ranking.by));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table fit_table(const Ranking& ranking) {
  Table table{
      .title = "What fits into memory",
      .columns = {essential("the largest"), {"machine"}, {"that fits", CellKind::count}, {"limited by"}}};
  for (const RankedFit& fit : ranking.fits) {
    for (const auto& [candidate, of] : fit.largest)
      table.rows.push_back(
          {.cells = {text_cell(fit.title), text_cell(candidate), of.largest, text_cell(of.limit)}});
  }
  return table;
}

Table price_table(const Ranking& ranking) {
  Table table{.title = "Prices",
              .columns = {essential("machine"),
                          {"offer"},
                          {"an hour", CellKind::number},
                          {"to buy", CellKind::number},
                          {"currency"},
                          {"source"},
                          {"date"}}};
  const auto add = [&](const Ranked& one, const Offer& offer, const std::optional<double>& hourly,
                       const std::optional<double>& purchase) {
    table.rows.push_back({.cells = {text_cell(one.candidate.name), text_cell(offer.name), hourly, purchase,
                                    text_cell(offer.from.currency), text_cell(offer.from.source),
                                    text_cell(offer.from.date)}});
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

}  // namespace

Card ranking_card(const Ranking& ranking) {
  Card order{.id = "order", .question = fmt::format("Which machine takes the least {}?", name(ranking.by))};
  order.answer = rank_sentences(ranking);
  std::vector<std::string> first;
  for (const Ranked& one : ranking.ranked) {
    if (one.place == 1) first.push_back(printable(one.candidate.name));
  }
  order.short_answer = ranking.can_rank() ? joined_text(first) : "not known";
  std::vector<Chart> charts = rank_charts(ranking);
  order.picture = take_first(charts);
  order.tables.push_back(order_table(ranking));
  order.details.push_back(case_table(ranking));
  add_fold(order.folds, more_pictures(std::move(charts)));
  for (const Table& table : {fit_table(ranking), price_table(ranking)}) {
    if (!table.rows.empty()) order.folds.push_back({.title = table.title, .tables = {table}});
  }
  return order;
}

Document document_of(const Ranking& ranking) {
  Document document{.title =
                        ranking.title.empty() ? "Which machine for this work?" : printable(ranking.title)};
  document.about = about_line({counted_text(ranking.ranked.size(), "machine", "machines"),
                               date_text(ranking.created), tool_text(ranking.tool_version)});
  Card& card = document.cards.emplace_back(ranking_card(ranking));
  if (!ranking.can_rank())
    card.answer.insert(card.answer.begin(),
                       {.text = "No two machines can be compared for this work.", .tone = Tone::warning});
  for (const std::string& note : ranking_notes(ranking)) add_sentence(document.notes, note, Tone::warning);
  for (const Ranked& one : ranking.ranked) document.folds.push_back(machine_fold(one));
  return document;
}

}  // namespace breakeven
