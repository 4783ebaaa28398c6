// The CPU's caches.
#pragma once

#include <cstddef>

namespace breakeven {

/// Bytes of the largest cache, from the kernel; 32 MiB where it does not say.
std::size_t last_level_cache_bytes();

/// Bytes of all caches from the second level on that CPUs of this process's affinity mask have, together:
/// what they could hold of what a program reads again. At least last_level_cache_bytes().
std::size_t total_cache_bytes();

/// Fills the caches of every CPU of this process's affinity mask with other data.
void flush_caches();

}  // namespace breakeven
