#include BREAKEVEN_CBLAS_HEADER

#include <fmt/format.h>

#include <array>
#include <sstream>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "backends/cblas/library.h"

namespace breakeven::cblas {

std::string library_name() {
  return "openblas";
}

std::string library_version() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": only the build options that matter for speed are kept.
  std::istringstream config(openblas_get_config());
  std::string name, number;
  config >> name >> number;
  constexpr std::array threading{"one thread", "own threads", "OpenMP"};
  return fmt::format("{}, kernels for {}, {}", number, openblas_get_corename(),
                     threading.at(static_cast<std::size_t>(openblas_get_parallel())));
}

const char* own_symbol() {
  return BREAKEVEN_SYMBOL_NAME(openblas_get_config);
}

std::string library_kernels() {
  return openblas_get_corename();
}

std::vector<Kernels> known_kernels() {
  const auto core = [](const std::string& name, Vectors vectors, const std::string& feature = "") {
    return Kernels{.name = name, .value = name, .vectors = vectors, .feature = feature};
  };
  // https://github.com/OpenMathLib/OpenBLAS, driver/others/dynamic.c. The vectors of cores that are not
  // listed are unknown.
  std::vector<Kernels> known{core("SkylakeX", Vectors::avx512),
                             core("Cooperlake", Vectors::avx512, "avx512_bf16"),
                             core("SapphireRapids", Vectors::avx512, "amx_bf16"),
                             core("Haswell", Vectors::avx2), core("Zen", Vectors::avx2)};
  for (const char* old : {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Nano", "Opteron",
                          "Opteron_SSE3", "Barcelona", "Bobcat"})
    known.push_back(core(old, Vectors::sse));
  return known;
}

void use_library_threads(int threads) {
  openblas_set_num_threads(threads);
#ifdef _OPENMP
  // A build on OpenMP takes OpenMP's number outside of parallel loops, whatever was set
  // (https://github.com/OpenMathLib/OpenBLAS, common_thread.h, num_cpu_avail).
  if (openblas_get_parallel() == OPENBLAS_OPENMP) omp_set_num_threads(threads);
#endif
}

bool library_has_threads() {
  return openblas_get_parallel() != OPENBLAS_SEQUENTIAL;
}

}  // namespace breakeven::cblas
