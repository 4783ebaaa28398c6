#include "history/history.h"

#include <fmt/format.h>

#include "results/measure_settings.h"

namespace breakeven {

Machine machine_of(const Result& result, const std::string& name) {
  const Host& host = result.host;
  // Google Benchmark does not report the CPU's name, so its caches distinguish CPUs.
  const auto caches = host.settings.find("caches");
  std::string cpu = host.cpu;
  if (cpu.empty() && caches != host.settings.end()) cpu = caches->second;
  if (!host.cpu_identity.empty()) cpu += fmt::format(" ({})", host.cpu_identity);
  std::string description = fmt::format("{}, {} CPUs", cpu.empty() ? "unknown CPU" : cpu, host.cpus);
  if (host.threads > 0) description += fmt::format(", {} threads", host.threads);
  if (host.cpu_quota) description += fmt::format(", quota {:.2f}", *host.cpu_quota);
  for (const Gpu& gpu : host.gpus) description += fmt::format(", {}", gpu.name.value_or(gpu.id));
  if (cache_state(result) == "cold") description += ", cold caches";
  return {.id = 0, .name = name.empty() ? host.name : name, .description = description};
}

std::map<std::string, std::string> software_of(const Result& result) {
  std::map<std::string, std::string> software;
  for (const BackendRecord& backend : result.backends) {
    if (!backend.available) continue;
    std::string text = backend.version;
    for (const auto& [library, version] : backend.libraries)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", library, version);
    for (const Gpu& gpu : result.host.gpus) {
      if (gpu.id == backend.device_id && gpu.driver)
        text += fmt::format("{}driver {}", text.empty() ? "" : ", ", *gpu.driver);
    }
    software[backend.name] = text;
  }
  return software;
}

}  // namespace breakeven
