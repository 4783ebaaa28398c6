#include <cblas.h>
#include <fmt/format.h>

#include <array>
#include <sstream>

#include "backends/cblas/library.h"

namespace breakeven::cblas {

std::string library_name() {
  return "openblas";
}

std::string library_version() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": of what it was built with, only what matters for speed is told.
  std::istringstream config(openblas_get_config());
  std::string name, number;
  config >> name >> number;
  constexpr std::array threading{"one thread", "own threads", "OpenMP"};
  return fmt::format("{}, kernels for {}, {}", number, openblas_get_corename(),
                     threading.at(static_cast<std::size_t>(openblas_get_parallel())));
}

void use_library_threads(int threads) {
  openblas_set_num_threads(threads);
}

}  // namespace breakeven::cblas
