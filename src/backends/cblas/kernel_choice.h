// Chooses among a library's kernels. Libraries choose by the processor's model, and treat an unknown newer
// model as an old one. Pure functions.
#pragma once

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

/// Warns that the kernels named `kernels`, which use the vectors `used`, leave wider ones unused; empty if
/// they do not.
std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy);

}  // namespace breakeven::cblas
