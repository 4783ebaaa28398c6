#include "host/threads.h"

#include <fmt/format.h>
#include <sched.h>

#include <filesystem>
#include <string>
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
