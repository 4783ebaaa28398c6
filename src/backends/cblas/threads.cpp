#include "backends/cblas/threads.h"

#include <mutex>

#include "backends/cblas/library.h"

namespace breakeven::cblas {
namespace {

int& setting() {
  static int count = 1;
  return count;
}

}  // namespace

int threads() {
  return setting();
}

void set_threads(int count) {
  setting() = count;
}

void let_library_use(int count) {
  // Some libraries keep the number for the whole process, others for each thread: said on each, both are met.
  std::mutex one_by_one;
  on_threads(threads(), [&](int) {
    const std::lock_guard lock(one_by_one);
    use_library_threads(count);
  });
}

}  // namespace breakeven::cblas
