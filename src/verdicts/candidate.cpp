#include "verdicts/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>

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

/// Adds a result, or replaces an earlier one of the same backend.
void note_case(std::vector<const CaseResult*>& known, const CaseResult& newer) {
  const auto same = std::ranges::find_if(
      known, [&](const CaseResult* earlier) { return earlier->backend == newer.backend; });
  if (same == known.end()) {
    known.push_back(&newer);
  } else if (supersedes(newer, **same)) {
    *same = &newer;
  }
}

/// "EPYC Zen 4, 2 cores", or "..., 1 thread" if it does not compute on all cores. A user's label is taken
/// unchanged.
std::string name_of(const Candidate& one) {
  if (one.host.is_labelled) return one.host.name;
  if (!one.is_cpu) return one.device;
  const int threads = one.host.threads;
  const char* unit = threads == one.host.cores ? "core" : "thread";
  return fmt::format("{}, {} {}{}", processor_name(one.host), threads, unit, threads == 1 ? "" : "s");
}

/// Adds `more(candidate)` to the names that several candidates share, unless it is the same for all of them.
void tell_apart(std::vector<Candidate>& all, const auto& more) {
  std::map<std::string, std::set<std::string>> of_name;
  for (const Candidate& one : all) of_name[one.name].insert(more(one));
  for (Candidate& one : all) {
    if (of_name[one.name].size() > 1) one.name += fmt::format(" ({})", more(one));
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

bool supersedes(const CaseResult& newer, const CaseResult& older) {
  return newer.status != Status::interrupted || older.status == Status::interrupted;
}

std::string device_key(const Result& run, const CaseResult& result) {
  return DeviceKeys(run).of(result);
}

DeviceKeys::DeviceKeys(const Result& run)
    : run_(run), machine_(fmt::format("{}\n{}\n", machine_key(run.host), run.host.threads)) {}

std::string DeviceKeys::of(const CaseResult& result) const {
  if (result.device == "cpu") return machine_ + result.device;
  const BackendRecord* backend = find_backend(run_.backends, result.backend);
  if (backend == nullptr) return machine_ + result.device;
  return machine_ + (backend->device_id.empty() ? backend->device_name : backend->device_id);
}

std::vector<Candidate> candidates(std::span<const Result> results) {
  std::vector<Candidate> all;
  std::unordered_map<std::string, std::size_t> index;
  std::vector<const Result*> by_age;
  for (const Result& run : results) {
    by_age.push_back(&run);
    const DeviceKeys keys(run);
    for (const CaseResult& result : run.cases) {
      const std::string key = keys.of(result);
      if (!index.try_emplace(key, all.size()).second) continue;
      Candidate& one = all.emplace_back();
      one.key = key;
      const BackendRecord* backend = find_backend(run.backends, result.backend);
      one.is_cpu = result.device == "cpu";
      one.host = run.host;
      one.device = one.is_cpu ? run.host.cpu : backend != nullptr ? backend->device_name : result.device;
      for (const Gpu& gpu : run.host.gpus) {
        if (!one.is_cpu && backend != nullptr && gpu.id == backend->device_id)
          one.memory_bytes = gpu.memory_bytes;
      }
      one.name = name_of(one);
    }
  }
  std::ranges::stable_sort(by_age, {}, &Result::created);
  for (const Result* run : by_age) {
    const DeviceKeys keys(*run);
    for (const CaseResult& result : run->cases) {
      Candidate& one = all[index.at(keys.of(result))];
      if (const BackendRecord* backend = find_backend(run->backends, result.backend);
          backend != nullptr && backend->available)
        note(one.backends, *backend, &BackendRecord::name);
      note_case(one.cases[result.id], result);
    }
  }
  for (Candidate& one : all) {
    for (const Result* run : by_age) {
      if (machine_key(run->host) != machine_key(one.host)) continue;
      for (const BackendRecord& backend : run->backends) {
        if (!backend.available) note(one.lacking, backend, &BackendRecord::name);
      }
    }
  }
  tell_apart(all, [](const Candidate& one) { return one.is_cpu ? "CPU" : one.device; });
  tell_apart(all, [](const Candidate& one) { return counted_text(one.host.threads, "thread", "threads"); });
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
