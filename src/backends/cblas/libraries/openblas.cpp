#include BREAKEVEN_CBLAS_HEADER

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <sstream>

#include "backends/cblas/kernel_choice.h"
#include "backends/cblas/library.h"
#include "backends/cblas/program.h"
#include "host/cpu.h"

namespace breakeven::cblas {

std::string library_name() {
  return "openblas";
}

std::string library_version() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": of what it was built with, only what matters for speed is
  // told.
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

std::string library_warning() {
  constexpr const char* choice = "OPENBLAS_CORETYPE";
  if (std::getenv(choice) != nullptr) return "";  // that is what was asked for
  // https://github.com/OpenMathLib/OpenBLAS, driver/others/dynamic.c; of cores that are not listed nothing is
  // known.
  static const std::map<std::string, Vectors> vectors{
      {"Prescott", Vectors::sse},      {"Core2", Vectors::sse},
      {"Penryn", Vectors::sse},        {"Dunnington", Vectors::sse},
      {"Nehalem", Vectors::sse},       {"Atom", Vectors::sse},
      {"Nano", Vectors::sse},          {"Opteron", Vectors::sse},
      {"Opteron_SSE3", Vectors::sse},  {"Barcelona", Vectors::sse},
      {"Bobcat", Vectors::sse},        {"Haswell", Vectors::avx2},
      {"Zen", Vectors::avx2},          {"SkylakeX", Vectors::avx512},
      {"Cooperlake", Vectors::avx512}, {"SapphireRapids", Vectors::avx512}};
  const std::string core = openblas_get_corename();
  const auto used = vectors.find(core);
  if (used == vectors.end()) return "";
  const Vectors there = vectors_of(cpu_features());
  return kernels_warning(
      core, used->second, there,
      fmt::format("{}={} in the environment", choice, there == Vectors::avx512 ? "SkylakeX" : "Haswell"));
}

void use_library_threads(int threads) {
  openblas_set_num_threads(threads);
}

}  // namespace breakeven::cblas
