// The CPU's caches.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace breakeven {

/// Bytes of the largest cache, from the kernel; 32 MiB where it does not say.
std::size_t last_level_cache_bytes();

/// Bytes of all caches from the second level on that CPUs of this process's affinity mask have, together:
/// what they could hold of what a program reads again. At least last_level_cache_bytes().
std::size_t total_cache_bytes();
/// The same of these CPUs, as a folder like /sys/devices/system/cpu describes them; 0 where it does not. A
/// cache that several of them share counts once.
std::size_t described_cache_bytes(const std::vector<int>& cpus, const std::filesystem::path& folder);

/// Bytes of the second-level cache that one of `cpus` has to itself when all of them compute; 256 KiB where
/// the kernel does not say.
std::size_t l2_share_bytes(int cpu, const std::vector<int>& cpus);

/// Fills the caches of every CPU of this process's affinity mask with other data.
void flush_caches();

}  // namespace breakeven
