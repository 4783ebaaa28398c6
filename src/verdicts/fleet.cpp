#include "verdicts/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "host/own_speed.h"
#include "results/number_text.h"
#include "statistics/significance.h"
#include "verdicts/differences.h"
#include "verdicts/machines.h"
#include "verdicts/overview.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

std::string kind_name(const Host& host) {
  std::string name = fmt::format("{}, {} cores", processor_name(host), host.cores);
  for (const Gpu& gpu : host.gpus) name += fmt::format(", {}", gpu.name.value_or("unknown GPU"));
  return name;
}

std::vector<std::string> node_names(std::span<const Result> results, std::span<const std::string> files) {
  std::map<std::string, int> count;
  for (const Result& result : results) ++count[result.host.name];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& host = results[i].host.name;
    names.push_back(host.empty() || count[host] > 1 ? files[i] : host);
  }
  return names;
}

/// The unit of comparison: an operation on a backend.
using Work = std::pair<std::string, std::string>;  // backend, op
/// By case: the logarithm of the median seconds.
using CaseTimes = std::map<std::string, double>;

/// The times of a node, by work.
std::map<Work, CaseTimes> times_of(const Result& result) {
  std::map<Work, CaseTimes> all;
  for (const CaseResult& c : result.cases) {
    if (c.has_time()) all[{c.backend, c.op}][c.id] = std::log(c.seconds->median);
  }
  return all;
}

/// One node's part in one work: the mean logarithm of the common cases' seconds.
struct Score {
  std::size_t node = 0;
  double log_seconds = 0;
};

/// A work of one kind of node, with the scores of all nodes that have it.
struct CommonWork {
  Work work;
  std::size_t cases = 0;
  std::vector<Score> scores = {};
};

/// The cases that all of the nodes have; empty if they have none in common.
std::set<std::string> common_cases(const std::vector<const CaseTimes*>& nodes) {
  std::set<std::string> common;
  for (const auto& [id, times] : *nodes.front()) {
    if (std::ranges::all_of(nodes, [&, &key = id](const CaseTimes* node) { return node->contains(key); }))
      common.insert(id);
  }
  return common;
}

/// How far a node is from others of its kind: the logarithm of the ratio of its time to their geometric mean.
/// The standard error is that of predicting one more value from theirs. Empty with fewer than two.
std::optional<LogRatio> beside(double node, const std::vector<double>& others) {
  if (others.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(others.size());
  const double usual = mean(others);
  return LogRatio{.mean = node - usual,
                  .standard_error = standard_deviation(others) * std::sqrt(1 + 1 / count),
                  .degrees_of_freedom = count - 1};
}

std::vector<CommonWork> common_works(const NodeKind& kind,
                                     const std::vector<std::map<Work, CaseTimes>>& times) {
  std::set<Work> works;
  for (const std::size_t node : kind.nodes) {
    for (const auto& [work, cases] : times[node]) works.insert(work);
  }
  std::vector<CommonWork> common;
  for (const Work& work : works) {
    std::vector<std::size_t> nodes;
    std::vector<const CaseTimes*> of_nodes;
    for (const std::size_t node : kind.nodes) {
      const auto found = times[node].find(work);
      if (found == times[node].end()) continue;
      nodes.push_back(node);
      of_nodes.push_back(&found->second);
    }
    if (nodes.size() < fewest_alike) continue;
    const std::set<std::string> cases = common_cases(of_nodes);
    if (cases.empty()) continue;
    CommonWork& one = common.emplace_back(CommonWork{.work = work, .cases = cases.size()});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double sum = 0;
      for (const std::string& id : cases) sum += of_nodes[i]->at(id);
      one.scores.push_back({.node = nodes[i], .log_seconds = sum / static_cast<double>(cases.size())});
    }
  }
  return common;
}

// ---- what could not be compared

bool has_wrong_case(const Result& node) {
  return std::ranges::any_of(node.cases, [](const CaseResult& c) { return is_wrong(c.status); });
}

/// "2 cases timed out", "1 case wrong": of each status without a valid time, except `unsupported`.
std::vector<std::string> bad_cases(const Result& node) {
  std::map<Status, std::int64_t> counts;
  for (const CaseResult& c : node.cases) {
    if (c.status != Status::ok && c.status != Status::unsupported) ++counts[c.status];
  }
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [status, count] : counts)
    texts.push_back(fmt::format("{} {}", counted_text(count, "case", "cases"), status_text(status)));
  return texts;
}

/// A case of a work, by id.
using CaseOfWork = std::pair<Work, std::string>;

/// All cases that nodes of a kind have a time of.
std::set<CaseOfWork> cases_of_kind(const NodeKind& kind,
                                   const std::vector<std::map<Work, CaseTimes>>& times) {
  std::set<CaseOfWork> all;
  for (const std::size_t node : kind.nodes) {
    for (const auto& [work, cases] : times[node]) {
      for (const auto& [id, seconds] : cases) all.emplace(work, id);
    }
  }
  return all;
}

/// The number of cases of its kind that this node has no time of. A backend that it has no case of was not
/// asked for.
std::int64_t missing_cases(const Result& node, const std::set<CaseOfWork>& of_its_kind,
                           const std::map<Work, CaseTimes>& own) {
  std::set<std::string> asked;
  for (const CaseResult& c : node.cases) {
    if (c.status != Status::unsupported) asked.insert(c.backend);
  }
  return std::ranges::count_if(of_its_kind, [&](const CaseOfWork& one) {
    const auto& [work, id] = one;
    const auto found = own.find(work);
    return asked.contains(work.first) && (found == own.end() || !found->second.contains(id));
  });
}

/// "openblas is not available: the program ended": the backends that other nodes of its kind have cases of.
/// One that could not start has no cases.
std::vector<std::string> unavailable_backends(const Result& node, const std::set<CaseOfWork>& of_its_kind) {
  std::vector<std::string> texts;
  for (const BackendRecord& backend : node.backends) {
    const auto is_of_it = [&](const CaseOfWork& one) { return one.first.first == backend.name; };
    if (!backend.available && std::ranges::any_of(of_its_kind, is_of_it))
      texts.push_back(fmt::format("{} is not available: {}", backend.name, backend.reason));
  }
  return texts;
}

/// Lists the cases of a node without a valid time, and what it lacks beside the others of its kind.
std::vector<std::string> facts_on(const Result& node, const std::set<CaseOfWork>& of_its_kind,
                                  const std::map<Work, CaseTimes>& own) {
  std::vector<std::string> facts = bad_cases(node);
  for (std::string& text : unavailable_backends(node, of_its_kind)) facts.push_back(std::move(text));
  if (const std::int64_t missing = missing_cases(node, of_its_kind, own); missing > 0)
    facts.push_back(
        fmt::format("no time of {} that others of its kind have", counted_text(missing, "case", "cases")));
  return facts;
}

// ---- causes

/// "its memory takes 1.30x as long in the speed probe", of the part that is most behind, if that explains at
/// least half of the ratio. The core-to-core latency is left out, because its ratio does not bound a case's.
std::string slow_part(const Result& node, const Result& like, double ratio) {
  if (!node.machine_speed || !like.machine_speed) return "";
  if (node.machine_speed->median < trusted_speed_share && like.machine_speed->median >= trusted_speed_share)
    return fmt::format("it {}: something shares its cores", ran_at(node.machine_speed->median));
  std::string slowest;
  double most = 1 + (ratio - 1) / 2;
  for (const auto& [part, seconds] : node.machine_speed->median_seconds) {
    const auto other = like.machine_speed->median_seconds.find(part);
    if (part == "core_to_core" || other == like.machine_speed->median_seconds.end()) continue;
    if (!(other->second > 0) || !(seconds / other->second > most)) continue;
    most = seconds / other->second;
    slowest = fmt::format("its {} takes {:.2f}x as long in the speed probe", part_title(part), most);
  }
  return slowest;
}

const CaseResult* find_case(const Result& result, const CaseResult& like) {
  const auto found = std::ranges::find_if(
      result.cases, [&](const CaseResult& c) { return c.id == like.id && c.backend == like.backend; });
  return found == result.cases.end() ? nullptr : &*found;
}

/// Why the node's GPU was slow in the cases of this work: its clocks, its link, its memory; empty if that is
/// unknown.
std::string slow_gpu(const Result& node, const Result& like, const Work& work) {
  constexpr double much = 0.05;  // of the sampled time
  double sampled = 0;
  std::map<std::string, double> held, usually;  // seconds, by reason
  for (const CaseResult& c : node.cases) {
    if (Work{c.backend, c.op} != work || !c.conditions.device || !c.has_time()) continue;
    const DeviceConditions& is = *c.conditions.device;
    const CaseResult* other = find_case(like, c);
    if (other == nullptr || !other->conditions.device) continue;
    const DeviceConditions& was = *other->conditions.device;
    if (is.pcie_width && was.pcie_width && *is.pcie_width < *was.pcie_width)
      return fmt::format("its GPU's link has {} lanes, not {}", *is.pcie_width, *was.pcie_width);
    if (is.pcie_generation && was.pcie_generation && *is.pcie_generation < *was.pcie_generation)
      return fmt::format("its GPU's link is of PCIe generation {}, not {}", *is.pcie_generation,
                         *was.pcie_generation);
    if (is.ecc_errors.value_or(0) > was.ecc_errors.value_or(0))
      return fmt::format("its GPU had {} uncorrected memory errors", *is.ecc_errors);
    for (const double seconds : c.seconds->samples)
      sampled += seconds * static_cast<double>(c.seconds->iterations);
    for (const auto& [reason, seconds] : is.throttled_seconds) held[reason] += seconds;
    for (const auto& [reason, seconds] : was.throttled_seconds) usually[reason] += seconds;
  }
  for (const auto& [reason, seconds] : held) {
    if (seconds > much * sampled && seconds > 2 * usually[reason])
      return fmt::format("its GPU lowered its clocks ({})", reason);
  }
  return "";
}

/// The node with what identifies it, and is no cause, taken from a node like it. Without cases.
Result named_like(const Result& node, const Result& like) {
  Result named = node;
  named.cases.clear();
  named.host.name = like.host.name;
  for (std::size_t i = 0; i < std::min(named.host.gpus.size(), like.host.gpus.size()); ++i)
    named.host.gpus[i].id = like.host.gpus[i].id;
  for (BackendRecord& backend : named.backends) {
    if (const BackendRecord* other = find_backend(like.backends, backend.name))
      backend.device_id = other->device_id;
  }
  return named;
}

/// The first difference of the cases' conditions or algorithms.
std::string case_difference(const Result& node, const Result& like, const Work& work) {
  for (const CaseResult& c : node.cases) {
    const CaseResult* other = Work{c.backend, c.op} == work ? find_case(like, c) : nullptr;
    if (other == nullptr) continue;
    const auto found = case_differences(*other, c);
    if (!found.empty()) return found.front().text;
  }
  return "";
}

/// The likeliest cause among the recorded differences between the node and a usual one.
std::string cause_of(const Result& node, const Result& like, const Work& work, double ratio) {
  const BackendRecord* backend = find_backend(node.backends, work.first);
  const bool is_on_gpu = backend != nullptr && backend->device == "gpu";
  std::vector<std::string> causes{is_on_gpu ? slow_gpu(node, like, work) : slow_part(node, like, ratio)};
  const Result named = named_like(node, like);
  for (const FoundDifference& found : backend_differences(like, named, work.first))
    causes.push_back(found.text);
  causes.push_back(case_difference(node, like, work));
  for (const FoundDifference& found : run_differences(like, named)) causes.push_back(found.text);
  for (std::string& text : lesser_differences(like, named)) causes.push_back(std::move(text));
  const auto first = std::ranges::find_if(causes, [](const std::string& text) { return !text.empty(); });
  if (first == causes.end()) return "nothing that was recorded differs";
  // The texts are those of `compare`.
  boost::algorithm::replace_all(*first, "the base", "a usual node");
  boost::algorithm::replace_all(*first, "the head", "this node");
  return *first;
}

// ---- the judgement

class Judgement {
 public:
  Judgement(std::span<const Result> results, const FleetOptions& options)
      : results_(results), options_(options) {}

  void add(std::vector<CommonWork> works) {
    for (CommonWork& work : works) works_.push_back(std::move(work));
  }

  std::vector<NodeStanding> run() {
    while (true) {
      judge();
      const std::size_t before = slow_.size();
      for (const NodeStanding& standing : standings_) {
        if (standing.is_slower) slow_.insert(key(standing));
      }
      if (slow_.size() == before) break;
    }
    for (std::size_t i = 0; i < standings_.size(); ++i) {
      if (standings_[i].is_slower) standings_[i].cause = cause(standings_[i], *works_of_standings_[i]);
    }
    std::ranges::stable_sort(standings_, [](const NodeStanding& a, const NodeStanding& b) {
      return std::tuple(b.is_slower, b.ratio) < std::tuple(a.is_slower, a.ratio);
    });
    return std::move(standings_);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::size_t>;
  static Key key(const NodeStanding& s) { return {s.backend, s.op, s.node}; }

  bool counts(const CommonWork& work, std::size_t node) const {
    return !slow_.contains({work.work.first, work.work.second, node});
  }

  void judge() {
    standings_.clear();
    works_of_standings_.clear();
    std::vector<LogRatio> ratios;
    for (const CommonWork& work : works_) {
      for (const Score& score : work.scores) {
        std::vector<double> others;
        for (const Score& other : work.scores) {
          if (other.node != score.node && counts(work, other.node)) others.push_back(other.log_seconds);
        }
        const auto ratio = beside(score.log_seconds, others);
        if (!ratio) continue;
        ratios.push_back(*ratio);
        works_of_standings_.push_back(&work);
        standings_.push_back({.node = score.node,
                              .backend = work.work.first,
                              .op = work.work.second,
                              .cases = work.cases,
                              .ratio = std::exp(ratio->mean),
                              .interval = {}});
      }
    }
    std::vector<double> p_values;
    for (std::size_t i = 0; i < standings_.size(); ++i) {
      standings_[i].interval = ratio_interval(ratios[i], 0.95);
      const double either_way = p_value(ratios[i]);
      p_values.push_back(ratios[i].mean > 0 ? either_way / 2 : 1 - either_way / 2);
    }
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < standings_.size(); ++i) {
      standings_[i].p_value = adjusted[i];
      const bool is_clear =
          adjusted[i] <= options_.error_rate && standings_[i].ratio > 1 + options_.threshold;
      standings_[i].is_slower = is_clear || slow_.contains(key(standings_[i]));
    }
  }

  /// Compares with the node whose time is the median of those that are not slow.
  std::string cause(const NodeStanding& standing, const CommonWork& work) const {
    std::vector<std::pair<double, std::size_t>> usual;
    for (const Score& score : work.scores) {
      if (counts(work, score.node)) usual.emplace_back(score.log_seconds, score.node);
    }
    std::ranges::sort(usual);
    return cause_of(results_[standing.node], results_[usual[usual.size() / 2].second], work.work,
                    standing.ratio);
  }

  std::span<const Result> results_;
  const FleetOptions& options_;
  std::vector<CommonWork> works_;
  std::vector<NodeStanding> standings_;
  std::vector<const CommonWork*> works_of_standings_;
  std::set<Key> slow_;
};

}  // namespace

Fleet judge_fleet(std::span<const Result> results, std::span<const std::string> files,
                  const FleetOptions& options) {
  Fleet fleet{
      .nodes = node_names(results, files), .kinds = {}, .standings = {}, .not_compared = {}, .notes = {}};
  std::vector<std::map<Work, CaseTimes>> times;
  for (std::size_t node = 0; node < results.size(); ++node) {
    times.push_back(times_of(results[node]));
    const std::string name = kind_name(results[node].host);
    auto kind = std::ranges::find(fleet.kinds, name, &NodeKind::name);
    if (kind == fleet.kinds.end())
      kind = fleet.kinds.insert(fleet.kinds.end(), NodeKind{.name = name, .nodes = {}});
    kind->nodes.push_back(node);
  }
  Judgement judgement(results, options);
  std::set<std::size_t> compared;
  for (NodeKind& kind : fleet.kinds) {
    if (kind.nodes.size() < fewest_alike) {
      kind.why_not = fmt::format("{} of this kind, and at least {} are needed to find a slow one",
                                 kind.nodes.size(), fewest_alike);
      continue;
    }
    auto works = common_works(kind, times);
    if (works.empty()) kind.why_not = "no case was measured on all of them";
    for (const CommonWork& work : works) {
      for (const Score& score : work.scores) compared.insert(score.node);
    }
    judgement.add(std::move(works));
  }
  std::vector<std::set<CaseOfWork>> of_kinds;
  std::vector<std::size_t> kind_of(results.size());
  for (const NodeKind& kind : fleet.kinds) {
    for (const std::size_t node : kind.nodes) kind_of[node] = of_kinds.size();
    of_kinds.push_back(kind.why_not.empty() ? cases_of_kind(kind, times) : std::set<CaseOfWork>());
  }
  for (std::size_t node = 0; node < results.size(); ++node) {
    if (!compared.contains(node)) fleet.not_compared.push_back(node);
    const auto facts = facts_on(results[node], of_kinds[kind_of[node]], times[node]);
    if (facts.empty()) continue;
    fleet.is_partial = true;
    fleet.notes.push_back(fmt::format("{}: {}", fleet.nodes[node], fmt::join(facts, ", ")));
  }
  fleet.has_wrong = std::ranges::any_of(results, has_wrong_case);
  fleet.standings = judgement.run();
  return fleet;
}

int exit_status(const Fleet& fleet) {
  if (fleet.has_wrong || (!fleet.standings.empty() && fleet.standings.front().is_slower)) return 1;
  return fleet.not_compared.empty() && !fleet.is_partial ? 0 : 4;
}

}  // namespace breakeven
