#include "reports/document/ranking_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/document/names.h"
#include "reports/document/numbers.h"

namespace breakeven {

std::string place_text(const Ranked& one, const Ranking& ranking) {
  if (one.place == 0) return "-";
  const auto sharing = std::count_if(ranking.ranked.begin(), ranking.ranked.end(),
                                     [&](const Ranked& other) { return other.place == one.place; });
  return fmt::format("{}{}", sharing > 1 ? "=" : "", one.place);
}

std::string work_text(const Ranking& ranking) {
  const std::size_t cases = ranking.entries.size();
  const std::string counted = fmt::format("{} case{}", cases, cases == 1 ? "" : "s");
  return ranking.weighted
             ? fmt::format("ranked by the {} of the whole mix once, {}", name(ranking.by), counted)
             : fmt::format("ranked by {}: the geometric mean of the {} that all machines have",
                           name(ranking.by), counted);
}

std::vector<std::string> apart_texts(const Ranked& one) {
  std::map<std::string, int> others;
  int predicted = 0;
  for (const RankedPart& part : one.parts) {
    if (part.in_place) ++others[part.dtype];
    if (part.predicted && !one.predicted) ++predicted;
  }
  std::vector<std::string> texts;
  texts.reserve(others.size() + 1);
  for (const auto& [dtype, count] : others)
    texts.push_back(fmt::format("{} of {} cases in {}", count, one.parts.size(), dtype));
  if (predicted > 0) texts.push_back(fmt::format("{} of {} cases predicted", predicted, one.parts.size()));
  return texts;
}

std::string payback_text(const Payback& payback) {
  if (payback.bought) {
    const std::string electricity = payback.with_electricity ? "" : ", its electricity not counted";
    if (!payback.hours)
      return fmt::format("{}, bought, never pays for itself: {} does the same for less than its electricity",
                         payback.gpu, payback.cpu);
    return fmt::format(
        "{}, bought, has paid for itself after {} hours of this work, against the price of {}{}", payback.gpu,
        format_number(*payback.hours), payback.cpu, electricity);
  }
  if (payback.busy->value > 1)
    return fmt::format("{}, rented, is {}x as dear for this work as {}, however busy it is", payback.gpu,
                       format_number(payback.busy->value), payback.cpu);
  return fmt::format("{}, rented, is cheaper than {} where it is busy for more than {} of its hours{}",
                     payback.gpu, payback.cpu, format_percent(payback.busy->value),
                     payback.busy->interval
                         ? fmt::format(" ({} to {})", format_percent(payback.busy->interval->low),
                                       format_percent(payback.busy->interval->high))
                         : "");
}

std::vector<std::string> unknown_texts(const Ranked& one, const Ranking& ranking) {
  std::vector<std::string> texts;
  for (const auto& [quantity, why] : one.unknown) {
    if (quantity == ranking.by || (quantity == Quantity::cost && ranking.prices))
      texts.push_back(fmt::format("{}: {}", name(quantity), why));
  }
  return texts;
}

bool can_rank(const Ranking& ranking) {
  return std::count_if(ranking.ranked.begin(), ranking.ranked.end(),
                       [](const Ranked& one) { return one.place > 0; }) > 1;
}

std::vector<std::string> rank_sentences(const Ranking& ranking) {
  std::vector<std::string> first;
  std::vector<std::string> behind;
  std::vector<std::string> front;
  const bool is_ranking = can_rank(ranking);
  for (const Ranked& one : ranking.ranked) {
    if (!is_ranking) break;
    if (one.on_front) front.push_back(one.candidate.name);
    if (one.place == 1) {
      first.push_back(one.candidate.name);
    } else if (one.place > 1 && one.behind) {
      behind.push_back(fmt::format("{}{} {}{}", one.candidate.name, behind.empty() ? " takes" : "",
                                   one.behind->interval ? "" : "about ", factor_text(one.behind->value)));
    }
  }
  std::vector<std::string> said;
  if (first.size() > 1)
    said.push_back(fmt::format("{} share the first place: by {} they are not distinguishable.",
                               joined_text(first), name(ranking.by)));
  if (first.size() == 1)
    said.push_back(fmt::format("{} takes the least {}.", first.front(), name(ranking.by)));
  if (!behind.empty()) said.push_back(fmt::format("{} as much.", joined_text(behind)));
  const bool has_trade =
      ranking.prices || std::any_of(ranking.ranked.begin(), ranking.ranked.end(),
                                    [](const Ranked& one) { return one.joules.has_value(); });
  if (front.size() > 1 && has_trade)
    said.push_back(fmt::format("No other machine beats these in time, energy and cost at once: {}.",
                               joined_text(front)));
  for (const Payback& payback : ranking.paybacks) said.push_back(payback_text(payback));
  if (!ranking.nobody.empty())
    said.push_back(fmt::format("Not measured on any machine: {}.", fmt::join(ranking.nobody, "; ")));
  return said;
}

}  // namespace breakeven
