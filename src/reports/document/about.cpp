#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/text.h"
#include "verdicts/machines.h"
#include "verdicts/overview.h"

namespace breakeven {
namespace {

std::string machines_text(const std::vector<const Host*>& hosts) {
  std::map<std::string, const Host*> machines;
  std::set<int> cores;
  std::set<std::string> gpus;
  for (const Host* host : hosts) {
    if (machines.try_emplace(machine_key(*host), host).second) cores.insert(host->cores);
    for (const Gpu& gpu : host->gpus) gpus.insert(printable(gpu.name.value_or(gpu.id)));
  }
  const std::string gpu = gpus.empty() ? "no GPU measured" : fmt::format("{}", fmt::join(gpus, ", "));
  if (machines.size() == 1) {
    const Host& host = *machines.begin()->second;
    std::vector<std::string> parts{printable(host.name), describe_host(host), gpu};
    std::erase(parts, "");
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  const std::string each = cores.size() == 1 && *cores.begin() > 0
                               ? counted_text(*cores.begin(), "core", "cores") + " each, "
                               : "";
  return fmt::format("{} machines ({}{})", machines.size(), each, gpu);
}

std::string results_text(const Runs& runs) {
  std::size_t all = 0;
  std::size_t timed = 0;
  std::size_t verified = 0;
  std::map<Status, std::size_t> statuses;
  for (const Result* run : runs) {
    all += run->cases.size();
    for (const CaseResult& c : run->cases) {
      if (c.status != Status::ok) ++statuses[c.status];
      if (!c.has_time()) continue;
      ++timed;
      if (c.verification && c.verification->correct) ++verified;
    }
  }
  std::vector<std::string> troubles;
  troubles.reserve(statuses.size());
  for (const auto& [status, count] : statuses)
    troubles.push_back(fmt::format("{} {}", count, status_text(status)));
  std::string text = counted_text(all, "result", "results");
  if (!troubles.empty()) text += fmt::format(": {}", fmt::join(troubles, ", "));
  if (timed == 0) return text;
  if (timed != verified) return fmt::format("{}; {} of {} timed ones verified", text, verified, timed);
  return text +
         (troubles.empty() ? ", all verified against float64" : "; all others verified against float64");
}

std::string short_reason(const std::string& reason) {
  constexpr std::size_t widest = 60;
  const std::string text = printable(reason);
  return text.empty() ? "no reason was given" : shorten(text, widest);
}

/// The hardware and software of a machine, from all of its files.
struct MachineRecord {
  std::optional<Host> host = {};
  std::vector<BackendRecord> backends = {};
};

/// Adds a backend unless the machine has it already. An available one replaces an entry that says it is
/// absent.
void note_backend(std::vector<BackendRecord>& all, const BackendRecord& one) {
  const auto is_known = [&](const BackendRecord& other) {
    return other.name == one.name &&
           (!one.available || (other.available && describe_backend(other) == describe_backend(one)));
  };
  if (std::ranges::any_of(all, is_known)) return;
  if (one.available)
    std::erase_if(all,
                  [&](const BackendRecord& other) { return other.name == one.name && !other.available; });
  all.push_back(one);
}

}  // namespace

std::string date_text(const std::string& created) {
  std::tm date{};
  std::istringstream read(created);
  if (!(read >> std::get_time(&date, "%Y-%m-%d"))) return printable(created);
  std::ostringstream written;
  written << date.tm_mday << std::put_time(&date, " %B %Y");
  return written.str();
}

std::string about_text(const Measured& measured) {
  std::vector<const Host*> hosts;
  std::set<std::string> days;
  std::set<std::string> versions;
  const auto add = [&](const auto& one) {
    hosts.push_back(&one.host);
    days.insert(one.created.substr(0, one.created.find('T')));
    versions.insert(one.tool_version);
  };
  for (const Result& run : measured.results) add(run);
  for (const Threshold& threshold : measured.thresholds) {
    add(threshold);
    for (const ThresholdContender& side : threshold.sides) {
      if (side.host) hosts.push_back(&*side.host);
    }
  }
  if (hosts.empty()) return "";
  days.erase("");
  versions.erase("");
  const std::string newest = days.empty() ? "" : date_text(*days.rbegin());
  return about_line({machines_text(hosts),
                     days.size() < 2 ? newest : fmt::format("{} to {}", date_text(*days.begin()), newest),
                     tool_text(fmt::format("{}", fmt::join(versions, ", "))),
                     measured.results.empty() ? "" : results_text(runs_of(measured.results))});
}

namespace {

/// True if the run's config names the backend.
bool is_asked_for(const Result& run, const std::string& backend) {
  const auto configs = nlohmann::json::parse(run.config, nullptr, /*allow_exceptions=*/false);
  // A run of several configs has a list of them.
  const auto all = configs.is_array() ? configs : nlohmann::json::array({configs});
  return std::ranges::any_of(all, [&](const nlohmann::json& config) {
    const auto named = config.is_object() ? config.find("backends") : config.end();
    return config.is_object() && named != config.end() &&
           std::ranges::find(*named, nlohmann::json(backend)) != named->end();
  });
}

}  // namespace

std::string own_convolutions_text(const Runs& runs) {
  std::set<std::string> libraries;
  bool has_winograd = false;
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      const std::string title = computing_title(c);
      if (!c.has_time() || title == backend_title(c.backend)) continue;
      libraries.insert(backend_title(c.backend));
      has_winograd = has_winograd || title.starts_with("Winograd");
    }
  }
  if (libraries.empty()) return "";
  return fmt::format(
      "{} no convolutions: breakeven computes them from {} products.{}",
      joined_text({libraries.begin(), libraries.end()}) + (libraries.size() == 1 ? " has" : " have"),
      libraries.size() == 1 ? "its" : "their",
      has_winograd ? " Winograd needs less than half of the multiplications that GFLOP/s count, "
                     "so they can exceed the ceiling."
                   : "");
}

std::string absent_backends_text(const Runs& runs) {
  InOrder<std::string, std::vector<std::string>> by_reason;
  std::set<std::string> seen;
  for (const Result* run : runs) {
    for (const BackendRecord& backend : run->backends) {
      if (!backend.available && is_asked_for(*run, backend.name) && seen.insert(backend.name).second)
        at_key(by_reason, short_reason(backend.reason)).push_back(backend.name);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [reason, names] : by_reason)
    parts.push_back(fmt::format("{} ({})", fmt::join(names, ", "), reason));
  return parts.empty() ? "" : fmt::format("Not here: {}.", fmt::join(parts, "; "));
}

std::vector<Sentence> machine_sentences(const Host& host, const std::vector<BackendRecord>& backends) {
  std::vector<Sentence> said;
  add_sentence(said, describe_host(host));
  add_sentence(said, host.cpu_identity);
  for (const Gpu& gpu : host.gpus) add_sentence(said, describe_gpu(gpu));
  add_sentence(said, fmt::format("{}{}{}", host.os, host.kernel.empty() ? "" : ", ", host.kernel));
  for (const BackendRecord& backend : backends) {
    if (backend.available) add_sentence(said, describe_backend(backend));
  }
  for (const BackendRecord& backend : backends) {
    if (!backend.available)
      add_sentence(said, fmt::format("not here: {}: {}", backend.name, short_reason(backend.reason)),
                   Tone::quiet);
  }
  return said;
}

std::vector<Fold> machine_folds(const Measured& measured) {
  InOrder<std::string, MachineRecord> machines;
  const auto add = [&](const Host& host, const std::vector<BackendRecord>& backends) {
    MachineRecord& machine = at_key(machines, machine_key(host));
    if (!machine.host) machine.host = host;
    for (const Gpu& gpu : host.gpus) {
      std::vector<Gpu>& known = machine.host->gpus;
      if (std::ranges::find(known, gpu.id, &Gpu::id) == known.end()) known.push_back(gpu);
    }
    for (const BackendRecord& backend : backends) note_backend(machine.backends, backend);
  };
  for (const Result& run : measured.results) add(run.host, run.backends);
  for (const Threshold& threshold : measured.thresholds) {
    const auto& [baseline, challenger] = threshold.sides;
    if (baseline.host && challenger.host) {
      add(*baseline.host, baseline.backends);
      add(*challenger.host, challenger.backends);
      continue;
    }
    std::vector<BackendRecord> backends = baseline.backends;
    backends.insert(backends.end(), challenger.backends.begin(), challenger.backends.end());
    add(threshold.host, backends);
  }
  std::vector<Fold> folds;
  folds.reserve(machines.size());
  for (const auto& [key, machine] : machines) {
    const std::string name = printable(machine.host->name);
    folds.push_back({.title = "Hardware and software of " + (name.empty() ? "an unnamed machine" : name),
                     .sentences = machine_sentences(*machine.host, machine.backends)});
  }
  return folds;
}

}  // namespace breakeven
