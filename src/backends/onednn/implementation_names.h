// Interprets the names of oneDNN's implementations: "jit_uni_int8:avx2", "gemm:jit", "ref:any".
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace breakeven::onednn {

/// True for the reference implementations, which are written for clarity and are slow.
inline bool is_reference(std::string_view implementation) {
  return implementation.find("ref") != std::string_view::npos;
}

/// True for convolutions without VNNI, which halve 8-bit weights so that sums of two products fit in 16 bits,
/// and so lose their last bit (oneDNN developer guide, "Nuances of int8 computations"). A CPU with VNNI in
/// 512 bits alone has convolutions of both kinds; the instruction set at the end of the name distinguishes
/// them. Matrix products are always exact.
inline bool halves_bytes(std::string_view implementation) {
  constexpr std::array<std::string_view, 4> without_vnni{"sse41", "avx", "avx2", "avx512_core"};
  const std::string_view instructions = implementation.substr(implementation.rfind(':') + 1);
  return std::find(without_vnni.begin(), without_vnni.end(), instructions) != without_vnni.end();
}

}  // namespace breakeven::onednn
