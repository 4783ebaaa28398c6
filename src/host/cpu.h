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

/// CPUs' worth of time that the cgroup's quota grants (cgroup v2 cpu.max, v1 cpu.cfs_quota_us); nothing
/// without one.
std::optional<double> cpu_quota();

/// How many threads to compute with: one a physical core of the affinity mask, and no more than the quota
/// pays for. A second hardware thread on a core adds nothing to dense arithmetic and makes timings less
/// steady.
int compute_threads();

/// As /proc/cpuinfo calls it.
std::string cpu_model();

/// Which processor it is by its own numbers, in a text that has the form of /proc/cpuinfo: "AuthenticAMD
/// family 25 model 17 stepping 1", or ARM's implementer, part, variant and revision. Virtual machines call
/// processors of several generations "AMD EPYC" or "Intel Xeon Processor"; these numbers tell them apart.
/// Empty where there are none.
std::string cpu_identity(std::istream& cpuinfo);
/// Of this machine's.
std::string cpu_identity();

/// Of its instruction sets, by the kernel's names, those that decide which kernels a library picks.
std::vector<std::string> cpu_features();

/// One CPU of each physical core among `cpus`, by the kernel's list of each CPU's siblings: those that a user
/// would compute on first, first. Fast cores come before slow ones, where the machine has two kinds and says
/// so; of equals those of one package together, and the highest number, as the kernel's own work is mostly
/// done on the lowest.
std::vector<int> cpu_of_each_core(const std::vector<int>& cpus);

/// Bytes that can be allocated now without swapping: the kernel's estimate, and what the cgroup's limit
/// leaves.
std::int64_t available_memory();

}  // namespace breakeven
