#include "worker/backend.h"

#include <string>
#include <vector>

#include "backends/cblas/library.h"
#include "backends/cblas/library_threads.h"
#include "backends/cblas/program.h"
#include "host/cpu.h"
#include "worker/loaded_library.h"
#include "worker/threads.h"

namespace breakeven {

Backend make_backend() {
  const LoadedLibrary loaded =
      loaded_library(cblas::library_name(), cblas::sgemm_symbol(), cblas::own_symbol());
  std::vector<std::string> warnings{loaded.warning, cblas::library_warning()};
  std::erase(warnings, "");
  return {.name = cblas::backend_name(),
          .role = "contender",
          .device = "cpu",
          .device_name = cpu_model(),
          .libraries = {{cblas::library_name(), cblas::library_version()}},
          .library_files = {{cblas::library_name(), loaded.file}},
          .use_threads =
              [](int threads) {
                set_threads(threads);
                cblas::let_library_use(threads);
              },
          .warnings = warnings};
}

}  // namespace breakeven
