// The reference backend: plain loops, with every sum in float64 whatever the dtype. It is not optimised for
// speed.
#include "worker/backend.h"

#include <memory>

#include "backends/reference/reference_cache.h"
#include "host/cpu.h"
#include "version.h"
#include "worker/threads.h"

namespace breakeven {

Backend make_backend() {
  Backend backend{.hello = {.name = "reference",
                            .role = "arbiter",
                            .device_name = cpu_model(),
                            .libraries = {{"breakeven", version}}},
                  .use_threads = set_threads};
  if (const std::shared_ptr<ReferenceCache> cache = open_reference_cache())
    backend.expect = [cache](const auto& request, const auto& compute) {
      return cache->result(request, compute);
    };
  return backend;
}

}  // namespace breakeven
