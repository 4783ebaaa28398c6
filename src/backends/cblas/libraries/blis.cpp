#include <blis.h>
#include <fmt/format.h>

#include <cstdlib>

#include "backends/cblas/kernel_choice.h"
#include "backends/cblas/library.h"
#include "host/cpu.h"

namespace breakeven::cblas {
namespace {

/// Asked before it is set up, BLIS 0.9 ends the program where BLIS_ARCH_TYPE is set.
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

std::string library_warning() {
  constexpr const char* choice = "BLIS_ARCH_TYPE";
  if (std::getenv(choice) != nullptr) return "";  // that is what was asked for
  Vectors used = Vectors::sse;
  switch (kernels()) {
    case BLIS_ARCH_SKX:
      used = Vectors::avx512;
      break;
    case BLIS_ARCH_HASWELL:
    case BLIS_ARCH_ZEN3:
    case BLIS_ARCH_ZEN2:
    case BLIS_ARCH_ZEN:
      used = Vectors::avx2;
      break;
    case BLIS_ARCH_GENERIC:
      break;
    default:
      return "";  // of others nothing is known
  }
  const Vectors there = vectors_of(cpu_features());
  return kernels_warning(
      bli_arch_string(kernels()), used, there,
      fmt::format("{}={} in the environment", choice,
                  static_cast<int>(there == Vectors::avx512 ? BLIS_ARCH_SKX : BLIS_ARCH_HASWELL)));
}

void use_library_threads(int threads) {
  bli_thread_set_num_threads(threads);
}

}  // namespace breakeven::cblas
