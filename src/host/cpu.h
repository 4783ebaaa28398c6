// The CPUs and the memory that this process may use.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace breakeven {

/// The CPUs in the affinity mask.
std::vector<int> allowed_cpus();

/// The number of CPUs that the cgroup's quota grants (cgroup v2 cpu.max, v1 cpu.cfs_quota_us), which may be a
/// fraction; empty if there is no quota.
std::optional<double> cpu_quota();

/// Seconds for which quotas have stopped this process's cgroup and the groups around it, because each of them
/// may have a quota (cgroup v2 throttled_usec, v1 throttled_time); empty if the kernel does not count them.
/// Paths other than the kernel's are for tests.
std::optional<double> throttled_seconds(const std::string& mount = "/sys/fs/cgroup",
                                        const std::string& groups = "/proc/self/cgroup");

/// The number of threads to compute with: one for each physical core in the affinity mask, limited by the
/// cgroup's quota and by OMP_THREAD_LIMIT. A second hardware thread on a core adds nothing to dense
/// arithmetic and makes timings less steady.
int compute_threads();

/// The processor's name in `cpuinfo`, a text in the format of /proc/cpuinfo: its model name, or that of an
/// Arm processor, such as "Neoverse-V1".
std::string cpu_model(std::istream& cpuinfo);
/// The name of this machine's processor.
std::string cpu_model();

/// Identifies a processor by the numbers in `cpuinfo`, a text in the format of /proc/cpuinfo: "AuthenticAMD
/// family 25 model 17 stepping 1", or ARM's implementer, part, variant and revision. Virtual machines call
/// processors of several generations "AMD EPYC" or "Intel Xeon Processor"; these numbers distinguish them.
/// Empty if there are none.
std::string cpu_identity(std::istream& cpuinfo);
/// The identity of this machine's processor.
std::string cpu_identity();

/// The instruction sets of this machine that decide which kernels a library selects, under the kernel's
/// names.
std::vector<std::string> cpu_features();

/// Returns one CPU of each physical core among `cpus`, according to the kernel's list of each CPU's siblings,
/// best first. Fast cores come before slow ones if the kernel reports two kinds. Among equals, CPUs of one
/// package stay together and higher numbers come first, because the kernel does most of its own work on the
/// lowest. breakeven_worker/host.py has the same rule, so that all ranks are placed alike. Another `folder`
/// is for tests.
std::vector<int> cpu_of_each_core(const std::vector<int>& cpus,
                                  const std::string& folder = "/sys/devices/system/cpu");

/// The number of fast cores among `cpus`, one CPU of each core, fast ones first, as cpu_of_each_core()
/// returns them: all of them if the kernel does not report two kinds, whose speeds differ by a tenth at
/// least.
int fast_cores(const std::vector<int>& cpus, const std::string& folder = "/sys/devices/system/cpu");

/// CPUs to pin `threads` threads to, each on its own core; empty if there are too few CPUs.
std::vector<int> cpus_for(int threads);

/// Bytes that can be allocated now without swapping: the kernel's estimate, limited by what the cgroup has
/// left.
std::int64_t available_memory();

/// The bytes that this process's cgroup may use (the least limit of it and of the groups around it); empty if
/// it is not limited. Paths other than the kernel's are for tests.
std::optional<double> memory_limit(const std::string& mount = "/sys/fs/cgroup",
                                   const std::string& groups = "/proc/self/cgroup");

/// The number of processes that the kernel has killed for want of memory in this process's cgroup, or where
/// that is not counted, on the machine (cgroup v2 memory.events, v1 memory.oom_control, /proc/vmstat). Empty
/// if the kernel counts none of them.
std::optional<double> memory_kills(const std::string& mount = "/sys/fs/cgroup",
                                   const std::string& groups = "/proc/self/cgroup",
                                   const std::string& vmstat = "/proc/vmstat");

}  // namespace breakeven
