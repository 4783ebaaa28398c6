#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// "CPU, 2 cores answers batches up to 64, the largest measured (oneDNN: 326,000 images/s)".
std::string answer_text(const LargestBatch& one) {
  if (one.batch == 0)
    return fmt::format("{} answers no measured batch (the smallest takes {} with {})", printable(one.device),
                       format_seconds(one.p99), backend_title(one.backend));
  return fmt::format("{} answers batches up to {}{} ({}: {} images/s)", printable(one.device),
                     count_text(one.batch), one.batch == one.largest ? ", the largest measured" : "",
                     backend_title(one.backend), number_text(one.samples_per_second));
}

}  // namespace

Card latency_card(const LatencyLimit& limit) {
  constexpr std::size_t most_sentences = 4;
  const std::string seconds = format_seconds(limit.seconds);
  Card card{.question =
                fmt::format("Which is the largest batch answered within {} in 99 % of calls?", seconds)};
  Table table{
      .title = fmt::format("99 % within {}", seconds),
      .columns = {essential("of what"), essential("machine"), essential("library"),
                  essential("largest batch", CellKind::count), essential("99 % within", CellKind::seconds),
                  essential("images/s", CellKind::number)}};
  const bool one_device = std::ranges::all_of(
      limit.answers, [&](const LargestBatch& one) { return one.device == limit.answers.front().device; });
  InOrder<std::string, InOrder<std::string, const LargestBatch*>> best;  // by workload, by device
  for (const LargestBatch& one : limit.answers) {
    const std::string work = work_title(one.title);
    if (const LargestBatch*& first = at_key(at_key(best, work), one.device); first == nullptr) first = &one;
    table.rows.push_back(
        {.cells = {work, one_device ? TableCell() : TableCell(printable(one.device)),
                   backend_title(one.backend), one.batch == 0 ? TableCell("none") : TableCell(one.batch),
                   one.p99, one.samples_per_second}});
  }
  for (const auto& [work, by_device] : best) {
    std::vector<std::string> devices;
    for (const auto& [device, one] : by_device) devices.push_back(answer_text(*one));
    add_sentence(card.answer.size() < most_sentences ? card.answer : card.more_answers,
                 fmt::format("{}, 99 % within {}: {}.", work, seconds, fmt::join(devices, "; ")));
  }
  card.short_answer = best.size() > 1 || best.front().second.size() > 1 ? differs_text(best.size())
                      : limit.answers.front().batch == 0
                          ? "none"
                          : fmt::format("batch {}", count_text(limit.answers.front().batch));
  card.tables.push_back(std::move(table));
  return card;
}

}  // namespace breakeven
