// The CPU's caches.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace breakeven {

/// Size of the largest cache in bytes, as the kernel reports it; 32 MiB if it reports none.
std::size_t last_level_cache_bytes();

/// Total size in bytes of the caches from the second level up that serve the CPUs in this process's affinity
/// mask: how much data a program could keep cached between two passes over it. At least
/// last_level_cache_bytes().
std::size_t total_cache_bytes();
/// The sizes in bytes of these caches of `cpus`, read from a folder like /sys/devices/system/cpu; none if it
/// describes no caches. A cache that several of the CPUs share is there once.
std::vector<std::size_t> described_caches(const std::vector<int>& cpus, const std::filesystem::path& folder);

/// Size in bytes of the share of the second-level cache that one of `cpus` has when all of them compute; 256
/// KiB if the kernel does not report it.
std::size_t l2_share_bytes(int cpu, const std::vector<int>& cpus);

/// Fills the caches of every CPU in this process's affinity mask with unrelated data.
void flush_caches();

}  // namespace breakeven
