#include "backends/cblas/winograd_transforms.h"

#include <array>

#include "backends/cblas/vector.h"

namespace breakeven::cblas {
namespace {

/// Eight channels at once: one register of AVX2, two of SSE. Compilers of other CPUs take it too.
using Lanes = float __attribute__((vector_size(winograd_lanes * sizeof(float))));

/// The same in an array of floats, wherever it begins.
using LanesOfArray =
    float __attribute__((vector_size(winograd_lanes * sizeof(float)), aligned(sizeof(float)), may_alias));

const LanesOfArray* lanes(const float* first) {
  return reinterpret_cast<const LanesOfArray*>(first);
}
LanesOfArray* lanes(float* first) {
  return reinterpret_cast<LanesOfArray*>(first);
}

/// In one dimension. `d` is what a tile sees, `g` the filter, `m` the products of both; results y = A'm.

/// Two results of three taps, from four products: Winograd's F(2, 3).
struct StrideOne {
  static constexpr int stride = 1, side = 4, products = 4;

  template <typename V>
  static void source(const V* d, V* to) {
    to[0] = d[0] - d[2];
    to[1] = d[1] + d[2];
    to[2] = d[2] - d[1];
    to[3] = d[1] - d[3];
  }
  static void filter(const float* g, float* to) {
    to[0] = g[0];
    to[1] = (g[0] + g[1] + g[2]) / 2;
    to[2] = (g[0] - g[1] + g[2]) / 2;
    to[3] = g[2];
  }
  template <typename V>
  static void result(const V* m, V* y) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] - m[3];
  }
};

/// With stride 2 the outer taps meet every other element and the middle one those between: F(2, 2), three
/// products, and two products of their own.
struct StrideTwo {
  static constexpr int stride = 2, side = 5, products = 5;

  template <typename V>
  static void source(const V* d, V* to) {
    to[0] = d[0] - d[2];
    to[1] = d[2];
    to[2] = d[2] - d[4];
    to[3] = d[1];
    to[4] = d[3];
  }
  static void filter(const float* g, float* to) {
    to[0] = g[0];
    to[1] = g[0] + g[2];
    to[2] = g[2];
    to[3] = g[1];
    to[4] = g[1];
  }
  template <typename V>
  static void result(const V* m, V* y) {
    y[0] = m[0] + m[1] + m[3];
    y[1] = m[1] - m[2] + m[4];
  }
};

// In two dimensions: along the columns first, then along the rows. Inlined into the clones below, every loop
// over a tile unrolled: its arrays are then registers.
#define BREAKEVEN_UNROLLED _Pragma("GCC unroll 8")

template <typename F>
[[gnu::always_inline]] inline void transform_source(const float* const* pixels, std::int64_t channels,
                                                    float* to, std::int64_t plane) {
  for (std::int64_t c = 0; c < channels; c += winograd_lanes) {
    std::array<Lanes, F::products * F::side> half{};
    BREAKEVEN_UNROLLED for (int x = 0; x < F::side; ++x) {
      std::array<Lanes, F::side> column{};
      std::array<Lanes, F::products> transformed{};
      BREAKEVEN_UNROLLED for (int y = 0; y < F::side; ++y) column[y] = *lanes(pixels[y * F::side + x] + c);
      F::source(column.data(), transformed.data());
      BREAKEVEN_UNROLLED for (int i = 0; i < F::products; ++i) half[i * F::side + x] = transformed[i];
    }
    BREAKEVEN_UNROLLED for (int i = 0; i < F::products; ++i) {
      std::array<Lanes, F::products> transformed{};
      F::source(&half[i * F::side], transformed.data());
      BREAKEVEN_UNROLLED for (int j = 0; j < F::products; ++j) *
          lanes(to + (i * F::products + j) * plane + c) = transformed[j];
    }
  }
}

template <typename F>
[[gnu::always_inline]] inline void transform_result(const float* from, std::int64_t plane,
                                                    std::int64_t channels, float* const* pixels) {
  for (std::int64_t c = 0; c < channels; c += winograd_lanes) {
    std::array<Lanes, 2 * F::products> half{};
    BREAKEVEN_UNROLLED for (int j = 0; j < F::products; ++j) {
      std::array<Lanes, F::products> column{};
      std::array<Lanes, 2> transformed{};
      BREAKEVEN_UNROLLED for (int i = 0; i < F::products; ++i) column[i] =
          *lanes(from + (i * F::products + j) * plane + c);
      F::result(column.data(), transformed.data());
      half[j] = transformed[0];
      half[F::products + j] = transformed[1];
    }
    BREAKEVEN_UNROLLED for (int y = 0; y < 2; ++y) {
      std::array<Lanes, 2> transformed{};
      F::result(&half[y * F::products], transformed.data());
      BREAKEVEN_UNROLLED for (int x = 0; x < 2; ++x) {
        if (auto* const pixel = pixels[2 * y + x]) *lanes(pixel + c) = transformed[x];
      }
    }
  }
}

template <typename F>
void transform_filter(const float* filter, float* to, std::int64_t plane) {
  std::array<float, F::products * 3> half{};
  for (int x = 0; x < 3; ++x) {
    const std::array<float, 3> column{filter[x], filter[3 + x], filter[6 + x]};
    std::array<float, F::products> transformed{};
    F::filter(column.data(), transformed.data());
    for (int i = 0; i < F::products; ++i) half[i * 3 + x] = transformed[i];
  }
  for (int i = 0; i < F::products; ++i) {
    std::array<float, F::products> transformed{};
    F::filter(&half[i * 3], transformed.data());
    for (int j = 0; j < F::products; ++j) to[(i * F::products + j) * plane] = transformed[j];
  }
}

// Function templates cannot be cloned, so that these are written out.

BREAKEVEN_VECTORISED
void source_one(const float* const* pixels, std::int64_t channels, float* to, std::int64_t plane) {
  transform_source<StrideOne>(pixels, channels, to, plane);
}
BREAKEVEN_VECTORISED
void source_two(const float* const* pixels, std::int64_t channels, float* to, std::int64_t plane) {
  transform_source<StrideTwo>(pixels, channels, to, plane);
}
BREAKEVEN_VECTORISED
void result_one(const float* from, std::int64_t plane, std::int64_t channels, float* const* pixels) {
  transform_result<StrideOne>(from, plane, channels, pixels);
}
BREAKEVEN_VECTORISED
void result_two(const float* from, std::int64_t plane, std::int64_t channels, float* const* pixels) {
  transform_result<StrideTwo>(from, plane, channels, pixels);
}

template <typename F>
constexpr Winograd with(decltype(Winograd::source) source, decltype(Winograd::result) result) {
  return {.stride = F::stride,
          .side = F::side,
          .products = F::products * F::products,
          .source = source,
          .filter = transform_filter<F>,
          .result = result};
}

}  // namespace

const Winograd* winograd_for(std::int64_t stride) {
  static constexpr std::array all{with<StrideOne>(source_one, result_one),
                                  with<StrideTwo>(source_two, result_two)};
  for (const Winograd& winograd : all) {
    if (winograd.stride == stride) return &winograd;
  }
  return nullptr;
}

}  // namespace breakeven::cblas
