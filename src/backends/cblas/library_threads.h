// Controls the threads of the library's products, next to loops on all threads (worker/threads.h).
#pragma once

namespace breakeven::cblas {

/// Sets the number of the library's threads for each product called from now on outside a parallel loop. A
/// loop on all threads needs 1, because two pools of threads would compete for the same cores.
void let_library_use(int count);

}  // namespace breakeven::cblas
