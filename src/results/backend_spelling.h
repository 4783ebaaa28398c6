// The names of backends as the makers of their libraries write them.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// `onednn` -> `oneDNN`, `pytorch-cuda-compiled` -> `PyTorch (cuda, compiled)`; unknown names as they are.
/// A version is written behind the maker's name: `openblas-0.3.30` -> `OpenBLAS 0.3.30`.
std::string backend_spelling(std::string_view name);

/// The version in the name of a backend that is one of several of its library: `openblas-0.3.30` -> `0.3.30`;
/// empty in other names.
std::string_view version_in_name(std::string_view backend);

}  // namespace breakeven
