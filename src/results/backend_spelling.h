// The names of backends as the makers of their libraries write them.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// `onednn` -> `oneDNN`, `pytorch-cuda-compiled` -> `PyTorch (cuda, compiled)`; unknown names as they are.
std::string backend_spelling(std::string_view name);

}  // namespace breakeven
