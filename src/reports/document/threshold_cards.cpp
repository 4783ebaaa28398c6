#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "host/own_speed.h"
#include "reports/charts/result_charts.h"
#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/standings.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "reports/words/threshold_words.h"

namespace breakeven {
namespace {

CellKind kind_of(Metric in) {
  return in == Metric::time ? CellKind::seconds : in == Metric::energy ? CellKind::joules : CellKind::number;
}

/// The faster side and by how much, with a "~" if that has no interval; "neither" if they differ too little,
/// and "not clear" if the launches do not show it.
TableCell lead_of(const ThresholdPoint& point, Lead lead, bool from_results,
                  const std::array<std::string, 2>& names) {
  const auto ratio = point.ratio();
  if (!ratio) return {point.reason.empty() ? "not measured" : printable(point.reason), Tone::warning};
  if (lead == Lead::neither) return {lead_at(point, from_results) ? "neither" : "not clear", Tone::quiet};
  const double faster = std::max(ratio->value, 1 / ratio->value);
  return fmt::format("{} by {}", names.at(lead == Lead::challenger ? 1 : 0),
                     factor_text(faster, !ratio->interval));
}

std::array<std::string, 2> printable_names(const Threshold& threshold) {
  const auto& [baseline, challenger] = short_names_of_sides(threshold);
  return {printable(baseline), printable(challenger)};
}

bool has_several(const ThresholdContender& side) {
  return std::ranges::count(side.backends, true, &BackendRecord::available) != 1;
}

Table points_table(const Threshold& threshold, const ThresholdAnswer& answer) {
  const CellKind kind = kind_of(answer.in);
  const bool paired = !threshold.from_results;
  const std::array<std::string, 2> names = printable_names(threshold);
  Table table{.title = question_of(answer),
              .columns = {essential(printable(threshold.parameter), CellKind::count),
                          essential(names[0], kind),
                          essential(names[1], kind),
                          essential("ahead"),
                          {paired ? "launches" : "", CellKind::count}},
              .one_unit = true};
  const auto amount = [&](const ThresholdPoint& point, std::size_t side) {
    const ThresholdPointSide& of = point.sides.at(side);
    return TableCell(of.amount(answer.in),
                     has_several(threshold.sides.at(side)) ? backend_title(of.backend) : "");
  };
  for (const ThresholdPoint& point : answer.points) {
    const Lead lead = shown_lead(point, answer, threshold.from_results);
    table.rows.push_back({.cells = {point.value, amount(point, 0), amount(point, 1),
                                    lead_of(point, lead, threshold.from_results, names),
                                    paired ? TableCell(point.log_ratios.size()) : TableCell()}});
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
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The values at which the challenger leads, or else the baseline: "CUDA from 384", "CUDA below 64".
std::string lead_in_short(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  if (!found.last) return "not measured";
  const auto& [baseline, challenger] = printable_names(threshold);
  const auto shown = [&](std::int64_t value) { return value_text(threshold.parameter, value); };
  if (const auto change = bracketed_change(answer))
    return fmt::format("{} from {}", change->above == Lead::challenger ? challenger : baseline,
                       shown(change->from));
  if (found.answer == BreakEven::Answer::unclear) return "not answered";
  if (found.answer == BreakEven::Answer::always) return challenger + " at all values";
  if (found.answer == BreakEven::Answer::never) return baseline + " at all values";
  if (found.changes.empty()) return "neither";
  const LeadChange& last = found.changes.back();
  const std::string from = shown(last.from);
  const bool is_between = threshold.from_results && last.by_bisection;
  if (last.above == Lead::challenger)
    return fmt::format("{} from {}{}", challenger, from, is_between ? " or less" : "");
  if (last.below == Lead::challenger) {
    if (found.changes.size() == 1) return fmt::format("{} below {}", challenger, from);
    const LeadChange& before = found.changes[found.changes.size() - 2];
    return fmt::format("{} from {} to {}", challenger, shown(before.from), from);
  }
  return last.above == Lead::baseline ? fmt::format("{} from {}", baseline, from)
                                      : fmt::format("{} below {}", baseline, from);
}

/// The shares of its own speed at which a side's machine ran, in the times shown.
std::vector<double> own_speeds(const Threshold& threshold, std::size_t side) {
  std::vector<double> shares;
  for (const ThresholdAnswer& answer : threshold.answers) {
    for (const ThresholdPoint& point : answer.points) {
      if (const auto& share = point.sides.at(side).own_speed) shares.push_back(*share);
    }
  }
  return shares;
}

/// Adds a sentence for each side whose machine ran below its own speed.
void tell_slow_machines(const Threshold& threshold, std::vector<Sentence>& answer) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string name = printable(name_of_side(threshold, side));
    const std::vector<double> shares = own_speeds(threshold, side);
    add_sentence(answer, slow_machine_text(name, shares), Tone::warning);
    if (const double usual = threshold.sides.at(side).own_speed.value_or(1);
        shares.empty() && usual < trusted_speed_share) {
      add_sentence(answer,
                   fmt::format("{} {} in the median case: on a quiet machine its times would be shorter.",
                               name, ran_at(usual)),
                   Tone::warning);
    }
  }
}

/// The card of all thresholds that share a title.
Card card_of(const std::vector<const Threshold*>& alike) {
  constexpr std::size_t most_sentences = 4;
  Card card{.question = printable(alike.front()->title)};
  std::set<std::string> shorts;
  if (card.question.empty()) card.question = "From which value on is one side faster?";
  const bool several = alike.size() > 1;
  Table table{.title = "Answers", .columns = {essential("of what"), {"machine"}, essential("answer")}};
  std::vector<Chart> charts;
  for (const Threshold* threshold : alike) {
    const std::string machine = printable(threshold->host.name);
    const std::string on_machine = several ? " on " + machine : "";
    for (const ThresholdAnswer& answer : threshold->answers) {
      const std::string question = question_of(answer);
      const std::string words = printable(in_words(answer, *threshold));
      add_sentence(table.rows.size() < most_sentences ? card.answer : card.more_answers,
                   capitalised(fmt::format("{}{}: {}", question, on_machine, words)));
      shorts.insert(lead_in_short(answer, *threshold));
      table.rows.push_back({.cells = {question, several ? TableCell(machine) : TableCell(), words}});
      Chart chart = threshold_chart(*threshold, answer);
      if (several) chart.title += fmt::format(" ({})", machine);
      if (!chart.series.empty()) charts.push_back(std::move(chart));
      card.details.push_back(points_table(*threshold, answer));
      card.details.back().title += on_machine;
    }
    tell_slow_machines(*threshold, card.answer);
  }
  if (shorts.size() == 1) card.short_answer = *shorts.begin();
  if (shorts.size() > 1) card.short_answer = differs_text(table.rows.size());
  std::stable_partition(charts.begin(), charts.end(),
                        [](const Chart& chart) { return !chart.marks.empty(); });
  card.picture = take_first(charts);
  if (const std::size_t answers = table.rows.size(); answers > most_sentences)
    card.folds.push_back({.title = fmt::format("All {} answers", answers), .tables = {std::move(table)}});
  add_fold(card.folds, more_pictures(std::move(charts)));
  return card;
}

}  // namespace

std::vector<Sentence> threshold_notes(const Threshold& t) {
  std::vector<Sentence> said;
  if (t.unlike_precision)
    add_sentence(said, "The two sides compute in different types: their results are not equally exact.",
                 Tone::warning);
  if (!t.complete) add_sentence(said, "Interrupted before everything was answered.", Tone::warning);
  for (const ThresholdAnswer& answer : t.answers) {
    std::vector<std::string> notes = note_texts(answer.notes);
    notes.push_back(width_note(answer, t));
    notes.push_back(medians_note(answer, t.parameter));
    std::erase(notes, "");
    for (const std::string& note : notes)
      add_sentence(said, fmt::format("{}: {}", question_of(answer), note), Tone::warning);
  }
  for (const Note& warning : t.warnings) add_sentence(said, note_text(warning), Tone::warning);
  add_sentence(said, prices_text(t));
  return said;
}

std::vector<Sentence> derived_notes(std::span<const Threshold> thresholds) {
  std::vector<Sentence> notes;
  std::set<std::string> seen;
  for (const Threshold& threshold : thresholds) {
    for (const Sentence& note : threshold_notes(threshold)) {
      if (seen.insert(note.text).second) notes.push_back({"Break-even: " + note.text, note.tone});
    }
  }
  return notes;
}

std::vector<Card> threshold_cards(std::span<const Threshold> thresholds) {
  InOrder<std::string, std::vector<const Threshold*>> by_title;
  for (const Threshold& threshold : thresholds) at_key(by_title, threshold.title).push_back(&threshold);
  std::vector<Card> cards;
  cards.reserve(by_title.size());
  for (const auto& [title, alike] : by_title) cards.push_back(card_of(alike));
  return cards;
}

Fold break_even_fold(std::span<const Threshold> thresholds) {
  Table table{.title = "From results of each machine, not measured in turn",
              .columns = {essential("question"), {"of what"}, essential("answer")}};
  for (const Threshold& threshold : thresholds) {
    for (const ThresholdAnswer& answer : threshold.answers)
      table.rows.push_back({.cells = {printable(threshold.title), question_of(answer),
                                      printable(in_words(answer, threshold))}});
  }
  return {.title = "From which value on is one machine faster than another?",
          .sentences = derived_notes(thresholds),
          .tables = {std::move(table)}};
}

}  // namespace breakeven
