#include "reports/document/standings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"

namespace breakeven {
namespace {

Standing standing_of(const Estimate& ratio) {
  if (!may_be_equal(ratio)) return Standing::slower;
  const bool equivalent = ratio.interval && ratio.interval->high <= 1 + equivalence &&
                          ratio.interval->low >= 1 / (1 + equivalence);
  return equivalent ? Standing::as_fast : Standing::not_distinct;
}

/// Sorts the entries of one problem and sets how each compares with the first. Noise chose the first among
/// all, so that statements on it hold together only if those on all pairs do.
void rank(std::vector<Entry>& entries, bool by_latency) {
  const auto time_of = [&](const Entry& e) {
    return by_latency ? Estimate{.value = e.result->latency->p50} : e.result->seconds->estimate();
  };
  const auto timed_end = std::stable_partition(entries.begin(), entries.end(),
                                               [](const Entry& e) { return e.result->has_time(); });
  std::ranges::stable_sort(entries.begin(), timed_end, {}, [&](const Entry& e) { return time_of(e).value; });
  if (timed_end == entries.begin()) return;
  const Estimate fastest = time_of(entries.front());
  const auto timed = static_cast<std::size_t>(timed_end - entries.begin());
  for (auto entry = entries.begin(); entry != timed_end; ++entry) {
    entry->ratio = ratio_among(time_of(*entry), fastest, timed);
    entry->standing = standing_of(entry->ratio);
  }
  entries.front().standing = timed == 1 ? Standing::alone : Standing::fastest;
  entries.front().ratio = {.value = 1, .interval = Interval{.low = 1, .high = 1}};
}

std::string slower_text(const Estimate& ratio) {
  constexpr double small = 1.095;  // below it, percentages are clearer than factors
  const bool by_percent = ratio.value < small;
  const auto written = [&](double of) { return by_percent ? percent_text(of - 1) : factor_text(of); };
  std::string text = written(ratio.value) + " slower";
  if (!ratio.interval) return text;
  const auto [low, high] = *ratio.interval;
  if (written(low) == written(high)) return text;
  return fmt::format("{} ({} to {})", text, by_percent ? percent_number(low - 1) : factor_text(low),
                     written(high));
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

/// A kind of failure, and the verb for a backend.
struct TroubleKind {
  Status status;
  std::string_view verb;
};

/// The worst first.
constexpr std::array<TroubleKind, 5> trouble_kinds{
    {{.status = Status::wrong, .verb = "computes wrong results for"},
     {.status = Status::implausible, .verb = "has impossibly short times for"},
     {.status = Status::failed, .verb = "failed for"},
     {.status = Status::timed_out, .verb = "timed out for"},
     {.status = Status::out_of_memory, .verb = "ran out of memory for"}}};

/// The statuses of each backend's results. Two files of one machine may have the same cases.
std::map<std::string, std::set<Status>> statuses_by_backend(const Problem& problem) {
  std::map<std::string, std::set<Status>> statuses;
  for (const Entry& entry : problem.entries) statuses[entry.result->backend].insert(entry.result->status);
  return statuses;
}

std::vector<Trouble> troubles_of(std::span<const ProblemGroup> groups, std::size_t machine) {
  std::map<std::string, std::size_t> requested;
  std::map<std::pair<Status, std::string>, std::size_t> problems;
  for (const ProblemGroup& group : groups) {
    for (const Problem& problem : group.problems) {
      if (problem.machine != machine) continue;
      for (const auto& [backend, statuses] : statuses_by_backend(problem)) {
        if (statuses != std::set{Status::unsupported}) ++requested[backend];
        for (const TroubleKind& kind : trouble_kinds) {
          // A failure that did not recur is none; a wrong result stays wrong.
          const bool counts = is_wrong(kind.status) || !statuses.contains(Status::ok);
          if (counts && statuses.contains(kind.status)) ++problems[{kind.status, backend}];
        }
      }
    }
  }
  std::vector<Trouble> troubles;
  for (const TroubleKind& kind : trouble_kinds) {
    for (const auto& [of, count] : problems) {
      if (of.first != kind.status) continue;
      troubles.push_back({.status = kind.status,
                          .backend = of.second,
                          .problems = count,
                          .requested = requested[of.second]});
    }
  }
  return troubles;
}

/// True if two backends would have a time, had the run not been interrupted. `timed` of them have one.
bool would_be_compared(const Problem& problem, std::size_t timed) {
  const auto statuses = statuses_by_backend(problem);
  const auto missing = std::ranges::count_if(statuses, [](const auto& of) {
    return of.second.contains(Status::interrupted) && !of.second.contains(Status::ok);
  });
  return missing > 0 && timed + static_cast<std::size_t>(missing) > 1;
}

/// "14 matrix products"; after an interrupted run "3 problems that were measured (of 12)".
std::string compared_text(const LibrarySummary& summary) {
  std::string text = fmt::format("{} {}", count_text(summary.problems), summary.problems_name);
  if (summary.not_measured > 0)
    text += fmt::format(" that were measured (of {})", count_text(summary.problems + summary.not_measured));
  return text;
}

/// "over 6 of 10" for a mean over some of the problems; empty for one over all.
std::string problems_of_mean(const BackendSummary& one, const LibrarySummary& summary) {
  return one.problems == summary.problems ? "" : fmt::format("over {} of {}", one.problems, summary.problems);
}

/// "~2.9x (over 6 of 10)".
std::string mean_text(const BackendSummary& one, const LibrarySummary& summary) {
  const std::string over = problems_of_mean(one, summary);
  return factor_text(one.mean_ratio, one.is_rough) + (over.empty() ? "" : fmt::format(" ({})", over));
}

std::string problem_on_machine(const MeasuredCase& one) {
  return fmt::format("{} {}", one.machine, one.result->id);
}

}  // namespace

std::vector<ProblemGroup> compare_backends(const Measurements& measured, std::optional<Focus> asked) {
  std::vector<ProblemGroup> groups;
  std::unordered_map<std::string, std::size_t> group_of_op;
  for (const auto& alike : groups_of(measured.cases, problem_on_machine)) {
    const MeasuredCase& first = *alike.front();
    const auto [index, is_new] = group_of_op.try_emplace(first.result->op, groups.size());
    if (is_new) groups.push_back({.op = printable(first.result->op)});
    Problem& problem = groups[index->second].problems.emplace_back(
        Problem{.title = problem_title(*first.result), .machine = first.machine});
    for (const MeasuredCase* one : alike) {
      Entry& entry = problem.entries.emplace_back(Entry{*one});
      entry.roofline = roofline(*one->result, measured.ceilings[one->device]);
    }
    const bool by_latency =
        asked == Focus::latency && std::ranges::all_of(problem.entries, [](const Entry& e) {
          return !e.has_time() || e.result->latency.has_value();
        });
    groups[index->second].by_latency |= by_latency;
    rank(problem.entries, by_latency);
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
                 : fmt::format("not distinguishable ({})", factor_text(entry.ratio));
    case Standing::slower:
      return (entry.ratio.interval ? "" : "~") + slower_text(entry.ratio);
  }
  return "";
}

bool is_rough(std::span<const Estimate> ratios) {
  constexpr double most_rough = 0.1;  // of the ratios: more would leave the mean in doubt
  const auto rough = std::ranges::count_if(ratios, [](const Estimate& ratio) { return !ratio.interval; });
  return static_cast<double>(rough) > most_rough * static_cast<double>(ratios.size());
}

LibrarySummary summarise(std::span<const ProblemGroup> groups, std::size_t machine) {
  LibrarySummary summary;
  summary.troubles = troubles_of(groups, machine);
  std::map<std::string, BackendSummary> of_backend;
  std::map<std::string, std::vector<Estimate>> ratios;
  std::set<std::string> names;
  for (const ProblemGroup& group : groups) {
    for (const Problem& problem : group.problems) {
      if (problem.machine != machine) continue;
      names.insert(plural_of(group.op));
      const std::vector<const Entry*> entries = best_of_each(problem);
      if (entries.size() < 2) {
        if (would_be_compared(problem, entries.size())) ++summary.not_measured;
        continue;
      }
      ++summary.problems;
      const auto leading = std::ranges::count_if(entries, [](const Entry* entry) { return leads(*entry); });
      for (const Entry* entry : entries) {
        BackendSummary& one = of_backend[entry->result->backend];
        ++one.problems;
        ratios[entry->result->backend].push_back(entry->ratio);
        if (leads(*entry)) {
          ++(leading > 1 ? one.shares : one.fastest);
          one.leads_as.insert(computing_title(*entry->result));
        }
        if (entry->standing == Standing::slower && entry->ratio.value > one.largest_ratio.value) {
          one.largest_ratio = entry->ratio;
          one.largest_in = problem.title;
        }
      }
    }
  }
  if (names.size() == 1) summary.problems_name = *names.begin();
  for (auto& [backend, one] : of_backend) {
    one.backend = backend;
    const std::vector<Estimate>& all = ratios[backend];
    one.mean_ratio = geometric_mean(all).value;
    one.is_rough = is_rough(all);
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
  const std::string name =
      leader.leads_as.size() == 1 ? *leader.leads_as.begin() : backend_title(leader.backend);
  const std::string all = compared_text(summary);
  const std::string shares = count_text(leader.shares);
  if (leader.fastest == summary.problems && summary.problems == 1)
    return summary.not_measured == 0
               ? fmt::format("{} is the fastest.", name)
               : fmt::format("{} is the fastest for 1 of {} {}; the others were not measured.", name,
                             count_text(1 + summary.not_measured), summary.problems_name);
  if (leader.fastest == summary.problems) return fmt::format("{} is the fastest for all {}.", name, all);
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
  constexpr std::size_t most = 3;  // besides the leader
  constexpr double hardly = 1.005;
  std::vector<const BackendSummary*> others;
  for (const BackendSummary& one : summary.backends) {
    if (one.mean_ratio >= hardly && &one != &summary.leader()) others.push_back(&one);
  }
  const auto mean = [](const BackendSummary* one) { return one->mean_ratio; };
  std::ranges::stable_sort(others, {}, mean);
  // The name of a single further one is no longer than the words for "others".
  const std::size_t shown = others.size() <= most + 1 ? others.size() : most;
  const double largest = others.empty() ? 1 : mean(others.back());
  std::vector<const BackendSummary*> named(others.begin(),
                                           others.begin() + static_cast<std::ptrdiff_t>(shown));
  if (!summary.backends.empty() && summary.leader().mean_ratio >= hardly)
    named.insert(std::ranges::upper_bound(named, mean(&summary.leader()), {}, mean), &summary.leader());
  std::vector<std::string> parts;
  parts.reserve(named.size() + 1);
  for (const BackendSummary* one : named)
    parts.push_back(fmt::format("{}{} {}", backend_title(one->backend), parts.empty() ? " takes" : "",
                                mean_text(*one, summary)));
  if (shown < others.size()) parts.push_back(fmt::format("others up to {}", factor_text(largest)));
  return parts.empty() ? "" : fmt::format("On average {} as long as the fastest.", joined_text(parts));
}

std::string mean_limits(const BackendSummary& one, const LibrarySummary& summary) {
  std::vector<std::string> limits{problems_of_mean(one, summary), one.is_rough ? "few samples" : ""};
  std::erase(limits, "");
  return fmt::format("{}", fmt::join(limits, ", "));
}

std::string gap_sentence(const LibrarySummary& summary) {
  const auto worst = std::ranges::max_element(
      summary.backends, {}, [](const BackendSummary& one) { return one.largest_ratio.value; });
  if (worst == summary.backends.end() || worst->largest_in.empty()) return "";
  return fmt::format("Largest gap: {}, {}, {}.", backend_title(worst->backend), worst->largest_in,
                     factor_text(worst->largest_ratio));
}

std::vector<std::string> trouble_sentences(const LibrarySummary& summary) {
  std::vector<std::string> sentences;
  for (const TroubleKind& kind : trouble_kinds) {
    std::string text;
    for (const Trouble& one : summary.troubles) {
      if (one.status != kind.status) continue;
      const std::string count = fmt::format("{} of {}", count_text(one.problems), count_text(one.requested));
      const std::string title = backend_title(one.backend);
      text += text.empty() ? fmt::format("{} {} {} {}", title, kind.verb, count, summary.problems_name)
                           : fmt::format(", {} for {}", title, count);
    }
    if (!text.empty()) sentences.push_back(text + ".");
  }
  return sentences;
}

std::string wrong_text(const LibrarySummary& summary, const std::string& backend) {
  std::vector<std::string> texts;
  for (const Trouble& one : summary.troubles) {
    if (one.backend == backend && is_wrong(one.status))
      texts.push_back(fmt::format("{} for {} of {}",
                                  one.status == Status::wrong ? "wrong" : "impossibly short",
                                  count_text(one.problems), count_text(one.requested)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::string> backends_with(const LibrarySummary& summary, Status status) {
  std::vector<std::string> titles;
  for (const Trouble& one : summary.troubles) {
    std::string title = backend_title(one.backend);
    if (one.status == status && std::ranges::count(titles, title) == 0) titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace breakeven
