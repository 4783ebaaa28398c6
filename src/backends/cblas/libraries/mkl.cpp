#include <fmt/format.h>
#include <mkl_service.h>

#include "backends/cblas/library.h"

namespace breakeven::cblas {

std::string library_name() {
  return "mkl";
}

std::string library_version() {
  MKLVersion version{};
  mkl_get_version(&version);
  return fmt::format("{}.{}.{} {}", version.MajorVersion, version.MinorVersion, version.UpdateVersion,
                     version.Processor);
}

const char* own_symbol() {
  return "mkl_get_version";
}

std::string library_kernels() {
  return "";
}

std::vector<Kernels> known_kernels() {
  return {};  // MKL's variable only sets an upper limit
}

void use_library_threads(int threads) {
  // Intel's own OpenMP would add a second pool of threads to that of this program's loops. Only the first
  // call has an effect.
  mkl_set_threading_layer(MKL_THREADING_GNU);
  mkl_set_num_threads_local(threads);
}

bool library_has_threads() {
  return true;
}

}  // namespace breakeven::cblas
