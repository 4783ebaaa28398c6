#include "worker/backend.h"

#include <cblas.h>

#include "host/cpu.h"

namespace breakeven {

Backend make_backend() {
  return {.name = "openblas",
          .role = "contender",
          .device = "cpu",
          .device_name = cpu_model(),
          .libraries = {{"openblas", openblas_get_config()}},
          .use_threads = [](int threads) { openblas_set_num_threads(threads); }};
}

}  // namespace breakeven
