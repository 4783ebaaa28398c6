// The names of backends as their vendors spell them.
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

}  // namespace breakeven
