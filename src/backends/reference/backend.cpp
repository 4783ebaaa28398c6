// The reference backend: plain loops, with every sum in float64 whatever the dtype. It is not optimised for
// speed.
#include "worker/backend.h"

#include "backends/reference/threads.h"
#include "host/cpu.h"
#include "version.h"

namespace breakeven {

int& reference_threads() {
  static int threads = compute_threads();
  return threads;
}

Backend make_backend() {
  return {.name = "reference",
          .role = "arbiter",
          .device = "cpu",
          .device_name = cpu_model(),
          .libraries = {{"breakeven", version}},
          .use_threads = [](int threads) { reference_threads() = threads; }};
}

}  // namespace breakeven
