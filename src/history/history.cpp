#include "history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/library_variables.h"
#include "results/measure_settings.h"

namespace breakeven {

namespace {

/// The hosts on which the ranks of the case with the most hosts ran; 1 without such a case.
std::size_t most_hosts_of_ranks(const Result& result) {
  std::size_t most = 1;
  for (const CaseResult& c : result.cases) {
    std::set<std::string> hosts;
    for (const RankPlace& place : c.conditions.ranks) hosts.insert(place.host);
    most = std::max(most, hosts.size());
  }
  return most;
}

}  // namespace

Machine machine_of(const Result& result, const std::string& name) {
  const Host& host = result.host;
  // Google Benchmark does not report the CPU's name, so its caches distinguish CPUs.
  const auto caches = host.settings.find("caches");
  std::string cpu = host.cpu;
  if (cpu.empty() && caches != host.settings.end()) cpu = caches->second;
  if (!host.cpu_identity.empty()) cpu += fmt::format(" ({})", host.cpu_identity);
  // Stores have it as a part of the machine's key: it stays "1 CPUs".
  std::string description = fmt::format("{}, {} CPUs", cpu.empty() ? "unknown CPU" : cpu, host.cpus);
  if (host.threads > 0) description += fmt::format(", {} threads", host.threads);
  if (host.cpu_quota) description += fmt::format(", quota {:.2f}", *host.cpu_quota);
  for (const Gpu& gpu : host.gpus) description += fmt::format(", {}", gpu.name.value_or(gpu.id));
  if (const std::size_t hosts = most_hosts_of_ranks(result); hosts > 1)
    description += fmt::format(", ranks on {} hosts", hosts);
  if (cache_state(result) == "cold") description += ", cold caches";
  const std::string& recorded = host.machine.empty() ? host.name : host.machine;
  return {.id = 0, .name = name.empty() ? recorded : name, .description = description};
}

std::map<std::string, Software> software_of(const Result& result) {
  std::map<std::string, Software> software;
  for (const BackendRecord& backend : result.backends) {
    if (!backend.available) continue;
    auto& [text, on_gpu] = software[backend.name];
    text = backend.version;
    on_gpu = backend.device == "gpu";
    for (const auto& [library, version] : backend.libraries)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", library, version);
    for (const Gpu& gpu : result.host.gpus) {
      if (gpu.id == backend.device_id && gpu.driver)
        text += fmt::format("{}driver {}", text.empty() ? "" : ", ", *gpu.driver);
    }
  }
  return software;
}

std::set<std::string> settings_of(const Result& result) {
  const std::string placement = measured_with(measure_of(result), "placement", "cores");
  if (placement.empty() || !result.host.environment) return {};
  const bool has_ranks =
      std::ranges::any_of(result.cases, [](const CaseResult& c) { return !c.conditions.ranks.empty(); });
  std::set<std::string> settings{"placement=" + placement};
  for (const auto& [name, value] : *result.host.environment) {
    if (steers_libraries(name) && (has_ranks || !steers_ranks_alone(name)))
      settings.insert(fmt::format("{}={}", name, value));
  }
  return settings;
}

}  // namespace breakeven
