#include <fmt/format.h>

#include <algorithm>

#include "reports/charts/ranking_charts.h"
#include "reports/document/about.h"
#include "reports/document/builders.h"
#include "reports/document/cell_makers.h"
#include "reports/document/descriptions.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/ranking_sentences.h"
#include "reports/text.h"

namespace breakeven {
namespace {

TableCell estimate_cell(const std::optional<Estimate>& estimate) {
  return estimate ? TableCell{.value = estimate->value} : TableCell{};
}

TableCell spread_cell(const std::optional<Estimate>& estimate) {
  const auto spread = estimate ? relative_half_width(*estimate) : std::nullopt;
  return spread ? TableCell{.value = *spread} : TableCell{};
}

TableCell runs_for(const std::optional<Estimate>& amount, double unit) {
  return amount ? TableCell{.value = unit / amount->value} : TableCell{};
}

TableCell price_cell(const Ranked& one) {
  return one.offer && one.offer->per_hour
             ? TableCell{.value = *one.offer->per_hour, .note = printable(one.offer->name)}
             : TableCell{};
}

Table order_table(const Ranking& ranking) {
  const std::string currency = ranking.prices ? printable(ranking.prices->currency) : "";
  using enum CellKind;
  Table table{.title = capitalised(work_text(ranking)),
              .columns = {{.name = "place", .essential = true},
                          {.name = "machine", .essential = true},
                          {.name = "time", .kind = seconds, .essential = true},
                          {.name = "95 %", .kind = spread},
                          {.name = "times the first's", .kind = ratio, .essential = true},
                          {.name = "energy", .kind = joules},
                          {.name = "runs a kWh", .kind = number},
                          {.name = fmt::format("{} an hour", currency), .kind = number},
                          {.name = fmt::format("runs for 1 {}", currency), .kind = number},
                          {.name = "notes"}}};
  for (const Ranked& one : ranking.ranked) {
    std::vector<std::string> notes = apart_texts(one);
    for (std::string& text : unknown_texts(one, ranking)) notes.push_back(std::move(text));
    const Tone tone = one.place == 1 ? Tone::best : Tone::plain;
    table.rows.push_back({.cells = {{.value = place_text(one, ranking), .tone = tone},
                                    {.value = printable(one.candidate.name), .tone = tone},
                                    estimate_cell(one.seconds),
                                    spread_cell(one.seconds),
                                    estimate_cell(one.behind),
                                    estimate_cell(one.joules),
                                    runs_for(one.joules, joules_per_kwh),
                                    price_cell(one),
                                    runs_for(one.cost, 1),
                                    text_cell(fmt::format("{}", fmt::join(notes, "; ")))}});
  }
  return table;
}

/// A row a case, a column a machine.
Table case_table(const Ranking& ranking, std::size_t most) {
  const std::size_t shown = std::min(ranking.ranked.size(), most);
  Table table{.title = "Case by case", .columns = {{.name = "case", .essential = true}}};
  if (ranking.weighted) table.columns.push_back({.name = "weight", .kind = CellKind::number});
  for (std::size_t i = 0; i < shown; ++i)
    table.columns.push_back({.name = printable(ranking.ranked[i].candidate.name), .kind = CellKind::seconds});
  for (std::size_t e = 0; e < ranking.entries.size(); ++e) {
    TableRow row{.cells = {{.value = printable(ranking.entries[e].title)}}};
    if (ranking.weighted) row.cells.push_back({.value = ranking.entries[e].weight});
    for (std::size_t i = 0; i < shown; ++i) {
      const RankedPart& part = ranking.ranked[i].parts[e];
      TableCell cell = part.seconds
                           ? TableCell{.value = part.seconds->value, .note = backend_title(part.backend)}
                           : text_cell(part.unknown);
      if (part.seconds && part.in_place) cell.note += ", " + printable(part.dtype);
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table fit_table(const Ranking& ranking) {
  Table table{.title = "What fits into memory",
              .columns = {{.name = "the largest", .essential = true},
                          {.name = "machine"},
                          {.name = "that fits", .kind = CellKind::count},
                          {.name = "limited by"}}};
  for (const RankedFit& fit : ranking.fits) {
    for (const auto& [candidate, of] : fit.largest)
      table.rows.push_back({.cells = {text_cell(fit.title),
                                      text_cell(candidate),
                                      {.value = static_cast<double>(of.largest)},
                                      text_cell(of.limit)}});
  }
  return table;
}

Table price_table(const Ranking& ranking) {
  Table table{.title = "Prices",
              .columns = {{.name = "machine", .essential = true},
                          {.name = "offer"},
                          {.name = "an hour", .kind = CellKind::number},
                          {.name = "to buy", .kind = CellKind::number},
                          {.name = "currency"},
                          {.name = "source"},
                          {.name = "date"}}};
  const auto add = [&](const Ranked& one, const Offer& offer, const std::optional<double>& hourly,
                       const std::optional<double>& purchase) {
    table.rows.push_back(
        {.cells = {text_cell(one.candidate.name), text_cell(offer.name),
                   hourly ? TableCell{.value = *hourly} : TableCell{},
                   purchase ? TableCell{.value = *purchase} : TableCell{}, text_cell(offer.from.currency),
                   text_cell(offer.from.source), text_cell(offer.from.date)}});
  };
  for (const Ranked& one : ranking.ranked) {
    if (one.offer) add(one, *one.offer, one.offer->per_hour, std::nullopt);
    if (one.to_buy) add(one, *one.to_buy, std::nullopt, one.to_buy->purchase);
  }
  return table;
}

Fold machine_fold(const Ranked& one) {
  Fold fold{.title = printable(one.candidate.name)};
  if (one.predicted) {
    fold.sentences.push_back({.text = "Predicted: nobody has measured it."});
    return fold;
  }
  std::vector<BackendRecord> backends;
  for (const BackendRecord* backend : one.candidate.backends) backends.push_back(*backend);
  for (const BackendRecord* backend : one.candidate.lacking) backends.push_back(*backend);
  fold.sentences = machine_sentences(one.candidate.host, backends);
  return fold;
}

}  // namespace

Document document_of(const Ranking& ranking) {
  constexpr std::size_t most_machines = 8;
  Document document{.title =
                        ranking.title.empty() ? "Which machine for this work?" : printable(ranking.title)};
  std::vector<std::string> about{counted_text(ranking.ranked.size(), "machine", "machines"),
                                 date_text(ranking.created)};
  if (!ranking.tool_version.empty()) about.push_back("breakeven " + printable(ranking.tool_version));
  std::erase(about, "");
  document.about = fmt::format("{}", fmt::join(about, " · "));
  std::vector<Chart> charts = rank_charts(ranking);

  Card order{.id = "order", .question = fmt::format("Which machine takes the least {}?", name(ranking.by))};
  if (!can_rank(ranking))
    order.answer.push_back({.text = "No two machines can be compared for this work.", .tone = Tone::warning});
  for (const std::string& sentence : rank_sentences(ranking))
    order.answer.push_back({.text = printable(sentence)});
  const auto first = std::find_if(ranking.ranked.begin(), ranking.ranked.end(),
                                  [](const Ranked& one) { return one.place == 1; });
  order.short_answer =
      !can_rank(ranking) || first == ranking.ranked.end() ? "not known" : printable(first->candidate.name);
  if (!charts.empty()) {
    order.picture = std::move(charts.front());
    charts.erase(charts.begin());
  }
  order.tables.push_back(order_table(ranking));
  if (!charts.empty())
    order.folds.push_back(
        {.title = counted_text(charts.size(), "more picture", "more pictures"), .charts = std::move(charts)});
  order.details.push_back(case_table(ranking, most_machines));
  for (auto& [title, table] :
       {std::pair("What fits into memory", fit_table(ranking)), std::pair("Prices", price_table(ranking))}) {
    if (!table.rows.empty()) order.folds.push_back({.title = title, .tables = {table}});
  }
  document.cards.push_back(std::move(order));
  for (const std::string& note : ranking.notes)
    document.notes.push_back({.text = printable(note), .tone = Tone::warning});
  for (const Ranked& one : ranking.ranked) document.folds.push_back(machine_fold(one));
  return document;
}

}  // namespace breakeven
