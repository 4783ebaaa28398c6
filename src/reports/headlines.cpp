#include "reports/headlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/comparison.h"
#include "reports/families.h"
#include "reports/machine_names.h"
#include "reports/narrower_types.h"
#include "reports/text.h"
#include "reports/threshold_chart.h"
#include "reports/units.h"
#include "statistics/estimate.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// The fastest of a machine's processors and of its other devices, at one value.
struct Pair {
  const CaseResult* cpu = nullptr;
  const CaseResult* other = nullptr;
};
using PairsByValue = std::map<double, Pair>;

/// By machine and dtype: like is compared with like.
std::map<std::pair<std::string, std::string>, PairsByValue> pairs_of(const Family& family) {
  std::map<std::pair<std::string, std::string>, PairsByValue> all;
  for (const auto& [value, timed] : family.members) {
    Pair& pair = all[{timed->run->host.name, timed->result->dtype}][value];
    keep_faster(timed->result->device == "cpu" ? pair.cpu : pair.other, *timed->result);
  }
  for (auto& [key, pairs] : all)
    std::erase_if(pairs, [](const auto& entry) {
      return entry.second.cpu == nullptr || entry.second.other == nullptr;
    });
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

Estimate speedup(const Pair& pair) {
  return ratio(pair.cpu->seconds->estimate(), pair.other->seconds->estimate());
}

bool is_ahead(const Pair& pair) {
  const Estimate faster = speedup(pair);
  return faster.interval ? faster.interval->low > 1 : faster.value > 1;
}

/// "from m = 384 on": the first value from which on it is ahead at all that were measured.
std::string when_ahead(const PairsByValue& pairs, const std::string& parameter) {
  auto from = pairs.end();
  while (from != pairs.begin() && is_ahead(std::prev(from)->second)) --from;
  if (from == pairs.begin())
    return fmt::format("at all values of {} measured, from {:g}", parameter, from->first);
  if (from != pairs.end()) return fmt::format("from {} = {:g} on", parameter, from->first);
  const auto ahead =
      std::count_if(pairs.begin(), pairs.end(), [](const auto& p) { return is_ahead(p.second); });
  return ahead == 0 ? "" : fmt::format("at {} of {} values of {}", ahead, pairs.size(), parameter);
}

/// "infer, network mlp in f32 on host".
std::string work_of(const Family& family, const std::string& dtype, const std::string& where) {
  return fmt::format("{}{}{} in {} on {}", family.op, family.fixed.empty() ? "" : ", ", family.fixed, dtype,
                     where);
}

std::string sentence(const Family& family, const std::string& machine, const std::string& dtype,
                     const PairsByValue& pairs) {
  const auto best = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return speedup(a.second).value < speedup(b.second).value;
  });
  const Pair& there = best->second;
  const std::string what = work_of(family, dtype, machine);
  const std::string when = when_ahead(pairs, family.parameter);
  if (when.empty())
    return fmt::format("{}: {} is faster than {} at none of {} values of {}, {:g} to {:g}", what,
                       there.other->backend, there.cpu->backend, pairs.size(), family.parameter,
                       pairs.begin()->first, pairs.rbegin()->first);
  return fmt::format("{}: {} is faster than the fastest CPU backend {}, up to {}x at {} = {:g}", what,
                     there.other->backend, when, format_number(speedup(there).value), family.parameter,
                     best->first);
}

/// "onednn 1.02, blis 1.5": the geometric mean of each backend's time over the fastest's, in what it has a
/// time of, the least first.
std::string typical_ratios(const std::map<std::string, std::vector<Estimate>>& ratios) {
  std::vector<std::pair<double, std::string>> order;
  order.reserve(ratios.size());
  for (const auto& [backend, all] : ratios) order.emplace_back(geometric_mean(all).value, backend);
  std::sort(order.begin(), order.end());
  std::vector<std::string> parts;
  parts.reserve(order.size());
  for (const auto& [ratio, backend] : order) parts.push_back(fmt::format("{} {:.2f}", backend, ratio));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "matmul: the fastest, or as fast, of 12 problems: onednn in 9, blis in 4; ...".
std::string ranking(const ProblemGroup& group) {
  std::map<std::string, int> first;
  std::map<std::string, std::vector<Estimate>> ratios;  // by backend
  int problems = 0;
  double largest = 1;
  std::string where;
  for (const Problem& problem : group.problems) {
    if (problem.entries.size() < 2 || problem.entries[1].standing == Standing::none) continue;
    ++problems;
    std::set<std::string> leading;
    for (const Entry& entry : problem.entries) {
      if (entry.standing != Standing::none) ratios[entry.result->backend].push_back({.value = entry.ratio});
      if (entry.standing == Standing::fastest || entry.standing == Standing::tied)
        leading.insert(entry.result->backend);
      if (entry.standing == Standing::slower && entry.ratio > largest) {
        largest = entry.ratio;
        where = fmt::format("{} in {}", entry.result->backend, problem.title);
      }
    }
    for (const std::string& backend : leading) ++first[backend];
  }
  if (problems == 0) return "";
  std::vector<std::pair<std::string, int>> order(first.begin(), first.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  parts.reserve(order.size());
  for (const auto& [backend, count] : order) parts.push_back(fmt::format("{} in {}", backend, count));
  return fmt::format(
      "{}: the fastest, or as fast, of {} problem{}: {}; times the fastest's time, as geometric means: {}{}",
      group.op, problems, problems == 1 ? "" : "s", fmt::join(parts, ", "), typical_ratios(ratios),
      where.empty() ? "" : fmt::format("; furthest behind: {}, {}", where, format_slower(largest)));
}

/// "matmul on host: bf16 is 4.1x as fast as f32, as the geometric mean of 7 problems, from 0.3x to 8.9x".
std::string sentence(const OverF32& one, const MachineNames& names) {
  std::string said = fmt::format("{} on {}: {} is {}x as fast as f32", one.op,
                                 names.of(one.machine, one.device), one.dtype, format_number(one.mean));
  if (one.problems == 1) return said;
  return fmt::format("{}, as the geometric mean of {} problems, from {}x to {}x", said, one.problems,
                     format_number(one.least), format_number(one.most));
}

/// "infer, network mlp in f32 on host: onednn takes 3.1e4 images a second at batch 1 and 22x as many at 512".
std::vector<std::string> batches(const std::vector<Family>& families, const MachineNames& names) {
  std::vector<std::string> said;
  for (const Family& family : families) {
    if (family.parameter != "batch") continue;
    std::map<std::string, std::map<double, const CaseResult*>> by_place;  // the fastest at each batch
    for (const auto& [batch, timed] : family.members) {
      if (timed->result->samples == 0) continue;
      const std::string place = work_of(family, timed->result->dtype, names.of(*timed));
      keep_faster(by_place[place][batch], *timed->result);
    }
    for (const auto& [place, fastest] : by_place) {
      if (fastest.size() < 2) continue;
      const auto rate = [](const CaseResult& c) {
        return static_cast<double>(c.samples) / c.seconds->median;
      };
      const auto& [smallest, first] = *fastest.begin();
      const auto& [largest, last] = *fastest.rbegin();
      said.push_back(fmt::format("{}: {} images a second at batch {:g} ({}), {}x as many at {:g} ({})", place,
                                 format_number(rate(*first)), smallest, first->backend,
                                 format_number(rate(*last) / rate(*first)), largest, last->backend));
    }
  }
  return said;
}

/// "host can do at most, ...: 48.1 GB/s of memory, 425 in f32, 5790 in bf16": of each device whose peaks were
/// measured.
std::vector<std::string> limits(const std::vector<Timed>& all, std::span<const Result> results,
                                const MachineNames& names) {
  constexpr double beyond_caches = 1e18;  // bytes
  const CeilingsByDevice known = ceilings(results);
  std::map<std::string, std::vector<std::string>> parts;  // by device
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const Ceilings* of_device = find_ceilings(known, *timed.run, c);
    if (c.op != "peak" || of_device == nullptr || !of_device->flop_per_second(c.dtype)) continue;
    const std::string device = names.of(timed);
    parts[device].push_back(
        fmt::format("{} in {}", format_number(*of_device->flop_per_second(c.dtype) * 1e-9), c.dtype));
    if (const auto memory = of_device->bytes_per_second(beyond_caches); memory && parts[device].size() == 1)
      parts[device].insert(parts[device].begin(),
                           fmt::format("{} GB/s of memory", format_number(*memory * 1e-9)));
  }
  std::vector<std::string> said;
  said.reserve(parts.size());
  for (const auto& [device, can] : parts)
    said.push_back(
        fmt::format("{} can do at most, in GFLOP/s but for its memory: {}", device, fmt::join(can, ", ")));
  return said;
}

/// "host: starting work and waiting for it takes 4.1 µs (cuda)": of each device, by its fastest backend.
std::vector<std::string> launches(const std::vector<Timed>& all, const MachineNames& names) {
  std::map<std::string, const CaseResult*> fastest;  // by device
  for (const Timed& timed : all) {
    const Value* waits = timed.result->parameters.find("waits");
    if (timed.result->op == "launch" && waits != nullptr && *waits == Value(true))
      keep_faster(fastest[names.of(timed)], *timed.result);
  }
  std::vector<std::string> said;
  said.reserve(fastest.size());
  for (const auto& [device, c] : fastest)
    said.push_back(fmt::format("{}: starting work that does nothing, and waiting for it, takes {} ({})",
                               device, format_seconds(c->seconds->median), c->backend));
  return said;
}

std::string troubles(std::span<const Result> results) {
  std::vector<std::string> parts;
  std::size_t all = 0;
  for (const auto& [status, count] : count_statuses(results)) {
    all += count;
    if (status != Status::ok) parts.push_back(fmt::format("{} {}", count, name(status)));
  }
  if (parts.empty()) return "";
  return fmt::format("of {} results: {}", all, fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::string> headlines(std::span<const Result> results, std::span<const Threshold> thresholds) {
  std::vector<std::string> said;
  MachineNames names;
  for (const Result& run : results) names.add(run.host);
  for (const Threshold& threshold : thresholds) names.add(threshold.host);
  for (const Threshold& threshold : thresholds) {
    const std::string where =
        threshold.from_results ? "" : fmt::format(" on {}", printable(names.of(threshold.host.name)));
    for (const ThresholdAnswer& answer : threshold.answers)
      said.push_back(
          fmt::format("{}{}: {}", question_of(answer), where, printable(in_words(answer, threshold))));
  }
  const std::size_t of_thresholds = said.size();
  const std::vector<Timed> all = timed_results(results);
  const std::vector<Family> families = families_of(all);
  for (const Family& family : families) {
    for (const auto& [key, pairs] : pairs_of(family))
      said.push_back(printable(sentence(family, names.of(key.first), key.second, pairs)));
  }
  if (said.size() == of_thresholds) {
    for (const ProblemGroup& group : compare(results)) {
      if (std::string text = ranking(group); !text.empty()) said.push_back(printable(text));
    }
  }
  for (const std::string& text : limits(all, results, names)) said.push_back(printable(text));
  for (const std::string& text : launches(all, names)) said.push_back(printable(text));
  for (const OverF32& one : narrower_types(all)) said.push_back(printable(sentence(one, names)));
  for (const std::string& text : batches(families, names)) said.push_back(printable(text));
  if (std::string text = troubles(results); !text.empty()) said.push_back(std::move(text));
  return said;
}

std::string answers_text(std::span<const Result> results, std::span<const Threshold> thresholds) {
  std::string text;
  for (const std::string& sentence : headlines(results, thresholds)) text += sentence + "\n";
  std::set<std::string> warnings;
  for (const Result& run : results) warnings.insert(run.warnings.begin(), run.warnings.end());
  for (const Threshold& t : thresholds) warnings.insert(t.warnings.begin(), t.warnings.end());
  for (const std::string& warning : warnings) text += fmt::format("warning: {}\n", printable(warning));
  return text;
}

}  // namespace breakeven
