#include "host/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "host/system_file.h"

namespace breakeven {
namespace {

constexpr int most_cpus = 1 << 16;  // more than Linux supports

/// An empty mask of at least `cpus` CPUs, made of the usual masks.
std::vector<cpu_set_t> empty_mask(int cpus) {
  return std::vector<cpu_set_t>(static_cast<std::size_t>((cpus + CPU_SETSIZE - 1) / CPU_SETSIZE));
}

std::size_t bytes_of(const std::vector<cpu_set_t>& mask) {
  return mask.size() * sizeof(cpu_set_t);
}

}  // namespace

std::map<int, double> thread_times(int pid) {
  std::map<int, double> times;
  std::error_code error;
  // Uses increment(error), because the process may end while its threads are listed.
  for (std::filesystem::directory_iterator entry(fmt::format("/proc/{}/task", pid), error), end;
       !error && entry != end; entry.increment(error)) {
    if (const auto nanoseconds = first_in<double>(entry->path() / "schedstat"))
      times[std::stoi(entry->path().filename())] = *nanoseconds * 1e-9;
  }
  return times;
}

bool has_running_thread(int pid) {
  // Called after every sample, so without the streams that thread_times() reads with.
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(fmt::format("/proc/{}/task", pid).c_str()),
                                                  closedir);
  if (!tasks) return false;
  while (const dirent* entry = readdir(tasks.get())) {
    if (entry->d_name[0] == '.') continue;
    const int file =
        openat(dirfd(tasks.get()), (std::string(entry->d_name) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;  // it has ended
    std::array<char, 256> text{};
    const ssize_t count = read(file, text.data(), text.size());
    close(file);
    // "1234 (name) R ...": a name may contain parentheses.
    const std::string_view stat(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    const std::size_t end_of_name = stat.rfind(") ");
    if (end_of_name != std::string_view::npos && stat.substr(end_of_name + 2).starts_with('R')) return true;
  }
  return false;
}

std::vector<int> cpus_of_thread(int tid, int (*get_affinity)(pid_t, std::size_t, cpu_set_t*)) {
  // The kernel refuses a mask with fewer bits than the machine may ever have CPUs.
  for (int bits = CPU_SETSIZE; bits <= most_cpus; bits *= 2) {
    auto mask = empty_mask(bits);
    if (get_affinity(tid, bytes_of(mask), mask.data()) != 0) {
      if (errno != EINVAL) return {};
      continue;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < bits; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes_of(mask), mask.data())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

bool set_cpus_of_thread(int tid, const std::vector<int>& cpus) {
  const int last = cpus.empty() ? 0 : *std::ranges::max_element(cpus);
  if (last >= most_cpus) return false;
  auto mask = empty_mask(last + 1);
  for (const int cpu : cpus) CPU_SET_S(cpu, bytes_of(mask), mask.data());
  return sched_setaffinity(tid, bytes_of(mask), mask.data()) == 0 || errno == ESRCH;
}

bool set_cpus_of_process(int pid, const std::vector<int>& cpus) {
  const auto threads = thread_times(pid);
  bool all = !threads.empty();
  for (const auto& [thread, seconds] : threads) all &= set_cpus_of_thread(thread, cpus);
  return all;
}

}  // namespace breakeven
