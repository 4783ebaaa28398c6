#include "reports/document/threshold_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/charts/threshold_chart.h"
#include "reports/document/about.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"

namespace breakeven {
namespace {

CellKind kind_of(Quantity in) {
  switch (in) {
    case Quantity::energy:
      return CellKind::joules;
    case Quantity::cost:
      return CellKind::number;
    case Quantity::time:
      break;
  }
  return CellKind::seconds;
}

/// The names of the sides without what both share: "OpenBLAS on " of two numbers of threads, ", 2 cores" of
/// two machines.
std::array<std::string, 2> distinct_names(const Threshold& threshold) {
  std::array<std::string, 2> names{printable(name_of_side(threshold, 0)),
                                   printable(name_of_side(threshold, 1))};
  auto& [first, second] = names;
  constexpr std::string_view on = " on ";
  const std::size_t place = first.find(on);
  if (place != std::string::npos && second.starts_with(first.substr(0, place + on.size()))) {
    for (std::string& name : names) name.erase(0, place + on.size());
  }
  const std::size_t comma = first.rfind(", ");
  if (comma != std::string::npos && second.ends_with(first.substr(comma)) && first != second) {
    const std::size_t shared = first.size() - comma;
    for (std::string& name : names) name.resize(name.size() - shared);
  }
  return names;
}

/// The side that is ahead and by how much, as the mean of the launches; neither where the interval of the
/// ratio has both.
TableCell lead_of(const ThresholdPoint& point, const std::array<std::string, 2>& names) {
  const auto ratio = point.ratio();
  if (!ratio)
    return {.value = point.reason.empty() ? "not measured" : printable(point.reason), .tone = Tone::warning};
  if (ratio->interval && ratio->interval->low <= 1 && ratio->interval->high >= 1)
    return {.value = "neither", .tone = Tone::quiet};
  const double faster = std::max(ratio->value, 1 / ratio->value);
  return {.value = fmt::format("{} by {}", names.at(ratio->value < 1 ? 1 : 0), factor_text(faster))};
}

/// Names the backend where a side has several.
TableCell amount_of(const ThresholdStand& side, const ThresholdContender& contender, Quantity in) {
  const auto amount = side.amount(in);
  if (!amount || !std::isfinite(*amount)) return {};
  const auto available = std::count_if(contender.backends.begin(), contender.backends.end(),
                                       [](const BackendRecord& b) { return b.available; });
  return {.value = *amount, .note = available == 1 ? "" : backend_title(side.backend)};
}

Table points_table(const Threshold& threshold, const ThresholdAnswer& answer) {
  Table table{
      .title = question_of(answer),
      .columns = {
          {.name = printable(threshold.parameter), .kind = CellKind::count, .essential = true},
          {.name = printable(name_of_side(threshold, 0)), .kind = kind_of(answer.in), .essential = true},
          {.name = printable(name_of_side(threshold, 1)), .kind = kind_of(answer.in), .essential = true},
          {.name = "ahead", .essential = true},
          {.name = threshold.from_results ? "" : "launches", .kind = CellKind::count}}};
  table.one_unit = true;
  const std::array<std::string, 2> names = distinct_names(threshold);
  for (const ThresholdPoint& point : answer.points) {
    table.rows.push_back({.cells = {{.value = static_cast<double>(point.value)},
                                    amount_of(point.sides[0], threshold.sides[0], answer.in),
                                    amount_of(point.sides[1], threshold.sides[1], answer.in),
                                    lead_of(point, names),
                                    threshold.from_results
                                        ? TableCell{}
                                        : TableCell{.value = static_cast<double>(point.log_ratios.size())}}});
  }
  return table;
}

/// The prices and their sources; empty without prices.
std::string prices_text(const Threshold& t) {
  std::vector<std::string> parts;
  for (std::size_t side = 0; side < 2; ++side) {
    if (const auto& price = t.sides[side].price)
      parts.push_back(fmt::format("{} at {} {} an hour ({}, {})", name_of_side(t, side), price->per_hour,
                                  price->from.currency, price->from.source, price->from.date));
  }
  return printable(fmt::format("{}", fmt::join(parts, "; ")));
}

std::string from_text(const ThresholdAnswer& answer) {
  if (answer.found.changes.empty()) return std::string(name(answer.found.answer));
  return fmt::format("from {}", count_text(static_cast<double>(answer.found.changes.front().from)));
}

/// The card of all thresholds that share a title.
Card card_of(const std::vector<const Threshold*>& alike) {
  Card card{.id = {}, .question = printable(alike.front()->title)};
  if (card.question.empty()) card.question = "From which value on is one side faster?";
  constexpr std::size_t most_sentences = 4;
  const bool several = alike.size() > 1;
  Table table{.title = "Answers",
              .columns = {{.name = "of what", .essential = true},
                          {.name = "machine"},
                          {.name = "answer", .essential = true}}};
  Fold pictures{.title = {}};
  std::size_t answers = 0;
  for (const Threshold* threshold : alike) answers += threshold->answers.size();
  for (const Threshold* threshold : alike) {
    const std::string machine = printable(threshold->host.name);
    for (const ThresholdAnswer& answer : threshold->answers) {
      const std::string words = printable(in_words(answer, *threshold));
      const std::string what =
          several ? fmt::format("{} on {}", question_of(answer), machine) : question_of(answer);
      if (card.answer.size() < most_sentences)
        card.answer.push_back({.text = capitalised(fmt::format("{}: {}", what, words))});
      if (card.short_answer.empty()) card.short_answer = from_text(answer);
      table.rows.push_back({.cells = {{.value = question_of(answer)},
                                      several ? TableCell{.value = machine} : TableCell{},
                                      {.value = words}}});
      Chart chart = threshold_chart(*threshold, answer);
      if (several) chart.title += fmt::format(" ({})", machine);
      if (!card.picture && !chart.series.empty())
        card.picture = std::move(chart);
      else if (!chart.series.empty())
        pictures.charts.push_back(std::move(chart));
      card.details.push_back(points_table(*threshold, answer));
      if (several) card.details.back().title += fmt::format(" on {}", machine);
    }
  }
  if (answers > most_sentences)
    card.folds.push_back({.title = fmt::format("All {} answers", answers), .tables = {std::move(table)}});
  pictures.title = counted_text(pictures.charts.size(), "more picture", "more pictures");
  if (!pictures.charts.empty()) card.folds.push_back(std::move(pictures));
  return card;
}

}  // namespace

std::vector<Sentence> threshold_notes(const Threshold& t) {
  std::vector<Sentence> said;
  if (t.unlike_precision)
    said.push_back({.text = "The two sides compute in different types: their results are not equally exact.",
                    .tone = Tone::warning});
  if (!t.complete)
    said.push_back({.text = "Interrupted before everything was answered.", .tone = Tone::warning});
  for (const ThresholdAnswer& answer : t.answers) {
    std::vector<std::string> notes = answer.notes;
    if (std::string medians = medians_note(answer, t.parameter); !medians.empty())
      notes.push_back(std::move(medians));
    for (const std::string& note : notes)
      said.push_back(
          {.text = printable(fmt::format("{}: {}", question_of(answer), note)), .tone = Tone::warning});
  }
  for (const std::string& warning : t.warnings)
    said.push_back({.text = printable(warning), .tone = Tone::warning});
  if (std::string prices = prices_text(t); !prices.empty()) said.push_back({.text = std::move(prices)});
  return said;
}

std::vector<Card> threshold_cards(std::span<const Threshold> thresholds) {
  std::vector<std::vector<const Threshold*>> by_title;
  for (const Threshold& threshold : thresholds) {
    const auto found = std::find_if(by_title.begin(), by_title.end(), [&](const auto& alike) {
      return alike.front()->title == threshold.title;
    });
    if (found == by_title.end()) {
      by_title.push_back({&threshold});
    } else {
      found->push_back(&threshold);
    }
  }
  std::vector<Card> cards(by_title.size());
  std::transform(by_title.begin(), by_title.end(), cards.begin(), card_of);
  return cards;
}

Fold break_even_fold(std::span<const Threshold> thresholds) {
  Table table{.title = "From results of each machine, not measured in turn",
              .columns = {{.name = "question", .essential = true},
                          {.name = "of what"},
                          {.name = "answer", .essential = true}}};
  for (const Threshold& threshold : thresholds) {
    for (const ThresholdAnswer& answer : threshold.answers)
      table.rows.push_back({.cells = {{.value = printable(threshold.title)},
                                      {.value = question_of(answer)},
                                      {.value = printable(in_words(answer, threshold))}}});
  }
  return {.title = "From which value on is one machine faster than another?", .tables = {std::move(table)}};
}

}  // namespace breakeven
