#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/document/builders.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "results/backend_spelling.h"
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
                          {.name = "95 %"}}};
  for (const NodeStanding& standing : fleet.standings) {
    if (!is_of(kind, standing)) continue;
    const Tone tone = standing.is_slower ? Tone::bad : Tone::plain;
    table.rows.push_back(
        {.cells = {TableCell(printable(fleet.nodes[standing.node]), tone), backend_title(standing.backend),
                   printable(standing.op), standing.cases, TableCell(standing.ratio, tone),
                   fmt::format("{:.3f} to {:.3f}", standing.interval.low, standing.interval.high)}});
  }
  return table;
}

}  // namespace

Document document_of(const Fleet& fleet) {
  std::set<std::size_t> slow;
  for (const NodeStanding& standing : fleet.standings) {
    if (standing.is_slower) slow.insert(standing.node);
  }
  Document document;
  if (fleet.standings.empty())
    document.title = "No node could be compared with others of its kind.";
  else if (slow.empty())
    document.title = "No node is slower than the others of its kind.";
  else
    document.title =
        fmt::format("{} of {} nodes {} slower than the others of {} kind.", slow.size(), fleet.nodes.size(),
                    slow.size() == 1 ? "is" : "are", slow.size() == 1 ? "its" : "their");
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
    // The answers of several kinds stand below each other.
    const std::string of_kind = fleet.kinds.size() > 1 ? card.question + ": " : "";
    if (!kind.why_not.empty())
      add_sentence(card.answer, capitalised(fmt::format("{}not compared: {}.", of_kind, kind.why_not)),
                   Tone::warning);
    for (const NodeStanding& standing : fleet.standings) {
      if (!standing.is_slower || !is_of(kind, standing)) continue;
      add_sentence(card.answer,
                   fmt::format("{}{}: {} by {} takes {} ({} to {}) as long: {}.", of_kind,
                               fleet.nodes[standing.node], standing.op, backend_title(standing.backend),
                               factor_text(standing.ratio), factor_text(standing.interval.low),
                               factor_text(standing.interval.high), standing.cause),
                   Tone::bad);
    }
    add_table(card.tables, standings_table(fleet, kind));
  }
  for (const std::string& note : fleet.notes) add_sentence(document.notes, note, Tone::warning);
  return document;
}

}  // namespace breakeven
