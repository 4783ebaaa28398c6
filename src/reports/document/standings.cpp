#include "reports/document/standings.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "reports/document/descriptions.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "statistics/estimate.h"
#include "verdicts/machines.h"

namespace breakeven {
namespace {

Standing standing_of(const Estimate& ratio, bool overlap) {
  if (!ratio.interval || !overlap) return Standing::slower;
  const bool equivalent =
      ratio.interval->high <= 1 + equivalence && ratio.interval->low >= 1 / (1 + equivalence);
  return equivalent ? Standing::as_fast : Standing::not_distinct;
}

/// Sorts the entries of one problem and sets how each compares with the first.
void rank(std::vector<Entry>& entries) {
  const auto timed_end = std::stable_partition(entries.begin(), entries.end(),
                                               [](const Entry& e) { return e.result->has_time(); });
  std::ranges::stable_sort(entries.begin(), timed_end, {},
                           [](const Entry& e) { return e.result->seconds->median; });
  if (timed_end == entries.begin()) return;
  const Estimate fastest = entries.front().result->seconds->estimate();
  for (auto entry = entries.begin(); entry != timed_end; ++entry) {
    const Estimate seconds = entry->result->seconds->estimate();
    entry->ratio = ratio(seconds, fastest);
    const bool overlap = seconds.interval && fastest.interval &&
                         seconds.interval->low <= fastest.interval->high &&
                         fastest.interval->low <= seconds.interval->high;
    entry->standing = standing_of(entry->ratio, overlap);
  }
  entries.front().standing = timed_end - entries.begin() == 1 ? Standing::alone : Standing::fastest;
  entries.front().ratio = {.value = 1};
}

std::string slower_text(const Estimate& ratio) {
  constexpr double small = 1.095;  // below it, percentages are clearer than factors
  const bool by_percent = ratio.value < small;
  const auto written = [&](double of) { return by_percent ? percent_text(of - 1) : factor_text(of); };
  std::string text = written(ratio.value) + " slower";
  if (!ratio.interval) return text;
  std::string low = written(by_percent ? std::max(1.0, ratio.interval->low) : ratio.interval->low);
  const std::string high = written(ratio.interval->high);
  if (!by_percent && low == high) return text;
  if (by_percent) low = low.substr(0, low.find(' '));  // the unit follows the other bound
  return fmt::format("{} ({} to {})", text, low, high);
}

}  // namespace

std::vector<ProblemGroup> compare_backends(const Runs& runs) {
  struct Position {
    std::size_t group = 0, problem = 0;
  };
  const CeilingsByDevice known = ceilings(runs);
  std::vector<ProblemGroup> groups;
  std::unordered_map<std::string_view, std::size_t> group_of_op;
  std::unordered_map<std::string, Position> places;  // by machine and id
  for (const Result* run : runs) {
    const std::string machine = machine_key(run->host);
    for (const CaseResult& result : run->cases) {
      const auto [place, fresh_problem] = places.try_emplace(machine + "\n" + result.id);
      if (fresh_problem) {
        const auto [index, fresh_group] = group_of_op.try_emplace(result.op, groups.size());
        if (fresh_group) groups.push_back({.op = printable(result.op), .problems = {}});
        ProblemGroup& group = groups[index->second];
        place->second = {.group = index->second, .problem = group.problems.size()};
        group.problems.push_back({.title = problem_title(result), .machine = machine, .entries = {}});
      }
      groups[place->second.group].problems[place->second.problem].entries.push_back(
          {.run = run, .result = &result, .roofline = roofline(result, *run, known)});
    }
  }
  for (ProblemGroup& group : groups) {
    for (Problem& problem : group.problems) rank(problem.entries);
  }
  return groups;
}

std::string describe_standing(const Entry& entry) {
  switch (entry.standing) {
    case Standing::none:
      return "";
    case Standing::alone:
      return "only one";
    case Standing::fastest:
      return "fastest";
    case Standing::as_fast:
      return fmt::format("as fast (within {})", percent_text(equivalence));
    case Standing::not_distinct:
      return fmt::format("not distinguishable (at most {})", factor_text(entry.ratio.interval->high));
    case Standing::slower:
      return (entry.ratio.interval ? "" : "~") + slower_text(entry.ratio);
  }
  return "";
}

}  // namespace breakeven
