#include "session/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "host/cpu.h"
#include "host/library_variables.h"
#include "version.h"

namespace breakeven {
namespace {

std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

std::optional<double> first_number(const std::filesystem::path& path) {
  std::ifstream in(path);
  double value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// The rest of the first line of `path` that begins with `key`, after `separator`.
std::optional<std::string> field(const char* path, const std::string& key, char separator) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind(key, 0) != 0) continue;
    const auto at = line.find(separator);
    if (at == std::string::npos) continue;
    auto value = line.substr(at + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    value.erase(value.find_last_not_of(" \t\"") + 1);
    return value;
  }
  return std::nullopt;
}

std::map<std::string, std::string> settings() {
  const std::pair<const char*, const char*> files[] = {
      {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
      {"turbo_off", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
      {"boost", "/sys/devices/system/cpu/cpufreq/boost"},
      {"smt", "/sys/devices/system/cpu/smt/control"},
      {"transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled"},
      {"numa_balancing", "/proc/sys/kernel/numa_balancing"},
      {"clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
  };
  std::map<std::string, std::string> found;
  for (const auto& [name, path] : files)
    found[name] = first_line(path).value_or(fmt::format("unknown: {} cannot be read", path));
  return found;
}

std::optional<double> thermal_throttles() {
  std::optional<double> sum;
  for (const int cpu : allowed_cpus()) {
    const auto count =
        first_number(fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", cpu));
    if (count) sum = sum.value_or(0) + *count;
  }
  return sum;
}

/// Over the CPUs that this process may use.
std::optional<double> mean_mhz() {
  std::ifstream in("/proc/cpuinfo");
  const auto allowed = allowed_cpus();
  bool is_allowed = true;
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const double number = std::strtod(line.c_str() + colon + 1, nullptr);
    if (line.starts_with("processor"))
      is_allowed = std::ranges::find(allowed, static_cast<int>(number)) != allowed.end();
    if (!line.starts_with("cpu MHz") || !is_allowed) continue;
    sum += number;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::optional<double> highest_temperature() {
  std::optional<double> highest;
  std::error_code error;
  for (const auto& zone : std::filesystem::directory_iterator("/sys/class/thermal", error)) {
    const auto millidegrees = first_number(zone.path() / "temp");
    if (millidegrees) highest = std::max(highest.value_or(*millidegrees / 1000), *millidegrees / 1000);
  }
  return highest;
}

}  // namespace

void warn_of_build(std::vector<Note>& warnings) {
  if (!optimised) warnings.push_back({.kind = NoteKind::unoptimised_build});
}

void warn_of_environment(const Host& host, std::vector<Note>& warnings) {
  if (!host.environment) return;
  Note used{.kind = NoteKind::library_variables}, withheld{.kind = NoteKind::withheld_variables};
  for (const auto& [name, value] : *host.environment) {
    if (name != extra_work_variable)  // which the driver reads
      (is_withheld(name) ? withheld : used).about.push_back(fmt::format("{}={}", name, value));
  }
  for (Note* note : {&used, &withheld}) {
    if (!note->about.empty()) warnings.push_back(std::move(*note));
  }
}

bool is_of_environment(NoteKind kind) {
  return kind == NoteKind::library_variables || kind == NoteKind::withheld_variables;
}

void warn_of_backend(const BackendRecord& backend, std::vector<Note>& warnings) {
  const auto add = [&](const std::vector<Note>& notes) {
    for (const Note& note : notes) add_once(warnings, with_source(backend.name, note));
  };
  add(quoted_notes(backend.warnings));
  add(backend.notes);
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Host describe_host(int threads) {
  utsname kernel{};
  uname(&kernel);
  const auto cpus = allowed_cpus();
  Host host{.name = kernel.nodename,
            .os = field("/etc/os-release", "PRETTY_NAME", '=').value_or("unknown"),
            .kernel = fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine),
            .cpu = cpu_model(),
            .virtualization = "",
            .cpus = static_cast<int>(cpus.size()),
            .cores = static_cast<int>(cpu_of_each_core(cpus).size()),
            .threads = threads,
            .cpu_quota = cpu_quota(),
            .memory_bytes = 0,
            .cpu_identity = cpu_identity(),
            .cpu_features = cpu_features(),
            .settings = settings(),
            .environment = steering_variables(environ)};
  if (const auto kib = field("/proc/meminfo", "MemTotal", ':')) host.memory_bytes = std::stoll(*kib) * 1024;
  if (const auto flags = field("/proc/cpuinfo", "flags", ':')) {
    host.virtualization = flags->find(" hypervisor") != std::string::npos ? "virtual machine" : "none seen";
  }
  return host;
}

HostCounters read_counters() {
  HostCounters counters{.throttled_seconds = throttled_seconds(), .thermal_throttles = thermal_throttles()};
  // proc(5): user nice system idle iowait irq softirq steal
  std::ifstream in("/proc/stat");
  std::string cpu;
  double ticks[8] = {};
  in >> cpu;
  for (double& t : ticks) in >> t;
  if (in && cpu == "cpu") {
    const double seconds_per_tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const double steal = ticks[7];
    const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
    counters.busy_seconds = busy * seconds_per_tick;
    counters.steal_seconds = steal * seconds_per_tick;
    counters.total_seconds = (busy + steal + ticks[3] + ticks[4]) * seconds_per_tick;
  }
  return counters;
}

void add_interval(CountedOnHost& all, const HostCounters& before, const HostCounters& after,
                  double own_seconds) {
  const bool is_first = !all.counted;
  if (is_first) all.counted.emplace();
  for (const auto& counter :
       {&HostCounters::busy_seconds, &HostCounters::steal_seconds, &HostCounters::total_seconds,
        &HostCounters::throttled_seconds, &HostCounters::thermal_throttles}) {
    const std::optional<double>& then = before.*counter;
    const std::optional<double>& now = after.*counter;
    std::optional<double>& sum = *all.counted.*counter;
    if (is_first) sum = 0;
    sum = sum && then && now ? std::optional(*sum + (*now - *then)) : std::nullopt;
  }
  all.own_seconds += own_seconds;
}

Conditions conditions_of(const CountedOnHost& all) {
  Conditions c;
  const HostCounters counted = all.counted.value_or(HostCounters{});
  const auto total = counted.total_seconds;
  const auto steal = counted.steal_seconds;
  const auto busy = counted.busy_seconds;
  // The kernel counts in ticks of a hundredth of a second: a share of fewer than twenty ticks is too coarse.
  if (total && *total >= 0.2) {
    // Counters of the kernel may go back: proc(5).
    c.steal_percent = std::clamp(*steal / *total * 100, 0.0, 100.0);
    c.other_cpu_percent = std::clamp((*busy - all.own_seconds) / *total * 100, 0.0, 100.0);
  } else {
    const char* why = total ? "the case was too short for the kernel's tick" : "/proc/stat cannot be read";
    c.unreadable["steal_percent"] = why;
    c.unreadable["other_cpu_percent"] = why;
  }
  c.throttled_seconds = counted.throttled_seconds;
  if (c.throttled_seconds) c.throttled_seconds = std::max(0.0, *c.throttled_seconds);  // of another cgroup
  if (!c.throttled_seconds) c.unreadable["throttled_seconds"] = "no cpu.stat of a cgroup";
  c.thermal_throttles = counted.thermal_throttles;
  if (c.thermal_throttles) c.thermal_throttles = std::max(0.0, *c.thermal_throttles);  // a CPU went offline
  if (!c.thermal_throttles)
    c.unreadable["thermal_throttles"] = "no thermal_throttle counters under /sys/devices/system/cpu";
  c.cpu_mhz = mean_mhz();
  if (!c.cpu_mhz) c.unreadable["cpu_mhz"] = "not in /proc/cpuinfo";
  c.temperature_celsius = highest_temperature();
  if (!c.temperature_celsius) c.unreadable["temperature_celsius"] = "no sensor under /sys/class/thermal";
  return c;
}

}  // namespace breakeven
