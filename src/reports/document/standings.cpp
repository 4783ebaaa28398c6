#include "reports/document/standings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "verdicts/machines.h"

namespace breakeven {
namespace {

Standing standing_of(const Estimate& ratio, bool overlap) {
  if (!ratio.interval) return may_be_equal(ratio) ? Standing::not_distinct : Standing::slower;
  if (!overlap) return Standing::slower;
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

/// The fastest result with a time of each backend, fastest first. Two files of one machine may have the same
/// cases.
std::vector<const Entry*> best_of_each(const Problem& problem) {
  std::vector<const Entry*> best;
  for (const Entry& entry : problem.entries) {
    const auto same = [&](const Entry* other) { return other->result->backend == entry.result->backend; };
    if (entry.standing != Standing::none && std::ranges::none_of(best, same)) best.push_back(&entry);
  }
  return best;
}

bool leads(const Entry& entry) {
  return entry.standing == Standing::fastest || entry.standing == Standing::as_fast ||
         entry.standing == Standing::not_distinct;
}

}  // namespace

bool may_be_equal(const Estimate& ratio) {
  constexpr double plain = 1.2;  // larger than noise, even if the noise is not known
  if (ratio.interval) return ratio.interval->low <= 1 && ratio.interval->high >= 1;
  return ratio.value < plain && ratio.value > 1 / plain;
}

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
        if (fresh_group) groups.push_back({.op = printable(result.op)});
        ProblemGroup& group = groups[index->second];
        place->second = {.group = index->second, .problem = group.problems.size()};
        group.problems.push_back({.title = problem_title(result), .machine = machine});
      }
      groups[place->second.group].problems[place->second.problem].entries.push_back(
          {{.run = run, .result = &result, .roofline = roofline(result, *run, known)}});
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
      return entry.ratio.interval
                 ? fmt::format("not distinguishable (at most {})", factor_text(entry.ratio.interval->high))
                 : fmt::format("not distinguishable (~{})", factor_text(entry.ratio.value));
    case Standing::slower:
      return (entry.ratio.interval ? "" : "~") + slower_text(entry.ratio);
  }
  return "";
}

LibrarySummary summarise(std::span<const ProblemGroup> groups, const std::string& machine) {
  LibrarySummary summary;
  std::map<std::string, BackendSummary> of_backend;
  std::map<std::string, std::vector<Estimate>> ratios;
  std::set<std::string> names;
  for (const ProblemGroup& group : groups) {
    for (const Problem& problem : group.problems) {
      if (problem.machine != machine) continue;
      names.insert(plural_of(group.op));
      const std::vector<const Entry*> entries = best_of_each(problem);
      if (entries.size() < 2) continue;
      ++summary.problems;
      const auto leading = std::ranges::count_if(entries, [](const Entry* entry) { return leads(*entry); });
      for (const Entry* entry : entries) {
        BackendSummary& one = of_backend[entry->result->backend];
        ++one.problems;
        ratios[entry->result->backend].push_back({.value = entry->ratio.value});
        if (leads(*entry)) ++(leading > 1 ? one.shares : one.fastest);
        if (entry->standing == Standing::slower && entry->ratio.value > one.largest_ratio) {
          one.largest_ratio = entry->ratio.value;
          one.largest_in = problem.title;
        }
      }
    }
  }
  if (names.size() == 1) summary.problems_name = *names.begin();
  for (auto& [backend, one] : of_backend) {
    one.backend = backend;
    one.mean_ratio = geometric_mean(ratios[backend]).value;
    summary.backends.push_back(one);
  }
  std::ranges::stable_sort(summary.backends, [](const auto& a, const auto& b) {
    const auto ahead = [](const BackendSummary& one) { return one.fastest + one.shares; };
    return ahead(a) != ahead(b) ? ahead(a) > ahead(b) : a.mean_ratio < b.mean_ratio;
  });
  return summary;
}

std::string leader_sentence(const LibrarySummary& summary) {
  if (summary.problems == 0) return "";
  const BackendSummary& leader = summary.leader();
  const std::string name = backend_title(leader.backend);
  const std::string all = fmt::format("{} {}", count_text(summary.problems), summary.problems_name);
  const std::string shares = count_text(leader.shares);
  if (leader.fastest == summary.problems)
    return summary.problems == 1 ? fmt::format("{} is the fastest.", name)
                                 : fmt::format("{} is the fastest for all {}.", name, all);
  if (leader.fastest > 0)
    return fmt::format("{} is the fastest for {} of {}{}.", name, count_text(leader.fastest), all,
                       leader.shares == 0 ? "" : fmt::format(" and shares the lead in {} more", shares));
  const auto alone = std::ranges::max_element(summary.backends, {}, &BackendSummary::fastest);
  if (alone->fastest == 0)
    return fmt::format("No library is ahead alone; {} shares the lead in {} of {}.", name, shares, all);
  return fmt::format("{} shares the lead in {} of {}; {} is the fastest for {}.", name, shares, all,
                     backend_title(alone->backend), count_text(alone->fastest));
}

std::string fastest_text(const BackendSummary& one) {
  return one.shares == 0 ? fmt::format("{} of {}", one.fastest, one.problems)
                         : fmt::format("{} of {}, shares {}", one.fastest, one.problems, one.shares);
}

std::string average_sentence(const LibrarySummary& summary) {
  constexpr std::size_t most = 3;
  constexpr double hardly = 1.005;
  if (summary.backends.empty()) return "";
  std::vector<BackendSummary> others(summary.backends.begin() + 1, summary.backends.end());
  std::ranges::stable_sort(others, {}, &BackendSummary::mean_ratio);
  std::vector<std::string> parts;
  for (const BackendSummary& one : others) {
    if (one.mean_ratio < hardly || parts.size() == most) continue;
    parts.push_back(fmt::format("{}{} {}", backend_title(one.backend), parts.empty() ? " takes" : "",
                                factor_text(one.mean_ratio)));
  }
  return parts.empty() ? "" : fmt::format("On average {} as long as the fastest.", joined_text(parts));
}

std::string gap_sentence(const LibrarySummary& summary) {
  const auto worst = std::ranges::max_element(summary.backends, {}, &BackendSummary::largest_ratio);
  if (worst == summary.backends.end() || worst->largest_in.empty()) return "";
  return fmt::format("Largest gap: {}, {}, {}.", backend_title(worst->backend), worst->largest_in,
                     factor_text(worst->largest_ratio));
}

}  // namespace breakeven
