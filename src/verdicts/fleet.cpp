#include "verdicts/fleet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "host/own_speed.h"
#include "results/counted_samples.h"
#include "results/measure_settings.h"
#include "results/number_text.h"
#include "statistics/highest.h"
#include "statistics/significance.h"
#include "text/counted.h"
#include "verdicts/differences.h"
#include "verdicts/machines.h"
#include "verdicts/overview.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

std::string kind_name(const Result& node) {
  const Host& host = node.host;
  std::string name = fmt::format("{}, {}", processor_name(host), counted_text(host.cores, "core", "cores"));
  for (const Gpu& gpu : host.gpus) name += fmt::format(", {}", gpu.name.value_or("unknown GPU"));
  if (host.threads > 0 && host.threads != host.cores)
    name += fmt::format(", {}", counted_text(host.threads, "thread", "threads"));
  if (cache_state(node) == "cold") name += ", cold caches";
  return name;
}

/// A key that is equal for runs of one node: the machine, and the properties of nodes that are alike.
std::string identity_of(const Result& run) {
  std::string identity = machine_key(run.host) + "\n" + kind_name(run);
  for (const Gpu& gpu : run.host.gpus) identity += "\n" + gpu.id;
  return identity;
}

/// True if the first run had certainly ended when the second began.
bool is_before(const Result& first, const Result& second) {
  // A run takes at most about so many times its time from first to last samples, and a minute to start.
  constexpr double longest = 5, start = 60;
  const auto begin = unix_seconds(first.created), next = unix_seconds(second.created);
  return begin && next && first.sampling && *next - *begin > start + longest * first.sampling->wall_seconds;
}

/// A node, and its results.
struct Node {
  std::string name;
  std::vector<std::size_t> runs;  // indices of the results
};

/// True if these results are of one machine, one after the other.
bool are_of_one_node(std::span<const Result> results, std::vector<std::size_t> runs) {
  std::ranges::sort(runs, {}, [&](std::size_t run) { return results[run].created; });
  const auto cannot_follow = [&](std::size_t run, std::size_t next) {
    return identity_of(results[run]) != identity_of(results[next]) || !is_before(results[run], results[next]);
  };
  return std::ranges::adjacent_find(runs, cannot_follow) == runs.end();
}

/// The nodes, in the order of their first files. If files of one host name cannot all be runs of one node,
/// machines share the name: each file is a node, which has the file's name.
std::vector<Node> nodes_of(std::span<const Result> results, std::span<const std::string> files) {
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < results.size(); ++i) by_name[results[i].host.name].push_back(i);
  std::set<std::string> shared{""};
  for (const auto& [name, runs] : by_name) {
    if (!are_of_one_node(results, runs)) shared.insert(name);
  }
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& name = results[i].host.name;
    if (shared.contains(name)) {
      nodes.push_back({.name = files[i], .runs = {i}});
    } else if (by_name.at(name).front() == i) {
      nodes.push_back({.name = name, .runs = by_name.at(name)});
    }
  }
  return nodes;
}

/// The nodes with several runs, each with its number of files; empty if there are none.
std::optional<Note> nodes_with_runs(const std::vector<Node>& nodes) {
  Note note{.kind = NoteKind::runs_of_nodes};
  for (const Node& node : nodes) {
    if (node.runs.size() > 1) note.about.push_back(fmt::format("{} ({} files)", node.name, node.runs.size()));
  }
  return note.about.empty() ? std::nullopt : std::optional(note);
}

/// The unit of comparison: an operation on a backend.
using Work = std::pair<std::string, std::string>;  // backend, op
/// By case: the logarithm of the median seconds.
using CaseTimes = std::map<std::string, double>;

/// The times of one run, by work.
std::map<Work, CaseTimes> times_of(const Result& result) {
  std::map<Work, CaseTimes> all;
  for (const CaseResult& c : result.cases) {
    if (c.has_time()) all[{c.backend, c.op}][c.id] = std::log(c.seconds->median);
  }
  return all;
}

/// One node's part in one work: the mean logarithm of the common cases' seconds, of each of its runs.
struct Score {
  std::size_t node = 0;
  Values log_seconds = {};

  double least() const { return *std::ranges::min_element(log_seconds); }
};

/// A work of one kind of node, with the scores of all nodes that have it.
struct CommonWork {
  Work work;
  std::size_t cases = 0;
  std::vector<Score> scores = {};
};

/// The cases that all of the runs have; empty if they have none in common.
std::set<std::string> common_cases(const std::vector<const CaseTimes*>& runs) {
  std::set<std::string> common;
  for (const auto& [id, times] : *runs.front()) {
    if (std::ranges::all_of(runs, [&, &key = id](const CaseTimes* run) { return run->contains(key); }))
      common.insert(id);
  }
  return common;
}

double mean_over(const std::set<std::string>& cases, const CaseTimes& times) {
  double sum = 0;
  for (const std::string& id : cases) sum += times.at(id);
  return sum / static_cast<double>(cases.size());
}

std::vector<CommonWork> common_works(const NodeKind& kind, const std::vector<Node>& nodes,
                                     const std::vector<std::map<Work, CaseTimes>>& times) {
  std::set<Work> works;
  for (const std::size_t node : kind.nodes) {
    for (const std::size_t run : nodes[node].runs) {
      for (const auto& [work, cases] : times[run]) works.insert(work);
    }
  }
  std::vector<CommonWork> common;
  for (const Work& work : works) {
    std::map<std::size_t, std::vector<const CaseTimes*>> by_node;
    std::vector<const CaseTimes*> all;
    for (const std::size_t node : kind.nodes) {
      for (const std::size_t run : nodes[node].runs) {
        const auto found = times[run].find(work);
        if (found == times[run].end()) continue;
        by_node[node].push_back(&found->second);
        all.push_back(&found->second);
      }
    }
    if (by_node.size() < fewest_alike) continue;
    const std::set<std::string> cases = common_cases(all);
    if (cases.empty()) continue;
    CommonWork& one = common.emplace_back(CommonWork{.work = work, .cases = cases.size()});
    for (const auto& [node, runs] : by_node) {
      Score& score = one.scores.emplace_back(Score{.node = node});
      for (const CaseTimes* run : runs) score.log_seconds.push_back(mean_over(cases, *run));
    }
  }
  return common;
}

// ---- what could not be compared

bool has_wrong_case(const Result& node) {
  return std::ranges::any_of(node.cases, [](const CaseResult& c) { return is_wrong(c.status); });
}

/// The cases of each status without a valid time, except `unsupported`.
std::vector<Note> bad_cases(const Result& node) {
  std::map<Status, double> counts;
  for (const CaseResult& c : node.cases) {
    if (c.status != Status::ok && c.status != Status::unsupported) ++counts[c.status];
  }
  std::vector<Note> notes;
  notes.reserve(counts.size());
  for (const auto& [status, count] : counts)
    notes.push_back(
        {.kind = NoteKind::cases_without_time, .figures = {count}, .about = {std::string(name(status))}});
  return notes;
}

/// A case of a work, by id.
using CaseOfWork = std::pair<Work, std::string>;

/// All cases that nodes of a kind have a time of.
std::set<CaseOfWork> cases_of_kind(const NodeKind& kind, const std::vector<Node>& nodes,
                                   const std::vector<std::map<Work, CaseTimes>>& times) {
  std::set<CaseOfWork> all;
  for (const std::size_t node : kind.nodes) {
    for (const std::size_t run : nodes[node].runs) {
      for (const auto& [work, cases] : times[run]) {
        for (const auto& [id, seconds] : cases) all.emplace(work, id);
      }
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

/// The backends that other nodes of its kind have cases of. One that could not start has no cases.
std::vector<Note> unavailable_backends(const Result& node, const std::set<CaseOfWork>& of_its_kind) {
  std::vector<Note> notes;
  for (const BackendRecord& backend : node.backends) {
    const auto is_of_it = [&](const CaseOfWork& one) { return one.first.first == backend.name; };
    if (!backend.available && std::ranges::any_of(of_its_kind, is_of_it))
      notes.push_back({.kind = NoteKind::backend_unavailable, .about = {backend.name, "", backend.reason}});
  }
  return notes;
}

/// The cases of a node without a valid time, and what it lacks beside the others of its kind.
std::vector<Note> facts_on(const Result& node, const std::set<CaseOfWork>& of_its_kind,
                           const std::map<Work, CaseTimes>& own) {
  std::vector<Note> facts = bad_cases(node);
  for (Note& note : unavailable_backends(node, of_its_kind)) facts.push_back(std::move(note));
  if (const auto missing = missing_cases(node, of_its_kind, own); missing > 0)
    facts.push_back({.kind = NoteKind::cases_missing, .figures = {static_cast<double>(missing)}});
  return facts;
}

// ---- causes

/// The part of the speed probe that is most behind, if that explains at least half of the ratio. The
/// core-to-core latency is left out, because its ratio does not bound a case's.
std::optional<Note> slow_part(const Result& node, const Result& like, double ratio) {
  if (!node.machine_speed || !like.machine_speed) return std::nullopt;
  if (node.machine_speed->median < trusted_speed_share && like.machine_speed->median >= trusted_speed_share)
    return Note{.kind = NoteKind::slow_node, .figures = {node.machine_speed->median}};
  std::optional<Note> slowest;
  double most = 1 + (ratio - 1) / 2;
  for (const auto& [part, seconds] : node.machine_speed->median_seconds) {
    const auto other = like.machine_speed->median_seconds.find(part);
    if (part == "core_to_core" || other == like.machine_speed->median_seconds.end()) continue;
    if (!(other->second > 0) || !(seconds / other->second > most)) continue;
    most = seconds / other->second;
    slowest = {.kind = NoteKind::slow_part, .figures = {most}, .about = {part_title(part)}};
  }
  return slowest;
}

/// The cases of one work that both nodes have: the node's, and that of the node like it.
std::vector<std::pair<const CaseResult*, const CaseResult*>> common_pairs(const Result& node,
                                                                          const Result& like,
                                                                          const Work& work) {
  std::unordered_map<std::string_view, const CaseResult*> by_id;
  for (const CaseResult& c : like.cases) {
    if (Work{c.backend, c.op} == work) by_id.emplace(c.id, &c);
  }
  std::vector<std::pair<const CaseResult*, const CaseResult*>> pairs;
  for (const CaseResult& c : node.cases) {
    const auto found = Work{c.backend, c.op} == work ? by_id.find(c.id) : by_id.end();
    if (found != by_id.end()) pairs.emplace_back(&c, found->second);
  }
  return pairs;
}

/// Why the node's GPU was slow in the cases of this work: its clocks, its link, its memory; empty if that is
/// unknown.
std::optional<Note> slow_gpu(const Result& node, const Result& like, const Work& work) {
  constexpr double much = 0.05;  // of the sampled time
  const auto is_less = [](const auto& is, const auto& was) { return is && was && *is < *was; };
  const auto figures = [](std::int64_t is, std::int64_t was) {
    return std::vector{static_cast<double>(is), static_cast<double>(was)};
  };
  double sampled = 0;
  std::map<std::string, double> held, usually;  // seconds, by reason
  for (const auto& [c, other] : common_pairs(node, like, work)) {
    if (!c->conditions.device || !c->has_time() || !other->conditions.device) continue;
    const DeviceConditions& is = *c->conditions.device;
    const DeviceConditions& was = *other->conditions.device;
    if (is_less(is.pcie_width, was.pcie_width))
      return Note{.kind = NoteKind::gpu_link_lanes, .figures = figures(*is.pcie_width, *was.pcie_width)};
    if (is_less(is.pcie_generation, was.pcie_generation))
      return Note{.kind = NoteKind::gpu_link_generation,
                  .figures = figures(*is.pcie_generation, *was.pcie_generation)};
    if (is.ecc_errors.value_or(0) > was.ecc_errors.value_or(0))
      return Note{.kind = NoteKind::gpu_errors_of_node, .figures = {static_cast<double>(*is.ecc_errors)}};
    sampled += sample_figures(*c->seconds).seconds;
    for (const auto& [reason, seconds] : is.throttled_seconds) held[reason] += seconds;
    for (const auto& [reason, seconds] : was.throttled_seconds) usually[reason] += seconds;
  }
  for (const auto& [reason, seconds] : held) {
    if (seconds > much * sampled && seconds > 2 * usually[reason])
      return Note{.kind = NoteKind::gpu_clocks_of_node, .about = {reason}};
  }
  return std::nullopt;
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
std::optional<Note> case_difference(const Result& node, const Result& like, const Work& work) {
  for (const auto& [c, other] : common_pairs(node, like, work)) {
    auto found = case_differences(*other, *c);
    if (!found.empty()) return std::move(found.front().note);
    if (auto algorithm = algorithm_difference(*other, *c)) return algorithm;
  }
  return std::nullopt;
}

/// The likeliest cause among the recorded differences between the node and a usual one.
Note cause_of(const Result& node, const Result& like, const Work& work, double ratio) {
  const BackendRecord* backend = find_backend(node.backends, work.first);
  const bool is_on_gpu = backend != nullptr && backend->device == "gpu";
  if (auto slow = is_on_gpu ? slow_gpu(node, like, work) : slow_part(node, like, ratio)) return *slow;
  const Result named = named_like(node, like);
  constexpr NamesOfSides names{.base = "a usual node", .head = "this node"};
  if (auto found = backend_differences(like, named, work.first); !found.empty()) return found.front().note;
  if (auto found = case_difference(node, like, work)) return *found;
  if (auto found = run_differences(like, named, names); !found.empty()) return found.front().note;
  if (auto found = lesser_differences(like, named, names); !found.empty()) return found.front();
  return {.kind = NoteKind::nothing_differs};
}

// ---- the judgement

/// A work with the slowest nodes first, by the fastest of a node's runs. The first ones are slower, the next
/// ones probably.
struct JudgedWork {
  CommonWork work;
  std::vector<Values> log_seconds;  // as of its scores
  std::size_t slower = 0;
  std::size_t probable = 0;

  explicit JudgedWork(CommonWork of) : work(std::move(of)) {
    std::ranges::stable_sort(work.scores, std::ranges::greater(), &Score::least);
    log_seconds.reserve(work.scores.size());
    for (const Score& score : work.scores) log_seconds.push_back(score.log_seconds);
  }
  bool is_usual(std::size_t place) const { return place >= slower + probable; }
  bool is_probable(std::size_t place) const { return place >= slower && !is_usual(place); }
  /// The places of all other nodes that are not slow, not even probably.
  std::vector<std::size_t> others(std::size_t place) const {
    std::vector<std::size_t> places;
    for (std::size_t other = slower + probable; other < log_seconds.size(); ++other) {
      if (other != place) places.push_back(other);
    }
    return places;
  }
  /// How far the node is from the others. Empty with fewer than two.
  std::optional<LogRatio> beside_others(std::size_t place) const {
    const std::vector<std::size_t> places = others(place);
    if (places.size() < 2) return std::nullopt;
    std::vector<double> usual;
    for (const std::size_t other : places)
      usual.insert(usual.end(), log_seconds[other].begin(), log_seconds[other].end());
    return beside_usual(log_seconds[place], usual);
  }
};

/// The test whether the node at a place is slower than those after it.
struct SlowestNode {
  double p_value = 1;
  LogRatio ratio;  // to the nodes without those that are slow together with it
};

SlowestNode test_from(const JudgedWork& work, std::size_t place) {
  const auto falling = std::span(work.log_seconds).subspan(place);
  if (falling.size() < fewest_alike) return {};
  const HighestMembers found = least_likely(falling);
  std::vector<double> usual;
  for (const Values& one : falling.subspan(found.members)) usual.insert(usual.end(), one.begin(), one.end());
  return {.p_value = found.p_value, .ratio = beside_usual(falling.front(), usual)};
}

bool has_one_launch(const Result& run, const Work& work) {
  return std::ranges::any_of(run.cases, [&](const CaseResult& c) {
    return Work{c.backend, c.op} == work && c.has_time() && c.seconds->launches.size() <= 1;
  });
}

class Judgement {
 public:
  Judgement(std::span<const Result> results, const std::vector<Node>& nodes, const FleetOptions& options)
      : results_(results), nodes_(nodes), options_(options) {}

  void add(std::vector<CommonWork> works) {
    for (CommonWork& work : works) works_.emplace_back(std::move(work));
  }

  std::vector<NodeStanding> run() {
    for (JudgedWork& work : works_) find_slower(work);
    while (find_probably_slower()) {
    }
    std::vector<NodeStanding> standings;
    for (const JudgedWork& work : works_) add_standings(standings, work);
    std::ranges::stable_sort(standings, [](const NodeStanding& a, const NodeStanding& b) {
      return std::tuple(b.is_slower, b.is_probably_slower, b.ratio) <
             std::tuple(a.is_slower, a.is_probably_slower, a.ratio);
    });
    return standings;
  }

 private:
  /// Each work's share of the error rate.
  double level() const { return options_.error_rate / static_cast<double>(works_.size()); }
  bool is_large(const LogRatio& ratio) const { return std::exp(ratio.mean) > 1 + options_.threshold; }

  void find_slower(JudgedWork& work) const {
    while (true) {
      const SlowestNode slowest = test_from(work, work.slower);
      if (slowest.p_value > level() || !is_large(slowest.ratio)) return;
      ++work.slower;
    }
  }

  /// Adds the slowest remaining node of each work where it is probably slower. Returns whether there was one.
  bool find_probably_slower() {
    std::vector<SlowestNode> tests;
    std::vector<double> p_values;
    for (const JudgedWork& work : works_) {
      tests.push_back(test_from(work, work.slower + work.probable));
      p_values.push_back(tests.back().p_value);
    }
    // Without the adjustment, most fleets of many tests would have one.
    const std::vector<double> adjusted = benjamini_hochberg_adjusted(p_values);
    bool is_any = false;
    for (std::size_t i = 0; i < works_.size(); ++i) {
      if (adjusted[i] > options_.probable_error_rate || !is_large(tests[i].ratio) ||
          ratio_interval(tests[i].ratio, 0.95).low <= 1)
        continue;
      ++works_[i].probable;
      is_any = true;
    }
    return is_any;
  }

  void add_standings(std::vector<NodeStanding>& standings, const JudgedWork& judged) const {
    const CommonWork& work = judged.work;
    double p_value = 0;  // at least that of every slower node
    for (std::size_t place = 0; place < work.scores.size(); ++place) {
      if (p_value < 1)
        p_value =
            std::clamp(test_from(judged, place).p_value * static_cast<double>(works_.size()), p_value, 1.0);
      const auto ratio = judged.beside_others(place);
      if (!ratio) continue;
      const std::size_t node = work.scores[place].node;
      NodeStanding& standing =
          standings.emplace_back(NodeStanding{.node = node,
                                              .backend = work.work.first,
                                              .op = work.work.second,
                                              .cases = work.cases,
                                              .runs = work.scores[place].log_seconds.size(),
                                              .ratio = std::exp(ratio->mean),
                                              .interval = ratio_interval(*ratio, 0.95),
                                              .p_value = p_value,
                                              .is_slower = place < judged.slower,
                                              .is_probably_slower = judged.is_probable(place),
                                              .has_one_launch = has_one_launch(node, work.work)});
      if (!standing.is_slower) standing.slower_from = slower_from(judged, place, *ratio);
      if (!judged.is_usual(place)) standing.cause = {cause(judged, place, standing.ratio)};
    }
  }

  /// The nodes that are probably slower would become so together.
  double slower_from(const JudgedWork& judged, std::size_t place, const LogRatio& ratio) const {
    const std::size_t high = judged.is_probable(place) ? judged.probable : 1;
    std::vector<Values> others;
    for (std::size_t other = judged.slower; other < judged.log_seconds.size(); ++other) {
      const bool is_together = judged.is_probable(place) || judged.is_usual(other);
      if (other != place && is_together) others.push_back(judged.log_seconds[other]);
    }
    const Values& own = judged.log_seconds[place];
    const double needed = high_from(others, own, high, std::log(level()));
    constexpr double none = 1000;  // such a difference needs no test
    const double from = std::exp(ratio.mean + needed - std::ranges::min(own));
    return from > none ? std::numeric_limits<double>::infinity() : std::max(1 + options_.threshold, from);
  }

  /// Compares with the node whose time is the median of the others that are not slow.
  Note cause(const JudgedWork& judged, std::size_t place, double ratio) const {
    const std::vector<Score>& scores = judged.work.scores;
    const std::vector<std::size_t> usual = judged.others(place);
    const auto first_run = [&](std::size_t of) -> const Result& {
      return results_[nodes_[scores[of].node].runs.front()];
    };
    return cause_of(first_run(place), first_run(usual[(usual.size() - 1) / 2]), judged.work.work, ratio);
  }

  bool has_one_launch(std::size_t node, const Work& work) const {
    const std::vector<std::size_t>& runs = nodes_[node].runs;
    return runs.size() == 1 && breakeven::has_one_launch(results_[runs.front()], work);
  }

  std::span<const Result> results_;
  const std::vector<Node>& nodes_;
  const FleetOptions& options_;
  std::vector<JudgedWork> works_;
};

}  // namespace

Fleet judge_fleet(std::span<const Result> results, std::span<const std::string> files,
                  const FleetOptions& options) {
  const std::vector<Node> nodes = nodes_of(results, files);
  Fleet fleet{.threshold = options.threshold};
  std::vector<std::map<Work, CaseTimes>> times;
  times.reserve(results.size());
  for (const Result& result : results) times.push_back(times_of(result));
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    fleet.nodes.push_back(nodes[node].name);
    const std::string name = kind_name(results[nodes[node].runs.front()]);
    auto kind = std::ranges::find(fleet.kinds, name, &NodeKind::name);
    if (kind == fleet.kinds.end())
      kind = fleet.kinds.insert(fleet.kinds.end(), NodeKind{.name = name, .nodes = {}});
    kind->nodes.push_back(node);
  }
  Judgement judgement(results, nodes, options);
  std::set<std::size_t> compared;
  for (NodeKind& kind : fleet.kinds) {
    if (kind.nodes.size() < fewest_alike) {
      kind.why_not = {
          {.kind = NoteKind::few_of_kind, .figures = {static_cast<double>(kind.nodes.size()), fewest_alike}}};
      continue;
    }
    auto works = common_works(kind, nodes, times);
    if (works.empty()) kind.why_not = {{.kind = NoteKind::no_common_case}};
    for (const CommonWork& work : works) {
      for (const Score& score : work.scores) compared.insert(score.node);
    }
    judgement.add(std::move(works));
  }
  for (const NodeKind& kind : fleet.kinds) {
    const auto of_kind = kind.why_not.empty() ? cases_of_kind(kind, nodes, times) : std::set<CaseOfWork>();
    for (const std::size_t node : kind.nodes) {
      for (const std::size_t run : nodes[node].runs) {
        for (Note& fact : facts_on(results[run], of_kind, times[run])) {
          fleet.is_partial = true;
          fleet.notes.push_back(
              with_source(nodes[node].runs.size() == 1 ? nodes[node].name : files[run], std::move(fact)));
        }
      }
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (!compared.contains(node)) fleet.not_compared.push_back(node);
    for (const std::size_t run : nodes[node].runs) {
      if (!results[run].complete)
        fleet.notes.push_back({.source = files[run], .kind = NoteKind::run_interrupted});
    }
  }
  if (auto note = nodes_with_runs(nodes)) fleet.notes.push_back(std::move(*note));
  fleet.has_wrong = std::ranges::any_of(results, has_wrong_case);
  fleet.standings = judgement.run();
  return fleet;
}

int exit_status(const Fleet& fleet) {
  if (fleet.has_wrong || std::ranges::any_of(fleet.standings, &NodeStanding::is_slower)) return 1;
  if (!fleet.not_compared.empty() || fleet.is_partial || fleet.standings.empty()) return 4;
  return std::ranges::any_of(fleet.standings, &NodeStanding::is_probably_slower) ? 3 : 0;
}

}  // namespace breakeven
