// The threads of a process: what each has computed, and the CPUs it may run on.
#pragma once

#include <map>
#include <vector>

namespace breakeven {

/// CPU seconds used so far by each thread that lives now, by thread id, of the kernel's scheduler statistics
/// (/proc/PID/task/TID/schedstat, proc(5)); of a thread that runs, up to its latest tick. Empty where the
/// process has ended or the kernel keeps no such statistics.
std::map<int, double> thread_times(int pid);

/// In rising order; 0 is the calling thread. Empty where there is no such thread.
std::vector<int> cpus_of_thread(int tid);

/// Confines it to `cpus`. False where the kernel refuses, as it does where the thread has ended.
bool set_cpus_of_thread(int tid, const std::vector<int>& cpus);

}  // namespace breakeven
