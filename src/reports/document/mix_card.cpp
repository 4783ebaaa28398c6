#include <fmt/format.h>

#include <algorithm>

#include "rank/rank.h"
#include "reports/document/cards.h"
#include "reports/document/numbers.h"

namespace breakeven {
namespace {

bool has_time_for_all(const Ranked& one) {
  return one.seconds.has_value();
}

/// What is known of the only machine with a time for the whole work, and what is missing for an order.
void answer_for_one(Card& card, const Ranking& ranking) {
  const Ranked& one = *std::ranges::find_if(ranking.ranked, has_time_for_all);
  const std::string time = format_seconds(one.seconds->value);
  card.short_answer = fmt::format("one machine: {}", time);
  std::vector<Sentence> answer;
  add_sentence(
      answer, fmt::format("{} takes {} for {}, each case with its fastest library.", one.candidate.name, time,
                          ranking.weighted ? "the whole mix, once" : "one case, as the geometric mean"));
  add_sentence(answer, ranking.ranked.size() == 1
                           ? "To compare machines, report the files of all of them together."
                           : "No other machine has a time for every case.");
  // The first sentence of a ranking says that it cannot rank.
  answer.insert(answer.end(), card.answer.begin() + 1, card.answer.end());
  card.answer = std::move(answer);
}

}  // namespace

std::optional<Card> mix_card(const Runs& runs) {
  std::vector<Result> results;
  results.reserve(runs.size());
  for (const Result* run : runs) results.push_back(*run);
  RankOptions options;
  options.mix = mix_of(results.front());
  const Ranking ranking = rank_results(results, options);
  const auto known = std::ranges::count_if(ranking.ranked, has_time_for_all);
  if (known == 0) return std::nullopt;
  Card card = ranking_card(ranking);
  if (known == 1) answer_for_one(card, ranking);
  return card;
}

}  // namespace breakeven
