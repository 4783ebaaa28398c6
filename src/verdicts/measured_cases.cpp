#include "verdicts/measured_cases.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "results/measure_settings.h"
#include "verdicts/machines.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

/// A GPU's identifier; "cpu". Its name if the identifier is not known, or if the user has named the machine
/// and the run has no other GPU of that name: under one name, two cards of one model are one device.
std::string device_in_machine(const Result& run, const CaseResult& result) {
  const BackendRecord* backend = find_backend(run.backends, result.backend);
  if (result.device == "cpu" || backend == nullptr) return result.device;
  const bool has_another = std::ranges::any_of(run.backends, [&](const BackendRecord& other) {
    return other.device_name == backend->device_name && !other.device_id.empty() &&
           other.device_id != backend->device_id;
  });
  const bool goes_by_name = backend->device_id.empty() || (run.host.is_labelled && !has_another);
  return goes_by_name ? backend->device_name : backend->device_id;
}

}  // namespace

Runs runs_of(std::span<const Result> results) {
  Runs runs;
  runs.reserve(results.size());
  for (const Result& run : results) runs.push_back(&run);
  return runs;
}

std::vector<MeasuredCase> cases_of(const Runs& runs) {
  using Numbers = std::unordered_map<std::string, std::size_t>;  // by key
  const auto number_of = [](Numbers& numbers, const std::string& key) {
    return numbers.try_emplace(key, numbers.size()).first->second;
  };
  Numbers machines;
  Numbers devices;
  std::vector<MeasuredCase> all;
  for (const Result* run : runs) {
    const std::size_t machine = number_of(machines, machine_key(run->host));
    const std::string caches = cache_state(*run);
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;  // by device and backend
    for (const CaseResult& result : run->cases) {
      const auto [device, is_new] = known.try_emplace({result.device, result.backend});
      if (is_new)
        device->second = number_of(
            devices, fmt::format("{} {} {}", machine, run->host.threads, device_in_machine(*run, result)));
      all.push_back(
          {.run = run, .result = &result, .machine = machine, .device = device->second, .caches = caches});
    }
  }
  return all;
}

}  // namespace breakeven
