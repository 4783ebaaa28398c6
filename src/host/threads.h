// Looks at the threads of a process: the CPU time of each, whether one runs, and the CPUs on which it may
// run.
#pragma once

#include <sched.h>

#include <cstddef>
#include <map>
#include <vector>

namespace breakeven {

/// CPU seconds used so far by each thread that exists now, by thread id, from the kernel's scheduler
/// statistics (/proc/PID/task/TID/schedstat, proc(5)). The time of a running thread is counted up to its
/// latest tick. Empty if the process has ended or the kernel keeps no such statistics.
std::map<int, double> thread_times(int pid);

/// True if a thread of the process runs or is ready to run: state R in /proc/PID/task/TID/stat (proc(5)). The
/// CPU times of another process do not show that, because the kernel counts them at ticks, milliseconds
/// apart.
bool has_running_thread(int pid);

/// The CPUs on which a thread may run, in rising order; `tid` 0 is the calling thread. Empty if there is no
/// such thread. Another function than the kernel's is for tests.
std::vector<int> cpus_of_thread(int tid,
                                int (*get_affinity)(pid_t, std::size_t, cpu_set_t*) = sched_getaffinity);

/// Confines a thread to `cpus`; `tid` 0 is the calling thread. Returns false if the kernel refuses, as in
/// some containers. There is nothing to confine if the thread has ended.
bool set_cpus_of_thread(int tid, const std::vector<int>& cpus);

/// Confines all threads of a process to `cpus`. Returns false if the kernel refuses, or does not list them.
bool set_cpus_of_process(int pid, const std::vector<int>& cpus);

}  // namespace breakeven
