#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "reports/document/builders.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "results/backend_spelling.h"
#include "results/number_text.h"
#include "statistics/summary.h"
#include "verdicts/fleet.h"

namespace breakeven {
namespace {

bool is_of(const NodeKind& kind, const NodeStanding& standing) {
  return std::ranges::find(kind.nodes, standing.node) != kind.nodes.end();
}

Table standings_table(const Fleet& fleet, const NodeKind& kind) {
  Table table{.title = printable(kind.name),
              .columns = {essential("node"),
                          essential("backend"),
                          essential("operation"),
                          {.name = "cases", .kind = CellKind::count},
                          essential("time over the others'", CellKind::ratio),
                          {.name = "95 %"},
                          {.name = "slower from", .kind = CellKind::ratio}}};
  for (const NodeStanding& standing : fleet.standings) {
    if (!is_of(kind, standing)) continue;
    const Tone tone = standing.is_slower            ? Tone::bad
                      : standing.is_probably_slower ? Tone::warning
                                                    : Tone::plain;
    table.rows.push_back(
        {.cells = {TableCell(printable(fleet.nodes[standing.node]), tone), backend_title(standing.backend),
                   printable(standing.op), standing.cases, TableCell(standing.ratio, tone),
                   fmt::format("{:.3f} to {:.3f}", standing.interval.low, standing.interval.high),
                   standing.slower_from}});
  }
  return table;
}

/// "2 of 8 nodes are {slower} than the others of their kind."
std::string nodes_text(std::size_t nodes, const Fleet& fleet, std::string_view slower) {
  return fmt::format("{} of {} nodes {} {} than the others of {} kind.", nodes, fleet.nodes.size(),
                     nodes == 1 ? "is" : "are", slower, nodes == 1 ? "its" : "their");
}

/// The nodes with a standing for which this holds.
std::set<std::size_t> nodes_where(const Fleet& fleet, const auto& holds) {
  std::set<std::size_t> nodes;
  for (const NodeStanding& standing : fleet.standings) {
    if (holds(standing)) nodes.insert(standing.node);
  }
  return nodes;
}

std::string decision_text(const Fleet& fleet) {
  if (fleet.standings.empty()) return "No node could be compared with others of its kind.";
  const auto slow = nodes_where(fleet, [](const NodeStanding& one) { return one.is_slower; });
  const auto probable = nodes_where(
      fleet, [&](const NodeStanding& one) { return one.is_probably_slower && !slow.contains(one.node); });
  if (slow.empty() && probable.empty()) return "No node was found to be slower than the others of its kind.";
  if (slow.empty())
    return nodes_text(probable.size(), fleet, "probably slower") +
           " Measure all nodes again, and give all files: a run may be slow by chance.";
  std::string text = nodes_text(slow.size(), fleet, "slower");
  if (!probable.empty())
    text += fmt::format(" {} more {} probably slower.", probable.size(), probable.size() == 1 ? "is" : "are");
  return text;
}

/// "n0: infer by PyTorch takes 1.5x (1.4x to 1.6x) as long: its memory ..."; empty if the node is not slower.
std::string standing_text(const Fleet& fleet, const NodeStanding& standing) {
  if (!standing.is_slower && !standing.is_probably_slower) return "";
  return fmt::format("{}: {} by {} {} {} ({} to {}) as long{}: {}.", fleet.nodes[standing.node], standing.op,
                     backend_title(standing.backend), standing.is_slower ? "takes" : "probably takes",
                     factor_text(standing.ratio), factor_text(standing.interval.low),
                     factor_text(standing.interval.high), standing.has_one_launch ? " in this run" : "",
                     reasons_text(standing.cause));
}

/// "1 of 8 slower", for the table of contents.
std::string kind_in_short(const Fleet& fleet, const NodeKind& kind) {
  if (!kind.why_not.empty()) return "not compared";
  const auto slow =
      nodes_where(fleet, [&](const NodeStanding& one) { return one.is_slower && is_of(kind, one); });
  return slow.empty() ? "none slower" : fmt::format("{} of {} slower", slow.size(), kind.nodes.size());
}

/// Adds which nodes may only have had a slow run.
void add_measure_again(std::vector<Sentence>& answer, const Fleet& fleet, const NodeKind& kind,
                       const std::string& of_kind) {
  std::set<std::string> names;
  for (const NodeStanding& standing : fleet.standings) {
    if (is_of(kind, standing) && standing.has_one_launch &&
        (standing.is_slower || standing.is_probably_slower))
      names.insert(fleet.nodes[standing.node]);
  }
  if (names.empty()) return;
  const bool is_one = names.size() == 1;
  add_sentence(
      answer,
      fmt::format("{}{} {} in one launch only, and a launch may be slow by chance: measure {} again.",
                  of_kind, joined_text({names.begin(), names.end()}),
                  is_one ? "was measured" : "were each measured", is_one ? "it" : "them"),
      Tone::warning);
}

/// Adds the smallest difference that the nodes of a kind can confirm, in half of the comparisons.
void add_smallest_confirmed(std::vector<Sentence>& answer, const Fleet& fleet, const NodeKind& kind,
                            const std::string& of_kind) {
  constexpr double fine = 1.1, too_coarse = 10;
  std::vector<double> all;
  for (const NodeStanding& standing : fleet.standings) {
    if (standing.slower_from && is_of(kind, standing)) all.push_back(*standing.slower_from);
  }
  const std::optional<double> smallest = median_if_any(std::move(all));
  if (!smallest) return;
  const std::string confirmed = *smallest < too_coarse
                                    ? fmt::format("differences from {} on", factor_text(*smallest))
                                    : std::string("no difference below 10x");
  const std::string remedy =
      *smallest < fine ? "" : "; for smaller ones, measure all nodes again and give all files";
  add_sentence(answer,
               capitalised(fmt::format("{}among these {} nodes, {} can be confirmed{}.", of_kind,
                                       kind.nodes.size(), confirmed, remedy)),
               remedy.empty() ? Tone::quiet : Tone::warning);
}

}  // namespace

Document document_of(const Fleet& fleet) {
  Document document;
  document.title = decision_text(fleet);
  if (!fleet.standings.empty() && !fleet.not_compared.empty())
    document.title += fmt::format(" {} could not be compared.", fleet.not_compared.size());
  if (fleet.is_partial) document.title += " Some cases could not be compared.";
  if (fleet.has_wrong) document.title = "Some results are wrong. " + document.title;
  document.tone = tone_of_status(exit_status(fleet));
  for (std::size_t i = 0; i < fleet.kinds.size(); ++i) {
    const NodeKind& kind = fleet.kinds[i];
    Card& card = document.cards.emplace_back();
    card.id = fmt::format("kind-{}", i + 1);
    card.question = fmt::format("{} x {}", kind.nodes.size(), printable(kind.name));
    card.short_answer = kind_in_short(fleet, kind);
    // The answers of several kinds stand below each other.
    const std::string of_kind = fleet.kinds.size() > 1 ? card.question + ": " : "";
    if (!kind.why_not.empty())
      add_sentence(card.answer,
                   capitalised(fmt::format("{}not compared: {}.", of_kind, reasons_text(kind.why_not))),
                   Tone::warning);
    for (const NodeStanding& standing : fleet.standings) {
      const std::string text = is_of(kind, standing) ? standing_text(fleet, standing) : "";
      if (!text.empty())
        add_sentence(card.answer, of_kind + text, standing.is_slower ? Tone::bad : Tone::warning);
    }
    add_measure_again(card.answer, fleet, kind, of_kind);
    add_smallest_confirmed(card.answer, fleet, kind, of_kind);
    add_table(card.tables, standings_table(fleet, kind));
  }
  for (const Note& note : fleet.notes) add_sentence(document.notes, note_text(note), Tone::warning);
  return document;
}

}  // namespace breakeven
