#include "backends/cblas/kernel_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace breakeven::cblas {
namespace {

bool is_faster(const RacedKernels& kernels, const RacedKernels& than) {
  const double margin = kernels.vectors > than.vectors ? 1 : 1.03;
  const std::size_t rounds = std::min(kernels.rounds.size(), than.rounds.size());
  for (std::size_t i = 0; i < rounds; ++i) {
    if (kernels.rounds[i] * margin >= than.rounds[i]) return false;
  }
  return rounds > 0;
}

}  // namespace

Vectors vectors_of(std::span<const std::string> features) {
  const auto has_all = [&](std::initializer_list<std::string_view> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view one) {
      return std::find(features.begin(), features.end(), one) != features.end();
    });
  };
  if (has_all({"avx512f", "avx512bw", "avx512vl"})) return Vectors::avx512;
  return has_all({"avx2", "fma"}) ? Vectors::avx2 : Vectors::sse;
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

std::size_t fastest_kernels(std::span<const RacedKernels> raced) {
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < raced.size(); ++i) {
    if (is_faster(raced[i], raced[fastest])) fastest = i;
  }
  return fastest;
}

std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy) {
  if (used >= there) return "";
  return fmt::format("its kernels for {} leave this processor's {} unused; {}", kernels,
                     there == Vectors::avx512 ? "AVX-512" : "AVX2", remedy);
}

}  // namespace breakeven::cblas
