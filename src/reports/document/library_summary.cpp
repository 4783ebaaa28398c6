#include "reports/document/library_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "statistics/estimate.h"

namespace breakeven {
namespace {

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
  std::vector<std::string> parts;
  for (const BackendSummary& one : summary.backends) {
    if (&one == &summary.leader() || one.mean_ratio < hardly || parts.size() == most) continue;
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
