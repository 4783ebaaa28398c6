// breakeven devices: lists the devices to measure on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <optional>

#include "cli/messages.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "reports/document/names.h"
#include "reports/words/notes.h"
#include "reports/words/words.h"
#include "results/json.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/gpu.h"
#include "text/counted.h"

namespace breakeven {
namespace {

std::string to_text(const Host& host, const std::vector<BackendRecord>& backends) {
  std::string text = fmt::format(
      "{}: {}{}, {} ({}), {:.1f} GiB, {}\ncomputing with {}{}; features: {}\n\n", host.name, host.cpu,
      host.cpu_identity.empty() ? "" : fmt::format(" ({})", host.cpu_identity),
      counted_text(host.cores, "core", "cores"), counted_text(host.cpus, "CPU", "CPUs"),
      static_cast<double>(host.memory_bytes) / 0x1p30, host.os,
      counted_text(host.threads, "thread", "threads"),
      host.cpu_quota ? fmt::format(" (quota: {:g} CPU{})", *host.cpu_quota, *host.cpu_quota == 1 ? "" : "s")
                     : "",
      fmt::join(host.cpu_features, " "));
  for (const Gpu& gpu : host.gpus) text += describe_gpu(gpu) + "\n";
  if (!host.gpus.empty()) text += "\n";
  for (const auto& b : backends) {
    if (!b.available) {
      text += fmt::format("{:<12} not available: {}\n", b.name, b.reason);
      continue;
    }
    std::string libraries;
    for (const auto& [name, version] : b.libraries)
      libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version);
    text += fmt::format("{:<12} {} ({}){}; {}\n", b.name, b.device, b.device_name,
                        b.is_reference() ? ", the reference" : "", libraries);
    for (const std::string& warning : b.warnings) text += fmt::format("{:<12}   warning: {}\n", "", warning);
    for (const Note& note : b.notes) text += fmt::format("{:<12}   note: {}\n", "", note_text(note));
    for (const auto& [op, dtypes] : b.supports)
      text += fmt::format("{:<12}   {}: {}\n", "", op, fmt::join(dtypes, " "));
  }
  return text;
}

struct DevicesOptions {
  bool json = false;
  int threads = 0;
};

int devices(const DevicesOptions& o) {
  const Interruption interruption;
  const int threads = choose_threads(o.threads);
  Host host = describe_host(threads);
  const std::vector<BackendRecord> backends = probe_all(find_backends(backend_folders()), threads);
  std::optional<Nvml> nvml;
  host.gpus = describe_gpus(backends, nvml);
  if (!o.json) {
    print(to_text(host, backends));
    return exit_code::good;
  }
  std::string list;
  for (const auto& b : backends) list += (list.empty() ? "\n" : ",\n") + text_of(json_of(b, &report_words()));
  std::cout << fmt::format("{{\"host\": {},\n\"backends\": [{}\n]}}\n", text_of(json_of(host)), list);
  return exit_code::good;
}

const SubcommandRegistration devices_command(subcommand<DevicesOptions>(
    "devices", "show the available backends and devices, and why others are unavailable",
    [](CLI::App& command, DevicesOptions& o) {
      command.add_flag("--json", o.json, "as JSON");
      command.add_option("--threads", o.threads,
                         "CPU threads; default: one a physical core, within affinity and quota");
    },
    devices));

}  // namespace
}  // namespace breakeven
