// The CPU's caches.
#pragma once

#include <cstddef>

namespace breakeven {

/// Bytes of the largest cache, from the kernel; 32 MiB where it does not say.
std::size_t last_level_cache_bytes();

/// Fills the caches of every CPU of this process's affinity mask with other data.
void flush_caches();

}  // namespace breakeven
