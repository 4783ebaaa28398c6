#include "backends/cblas/library_threads.h"

#include <mutex>

#include "backends/cblas/library.h"
#include "worker/threads.h"

namespace breakeven::cblas {

void let_library_use(int count) {
  // Some libraries keep the number for the whole process, others for each thread: said on each, both are met.
  std::mutex one_by_one;
  on_threads(threads(), [&](int) {
    const std::lock_guard lock(one_by_one);
    use_library_threads(count);
  });
}

}  // namespace breakeven::cblas
