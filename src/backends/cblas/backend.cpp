#include "worker/backend.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cblas/library.h"
#include "host/cpu.h"
#include "host/library_variables.h"
#include "worker/loaded_library.h"
#include "worker/threads.h"

namespace breakeven {
namespace {

constexpr const char* defaults = "library defaults";

/// Warns if the library's own choice of kernels does not use the processor's widest vectors.
std::string defaults_warning() {
  const std::string taken = cblas::library_kernels();
  const std::vector<cblas::Kernels> known = cblas::known_kernels();
  const cblas::Kernels* found = cblas::find_kernels(known, taken);
  if (found == nullptr) return "";
  return cblas::kernels_warning(taken, found->vectors, cblas::vectors_of(cpu_features()),
                                "without library_defaults, breakeven looks for faster ones");
}

/// The kernels that may be faster here than the library's own choice, which the user has left to breakeven.
std::vector<answer::Variant> other_kernels() {
  const std::string variable(kernels_variable(cblas::library_name()));
  std::vector<answer::Variant> variants;
  if (variable.empty() || std::getenv(variable.c_str()) != nullptr) return variants;
  const std::vector<std::string> features = cpu_features();
  for (const cblas::Kernels& one :
       cblas::candidates(cblas::known_kernels(), cblas::library_kernels(), features))
    variants.push_back({.name = one.name, .environment = {{variable, one.value}}});
  return variants;
}

/// Warns if the library was built for one thread. This program's own loops use all of them anyway.
std::string threads_warning() {
  if (cblas::library_has_threads()) return "";
  return fmt::format(
      "this build of {0} has no threads of its own: install a build with threads (Debian: lib{0}-openmp-dev)",
      cblas::library_name());
}

}  // namespace

void cblas::let_library_use(int count) {
  // Some libraries have one number for the process, others one per thread: setting it on each thread works
  // for both.
  std::mutex one_by_one;
  on_threads(threads(), [&](int) {
    const std::lock_guard lock(one_by_one);
    use_library_threads(count);
  });
  use_library_threads(count);  // OpenMP's number belongs to the code outside of the loop
}

Backend make_backend() {
  const LoadedLibrary loaded =
      loaded_library(cblas::library_name(), cblas::sgemm_symbol(), cblas::own_symbol());
  const bool library_defaults = std::getenv(library_defaults_variable) != nullptr;
  const bool is_own_library = file_of_symbol(cblas::sgemm_symbol()) == file_of_symbol(cblas::own_symbol());
  std::vector<std::string> warnings{loaded.warning, threads_warning(),
                                    library_defaults ? defaults_warning() : ""};
  std::erase(warnings, "");
  std::string version = cblas::library_version();
  if (library_defaults) version = version + ", " + defaults;
  return {.hello = {.name = cblas::backend_name(),
                    .device_name = cpu_model(),
                    .libraries = {{cblas::library_name(), version}},
                    .library_files = {{cblas::library_name(), loaded.file}},
                    .warnings = warnings,
                    .variant = cblas::library_kernels(),
                    .variants = library_defaults || !is_own_library ? std::vector<answer::Variant>()
                                                                    : other_kernels()},
          .use_threads =
              [](int threads) {
                set_threads(threads);
                cblas::let_library_use(threads);
              },
          .variant = library_defaults ? defaults : ""};
}

}  // namespace breakeven
