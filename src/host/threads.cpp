#include "host/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "host/system_file.h"

namespace breakeven {

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

std::vector<int> cpus_of_thread(int tid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(tid, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

bool set_cpus_of_thread(int tid, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  return sched_setaffinity(tid, sizeof set, &set) == 0;
}

}  // namespace breakeven
