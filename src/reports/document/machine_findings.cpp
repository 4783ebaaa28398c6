#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

using Topics = std::vector<std::pair<Focus, std::vector<Statement>>>;

bool has_many_batches(const Family& family) {
  constexpr std::size_t many = 5;
  std::set<double> values;
  for (const auto& [value, timed] : family.members) values.insert(value);
  return family.parameter == "batch" && values.size() >= many;
}

/// The first topic that has statements and that most results are about.
Focus focus_of(const Topics& topics, const std::vector<Timed>& all, const std::vector<Family>& families) {
  constexpr std::size_t several_dtypes = 3;
  std::set<std::string> dtypes;
  for (const Timed& timed : all) dtypes.insert(timed.result->dtype);
  const auto limits =
      std::ranges::count_if(all, [](const Timed& timed) { return is_ceiling(*timed.result); });
  const auto is_about = [&](Focus focus) {
    switch (focus) {
      case Focus::ceilings:
        return 2 * limits >= std::ssize(all);
      case Focus::precision:
        return dtypes.size() >= several_dtypes;
      case Focus::batch:
        return std::ranges::any_of(families, has_many_batches);
      case Focus::capacity:
        return all.empty();
      case Focus::gpu:
      case Focus::libraries:
        break;
    }
    return true;
  };
  const auto found = std::ranges::find_if(
      topics, [&](const auto& topic) { return !topic.second.empty() && is_about(topic.first); });
  return found == topics.end() ? Focus::libraries : found->first;
}

std::vector<KeyFigure> figures_of(const Findings& found, const std::vector<Statement>& said) {
  constexpr std::size_t most = 3;
  std::vector<KeyFigure> figures;
  if (found.focus == Focus::libraries && found.libraries.problems > 0) {
    const BackendSummary& next = found.libraries.backends[1];
    figures.push_back(
        {.value = factor_text(next.mean_ratio),
         .meaning = fmt::format("time of {} over the fastest, on average", backend_title(next.backend))});
  }
  for (const Statement& statement : said)
    figures.insert(figures.end(), statement.figures.begin(), statement.figures.end());
  if (figures.size() > most) figures.resize(most);
  return figures;
}

/// Adds a sentence for each compared backend that could be faster here, with the reason. The warnings contain
/// the remedies.
void add_caveats(std::vector<Sentence>& sentences, const LibrarySummary& libraries, const Runs& runs) {
  std::set<std::string> said;
  for (const BackendSummary& one : libraries.backends) {
    for (const Result* run : runs) {
      for (const BackendRecord& backend : run->backends) {
        if (backend.name != one.backend || backend.warnings.empty()) continue;
        const std::string cause = backend.warnings.front().substr(0, backend.warnings.front().find("; "));
        said.insert(fmt::format("{} could be faster here: {}.", backend_title(one.backend), cause));
      }
    }
  }
  for (const std::string& sentence : said) add_sentence(sentences, sentence, Tone::warning);
}

}  // namespace

Findings findings_of(const MachineRuns& machine, const std::vector<ProblemGroup>& groups,
                     const std::vector<Timed>& timed, const std::vector<Family>& families) {
  constexpr std::size_t most_statements = 2;
  Topics topics{{Focus::gpu, gpu_statements(families)},
                {Focus::ceilings, ceiling_statements(timed, machine.runs)},
                {Focus::precision, precision_statements(timed)},
                {Focus::batch, batch_statements(families)},
                {Focus::capacity, fit_statements(machine.runs)}};
  Findings found{.focus = focus_of(topics, timed, families),
                 .libraries = summarise(groups, machine.key),
                 .in_short = {},
                 .sentences = {},
                 .figures = {}};
  // Next to the libraries, readers ask about batches most often.
  const Focus topic = found.focus == Focus::libraries ? Focus::batch : found.focus;
  const auto first = std::ranges::find(topics, topic, &Topics::value_type::first);
  std::rotate(topics.begin(), first, std::next(first));
  const std::vector<Statement>& said = topics.front().second;
  found.figures = figures_of(found, said);

  const bool has_libraries = found.libraries.problems > 0;
  const auto add_libraries = [&] {
    add_sentence(found.sentences, leader_sentence(found.libraries));
    add_sentence(found.sentences, average_sentence(found.libraries));
    add_caveats(found.sentences, found.libraries, machine.runs);
  };
  const bool libraries_first = found.focus == Focus::libraries && has_libraries;
  if (libraries_first) {
    const BackendSummary& leader = found.libraries.leader();
    found.in_short = fmt::format("{}, {}", backend_title(leader.backend), fastest_text(leader));
    add_libraries();
    found.answers = found.sentences.size();
  } else if (!said.empty()) {
    found.in_short = said.front().in_short;
    found.answers = std::min(most_statements, said.size());
  } else {
    add_sentence(found.sentences, "No problem was measured in two ways that can be compared.");
    found.answers = 1;
  }
  for (const auto& [focus, statements] : topics) {
    for (const Statement& statement : statements) add_sentence(found.sentences, statement.text);
    if (focus == topic && !libraries_first) add_libraries();
  }
  add_sentence(found.sentences, gap_sentence(found.libraries));
  return found;
}

}  // namespace breakeven
