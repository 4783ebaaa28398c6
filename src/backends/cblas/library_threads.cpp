#include "backends/cblas/library_threads.h"

#include <mutex>

#include "backends/cblas/library.h"
#include "worker/threads.h"

namespace breakeven::cblas {

void let_library_use(int count) {
  // Some libraries have one number for the process, others one per thread: setting it on each thread works
  // for both.
  std::mutex one_by_one;
  on_threads(threads(), [&](int) {
    const std::lock_guard lock(one_by_one);
    use_library_threads(count);
  });
}

}  // namespace breakeven::cblas
