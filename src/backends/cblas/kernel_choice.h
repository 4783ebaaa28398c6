// Which of a library's kernels to take. Libraries choose them by the processor's model, and take a model that
// they do not know, as one that is newer than they are, for an old one. Pure functions.
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

/// Those of `known` that may be faster than the library's `own` choice: with AVX2 at least, and with nothing
/// that a processor of these features lacks.
std::vector<Kernels> candidates(std::span<const Kernels> known, std::string_view own,
                                std::span<const std::string> features);

/// What the kernels of one process took, in seconds, in each round of a race. In one round after another all
/// that are still in the race are timed in turn.
struct RacedKernels {
  Vectors vectors = Vectors::sse;
  std::vector<double> rounds;  // empty: its process died
};

/// The index of the kernels to take. The first are the library's own choice, and stay unless others are
/// faster in every round: by 3 %, or by anything if theirs are wider vectors.
std::size_t fastest_kernels(std::span<const RacedKernels> raced);

/// What to warn of where the kernels named `kernels`, whose vectors are these, leave wider ones unused; empty
/// where they do not.
std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy);

}  // namespace breakeven::cblas
