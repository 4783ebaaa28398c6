#include "backends/cblas/kernel_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace breakeven::cblas {

Vectors vectors_of(std::span<const std::string> features) {
  const auto has_all = [&](std::initializer_list<std::string_view> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view one) {
      return std::find(features.begin(), features.end(), one) != features.end();
    });
  };
  if (has_all({"avx512f", "avx512bw", "avx512vl"})) return Vectors::avx512;
  return has_all({"avx2", "fma"}) ? Vectors::avx2 : Vectors::sse;
}

std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy) {
  if (used >= there) return "";
  return fmt::format("its kernels for {} leave this processor's {} unused; {} has it take others", kernels,
                     there == Vectors::avx512 ? "AVX-512" : "AVX2", remedy);
}

}  // namespace breakeven::cblas
