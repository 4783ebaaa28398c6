// The reference backend: plain loops, with every sum in float64 whatever the dtype. It is not optimised for
// speed.
#include "worker/backend.h"

#include "host/cpu.h"
#include "version.h"
#include "worker/threads.h"

namespace breakeven {

Backend make_backend() {
  return {.hello = {.name = "reference",
                    .role = "arbiter",
                    .device_name = cpu_model(),
                    .libraries = {{"breakeven", version}}},
          .use_threads = set_threads};
}

}  // namespace breakeven
