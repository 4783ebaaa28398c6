#include "worker/backend.h"

#include "backends/cblas/library.h"
#include "backends/cblas/library_threads.h"
#include "host/cpu.h"
#include "worker/threads.h"

namespace breakeven {

Backend make_backend() {
  const std::string warning = cblas::library_warning();
  return {.name = cblas::library_name(),
          .role = "contender",
          .device = "cpu",
          .device_name = cpu_model(),
          .libraries = {{cblas::library_name(), cblas::library_version()}},
          .use_threads =
              [](int threads) {
                set_threads(threads);
                cblas::let_library_use(threads);
              },
          .warnings = warning.empty() ? std::vector<std::string>{} : std::vector{warning}};
}

}  // namespace breakeven
