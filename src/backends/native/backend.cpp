#include "worker/backend.h"

#include "host/cpu.h"
#include "version.h"
#include "worker/threads.h"

namespace breakeven {

Backend make_backend() {
  return {.hello = {.name = "native", .device_name = cpu_model(), .libraries = {{"breakeven", version}}},
          .use_threads = set_threads};
}

}  // namespace breakeven
