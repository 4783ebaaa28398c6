#include <blis.h>
#include <fmt/format.h>

#include <map>
#include <string_view>

#include "backends/cblas/library.h"

namespace breakeven::cblas {
namespace {

/// The kernels in use. BLIS 0.9 aborts if this is called before initialisation while BLIS_ARCH_TYPE is set.
arch_t kernels() {
  bli_init();
  return bli_arch_query_id();
}

}  // namespace

std::string library_name() {
  return "blis";
}

std::string library_version() {
  return fmt::format("{} {}", bli_info_get_version_str(), bli_arch_string(kernels()));
}

const char* own_symbol() {
  return "bli_info_get_version_str";
}

std::string library_kernels() {
  return bli_arch_string(kernels());
}

std::vector<Kernels> known_kernels() {
  static const std::map<std::string_view, Vectors> vectors{
      {"skx", Vectors::avx512},   {"zen5", Vectors::avx512}, {"zen4", Vectors::avx512},
      {"haswell", Vectors::avx2}, {"zen3", Vectors::avx2},   {"zen2", Vectors::avx2},
      {"zen", Vectors::avx2},     {"generic", Vectors::sse}};
  // The numbers differ between versions: take those of this one.
  std::vector<Kernels> known;
  for (int id = 0; id < static_cast<int>(BLIS_NUM_ARCHS); ++id) {
    const char* name = bli_arch_string(static_cast<arch_t>(id));
    if (const auto found = vectors.find(name); found != vectors.end())
      known.push_back(
          {.name = name, .value = fmt::format("{}", id), .vectors = found->second, .feature = ""});
  }
  return known;
}

void use_library_threads(int threads) {
  bli_thread_set_num_threads(threads);
}

bool library_has_threads() {
  return bli_info_get_enable_threading() != 0;
}

}  // namespace breakeven::cblas
