// Whether a library's kernels use what the processor has. Libraries choose them by its model, and take a
// model that they do not know, as one that is newer than they are, for an old one. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace breakeven::cblas {

/// The widest vectors that kernels use, or a processor has.
enum class Vectors { sse, avx2, avx512 };

/// By the kernel's names of instruction sets, as cpu_features() has them; AVX2 counts with FMA, AVX-512 with
/// its BW and VL.
Vectors vectors_of(std::span<const std::string> features);

/// What to warn of where the kernels named `kernels`, whose vectors are these, leave wider ones unused; empty
/// where they do not. `remedy` is what has the library take others.
std::string kernels_warning(std::string_view kernels, Vectors used, Vectors there, std::string_view remedy);

}  // namespace breakeven::cblas
