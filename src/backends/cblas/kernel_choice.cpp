#include "backends/cblas/kernel_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "statistics/summary.h"

namespace breakeven::cblas {
namespace {

constexpr double worth_leaving_own_choice = 1.02;

/// The speedup in every round; empty if either of them was not timed in all rounds.
std::vector<double> speedups(const RacedKernels& kernels, const RacedKernels& over) {
  if (kernels.rounds.size() != over.rounds.size()) return {};
  std::vector<double> ratios;
  std::transform(over.rounds.begin(), over.rounds.end(), kernels.rounds.begin(), std::back_inserter(ratios),
                 std::divides<>());
  return ratios;
}

/// True if the kernels are clearly faster than `than`, and by more than `margin` in the median. The interval
/// need not lie above the margin: beside a neighbour it seldom does, and kernels that are a little less ahead
/// are no loss.
bool is_faster(const RacedKernels& kernels, const RacedKernels& than, double margin) {
  if (kernels.rounds.empty()) return false;
  if (than.far_behind) return true;
  const std::vector<double> ratios = speedups(kernels, than);
  const std::optional<Interval> speedup = median_interval(ratios);
  return speedup && speedup->low > 1 && median(ratios) > margin;
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

std::size_t fastest_kernels(std::span<const RacedKernels> raced) {
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < raced.size(); ++i) {
    if (is_faster(raced[i], raced.front(), worth_leaving_own_choice) &&
        (fastest == 0 || is_faster(raced[i], raced[fastest], 1)))
      fastest = i;
  }
  return fastest;
}

bool is_undecided(std::span<const RacedKernels> raced) {
  return std::any_of(raced.begin(), raced.end(), [&](const RacedKernels& one) {
    const std::vector<double> over_own = speedups(one, raced.front());
    return !over_own.empty() && median(over_own) > worth_leaving_own_choice &&
           !is_faster(one, raced.front(), worth_leaving_own_choice);
  });
}

std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy) {
  if (used >= there) return "";
  return fmt::format("its kernels for {} leave this processor's {} unused; {}", kernels,
                     there == Vectors::avx512 ? "AVX-512" : "AVX2", remedy);
}

}  // namespace breakeven::cblas
