// Chooses among a library's kernels. Libraries choose by the processor's model, and take a model newer than
// they are for an old one. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven::cblas {

/// The widest vectors that kernels use, or a processor has.
enum class Vectors { sse, avx2, avx512 };

/// By the kernel's names of instruction sets, as cpu_features() has them; AVX2 counts with FMA, AVX-512 with
/// its BW and VL.
Vectors vectors_of(std::span<const std::string> features);

/// Kernels of a library.
struct Kernels {
  std::string name;   // as the library says that it takes them
  std::string value;  // of its variable, to have it take them
  Vectors vectors = Vectors::sse;
  std::string feature = {};  // what they need beside these vectors, as cpu_features() has it; empty: nothing
};

/// The kernels with this name; null where there are none.
const Kernels* find_kernels(std::span<const Kernels> kernels, std::string_view name);

/// Selects from `known` what may be faster than the library's `own` choice: kernels with AVX2 at least that a
/// processor of these features can run.
std::vector<Kernels> candidates(std::span<const Kernels> known, std::string_view own,
                                std::span<const std::string> features);

/// The result of one process in a race of kernels. In each round all processes are timed, one after another.
struct RacedKernels {
  /// In seconds; as many for all, but none from a process that died or fell behind.
  std::vector<double> rounds = {};
  bool far_behind = false;  // it was so slow at first that it was not timed further
};

/// The index of the kernels to take. The first are the library's own choice, and stay unless others are
/// faster by 2 %: the 95 % confidence interval of the median over the rounds of their speedup lies
/// above 1.02. Of these others the fastest are taken, or the first where the race cannot tell.
std::size_t fastest_kernels(std::span<const RacedKernels> raced);

/// True if others seem to be faster than the library's own choice by enough, but not clearly: further rounds
/// may tell.
bool is_undecided(std::span<const RacedKernels> raced);

/// Warns that the kernels named `kernels`, which use the vectors `used`, leave wider ones unused; empty where
/// they do not.
std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy);

}  // namespace breakeven::cblas
