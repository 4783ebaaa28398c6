#include "backends/cblas/winograd_transforms.h"

#include <array>

#include "worker/vectorised.h"

namespace breakeven::cblas {
namespace {

/// Eight channels: one register of AVX2, two of SSE. Compilers for other CPUs support it, too.
using Lanes = float __attribute__((vector_size(winograd_lanes * sizeof(float))));

/// The same without alignment, for arrays of floats.
using LanesOfArray =
    float __attribute__((vector_size(winograd_lanes * sizeof(float)), aligned(sizeof(float)), may_alias));

const LanesOfArray* lanes_at(const float* first) {
  return reinterpret_cast<const LanesOfArray*>(first);
}
LanesOfArray* lanes_at(float* first) {
  return reinterpret_cast<LanesOfArray*>(first);
}

// Everything is inlined into the clones at the end, with all loops over a tile unrolled, so that its arrays
// are in registers.
#define BREAKEVEN_INLINED __attribute__((always_inline))
#define BREAKEVEN_UNROLLED _Pragma("GCC unroll 8")

/// The transforms in one dimension. `d` is the tile of the source, `g` the filter, `m` the products of both;
/// results y = A'm. The gradients are the transposes of `result` and `filter`.

/// Two results of three taps with four products: Winograd's F(2, 3).
struct StrideOne {
  static constexpr int side = 4, products = 4;

  BREAKEVEN_INLINED static void source(const Lanes* d, Lanes* to) {
    to[0] = d[0] - d[2];
    to[1] = d[1] + d[2];
    to[2] = d[2] - d[1];
    to[3] = d[1] - d[3];
  }
  BREAKEVEN_INLINED static void filter(const Lanes* g, Lanes* to) {
    to[0] = g[0];
    to[1] = (g[0] + g[1] + g[2]) / 2;
    to[2] = (g[0] - g[1] + g[2]) / 2;
    to[3] = g[2];
  }
  BREAKEVEN_INLINED static void result(const Lanes* m, Lanes* y) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] - m[3];
  }
  BREAKEVEN_INLINED static void result_gradient(const Lanes* y, Lanes* to) {
    to[0] = y[0];
    to[1] = y[0] + y[1];
    to[2] = y[0] - y[1];
    to[3] = -y[1];
  }
  BREAKEVEN_INLINED static void filter_gradient(const Lanes* m, Lanes* g) {
    const Lanes outer = (m[1] + m[2]) / 2;
    g[0] = m[0] + outer;
    g[1] = (m[1] - m[2]) / 2;
    g[2] = outer + m[3];
  }
};

/// Stride 2. The outer taps read every other element: F(2, 2), three products. The middle tap reads those in
/// between: two products.
struct StrideTwo {
  static constexpr int side = 5, products = 5;

  BREAKEVEN_INLINED static void source(const Lanes* d, Lanes* to) {
    to[0] = d[0] - d[2];
    to[1] = d[2];
    to[2] = d[2] - d[4];
    to[3] = d[1];
    to[4] = d[3];
  }
  BREAKEVEN_INLINED static void filter(const Lanes* g, Lanes* to) {
    to[0] = g[0];
    to[1] = g[0] + g[2];
    to[2] = g[2];
    to[3] = g[1];
    to[4] = g[1];
  }
  BREAKEVEN_INLINED static void result(const Lanes* m, Lanes* y) {
    y[0] = m[0] + m[1] + m[3];
    y[1] = m[1] - m[2] + m[4];
  }
  BREAKEVEN_INLINED static void result_gradient(const Lanes* y, Lanes* to) {
    to[0] = y[0];
    to[1] = y[0] + y[1];
    to[2] = -y[1];
    to[3] = y[0];
    to[4] = y[1];
  }
  BREAKEVEN_INLINED static void filter_gradient(const Lanes* m, Lanes* g) {
    g[0] = m[0] + m[1];
    g[1] = m[3] + m[4];
    g[2] = m[1] + m[2];
  }
};

/// Applies one of the transforms above in two dimensions, first along the columns, then along the rows:
/// *load(y, x) returns the from x from values, store(i, j, value) receives the to x to.
template <int from, int to, auto transform, typename Load, typename Store>
BREAKEVEN_INLINED inline void both_ways(const Load& load, const Store& store) {
  std::array<Lanes, to * from> half{};
  BREAKEVEN_UNROLLED for (int x = 0; x < from; ++x) {
    std::array<Lanes, from> column{};
    std::array<Lanes, to> transformed{};
    BREAKEVEN_UNROLLED for (int y = 0; y < from; ++y) column[y] = *load(y, x);
    transform(column.data(), transformed.data());
    BREAKEVEN_UNROLLED for (int i = 0; i < to; ++i) half[i * from + x] = transformed[i];
  }
  BREAKEVEN_UNROLLED for (int i = 0; i < to; ++i) {
    std::array<Lanes, to> transformed{};
    transform(&half[i * from], transformed.data());
    BREAKEVEN_UNROLLED for (int j = 0; j < to; ++j) store(i, j, transformed[j]);
  }
}

/// Transforms side x side runs of channels to planes.
template <int side, int products, auto transform>
BREAKEVEN_INLINED inline void to_planes(const float* const* runs, std::int64_t channels, float* to,
                                        std::int64_t plane) {
  for (std::int64_t c = 0; c < channels; c += winograd_lanes) {
    both_ways<side, products, transform>(
        [&](int y, int x) BREAKEVEN_INLINED { return lanes_at(runs[y * side + x] + c); },
        [&](int i, int j, const Lanes& value)
            BREAKEVEN_INLINED { *lanes_at(to + (i * products + j) * plane + c) = value; });
  }
}

/// Transforms planes to side x side runs of channels, which are written or added to. Null runs are skipped.
template <int products, int side, auto transform, bool add>
BREAKEVEN_INLINED inline void from_planes(const float* from, std::int64_t plane, std::int64_t channels,
                                          float* const* runs) {
  for (std::int64_t c = 0; c < channels; c += winograd_lanes) {
    both_ways<products, side, transform>(
        [&](int i, int j) BREAKEVEN_INLINED { return lanes_at(from + (i * products + j) * plane + c); },
        [&](int y, int x, const Lanes& value) BREAKEVEN_INLINED {
          float* const run = runs[y * side + x];
          if (run != nullptr) *lanes_at(run + c) = add ? *lanes_at(run + c) + value : value;
        });
  }
}

// Function templates cannot be cloned, so a macro writes out those of each tile.
#define BREAKEVEN_TO_PLANES(name, tile, side, transform)                                      \
  BREAKEVEN_VECTORISED                                                                        \
  void name(const float* const* runs, std::int64_t channels, float* to, std::int64_t plane) { \
    to_planes<side, tile::products, tile::transform>(runs, channels, to, plane);              \
  }
#define BREAKEVEN_FROM_PLANES(name, tile, side, transform, add)                                 \
  BREAKEVEN_VECTORISED                                                                          \
  void name(const float* from, std::int64_t plane, std::int64_t channels, float* const* runs) { \
    from_planes<tile::products, side, tile::transform, add>(from, plane, channels, runs);       \
  }
#define BREAKEVEN_WINOGRAD(tile, steps)                                          \
  BREAKEVEN_TO_PLANES(source_##steps, tile, tile::side, source)                  \
  BREAKEVEN_TO_PLANES(filter_##steps, tile, 3, filter)                           \
  BREAKEVEN_TO_PLANES(result_gradient_##steps, tile, 2, result_gradient)         \
  BREAKEVEN_FROM_PLANES(result_##steps, tile, 2, result, false)                  \
  BREAKEVEN_FROM_PLANES(filter_gradient_##steps, tile, 3, filter_gradient, true) \
  constexpr Winograd stride_##steps{.stride = (steps),                           \
                                    .side = tile::side,                          \
                                    .products = tile::products * tile::products, \
                                    .source = source_##steps,                    \
                                    .filter = filter_##steps,                    \
                                    .result = result_##steps,                    \
                                    .result_gradient = result_gradient_##steps,  \
                                    .filter_gradient = filter_gradient_##steps};
BREAKEVEN_WINOGRAD(StrideOne, 1)
BREAKEVEN_WINOGRAD(StrideTwo, 2)

}  // namespace

const Winograd* winograd_for(std::int64_t stride) {
  return stride == 1 ? &stride_1 : stride == 2 ? &stride_2 : nullptr;
}

#undef BREAKEVEN_TO_PLANES
#undef BREAKEVEN_FROM_PLANES
#undef BREAKEVEN_WINOGRAD

}  // namespace breakeven::cblas
