#include <cblas.h>

#include "backends/cblas/library.h"

namespace breakeven::cblas {

std::string library_name() {
  return "openblas";
}

std::string library_version() {
  return openblas_get_config();  // with the CPU kernels it chose and what it threads with
}

void use_library_threads(int threads) {
  openblas_set_num_threads(threads);
}

}  // namespace breakeven::cblas
