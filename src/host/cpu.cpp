#include "host/cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/library_variables.h"
#include "host/system_file.h"
#include "host/threads.h"

namespace breakeven {
namespace {

/// The folder of this process's cgroup for a controller; "" selects the unified hierarchy of cgroup v2.
std::string cgroup_path(const std::string& controller, const std::string& groups = "/proc/self/cgroup") {
  std::ifstream in(groups);
  std::string line;
  while (std::getline(in, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);  // separated by commas
    if (controllers == controller ||
        fmt::format(",{},", controllers).find(fmt::format(",{},", controller)) != std::string::npos)
      return line.substr(second + 1);
  }
  return "";
}

/// The value of a line "name value".
std::optional<double> value_in(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  double value = 0;
  for (std::string word; in >> word >> value;) {
    if (word == name) return value;
  }
  return std::nullopt;
}

/// The bytes of a cgroup's usage that are cached files: the kernel drops them when memory is needed.
double file_cache(const std::string& folder, const std::string& prefix) {
  const std::string file = folder + "/memory.stat";
  return value_in(file, prefix + "active_file").value_or(0) +
         value_in(file, prefix + "inactive_file").value_or(0);
}

/// The folder of this cgroup and all its parents, because the limit of any of them applies. In a container
/// the mounted root is the container's own group, whatever path /proc/self/cgroup shows, so the root always
/// comes last.
std::vector<std::string> with_parents(const std::string& mount, std::string path) {
  std::vector<std::string> folders;
  while (path.size() > 1) {
    folders.push_back(mount + path);
    path.resize(path.rfind('/'));
  }
  folders.push_back(mount);
  return folders;
}

constexpr const char* cpuinfo_file = "/proc/cpuinfo";

/// The values that the kernel lists for the first CPU, by their labels.
std::map<std::string, std::string> values_of_first_cpu(std::istream& cpuinfo) {
  std::map<std::string, std::string> values;
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    values.emplace(line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1), line.substr(colon + 2));
  }
  return values;
}

/// A processor, by the numbers in its main ID register.
struct ArmProcessor {
  int implementer, part;
  std::string_view name;
};

constexpr ArmProcessor arm_processors[] = {
#include "host/arm_processors.inc"
};

/// The name of an Arm processor, or its numbers if it has none here; empty without numbers. The kernel gives
/// the processors no name.
std::string arm_processor(const std::string& implementer, const std::string& part) {
  if (implementer.empty() || part.empty()) return "";
  const auto number = [](const std::string& text) { return std::strtol(text.c_str(), nullptr, 16); };
  for (const ArmProcessor& one : arm_processors) {
    if (one.implementer == number(implementer) && one.part == number(part)) return std::string(one.name);
  }
  return fmt::format("Arm, part {} of implementer {}", part, implementer);
}

}  // namespace

std::vector<int> allowed_cpus() {
  return cpus_of_thread(0);
}

std::optional<double> cpu_quota() {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& folder : with_parents("/sys/fs/cgroup", cgroup_path(""))) {
    std::ifstream in(folder + "/cpu.max");
    double quota = 0;
    double period = 0;
    if (in >> quota >> period && period > 0) least = std::min(least, quota / period);
  }
  for (const auto& folder : with_parents("/sys/fs/cgroup/cpu", cgroup_path("cpu"))) {
    const auto quota = first_in<double>(folder + "/cpu.cfs_quota_us");
    const auto period = first_in<double>(folder + "/cpu.cfs_period_us");
    if (quota && period && *quota > 0 && *period > 0) least = std::min(least, *quota / *period);
  }
  if (std::isinf(least)) return std::nullopt;
  return least;
}

std::optional<double> throttled_seconds(const std::string& mount, const std::string& groups) {
  std::optional<double> sum;
  const auto add = [&sum](const std::vector<std::string>& folders, const char* name, double unit) {
    for (const auto& folder : folders) {
      if (const auto value = value_in(folder + "/cpu.stat", name)) sum = sum.value_or(0) + *value * unit;
    }
  };
  add(with_parents(mount, cgroup_path("", groups)), "throttled_usec", 1e-6);
  add(with_parents(mount + "/cpu", cgroup_path("cpu", groups)), "throttled_time", 1e-9);
  return sum;
}

namespace {

std::string file_about(const std::string& folder, int cpu, std::string_view file) {
  return fmt::format("{}/cpu{}/{}", folder, cpu, file);
}

/// Relative to that of other CPUs of this machine; 0: unknown.
double core_speed(const std::string& folder, int cpu) {
  auto speed = first_in<double>(file_about(folder, cpu, "cpu_capacity"));
  if (!speed) speed = first_in<double>(file_about(folder, cpu, "cpufreq/cpuinfo_max_freq"));
  return speed.value_or(0);
}

}  // namespace

int fast_cores(const std::vector<int>& cpus, const std::string& folder) {
  constexpr double as_fast = 0.9;  // the best cores of one kind are a few percent faster than the others
  if (cpus.empty()) return 0;
  const double fastest = core_speed(folder, cpus.front());
  const auto is_fast = [&](int cpu) { return core_speed(folder, cpu) >= as_fast * fastest; };
  return static_cast<int>(std::ranges::count_if(cpus, is_fast));
}

std::vector<int> cpu_of_each_core(const std::vector<int>& cpus, const std::string& folder) {
  std::map<std::string, int> cores;  // the first CPU of each, by its siblings
  for (const int cpu : cpus) {
    const auto siblings = first_in<std::string>(file_about(folder, cpu, "topology/thread_siblings_list"));
    cores.try_emplace(siblings.value_or(fmt::format("cpu{}", cpu)), cpu);
  }
  std::vector<std::tuple<double, double, int>> ranked;
  for (const auto& [siblings, cpu] : cores) {
    const auto package = first_in<double>(file_about(folder, cpu, "topology/physical_package_id"));
    ranked.emplace_back(core_speed(folder, cpu), package.value_or(0), cpu);
  }
  std::sort(ranked.rbegin(), ranked.rend());
  std::vector<int> chosen;
  chosen.reserve(ranked.size());
  for (const auto& [speed, package, cpu] : ranked) chosen.push_back(cpu);
  return chosen;
}

int compute_threads() {
  int threads = std::max(1, static_cast<int>(cpu_of_each_core(allowed_cpus()).size()));
  if (const auto quota = cpu_quota()) threads = std::clamp(static_cast<int>(std::floor(*quota)), 1, threads);
  if (const auto limit = thread_limit()) threads = std::min(threads, limit->most);
  return threads;
}

std::string cpu_model(std::istream& cpuinfo) {
  const auto values = values_of_first_cpu(cpuinfo);
  const auto value = [&](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
  std::string name = value("model name");
  if (name.empty()) name = arm_processor(value("CPU implementer"), value("CPU part"));
  return name.empty() ? "unknown CPU" : name;
}

std::string cpu_model() {
  std::ifstream in(cpuinfo_file);
  return in ? cpu_model(in) : fmt::format("unknown CPU: {} cannot be read", cpuinfo_file);
}

std::string cpu_identity(std::istream& cpuinfo) {
  // Labels in /proc/cpuinfo on x86 and ARM, and how the identity names them.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> parts{
      {{"vendor_id", ""},
       {"cpu family", "family "},
       {"model", "model "},
       {"stepping", "stepping "},
       {"CPU implementer", "implementer "},
       {"CPU part", "part "},
       {"CPU variant", "variant "},
       {"CPU revision", "revision "}}};
  const auto values = values_of_first_cpu(cpuinfo);
  std::vector<std::string> found;
  for (const auto& [key, word] : parts) {
    if (const auto value = values.find(std::string(key)); value != values.end())
      found.push_back(fmt::format("{}{}", word, value->second));
  }
  return fmt::format("{}", fmt::join(found, " "));
}

std::string cpu_identity() {
  std::ifstream in(cpuinfo_file);
  return cpu_identity(in);
}

std::vector<std::string> cpu_features() {
  static const std::set<std::string> deciding{
      "sse4_2",   "avx",      "f16c",        "fma",         "avx2",        "avx_vnni", "avx512f",
      "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16",
      "amx_int8", "amx_fp16", "asimd",       "sve",         "sve2",        "bf16",     "i8mm"};
  std::vector<std::string> found;
  std::ifstream in(cpuinfo_file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("flags", 0) != 0 && line.rfind("Features", 0) != 0) continue;  // x86, ARM
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) {
      if (deciding.contains(word)) found.push_back(word);
    }
    break;  // only the first CPU is needed
  }
  return found;
}

std::vector<int> cpus_for(int threads) {
  const auto allowed = allowed_cpus();
  auto cpus = cpu_of_each_core(allowed);
  for (const int cpu : allowed) {
    if (std::ranges::find(cpus, cpu) == cpus.end()) cpus.push_back(cpu);
  }
  if (std::ssize(cpus) < threads) return {};
  cpus.resize(static_cast<std::size_t>(threads));
  return cpus;
}

namespace {

/// What a cgroup of either version limits, and what it uses.
struct MemoryGroup {
  double limit, used, file_cache;
};

/// This process's cgroup and those around it, where they have a limit.
std::vector<MemoryGroup> limited_groups(const std::string& mount, const std::string& groups) {
  std::vector<MemoryGroup> found;
  const auto add = [&](const std::vector<std::string>& folders, const char* limit, const char* usage,
                       const char* prefix) {
    for (const auto& folder : folders) {
      const auto most = first_in<double>(folder + limit);
      const auto used = first_in<double>(folder + usage);
      // cgroup v1 reports "no limit" as a number near 2^63
      if (most && used && *most < 0x1p60)
        found.push_back({.limit = *most, .used = *used, .file_cache = file_cache(folder, prefix)});
    }
  };
  add(with_parents(mount, cgroup_path("", groups)), "/memory.max", "/memory.current", "");
  add(with_parents(mount + "/memory", cgroup_path("memory", groups)), "/memory.limit_in_bytes",
      "/memory.usage_in_bytes", "total_");
  return found;
}

}  // namespace

std::int64_t available_memory() {
  double least = std::numeric_limits<double>::infinity();
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;) {
    if (double kib = 0; word == "MemAvailable:" && in >> kib) least = kib * 1024;
  }
  for (const MemoryGroup& group : limited_groups("/sys/fs/cgroup", "/proc/self/cgroup"))
    least = std::min(least, group.limit - group.used + group.file_cache);
  return std::isinf(least) ? std::numeric_limits<std::int64_t>::max()
                           : static_cast<std::int64_t>(std::max(least, 0.0));
}

std::optional<double> memory_limit(const std::string& mount, const std::string& groups) {
  std::optional<double> least;
  for (const MemoryGroup& group : limited_groups(mount, groups))
    least = std::min(least.value_or(group.limit), group.limit);
  return least;
}

std::optional<double> memory_kills(const std::string& mount, const std::string& groups,
                                   const std::string& vmstat) {
  for (const auto& [folders, file] :
       {std::pair(with_parents(mount, cgroup_path("", groups)), "/memory.events"),
        std::pair(with_parents(mount + "/memory", cgroup_path("memory", groups)), "/memory.oom_control")}) {
    for (const auto& folder : folders) {
      if (const auto count = value_in(folder + file, "oom_kill")) return count;
    }
  }
  return value_in(vmstat, "oom_kill");
}

}  // namespace breakeven
