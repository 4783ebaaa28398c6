#include "backends/cblas/narrow.h"

#include <bit>

#include "worker/vectorised.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace breakeven::cblas {
namespace {

BREAKEVEN_VECTORISED void widen_bf16(const std::uint16_t* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16U);
}

/// to_bf16 without its branch, which would prevent vectorising the loop.
BREAKEVEN_VECTORISED void narrow_bf16(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16U) & 1U);
    const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;
    to[i] = static_cast<std::uint16_t>((nan ? bits | 0x400000U : rounded) >> 16U);
  }
}

#if defined(__x86_64__)
constexpr std::int64_t lanes = 8;

/// Converts all whole groups of eight. Returns the number of elements converted.
__attribute__((target("avx,f16c"))) std::int64_t widen_f16_groups(const std::uint16_t* from, float* to,
                                                                  std::int64_t count) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  return i;
}
__attribute__((target("avx,f16c"))) std::int64_t narrow_f16_groups(const float* from, std::uint16_t* to,
                                                                   std::int64_t count) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}
bool converts_f16() {
  // Every CPU with AVX2 has F16C, which clang 14 cannot test by name.
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#else
std::int64_t widen_f16_groups(const std::uint16_t*, float*, std::int64_t) {
  return 0;
}
std::int64_t narrow_f16_groups(const float*, std::uint16_t*, std::int64_t) {
  return 0;
}
bool converts_f16() {
  return false;
}
#endif

}  // namespace

void widen(Dtype dtype, const std::uint16_t* from, float* to, std::int64_t count) {
  if (dtype == Dtype::bf16) return widen_bf16(from, to, count);
  for (std::int64_t i = converts_f16() ? widen_f16_groups(from, to, count) : 0; i < count; ++i)
    to[i] = from_f16(from[i]);
}

void narrow(Dtype dtype, const float* from, std::uint16_t* to, std::int64_t count) {
  if (dtype == Dtype::bf16) return narrow_bf16(from, to, count);
  for (std::int64_t i = converts_f16() ? narrow_f16_groups(from, to, count) : 0; i < count; ++i)
    to[i] = to_f16(from[i]);
}

}  // namespace breakeven::cblas
