#include "backends/cblas/library.h"

#include BREAKEVEN_CBLAS_HEADER

namespace breakeven::cblas {

std::string backend_name() {
  return BREAKEVEN_BACKEND_NAME;
}

const char* sgemm_symbol() {
  return BREAKEVEN_SYMBOL_NAME(cblas_sgemm);
}

}  // namespace breakeven::cblas
