#include <blis.h>
#include <fmt/format.h>

#include "backends/cblas/library.h"

namespace breakeven::cblas {

std::string library_name() {
  return "blis";
}

std::string library_version() {
  return fmt::format("{} {}", bli_info_get_version_str(), bli_arch_string(bli_arch_query_id()));
}

void use_library_threads(int threads) {
  bli_thread_set_num_threads(threads);
}

}  // namespace breakeven::cblas
