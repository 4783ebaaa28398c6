// The names of backends as their vendors spell them, and what backends say about their algorithms.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// The vendor's spelling: `onednn` -> `oneDNN`, `pytorch-cuda-compiled` -> `PyTorch (cuda, compiled)`.
/// Unknown names are not changed. A version follows the name: `openblas-0.3.30` -> `OpenBLAS 0.3.30`.
std::string backend_spelling(std::string_view name);

/// True for frameworks, which call libraries: `pytorch-cuda`, not `cuda`.
bool is_framework(std::string_view backend);

/// The version in a backend's name, for libraries with several: `openblas-0.3.30` -> `0.3.30`; empty for
/// other names.
std::string_view version_in_name(std::string_view backend);

/// The algorithm that a race chose, without what the text says of the race: "im2col" of "im2col, winograd
/// took 1.3x". That differs from one race to the next, even if the choice is the same.
std::string chosen_algorithm(std::string_view algorithm);

}  // namespace breakeven
