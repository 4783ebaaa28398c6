#include "reports/document/about.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "reports/document/descriptions.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/remarks.h"
#include "reports/text.h"
#include "verdicts/machines.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

std::string machines_text(const std::vector<const Host*>& hosts) {
  std::map<std::string, const Host*> machines;
  for (const Host* host : hosts) machines.try_emplace(machine_key(*host), host);
  std::set<int> cores;
  std::set<std::string> gpus;
  for (const auto& [key, host] : machines) {
    cores.insert(host->cores);
    for (const Gpu& gpu : host->gpus) gpus.insert(printable(gpu.name.value_or(gpu.id)));
  }
  const std::string gpu = gpus.empty() ? "no GPU" : fmt::format("{}", fmt::join(gpus, ", "));
  if (machines.size() == 1) {
    const Host& host = *machines.begin()->second;
    std::vector<std::string> parts{printable(host.name), describe_host(host), gpu};
    std::erase(parts, "");
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  const std::string each =
      cores.size() == 1 && *cores.begin() > 0
          ? fmt::format("{} each, ", counted_text(static_cast<std::size_t>(*cores.begin()), "core", "cores"))
          : "";
  return fmt::format("{} machines ({}{})", machines.size(), each, gpu);
}

std::string results_text(const Runs& runs) {
  std::size_t all = 0;
  std::size_t timed = 0;
  std::size_t verified = 0;
  std::vector<std::string> troubles;
  for (const auto& [status, count] : count_statuses(runs)) {
    all += count;
    std::string text(name(status));
    std::replace(text.begin(), text.end(), '_', ' ');
    if (status != Status::ok) troubles.push_back(fmt::format("{} {}", count, text));
  }
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      if (!c.has_time()) continue;
      ++timed;
      if (c.verification && c.verification->correct) ++verified;
    }
  }
  std::string text = counted_text(all, "result", "results");
  if (!troubles.empty()) text += fmt::format(": {}", fmt::join(troubles, ", "));
  if (timed > 0 && timed == verified)
    return text +
           (troubles.empty() ? ", all verified against float64" : "; all others verified against float64");
  return timed > 0 ? fmt::format("{}; {} of {} timed ones verified", text, verified, timed) : text;
}

std::string short_reason(const std::string& reason) {
  constexpr std::size_t widest = 60;
  const std::string text = printable(reason);
  return text.empty() ? "no reason was given" : shorten(text, widest);
}

}  // namespace

std::string date_text(const std::string& created) {
  static constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                           "May",       "June",     "July",     "August",
                                                           "September", "October",  "November", "December"};
  unsigned month = 0;
  unsigned day = 0;
  const auto number = [&](std::size_t at, unsigned& value) {
    return created.size() >= 10 &&
           std::from_chars(created.data() + at, created.data() + at + 2, value).ec == std::errc();
  };
  if (!number(5, month) || !number(8, day) || month < 1 || month > months.size()) return printable(created);
  return printable(fmt::format("{} {} {}", day, months.at(month - 1), created.substr(0, 4)));
}

std::string about_text(const Measured& measured) {
  std::vector<const Host*> hosts;
  std::string newest;
  std::string oldest;
  std::set<std::string> versions;
  const auto add = [&](const Host& host, const std::string& created, const std::string& version) {
    hosts.push_back(&host);
    const std::string day = created.substr(0, 10);
    newest = std::max(newest, day);
    oldest = oldest.empty() ? day : std::min(oldest, day);
    if (!version.empty()) versions.insert(printable(version));
  };
  for (const Result& run : measured.results) add(run.host, run.created, run.tool_version);
  for (const Threshold& threshold : measured.thresholds)
    add(threshold.host, threshold.created, threshold.tool_version);
  if (hosts.empty()) return "";
  std::vector<std::string> parts{machines_text(hosts)};
  if (!newest.empty())
    parts.push_back(oldest == newest ? date_text(newest)
                                     : fmt::format("{} to {}", date_text(oldest), date_text(newest)));
  if (!versions.empty()) parts.push_back(fmt::format("breakeven {}", fmt::join(versions, ", ")));
  if (!measured.results.empty()) parts.push_back(results_text(runs_of(measured.results)));
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string absent_backends_text(const Runs& runs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  std::set<std::string> seen;
  for (const Result* run : runs) {
    for (const BackendRecord& backend : run->backends) {
      if (backend.available || !seen.insert(backend.name).second) continue;
      const std::string reason = short_reason(backend.reason);
      auto found =
          std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& r) { return r.first == reason; });
      if (found == by_reason.end()) found = by_reason.insert(found, {reason, {}});
      found->second.push_back(printable(backend.name));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [reason, names] : by_reason)
    parts.push_back(fmt::format("{} ({})", fmt::join(names, ", "), reason));
  return parts.empty() ? "" : fmt::format("Not here: {}.", fmt::join(parts, "; "));
}

std::vector<Sentence> machine_sentences(const Host& host, const std::vector<BackendRecord>& backends) {
  std::vector<Sentence> said{{.text = describe_host(host)}};
  const auto add = [&](const std::string& text, Tone tone = Tone::plain) {
    if (!text.empty()) said.push_back({.text = printable(text), .tone = tone});
  };
  add(host.cpu_identity);
  for (const Gpu& gpu : host.gpus) add(describe_gpu(gpu));
  add(fmt::format("{}{}{}", host.os, host.kernel.empty() ? "" : ", ", host.kernel));
  for (const BackendRecord& backend : backends) {
    if (backend.available) add(describe_backend(backend));
  }
  for (const BackendRecord& backend : backends) {
    if (!backend.available)
      add(fmt::format("not here: {}: {}", backend.name, short_reason(backend.reason)), Tone::quiet);
  }
  std::erase_if(said, [](const Sentence& sentence) { return sentence.text.empty(); });
  return said;
}

std::vector<Fold> machine_folds(const Measured& measured) {
  std::vector<Fold> folds;
  std::set<std::string> seen;
  const auto add = [&](const Host& host, const std::vector<BackendRecord>& backends) {
    if (!seen.insert(machine_key(host)).second) return;
    const std::string machine = printable(host.name);
    folds.push_back({.title = fmt::format("Hardware and software of {}",
                                          machine.empty() ? "an unnamed machine" : machine),
                     .sentences = machine_sentences(host, backends)});
  };
  for (const Result& run : measured.results) add(run.host, run.backends);
  for (const Threshold& threshold : measured.thresholds) {
    std::vector<BackendRecord> backends;
    for (const ThresholdContender& side : threshold.sides)
      backends.insert(backends.end(), side.backends.begin(), side.backends.end());
    add(threshold.host, backends);
  }
  return folds;
}

}  // namespace breakeven
