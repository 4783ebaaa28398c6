#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/topics.h"
#include "text/counted.h"

namespace breakeven {
namespace {

std::vector<KeyFigure> figures_of(const Findings& found, const std::vector<Statement>& said) {
  constexpr std::size_t most = 3;
  std::vector<KeyFigure> figures;
  if (found.focus == Focus::libraries && found.libraries.problems > 0) {
    const BackendSummary& next = found.libraries.backends[1];
    const std::string limits = mean_limits(next, found.libraries);
    figures.push_back(
        {.value = factor_text(next.mean_ratio),
         .meaning = fmt::format("time of {} over the fastest, on average{}{}", backend_title(next.backend),
                                limits.empty() ? "" : " ", limits)});
  }
  for (const Statement& statement : said)
    figures.insert(figures.end(), statement.figures.begin(), statement.figures.end());
  if (figures.size() > most) figures.resize(most);
  return figures;
}

/// Adds a sentence for each compared backend that could be faster here, with the reason and the remedy.
void add_caveats(std::vector<Sentence>& sentences, const LibrarySummary& libraries, const Runs& runs) {
  std::set<std::string> said;
  for (const BackendSummary& one : libraries.backends) {
    for (const Result* run : runs) {
      for (const BackendRecord& backend : run->backends) {
        if (backend.name != one.backend || backend.warnings.empty()) continue;
        said.insert(fmt::format("{} could be faster here: {}.", backend_title(one.backend),
                                backend.warnings.front()));
      }
    }
  }
  for (const std::string& sentence : said) add_sentence(sentences, sentence, Tone::warning);
}

/// Adds to the answer how many results are missing because the run was interrupted.
void add_missing_results(Findings& found, const Runs& runs) {
  std::size_t all = 0;
  std::size_t missing = 0;
  for (const Result* run : runs) {
    all += run->cases.size();
    missing +=
        static_cast<std::size_t>(std::ranges::count(run->cases, Status::interrupted, &CaseResult::status));
  }
  if (missing == 0) return;
  add_sentence(found.answer,
               fmt::format("{} of {} {} not measured: the run was interrupted.", count_text(missing),
                           counted_text(all, "result", "results"), missing == 1 ? "was" : "were"),
               Tone::warning);
}

/// The first statement in short. Where others differ, it does not stand for them.
std::string statements_in_short(Focus focus, const std::vector<Statement>& said) {
  const std::string& first = said.front().in_short;
  // Statements on ceilings do not answer one question.
  if (focus == Focus::ceilings) return first;
  const auto others =
      std::ranges::count_if(said, [&](const Statement& one) { return one.in_short != first; });
  if (others == 0) return first;
  return focus == Focus::gpu ? differs_text(said.size())
                             : fmt::format("{}, and {} more", first, said.size() - 1);
}

/// The topic that is asked, if there is anything on it; else that of most results.
Focus leading_focus(const std::vector<Topic>& topics, std::optional<Focus> asked, bool has_libraries) {
  const auto first = [&](const auto& leads) {
    return std::ranges::find_if(topics,
                                [&](const Topic& one) { return !one.statements.empty() && leads(one); });
  };
  if (asked == Focus::libraries && has_libraries) return Focus::libraries;
  if (asked && first([&](const Topic& one) { return one.focus == *asked; }) != topics.end()) return *asked;
  const auto main = first([](const Topic& one) { return one.is_main; });
  return main == topics.end() ? Focus::libraries : main->focus;
}

/// Makes it the answer that what is asked was not measured. The other findings follow.
void begin_with_missing(Findings& found, Focus asked) {
  if (missing_text(asked).empty()) return;
  found.answer.insert(found.answer.begin(), not_answered(asked));
  found.in_short = "not answered";
  found.figures.clear();
}

}  // namespace

Findings findings_of(std::size_t machine, const Measurements& measured,
                     const std::vector<ProblemGroup>& groups, std::optional<Focus> asked) {
  constexpr std::size_t most_statements = 2;
  std::vector<Topic> topics = topics_of(measured, asked);
  Findings found{.libraries = summarise(groups, machine)};
  found.focus = leading_focus(topics, asked, found.libraries.problems > 0);
  // Next to the libraries, readers ask about batches most often.
  const Focus topic = found.focus == Focus::libraries ? Focus::batch : found.focus;
  const auto first = std::ranges::find(topics, topic, &Topic::focus);
  std::rotate(topics.begin(), first, std::next(first));
  const std::vector<Statement>& said = topics.front().statements;
  found.figures = figures_of(found, said);

  for (const std::string& trouble : trouble_sentences(found.libraries))
    add_sentence(found.troubles, trouble, Tone::bad);
  found.wrong = backends_with(found.libraries, Status::wrong);
  found.implausible = backends_with(found.libraries, Status::implausible);

  const bool has_libraries = found.libraries.problems > 0;
  const auto add_libraries = [&](std::vector<Sentence>& to) {
    add_sentence(to, leader_sentence(found.libraries));
    add_sentence(to, average_sentence(found.libraries));
    add_caveats(to, found.libraries, measured.runs);
  };
  const bool libraries_first = found.focus == Focus::libraries && has_libraries;
  if (libraries_first) {
    const BackendSummary& leader = found.libraries.leader();
    found.in_short = fmt::format("{}, {}", backend_title(leader.backend), fastest_text(leader));
    if (const std::size_t missing = found.libraries.not_measured; missing > 0)
      found.in_short += fmt::format("; {} not measured", count_text(missing));
    add_libraries(found.answer);
    for (const Statement& statement : said) add_sentence(found.rest, statement.text);
  } else if (!said.empty()) {
    found.in_short = statements_in_short(found.focus, said);
    for (const Statement& statement : said)
      add_sentence(found.answer.size() < most_statements ? found.answer : found.more_answers, statement.text);
  } else {
    add_sentence(found.answer, "No problem was measured in two ways that can be compared.");
    found.in_short = "nothing to compare";
  }
  if (!libraries_first) add_libraries(found.rest);
  for (const Topic& one : std::span(topics).subspan(1)) {
    for (const Statement& statement : one.statements) add_sentence(found.rest, statement.text);
  }
  // The sentence on libraries counts the problems that are missing.
  if (!libraries_first) add_missing_results(found, measured.runs);
  if (asked && found.focus != *asked) begin_with_missing(found, *asked);
  add_sentence(found.rest, gap_sentence(found.libraries));
  return found;
}

}  // namespace breakeven
