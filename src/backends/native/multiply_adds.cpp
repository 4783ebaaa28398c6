#include "backends/native/multiply_adds.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "host/cpu.h"
#include "worker/vectorised.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace breakeven::native {
namespace {

#ifdef __x86_64__

// GCC keeps an array in registers only if the loops over it are unrolled; Clang unrolls without a pragma.
#ifdef __clang__
#define BREAKEVEN_UNROLL
#else
#define BREAKEVEN_UNROLL _Pragma("GCC unroll 16")
#endif

/// Hides a value from the compiler: it cannot assume that it equals another register, or the value in the
/// last turn.
#define BREAKEVEN_OPAQUE(value) asm volatile("" : "+v"(value))

// Sums many numbers in several independent sums, so that no addition waits for the previous one.
template <typename T>
[[gnu::always_inline]] inline double sum_in_double(const T* values, std::int64_t count) {
  std::array<double, 32> sums{};
  constexpr std::int64_t apart = std::ssize(sums);
  for (std::int64_t i = 0; i + apart <= count; i += apart) {
    for (std::int64_t k = 0; k < apart; ++k) sums[k] += static_cast<double>(values[i + k]);
  }
  const double tail = std::accumulate(values + count / apart * apart, values + count, 0.0);
  return std::accumulate(sums.begin(), sums.end(), tail);
}

// Intrinsics are inlined only into functions compiled for the same instruction set, and so neither into a
// template nor into a lambda: the common loop is a macro. A dot product has as many accumulators as a vector
// has elements. There are `SUMS` vectors of accumulators: enough to hide an instruction's latency, and no
// more than there are registers.
#define BREAKEVEN_MULTIPLY_ADDS(NAME, INSTRUCTIONS, REGISTER, ELEMENT, SUMS, ZERO, ADD_PRODUCT, JOIN) \
  __attribute__((target(INSTRUCTIONS))) double NAME(const Vectors& vectors, std::int64_t turns,       \
                                                    std::int64_t steps) {                             \
    constexpr int parts = sizeof vectors.a / sizeof(REGISTER);                                        \
    REGISTER a[parts], b[parts], sums[SUMS];                                                          \
    std::memcpy(a, vectors.a.data(), sizeof a);                                                       \
    std::memcpy(b, vectors.b.data(), sizeof b);                                                       \
    std::array<ELEMENT, sizeof(REGISTER) / sizeof(ELEMENT)> all{};                                    \
    double result = 0;                                                                                \
    for (std::int64_t turn = 0; turn < turns; ++turn) {                                               \
      BREAKEVEN_UNROLL                                                                                \
      for (int i = 0; i < (SUMS); ++i) {                                                              \
        sums[i] = ZERO();                                                                             \
        BREAKEVEN_OPAQUE(sums[i]);                                                                    \
      }                                                                                               \
      for (std::int64_t step = 0; step < steps; ++step) {                                             \
        BREAKEVEN_UNROLL                                                                              \
        for (int i = 0; i < (SUMS); ++i) {                                                            \
          ADD_PRODUCT(sums[i], a[i % parts], b[i % parts]);                                           \
        }                                                                                             \
      }                                                                                               \
      BREAKEVEN_UNROLL                                                                                \
      for (int i = 1; i < (SUMS); ++i) sums[0] = JOIN(sums[0], sums[i]);                              \
      std::memcpy(all.data(), &sums[0], sizeof sums[0]);                                              \
      result = std::accumulate(all.begin(), all.end(), result);                                       \
    }                                                                                                 \
    return result;                                                                                    \
  }

#define BREAKEVEN_FMA_512_F64(sum, x, y) sum = _mm512_fmadd_pd(x, y, sum)
#define BREAKEVEN_FMA_512_F32(sum, x, y) sum = _mm512_fmadd_ps(x, y, sum)
#define BREAKEVEN_FMA_256_F64(sum, x, y) sum = _mm256_fmadd_pd(x, y, sum)
#define BREAKEVEN_FMA_256_F32(sum, x, y) sum = _mm256_fmadd_ps(x, y, sum)
#define BREAKEVEN_DOT_512_BF16(sum, x, y) sum = _mm512_dpbf16_ps(sum, (__m512bh)(x), (__m512bh)(y))
#define BREAKEVEN_DOT_512_S8(sum, x, y) sum = _mm512_dpbusd_epi32(sum, x, y)
#define BREAKEVEN_DOT_256_S8(sum, x, y) sum = _mm256_dpbusd_avx_epi32(sum, x, y)
// Without this, the compiler would compute products of unchanged operands only once.
#define BREAKEVEN_PAIRS_512_S8(sum, x, y) \
  BREAKEVEN_OPAQUE(x);                    \
  (sum) = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(x, y), _mm512_set1_epi16(1)))
#define BREAKEVEN_PAIRS_256_S8(sum, x, y) \
  BREAKEVEN_OPAQUE(x);                    \
  (sum) = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(x, y), _mm256_set1_epi16(1)))

BREAKEVEN_MULTIPLY_ADDS(fma_512_f64, "avx512f", __m512d, double, 16, _mm512_setzero_pd, BREAKEVEN_FMA_512_F64,
                        _mm512_add_pd)
BREAKEVEN_MULTIPLY_ADDS(fma_512_f32, "avx512f", __m512, float, 16, _mm512_setzero_ps, BREAKEVEN_FMA_512_F32,
                        _mm512_add_ps)
BREAKEVEN_MULTIPLY_ADDS(fma_256_f64, "avx2,fma", __m256d, double, 12, _mm256_setzero_pd,
                        BREAKEVEN_FMA_256_F64, _mm256_add_pd)
BREAKEVEN_MULTIPLY_ADDS(fma_256_f32, "avx2,fma", __m256, float, 12, _mm256_setzero_ps, BREAKEVEN_FMA_256_F32,
                        _mm256_add_ps)
BREAKEVEN_MULTIPLY_ADDS(dot_512_bf16, "avx512f,avx512bf16", __m512, float, 16, _mm512_setzero_ps,
                        BREAKEVEN_DOT_512_BF16, _mm512_add_ps)
BREAKEVEN_MULTIPLY_ADDS(dot_512_s8, "avx512f,avx512vnni", __m512i, std::int32_t, 16, _mm512_setzero_si512,
                        BREAKEVEN_DOT_512_S8, _mm512_add_epi32)
BREAKEVEN_MULTIPLY_ADDS(dot_256_s8, "avx2,avxvnni", __m256i, std::int32_t, 12, _mm256_setzero_si256,
                        BREAKEVEN_DOT_256_S8, _mm256_add_epi32)
BREAKEVEN_MULTIPLY_ADDS(pairs_512_s8, "avx512f,avx512bw", __m512i, std::int32_t, 16, _mm512_setzero_si512,
                        BREAKEVEN_PAIRS_512_S8, _mm512_add_epi32)
BREAKEVEN_MULTIPLY_ADDS(pairs_256_s8, "avx2", __m256i, std::int32_t, 8, _mm256_setzero_si256,
                        BREAKEVEN_PAIRS_256_S8, _mm256_add_epi32)

/// Calls a kernel whose instructions take one operand of unsigned 8-bit integers: adds 64 to each of its
/// numbers, and subtracts 64 times the sum of the other operand from the result.
template <auto kernel, std::int64_t dots>
double unsigned_first(const Vectors& vectors, std::int64_t turns, std::int64_t steps) {
  Vectors shifted = vectors;
  for (std::byte& number : shifted.a) number = static_cast<std::byte>(std::to_integer<int>(number) + 64);
  std::int64_t excess = 0;
  for (const std::byte number : vectors.b) excess += 64 * std::to_integer<std::int8_t>(number);
  return kernel(shifted, turns, steps) - static_cast<double>(excess * dots * turns * steps);
}

// ---- matrix units: 16 x 16 dot products per instruction

constexpr int tile_rows = 16;
using Tile = std::array<std::array<std::byte, 64>, tile_rows>;

/// The operand of AMX's LDTILECFG (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
/// chapter 18).
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1, start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{};
  std::array<std::uint8_t, 16> rows{};
};

TileConfiguration whole_tiles(std::size_t count) {
  TileConfiguration all;
  std::fill_n(all.row_bytes.begin(), count, std::uint16_t{64});
  std::fill_n(all.rows.begin(), count, std::uint8_t{tile_rows});
  return all;
}

/// A tile with `a` in each row.
Tile rows_of(const std::array<std::byte, 64>& a) {
  Tile tile;
  tile.fill(a);
  return tile;
}
/// A tile with `b` in each column, in the instructions' layout: a row has four bytes of each column.
Tile columns_of(const std::array<std::byte, 64>& b) {
  Tile tile;
  for (std::size_t row = 0; row < tile.size(); ++row) {
    for (std::size_t i = 0; i < tile[row].size(); ++i) tile[row][i] = b[4 * row + i % 4];
  }
  return tile;
}

BREAKEVEN_VECTORISED double sum_of_floats(const std::array<Tile, 4>& tiles) {
  std::array<float, sizeof tiles / sizeof(float)> values{};
  std::memcpy(values.data(), &tiles, sizeof tiles);
  return sum_in_double(values.data(), std::ssize(values));
}
BREAKEVEN_VECTORISED double sum_of_integers(const std::array<Tile, 4>& tiles) {
  std::array<std::int32_t, sizeof tiles / sizeof(std::int32_t)> values{};
  std::memcpy(values.data(), &tiles, sizeof tiles);
  return sum_in_double(values.data(), std::ssize(values));
}

/// GCC's intrinsics do not declare that they read the memory behind their pointers.
#define BREAKEVEN_IN_MEMORY(one, two, three) \
  asm volatile("" : : "r"(&(one)), "r"(&(two)), "r"(&(three)) : "memory")

// Four tiles of sums take turns, which hides the instructions' latency.
#define BREAKEVEN_TILE_MULTIPLY_ADDS(NAME, INSTRUCTIONS, SUM, ADD_PRODUCTS)                     \
  __attribute__((target(INSTRUCTIONS))) double NAME(const Vectors& vectors, std::int64_t turns, \
                                                    std::int64_t steps) {                       \
    const TileConfiguration configuration = whole_tiles(6);                                     \
    const Tile a = rows_of(vectors.a), b = columns_of(vectors.b);                               \
    std::array<Tile, 4> sums{};                                                                 \
    double result = 0;                                                                          \
    BREAKEVEN_IN_MEMORY(configuration, a, b);                                                   \
    _tile_loadconfig(&configuration);                                                           \
    _tile_loadd(4, a.data(), 64);                                                               \
    _tile_loadd(5, b.data(), 64);                                                               \
    for (std::int64_t turn = 0; turn < turns; ++turn) {                                         \
      _tile_zero(0);                                                                            \
      _tile_zero(1);                                                                            \
      _tile_zero(2);                                                                            \
      _tile_zero(3);                                                                            \
      std::int64_t step = 0;                                                                    \
      for (; step + 4 <= steps; step += 4) {                                                    \
        ADD_PRODUCTS(0, 4, 5);                                                                  \
        ADD_PRODUCTS(1, 4, 5);                                                                  \
        ADD_PRODUCTS(2, 4, 5);                                                                  \
        ADD_PRODUCTS(3, 4, 5);                                                                  \
      }                                                                                         \
      for (; step < steps; ++step) ADD_PRODUCTS(0, 4, 5);                                       \
      _tile_stored(0, sums[0].data(), 64);                                                      \
      _tile_stored(1, sums[1].data(), 64);                                                      \
      _tile_stored(2, sums[2].data(), 64);                                                      \
      _tile_stored(3, sums[3].data(), 64);                                                      \
      result += SUM(sums);                                                                      \
    }                                                                                           \
    _tile_release();                                                                            \
    return result;                                                                              \
  }

BREAKEVEN_TILE_MULTIPLY_ADDS(tiles_bf16, "amx-tile,amx-bf16", sum_of_floats, _tile_dpbf16ps)
BREAKEVEN_TILE_MULTIPLY_ADDS(tiles_s8, "amx-tile,amx-int8", sum_of_integers, _tile_dpbssd)

/// Requests the use of tiles: the kernel saves them only for processes that have done so.
bool may_use_tiles() {
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;
  static const bool may = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  return may;
}

bool has(const std::vector<std::string_view>& features) {
  static const std::vector<std::string> here = cpu_features();
  return std::all_of(features.begin(), features.end(), [&](std::string_view feature) {
    return std::find(here.begin(), here.end(), feature) != here.end() &&
           (feature != "amx_tile" || may_use_tiles());
  });
}

std::vector<MultiplyAdds> all_multiply_adds() {
  return {
      {"AMX", Dtype::bf16, 256, {"amx_bf16", "amx_tile"}, tiles_bf16},
      {"AMX", Dtype::s8, 256, {"amx_int8", "amx_tile"}, tiles_s8},
      {"AVX-512 FMA", Dtype::f64, 16, {"avx512f"}, fma_512_f64},
      {"AVX-512 FMA", Dtype::f32, 16, {"avx512f"}, fma_512_f32},
      {"AVX-512 BF16", Dtype::bf16, 16, {"avx512_bf16"}, dot_512_bf16},
      {"AVX-512 VNNI", Dtype::s8, 16, {"avx512_vnni"}, unsigned_first<dot_512_s8, 16>},
      {"AVX-512 BW", Dtype::s8, 16, {"avx512bw"}, unsigned_first<pairs_512_s8, 16>},
      {"AVX2 FMA", Dtype::f64, 6, {"avx2", "fma"}, fma_256_f64},
      {"AVX2 FMA", Dtype::f32, 6, {"avx2", "fma"}, fma_256_f32},
      {"AVX-VNNI", Dtype::s8, 6, {"avx_vnni"}, unsigned_first<dot_256_s8, 6>},
      {"AVX2", Dtype::s8, 4, {"avx2"}, unsigned_first<pairs_256_s8, 4>},
  };
}

#else

bool has(const std::vector<std::string_view>&) {
  return false;
}

std::vector<MultiplyAdds> all_multiply_adds() {
  return {};
}

#endif

}  // namespace

std::vector<MultiplyAdds> multiply_adds(Dtype dtype) {
  std::vector<MultiplyAdds> here = all_multiply_adds();
  std::erase_if(here, [&](const MultiplyAdds& one) { return one.dtype != dtype || !has(one.features); });
  return here;
}

}  // namespace breakeven::native
