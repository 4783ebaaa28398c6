#include "backends/cblas/kernel_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

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

const Kernels* find_kernels(std::span<const Kernels> kernels, std::string_view name) {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const Kernels& one) { return one.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

std::vector<Kernels> candidates(std::span<const Kernels> known, std::string_view own,
                                std::span<const std::string> features) {
  const Vectors there = vectors_of(features);
  std::vector<Kernels> found;
  std::copy_if(known.begin(), known.end(), std::back_inserter(found), [&](const Kernels& one) {
    const bool runs =
        one.vectors <= there &&
        (one.feature.empty() || std::find(features.begin(), features.end(), one.feature) != features.end());
    return runs && one.vectors > Vectors::sse && one.name != own;
  });
  return found;
}

std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy) {
  if (used >= there) return "";
  return fmt::format("its kernels for {} leave this processor's {} unused; {}", kernels,
                     there == Vectors::avx512 ? "AVX-512" : "AVX2", remedy);
}

}  // namespace breakeven::cblas
