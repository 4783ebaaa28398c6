// Chooses among a library's kernels. Libraries choose by the processor's model, and treat an unknown newer
// model as an old one. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven::cblas {

/// The widest vectors that kernels use or that a processor has.
enum class Vectors { sse, avx2, avx512 };

/// The vectors that the instruction sets in `features` provide, named as by cpu_features(). AVX2 counts only
/// with FMA, AVX-512 only with BW and VL.
Vectors vectors_of(std::span<const std::string> features);

/// Kernels of a library for one type of processor.
struct Kernels {
  std::string name;   // as the library reports it
  std::string value;  // of the library's variable that selects them
  Vectors vectors = Vectors::sse;
  std::string feature = {};  // also needed, named as by cpu_features(); empty: none
};

/// The kernels with this name; null if there are none.
const Kernels* find_kernels(std::span<const Kernels> kernels, std::string_view name);

/// Selects from `known` the kernels that may be faster than the library's `own` choice: those with at least
/// AVX2 that a processor with these features can run.
std::vector<Kernels> candidates(std::span<const Kernels> known, std::string_view own,
                                std::span<const std::string> features);

/// The result of one process in a race between kernels. In each round all processes are timed, one after
/// another.
struct RacedKernels {
  /// In seconds. All have the same number, but a process that died or fell behind has none.
  std::vector<double> rounds = {};
  bool far_behind = false;  // so slow at first that it was not timed further
};

/// Returns the index of the kernels to use. Index 0 is the library's own choice. It is kept unless others are
/// faster: the 95 % confidence interval of their median speedup over the rounds is above 1, and the median
/// above 1.02. Then the fastest of them are used, or the first if the race does not distinguish them.
std::size_t fastest_kernels(std::span<const RacedKernels> raced);

/// True if other kernels seem to be faster than the library's own choice by enough, but not clearly: more
/// rounds may decide.
bool is_undecided(std::span<const RacedKernels> raced);

/// Warns that the kernels named `kernels`, which use the vectors `used`, leave wider ones unused; empty if
/// they do not.
std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy);

}  // namespace breakeven::cblas
