#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rank/rank.h"
#include "reports/document/cards.h"
#include "reports/document/numbers.h"
#include "reports/words/rank_words.h"
#include "verdicts/machines.h"
#include "verdicts/transfers.h"

namespace breakeven {
namespace {

bool has_time_for_all(const Ranked& one) {
  return one.seconds.has_value();
}

/// The number of machines. A GPU and the processors beside it are devices of one machine.
std::size_t machines_in(const Ranking& ranking) {
  std::set<std::string> keys;
  for (const Ranked& one : ranking.ranked) keys.insert(machine_key(one.candidate.host));
  return keys.size();
}

bool is_interrupted(const Runs& runs) {
  return std::ranges::any_of(runs, [](const Result* run) { return !run->complete; });
}

/// "y lacks 1 of 10 cases, z 3." for the devices without a time for the whole work, and what to do about it.
std::string lacking_text(const Ranking& ranking, bool interrupted) {
  std::vector<std::string> lacking;
  for (const Ranked& one : ranking.ranked) {
    const auto missing =
        std::ranges::count_if(one.parts, [](const RankedPart& part) { return !part.seconds; });
    if (has_time_for_all(one) || missing == 0) continue;
    lacking.push_back(lacking.empty() ? fmt::format("{} lacks {} of {}", one.candidate.name, missing,
                                                    counted_text(one.parts.size(), "case", "cases"))
                                      : fmt::format("{} {}", one.candidate.name, missing));
  }
  return fmt::format(
      "{}. {}", joined_text(lacking),
      interrupted ? "Continue interrupted runs with --resume." : "`breakeven rank` says which, and why.");
}

/// Makes the time of the only machine that has one for the whole work the answer, with the reason why there
/// is no order.
void answer_for_one(Card& card, const Ranking& ranking, bool interrupted) {
  const Ranked& one = *std::ranges::find_if(ranking.ranked, has_time_for_all);
  const std::string time = format_seconds(one.seconds->value);
  card.short_answer = fmt::format("one machine: {}", time);
  std::vector<Sentence> answer;
  add_sentence(
      answer, fmt::format("{} takes {} for {}, each case with its fastest library.", one.candidate.name, time,
                          ranking.weighted ? "the whole mix, once" : "one case, as the geometric mean"));
  const bool is_alone = machines_in(ranking) == 1;
  if (ranking.ranked.size() > 1)
    add_sentence(answer, fmt::format("No other {} has a time for every case: {}",
                                     is_alone ? "device" : "machine", lacking_text(ranking, interrupted)));
  if (is_alone) add_sentence(answer, "To compare machines, report the files of all of them together.");
  card.answer.insert(card.answer.begin(), answer.begin(), answer.end());
}

}  // namespace

std::optional<MixOrder> mix_order(const Runs& runs) {
  std::vector<Result> results;
  results.reserve(runs.size());
  for (const Result* run : runs) results.push_back(*run);
  if (const auto mixed = mixed_caches(results)) {
    MixOrder none{.card = {.short_answer = "not ranked"}};
    add_sentence(none.card.answer, fmt::format("Not ranked: {}.", mixed_caches_text(*mixed)), Tone::warning);
    return none;
  }
  RankOptions options;
  options.mix = mix_of(results.front());
  std::set<std::string> wanted = ids_on_gpus(results);
  if (options.mix) wanted.merge(ids_of(*options.mix));
  add_cases_of_processors(results, wanted);
  const Ranking ranking = rank_results(results, options);
  const auto known = std::ranges::count_if(ranking.ranked, has_time_for_all);
  if (known == 0) return std::nullopt;
  const bool are_all_known = known == std::ssize(ranking.ranked);
  MixOrder order{.card = ranking_card(ranking), .compares = are_all_known && machines_in(ranking) > 1};
  add_rank_caveats(order.card.answer, std::span(&ranking, 1));
  if (known == 1) {
    answer_for_one(order.card, ranking, is_interrupted(runs));
  } else if (!are_all_known) {
    add_sentence(order.card.answer, "Not ranked: " + lacking_text(ranking, is_interrupted(runs)),
                 Tone::warning);
  }
  return order;
}

}  // namespace breakeven
