#include "worker/threads.h"

namespace breakeven {
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

}  // namespace breakeven
