// How many threads the library's products use, beside loops on all threads (worker/threads.h).
#pragma once

namespace breakeven::cblas {

/// From now on each product that is called alone uses `count` threads of the library's; 1 is what a loop on
/// all threads needs, because two pools of threads would fight for the same cores.
void let_library_use(int count);

}  // namespace breakeven::cblas
