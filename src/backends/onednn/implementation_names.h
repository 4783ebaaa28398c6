// What the names that oneDNN gives its implementations tell: "jit_uni_int8:avx2", "gemm:jit", "ref:any".
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace breakeven::onednn {

/// Written to be read, not to be timed.
inline bool is_reference(std::string_view implementation) {
  return implementation.find("ref") != std::string_view::npos;
}

/// Without VNNI, convolutions halve 8-bit weights, so that sums of two products fit 16 bits, and lose their
/// last bit (oneDNN developer guide, "Nuances of int8 computations"). A CPU with VNNI in 512 bits alone has
/// convolutions of both kinds, and the instruction set that ends the name tells which. Products of matrices
/// are exact by any.
inline bool halves_bytes(std::string_view implementation) {
  constexpr std::array<std::string_view, 4> without_vnni{"sse41", "avx", "avx2", "avx512_core"};
  const std::string_view instructions = implementation.substr(implementation.rfind(':') + 1);
  return std::find(without_vnni.begin(), without_vnni.end(), instructions) != without_vnni.end();
}

}  // namespace breakeven::onednn
