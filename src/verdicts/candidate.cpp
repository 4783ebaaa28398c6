#include "verdicts/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "verdicts/machines.h"

namespace breakeven {
namespace {

const BackendRecord* backend_of(const Result& run, const CaseResult& result) {
  const auto found = std::find_if(run.backends.begin(), run.backends.end(),
                                  [&](const BackendRecord& b) { return b.name == result.backend; });
  return found == run.backends.end() ? nullptr : &*found;
}

/// Of each name once; a later run's counts.
void note(std::vector<const BackendRecord*>& known, const BackendRecord& backend) {
  const auto same = std::find_if(known.begin(), known.end(),
                                 [&](const auto* other) { return other->name == backend.name; });
  if (same == known.end()) {
    known.push_back(&backend);
  } else {
    *same = &backend;
  }
}

void tell_apart(std::vector<Candidate>& all, const auto& more) {
  std::map<std::string, int> count;
  for (const Candidate& one : all) ++count[one.name];
  for (Candidate& one : all) {
    if (count[one.name] > 1) one.name += fmt::format(" ({})", more(one));
  }
}

}  // namespace

std::string device_key(const Result& run, const CaseResult& result) {
  std::string device = result.device;
  if (const BackendRecord* backend = backend_of(run, result); backend != nullptr && result.device != "cpu")
    device = backend->device_id.empty() ? backend->device_name : backend->device_id;
  return fmt::format("{}\n{}\n{}", machine_key(run.host), run.host.threads, device);
}

std::vector<Candidate> candidates(std::span<const Result> results) {
  std::vector<Candidate> all;
  std::unordered_map<std::string, std::size_t> index;
  std::vector<const Result*> by_age;
  for (const Result& run : results) {
    by_age.push_back(&run);
    for (const CaseResult& result : run.cases) {
      if (!index.try_emplace(device_key(run, result), all.size()).second) continue;
      Candidate& one = all.emplace_back();
      const BackendRecord* backend = backend_of(run, result);
      one.is_cpu = result.device == "cpu";
      one.host = run.host;
      one.device = one.is_cpu ? run.host.cpu : backend != nullptr ? backend->device_name : result.device;
      for (const Gpu& gpu : run.host.gpus) {
        if (!one.is_cpu && backend != nullptr && gpu.id == backend->device_id)
          one.memory_bytes = gpu.memory_bytes;
      }
      one.name = one.is_cpu ? fmt::format("{}, {} thread{}", one.device, one.host.threads,
                                          one.host.threads == 1 ? "" : "s")
                            : one.device;
    }
  }
  std::stable_sort(by_age.begin(), by_age.end(),
                   [](const Result* a, const Result* b) { return a->created < b->created; });
  for (const Result* run : by_age) {
    for (const CaseResult& result : run->cases) {
      Candidate& one = all[index.at(device_key(*run, result))];
      if (const BackendRecord* backend = backend_of(*run, result); backend != nullptr && backend->available)
        note(one.backends, *backend);
      std::vector<const CaseResult*>& same = one.cases[result.id];
      const auto before = std::find_if(same.begin(), same.end(),
                                       [&](const CaseResult* r) { return r->backend == result.backend; });
      if (before == same.end()) {
        same.push_back(&result);
      } else {
        *before = &result;
      }
    }
  }
  for (Candidate& one : all) {
    for (const Result* run : by_age) {
      if (machine_key(run->host) != machine_key(one.host)) continue;
      for (const BackendRecord& backend : run->backends) {
        if (!backend.available) note(one.lacking, backend);
      }
    }
  }
  tell_apart(all, [](const Candidate& one) { return one.host.name.empty() ? "unnamed" : one.host.name; });
  tell_apart(all, [](const Candidate& one) { return identity_text(one.host); });
  int number = 0;
  tell_apart(all, [&](const Candidate&) { return ++number; });
  return all;
}

}  // namespace breakeven
