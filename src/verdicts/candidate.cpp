#include "verdicts/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "text/counted.h"
#include "verdicts/machines.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

/// Adds `newer`, or replaces the earlier one that has the same `member`.
template <typename T, typename Owner>
void note(std::vector<const T*>& known, const T& newer, std::string Owner::*member) {
  const auto same = std::ranges::find(known, newer.*member,
                                      [&](const T* one) -> const std::string& { return one->*member; });
  if (same == known.end()) {
    known.push_back(&newer);
  } else {
    *same = &newer;
  }
}

/// True if the newer result of a case replaces the older one. One that was interrupted says nothing: it does
/// not hide what an earlier run measured.
bool supersedes(const CaseResult& newer, const CaseResult& older) {
  return newer.status != Status::interrupted || older.status == Status::interrupted;
}

/// Adds a case, or replaces an earlier one of the same backend and with the same state of the caches.
void note_case(std::vector<MeasuredCase>& known, const MeasuredCase& newer) {
  const auto same = std::ranges::find_if(known, [&](const MeasuredCase& earlier) {
    return earlier.result->backend == newer.result->backend && earlier.caches == newer.caches;
  });
  if (same == known.end()) {
    known.push_back(newer);
  } else if (supersedes(*newer.result, *same->result)) {
    *same = newer;
  }
}

/// The user's name for the machine, or "box's CPU" where it has GPUs. Without such a name, "Zen 4, 2
/// cores", or "..., 1 thread" if it does not compute on all cores.
std::string name_of(const Candidate& one) {
  if (one.host.is_labelled)
    return one.is_cpu && !one.host.gpus.empty() ? one.host.name + "'s CPU" : one.host.name;
  if (!one.is_cpu) return short_gpu_name(one.device);
  const int threads = one.host.threads;
  const bool uses_all_cores = threads == one.host.cores;
  return fmt::format(
      "{}, {}", processor_name(one.host),
      counted_text(threads, uses_all_cores ? "core" : "thread", uses_all_cores ? "cores" : "threads"));
}

/// The candidate on whose device a case was measured.
Candidate without_cases(const MeasuredCase& first) {
  const Host& host = first.run->host;
  const BackendRecord* backend = find_backend(first.run->backends, first.result->backend);
  Candidate one;
  one.is_cpu = !first.is_gpu();
  one.host = host;
  one.device = one.is_cpu ? host.cpu : backend != nullptr ? backend->device_name : first.result->device;
  for (const Gpu& gpu : host.gpus) {
    if (!one.is_cpu && backend != nullptr && gpu.id == backend->device_id)
      one.memory_bytes = gpu.memory_bytes;
  }
  one.name = name_of(one);
  return one;
}

/// Adds `more(candidate)`, unless it is empty, to the names that several candidates share and in which it
/// differs.
void tell_apart(std::vector<Candidate>& all, const auto& more) {
  std::map<std::string, std::set<std::string>> of_name;
  for (const Candidate& one : all) of_name[one.name].insert(more(one));
  for (Candidate& one : all) {
    const std::string text = of_name[one.name].size() > 1 ? more(one) : "";
    if (!text.empty()) one.name += fmt::format(" ({})", text);
  }
}

/// The first part of a GPU's identifier, as `nvidia-smi -L` shows it: "GPU-d2acd226".
std::string short_gpu_id(const Candidate& one) {
  constexpr std::size_t shown = 12;
  const auto known =
      std::ranges::find_if(one.backends, [](const BackendRecord* b) { return !b->device_id.empty(); });
  if (one.is_cpu || known == one.backends.end()) return "no identifier";
  return (*known)->device_id.substr(0, shown);
}

void number_those_of_one_name(std::vector<Candidate>& all) {
  std::map<std::string, int> count;
  for (const Candidate& one : all) ++count[one.name];
  std::map<std::string, int> number;
  for (Candidate& one : all) {
    const std::string name = one.name;
    if (count[name] > 1) one.name += fmt::format(" ({})", ++number[name]);
  }
}

}  // namespace

std::vector<Candidate> candidates(std::span<const Result> results) {
  const Runs runs = runs_of(results);
  std::vector<MeasuredCase> cases = cases_of(runs);
  std::vector<Candidate> all;
  for (const MeasuredCase& first : cases) {
    if (first.device == all.size()) all.push_back(without_cases(first));
  }
  std::ranges::stable_sort(cases, {},
                           [](const MeasuredCase& one) { return std::string_view(one.run->created); });
  for (const MeasuredCase& newer : cases) {
    Candidate& one = all[newer.device];
    if (const BackendRecord* backend = find_backend(newer.run->backends, newer.result->backend);
        backend != nullptr && backend->available)
      note(one.backends, *backend, &BackendRecord::name);
    note_case(one.cases[newer.result->id], newer);
  }
  Runs by_age = runs;
  std::ranges::stable_sort(by_age, {}, &Result::created);
  for (Candidate& one : all) {
    for (const Result* run : by_age) {
      if (machine_key(run->host) != machine_key(one.host)) continue;
      for (const BackendRecord& backend : run->backends) {
        if (!backend.available) note(one.lacking, backend, &BackendRecord::name);
      }
    }
  }
  tell_apart(all, [](const Candidate& one) { return one.is_cpu ? "CPU" : short_gpu_name(one.device); });
  tell_apart(all, [](const Candidate& one) {
    return one.host.threads == one.host.cores ? "" : counted_text(one.host.threads, "thread", "threads");
  });
  tell_apart(all, [](const Candidate& one) {
    const std::string& name = one.host.recorded_name();
    return name.empty() ? std::string("unnamed") : name;
  });
  tell_apart(all, [](const Candidate& one) { return identity_text(one.host); });
  tell_apart(all, [](const Candidate& one) {
    return fmt::format("with {}", fmt::join(one.host.cpu_features, " "));
  });
  tell_apart(all, [](const Candidate& one) {
    return (one.host.gpus.empty() ? "" : "machine with ") + gpus_text(one.host);
  });
  tell_apart(all, short_gpu_id);
  number_those_of_one_name(all);
  return all;
}

}  // namespace breakeven
