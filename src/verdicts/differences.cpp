#include "verdicts/differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "host/library_variables.h"
#include "results/algorithm.h"
#include "results/measure_settings.h"
#include "results/number_text.h"
#include "statistics/summary.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

/// System settings that determine the clocks of CPUs.
constexpr std::array<const char*, 3> clock_settings{"governor", "turbo_off", "boost"};

Note changed(std::string_view what, std::string_view was, std::string_view is) {
  return {.kind = NoteKind::changed, .about = {std::string(what), std::string(was), std::string(is)}};
}

bool unknown(const std::string& value) {
  return value.empty() || value.starts_with("unknown");
}

/// True if two measured or rounded numbers differ by more than the fraction `part` of the smaller.
bool apart(double a, double b, double part) {
  return std::max(a, b) > std::min(a, b) * (1 + part);
}

class Collector {
 public:
  void text(Difference kind, std::string_view what, const std::string& was, const std::string& is) {
    if (!unknown(was) && !unknown(is) && was != is) add(kind, changed(what, was, is));
  }
  /// Compares two numbers. 0 means unknown.
  void count(Difference kind, std::string_view what, std::int64_t was, std::int64_t is) {
    if (was > 0 && is > 0 && was != is)
      add(kind, changed(what, fmt::format("{}", was), fmt::format("{}", is)));
  }
  template <typename T>
  void known(Difference kind, std::string_view what, const std::optional<T>& was,
             const std::optional<T>& is) {
    if (was && is && *was != *is) add(kind, changed(what, fmt::format("{}", *was), fmt::format("{}", *is)));
  }
  void figure(Difference kind, std::string_view what, const std::optional<double>& was,
              const std::optional<double>& is, double part, std::string_view unit) {
    if (was && is && *was > 0 && *is > 0 && apart(*was, *is, part)) {
      add(kind, changed(what, fmt::format("{:.0f}{}", *was, unit), fmt::format("{:.0f}{}", *is, unit)));
    }
  }
  /// Compares the values of two maps by name. A name that a side lacks has the value "none" there.
  template <typename Named>
  void each(Difference kind, const Named& was, const Named& is) {
    std::map<std::string, std::pair<std::string, std::string>> values;
    for (const auto& [name, value] : was) values[name].first = value;
    for (const auto& [name, value] : is) values[name].second = value;
    for (const auto& [name, both] : values) {
      const auto& [then, now] = both;
      if (then != now) add(kind, changed(name, then.empty() ? "none" : then, now.empty() ? "none" : now));
    }
  }
  void add(Difference kind, Note note) { found_.push_back({.what = kind, .note = std::move(note)}); }
  void add(Difference kind, std::optional<Note> note) {
    if (note) add(kind, std::move(*note));
  }
  std::vector<FoundDifference> take() { return std::move(found_); }

 private:
  std::vector<FoundDifference> found_;
};

/// The median clock over the CPU cases, in MHz: the clock of a single case is one reading.
std::optional<double> cpu_mhz(const Result& result) {
  std::vector<double> clocks;
  for (const CaseResult& c : result.cases) {
    if (c.device != "gpu" && c.conditions.cpu_mhz) clocks.push_back(*c.conditions.cpu_mhz);
  }
  return median_if_any(std::move(clocks));
}

/// The median time of a part of the speed probe (docs/machine-speed.md); empty if it was not measured.
std::optional<double> probe_seconds(const Result& result, const std::string& part) {
  if (!result.machine_speed) return std::nullopt;
  const auto& parts = result.machine_speed->median_seconds;
  const auto found = parts.find(part);
  return found == parts.end() ? std::nullopt : std::optional(found->second);
}

/// How many times faster the head's cores were clocked, measured by the speed probe's chain of
/// multiplications. This works on virtual machines, too, which report only a nominal clock. Empty if it was
/// not measured.
std::optional<double> clock_ratio(const Result& base, const Result& head) {
  const auto was = probe_seconds(base, "clock");
  const auto is = probe_seconds(head, "clock");
  if (!was || !is) return std::nullopt;
  return *was / *is;
}

/// The same processor's cores were further apart on one side, which changes work on several threads by up to
/// 1.7x (docs/machine-speed.md). Empty if they were not, or it is not known.
std::optional<Note> moved_cores(const Result& base, const Result& head) {
  const auto was = probe_seconds(base, "core_to_core");
  const auto is = probe_seconds(head, "core_to_core");
  if (base.host.cpu != head.host.cpu || base.host.cpu_identity != head.host.cpu_identity) return std::nullopt;
  if (base.host.threads == 1 || head.host.threads == 1 || !was || !is) return std::nullopt;
  if (std::max(*was, *is) < moved_cores_factor * std::min(*was, *is)) return std::nullopt;
  return Note{.kind = NoteKind::cores_elsewhere, .figures = {*was, *is}};
}

Note clock_change(NoteKind kind, double ratio, const NamesOfSides& names) {
  return {.kind = kind, .figures = {ratio}, .about = {std::string(names.base), std::string(names.head)}};
}

/// Clocks that are not locked vary by this fraction between runs.
constexpr double clocks = 0.1;

std::string setting(const Host& host, const std::string& name) {
  const auto found = host.settings.find(name);
  return found == host.settings.end() ? "" : found->second;
}

/// The instruction sets that `host` has and `other` lacks.
std::vector<std::string> missing_in(const Host& other, const Host& host) {
  std::vector<std::string> missing;
  for (const std::string& one : host.cpu_features) {
    if (std::ranges::find(other.cpu_features, one) == other.cpu_features.end()) missing.push_back(one);
  }
  return missing;
}

/// The instruction sets that only one side has, after its name. Empty if they are the same or not known.
std::optional<Note> feature_difference(const Host& was, const Host& is, const NamesOfSides& names) {
  if (was.cpu_features.empty() || is.cpu_features.empty()) return std::nullopt;
  Note note{.kind = NoteKind::instruction_sets};
  for (const auto& [side, missing] :
       {std::pair(names.base, missing_in(is, was)), std::pair(names.head, missing_in(was, is))}) {
    if (missing.empty()) continue;
    note.about.emplace_back(side);
    note.about.push_back(fmt::format("{}", fmt::join(missing, " ")));
  }
  return note.about.empty() ? std::nullopt : std::optional(note);
}

/// Libraries that both sides used but loaded from different files.
std::vector<Note> file_differences(const Result& base, const Result& head) {
  std::vector<Note> notes;
  for (const BackendRecord& was : base.backends) {
    const BackendRecord* is = find_backend(head.backends, was.name);
    if (is == nullptr) continue;
    const std::map<std::string, std::string> files(is->library_files.begin(), is->library_files.end());
    for (const auto& [library, file] : was.library_files) {
      const auto found = files.find(library);
      if (found != files.end() && found->second != file)
        notes.push_back(changed(fmt::format("file of {}", library), file, found->second));
    }
  }
  return notes;
}

/// A rank's host, numbered in the order of appearance, and its threads. On GPUs the threads do not count.
using RankSpot = std::pair<std::size_t, int>;

std::vector<RankSpot> rank_spots(const CaseResult& result) {
  std::map<std::string, std::size_t> hosts;
  std::vector<RankSpot> spots;
  for (const RankPlace& place : result.conditions.ranks) {
    const std::size_t host = hosts.try_emplace(place.host, hosts.size()).first->second;
    spots.emplace_back(host, result.device == "gpu" ? 0 : place.threads);
  }
  return spots;
}

/// "4 ranks on 2 hosts, 8 threads".
std::string spots_text(const std::vector<RankSpot>& spots) {
  std::int64_t hosts = 0, threads = 0;
  for (const auto& [host, of_rank] : spots) {
    hosts = std::max(hosts, static_cast<std::int64_t>(host) + 1);
    threads += of_rank;
  }
  const std::string text = fmt::format("{} on {}", counted_text(std::ssize(spots), "rank", "ranks"),
                                       counted_text(hosts, "host", "hosts"));
  return threads == 0 ? text : fmt::format("{}, {}", text, counted_text(threads, "thread", "threads"));
}

/// Variables that choose among the GPUs of a machine. The GPU that was chosen is compared itself.
constexpr std::array<std::string_view, 2> gpu_selectors{"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"};

bool has_ranks(const Result& result) {
  return std::ranges::any_of(result.cases,
                             [](const CaseResult& one) { return !one.conditions.ranks.empty(); });
}

/// Leaves out what earlier versions recorded although it influences no library, too, and without ranks what
/// only these use.
std::map<std::string, std::string> compared_variables(std::map<std::string, std::string> variables,
                                                      bool with_ranks) {
  std::erase_if(variables, [&](const auto& variable) {
    return !steers_libraries(variable.first) || (!with_ranks && steers_ranks_alone(variable.first)) ||
           std::ranges::find(gpu_selectors, variable.first) != gpu_selectors.end();
  });
  return variables;
}

bool may_race(const CaseResult& result) {
  const Value* tuned = result.parameters.find("tuned");
  return tuned == nullptr || *tuned != Value(false);
}

const Gpu* find_gpu(const Result& result, const std::string& id) {
  const auto found = std::ranges::find(result.host.gpus, id, &Gpu::id);
  return found == result.host.gpus.end() ? nullptr : &*found;
}

}  // namespace

std::vector<FoundDifference> run_differences(const Result& base, const Result& head,
                                             const NamesOfSides& names) {
  const Host& was = base.host;
  const Host& is = head.host;
  // The memory that the kernel reserves for itself differs between boots.
  constexpr double memory = 0.05;
  Collector found;
  found.text(Difference::machine, "CPU", was.cpu, is.cpu);
  found.text(Difference::machine, "processor", was.cpu_identity, is.cpu_identity);
  found.add(Difference::machine, feature_difference(was, is, names));
  found.text(Difference::machine, "virtualization", was.virtualization, is.virtualization);
  found.count(Difference::machine, "number of CPUs", was.cpus, is.cpus);
  found.count(Difference::machine, "number of cores", was.cores, is.cores);
  if (!was.cpu.empty() && !is.cpu.empty() && was.cpu_quota.value_or(0) != is.cpu_quota.value_or(0)) {
    const auto quota = [](const Host& host) {
      return host.cpu_quota ? fmt::format("{:g}", *host.cpu_quota) : std::string("none");
    };
    found.add(Difference::machine, changed("CPU quota", quota(was), quota(is)));
  }
  if (was.memory_bytes > 0 && is.memory_bytes > 0) {
    const auto gib = [](const Host& host) { return static_cast<double>(host.memory_bytes) / 0x1p30; };
    if (apart(gib(was), gib(is), memory)) {
      found.add(Difference::machine,
                changed("memory", fmt::format("{:.1f} GiB", gib(was)), fmt::format("{:.1f} GiB", gib(is))));
    }
  }
  found.count(Difference::threads, "number of threads", was.threads, is.threads);
  for (const char* name : clock_settings)
    found.text(Difference::clocks, name, setting(was, name), setting(is, name));
  if (const auto ratio = clock_ratio(base, head)) {
    if (std::abs(*ratio - 1) > clocks)
      found.add(Difference::clocks, clock_change(NoteKind::cores_clocked, *ratio, names));
  } else {
    found.figure(Difference::clocks, "CPU clock", cpu_mhz(base), cpu_mhz(head), clocks, " MHz");
  }
  found.add(Difference::threads, moved_cores(base, head));
  const auto base_measure = measure_of(base);
  const auto head_measure = measure_of(head);
  for (const auto& [what, setting, default_value] :
       {std::tuple("state of the caches", "cache", "warm"),
        std::tuple("placement of threads", "placement", "cores")})
    found.text(Difference::settings, what, measured_with(base_measure, setting, default_value),
               measured_with(head_measure, setting, default_value));
  const bool with_ranks = has_ranks(base) || has_ranks(head);
  if (was.environment && is.environment)
    found.each(Difference::settings, compared_variables(*was.environment, with_ranks),
               compared_variables(*is.environment, with_ranks));
  return found.take();
}

std::vector<FoundDifference> backend_differences(const Result& base, const Result& head,
                                                 const std::string& backend) {
  Collector found;
  const BackendRecord* was = find_backend(base.backends, backend);
  const BackendRecord* is = find_backend(head.backends, backend);
  if (was == nullptr || is == nullptr) return {};
  found.text(Difference::library, "version of " + backend, was->version, is->version);
  found.each(Difference::library, was->libraries, is->libraries);
  found.text(Difference::machine, "device of " + backend, was->device_name, is->device_name);
  found.text(Difference::machine, "GPU of " + backend, was->device_id, is->device_id);
  const Gpu* gpu_was = find_gpu(base, was->device_id);
  const Gpu* gpu_is = find_gpu(head, is->device_id);
  if (gpu_was == nullptr || gpu_is == nullptr) return found.take();
  found.known(Difference::driver, "GPU driver", gpu_was->driver, gpu_is->driver);
  found.known(Difference::machine, "ECC mode", gpu_was->ecc, gpu_is->ecc);
  found.known(Difference::machine, "MIG mode", gpu_was->mig, gpu_is->mig);
  found.figure(Difference::clocks, "power limit", gpu_was->power_limit_watts, gpu_is->power_limit_watts,
               0.001, " W");
  return found.take();
}

std::optional<Note> rank_difference(const CaseResult& base, const CaseResult& head) {
  const auto was = rank_spots(base);
  const auto is = rank_spots(head);
  if (was.empty() || is.empty() || was == is) return std::nullopt;
  std::string then = spots_text(was);
  std::string now = spots_text(is);
  return then == now ? Note{.kind = NoteKind::ranks_elsewhere, .about = {std::move(now)}}
                     : changed("ranks", then, now);
}

std::vector<FoundDifference> case_differences(const CaseResult& base, const CaseResult& head) {
  // A GPU's clocks vary by a step or two with its load and temperature.
  constexpr double gpu_clocks = 0.05;
  Collector found;
  if (base.conditions.device && head.conditions.device) {
    const DeviceConditions& was = *base.conditions.device;
    const DeviceConditions& is = *head.conditions.device;
    found.figure(Difference::clocks, "GPU clock", was.sm_mhz, is.sm_mhz, gpu_clocks, " MHz");
    found.figure(Difference::clocks, "GPU memory clock", was.memory_mhz, is.memory_mhz, gpu_clocks, " MHz");
  }
  found.add(Difference::threads, rank_difference(base, head));
  // Which of several algorithms a race picks is luck where two are nearly as fast.
  if (!may_race(head)) found.add(Difference::algorithm, algorithm_difference(base, head));
  return found.take();
}

std::optional<Note> algorithm_difference(const CaseResult& base, const CaseResult& head) {
  const std::string was = chosen_algorithm(algorithm_with_threads(base));
  const std::string is = chosen_algorithm(algorithm_with_threads(head));
  if (unknown(was) || unknown(is) || was == is) return std::nullopt;
  return changed("algorithm", was, is);
}

std::vector<Note> lesser_differences(const Result& base, const Result& head, const NamesOfSides& names) {
  Collector found;
  const auto lesser = Difference::settings;
  found.text(lesser, "operating system", base.host.os, head.host.os);
  found.text(lesser, "kernel", base.host.kernel, head.host.kernel);
  for (const auto& [name, was] : base.host.settings) {
    if (std::ranges::find(clock_settings, name) == clock_settings.end())
      found.text(lesser, "setting " + name, was, setting(head.host, name));
  }
  found.text(lesser, "version of breakeven", base.tool_version, head.tool_version);
  found.text(lesser, "commit of breakeven", base.tool_commit, head.tool_commit);
  found.text(lesser, "compiler of breakeven", base.tool_compiler, head.tool_compiler);
  found.text(lesser, "build of breakeven", base.tool_build, head.tool_build);
  std::vector<Note> notes;
  for (FoundDifference& difference : found.take()) notes.push_back(std::move(difference.note));
  // The time of a program that depends on the clock alone changes by as much.
  constexpr double noticeable = 0.02;
  if (const auto ratio = clock_ratio(base, head);
      ratio && std::abs(*ratio - 1) > noticeable && std::abs(*ratio - 1) <= clocks)
    notes.push_back(clock_change(NoteKind::cores_clocked_alike, *ratio, names));
  // Different machines may well install libraries in different folders.
  if (base.host.name == head.host.name) {
    for (Note& note : file_differences(base, head)) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace breakeven
