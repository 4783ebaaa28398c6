#include "backends/cblas/columns.h"

#include <algorithm>
#include <numeric>

#include "workloads/parallel.h"

namespace breakeven::cblas {

std::vector<Piece> cut_positions(std::int64_t images, std::int64_t positions, std::int64_t most,
                                 int threads) {
  constexpr std::int64_t least = 64;  // columns that make a product worth calling
  std::vector<Piece> pieces;
  most = std::clamp((images * positions + threads - 1) / threads, std::min(least, most), most);
  if (positions <= most) {
    // Whole images. The count is rounded so that the last round of threads is not left with only a few.
    std::int64_t count = (images + most / positions - 1) / (most / positions);
    if (count > threads && images >= count)
      count = std::min(images, (count + threads - 1) / threads * threads);
    for (std::int64_t i = 0; i < count; ++i) {
      const Part part = part_of(images, i, count);
      pieces.push_back({.image = part.first, .images = part.count, .first = 0, .count = positions});
    }
    return pieces;
  }
  std::int64_t parts = (positions + most - 1) / most;
  if (images * parts > threads) {
    const std::int64_t share = threads / std::gcd(images, threads);
    parts = std::min(positions, (parts + share - 1) / share * share);
  }
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t i = 0; i < parts; ++i) {
      const Part part = part_of(positions, i, parts);
      pieces.push_back({.image = image, .images = 1, .first = part.first, .count = part.count});
    }
  }
  return pieces;
}

std::vector<Channels> cut_channels(std::int64_t groups, std::int64_t per_group, std::int64_t parts) {
  const std::int64_t in_group = std::clamp<std::int64_t>((parts + groups - 1) / groups, 1, per_group);
  std::vector<Channels> ranges;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t i = 0; i < in_group; ++i) {
      const Part part = part_of(per_group, i, in_group);
      ranges.push_back({.group = group, .first = part.first, .count = part.count});
    }
  }
  return ranges;
}

namespace {

/// Calls row(y, x, count, column) for each run of a piece's positions in one row of the result: the `count`
/// positions from (y, x) are the piece's columns from `column`.
template <typename Row>
void for_rows(const Conv2d& p, const Piece& piece, const Row& row) {
  std::int64_t column = 0;
  for (std::int64_t at = piece.first; at < piece.first + piece.count;) {
    const std::int64_t y = at / p.q();
    const std::int64_t x = at % p.q();
    const std::int64_t count = std::min(p.q() - x, piece.first + piece.count - at);
    row(y, x, count, column);
    at += count;
    column += count;
  }
}

/// Calls entries(plane, matrix_row, r, s, image) for each row of the matrix and each image of the piece.
/// `plane` is the index of the row's source plane.
template <typename Entries>
void for_matrix_rows(const Conv2d& p, std::int64_t channels, const Piece& piece, const Entries& entries) {
  for (std::int64_t i = 0; i < piece.images; ++i) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t plane = ((piece.image + i) * p.c + c) * p.h * p.w;
      for (std::int64_t r = 0; r < p.r; ++r) {
        for (std::int64_t s = 0; s < p.s; ++s) {
          const std::int64_t row = (c * p.r + r) * p.s + s;
          entries(plane, row * piece.positions() + i * piece.count, r, s);
        }
      }
    }
  }
}

}  // namespace

template <typename T>
void fill_columns(const Conv2d& p, const T* source, std::int64_t channels, const Piece& piece, T* columns) {
  for_matrix_rows(
      p, channels, piece, [&](std::int64_t plane, std::int64_t begin, std::int64_t r, std::int64_t s) {
        for_rows(p, piece, [&](std::int64_t y, std::int64_t x, std::int64_t count, std::int64_t column) {
          T* to = columns + begin + column - x;
          const std::int64_t row = p.source_row(y, r);
          if (row < 0 || row >= p.h) {
            std::fill(to + x, to + x + count, T{0});
            return;
          }
          const auto [first, last] = p.columns_inside(s, x, count);
          const T* from = source + plane + row * p.w + p.source_column(0, s);
          std::fill(to + x, to + first, T{0});
          if (p.stride_w == 1) {
            std::copy(from + first, from + last, to + first);
          } else {
            for (std::int64_t i = first; i < last; ++i) to[i] = from[i * p.stride_w];
          }
          std::fill(to + last, to + x + count, T{0});
        });
      });
}

template <typename T>
void add_columns(const Conv2d& p, const T* columns, std::int64_t channels, const Piece& piece, T* source) {
  for_matrix_rows(
      p, channels, piece, [&](std::int64_t plane, std::int64_t begin, std::int64_t r, std::int64_t s) {
        for_rows(p, piece, [&](std::int64_t y, std::int64_t x, std::int64_t count, std::int64_t column) {
          const std::int64_t row = p.source_row(y, r);
          if (row < 0 || row >= p.h) return;
          const auto [first, last] = p.columns_inside(s, x, count);
          const T* from = columns + begin + column - x;
          T* to = source + plane + row * p.w + p.source_column(0, s);
          if (p.stride_w == 1) {
            for (std::int64_t i = first; i < last; ++i) to[i] += from[i];
          } else {
            for (std::int64_t i = first; i < last; ++i) to[i * p.stride_w] += from[i];
          }
        });
      });
}

template <typename T>
void gather_planes(const T* tensor, std::int64_t stride, std::int64_t planes, std::int64_t plane,
                   const Piece& piece, T* matrix) {
  for (std::int64_t k = 0; k < planes; ++k) {
    for (std::int64_t i = 0; i < piece.images; ++i) {
      const T* from = tensor + (piece.image + i) * stride + k * plane + piece.first;
      matrix = std::copy(from, from + piece.count, matrix);
    }
  }
}

template <typename T>
void scatter_planes(const T* matrix, std::int64_t stride, std::int64_t planes, std::int64_t plane,
                    const Piece& piece, T* tensor) {
  for (std::int64_t k = 0; k < planes; ++k) {
    for (std::int64_t i = 0; i < piece.images; ++i, matrix += piece.count) {
      std::copy_n(matrix, piece.count, tensor + (piece.image + i) * stride + k * plane + piece.first);
    }
  }
}

template void fill_columns(const Conv2d&, const float*, std::int64_t, const Piece&, float*);
template void fill_columns(const Conv2d&, const double*, std::int64_t, const Piece&, double*);
template void add_columns(const Conv2d&, const float*, std::int64_t, const Piece&, float*);
template void add_columns(const Conv2d&, const double*, std::int64_t, const Piece&, double*);
template void gather_planes(const float*, std::int64_t, std::int64_t, std::int64_t, const Piece&, float*);
template void gather_planes(const double*, std::int64_t, std::int64_t, std::int64_t, const Piece&, double*);
template void scatter_planes(const float*, std::int64_t, std::int64_t, std::int64_t, const Piece&, float*);
template void scatter_planes(const double*, std::int64_t, std::int64_t, std::int64_t, const Piece&, double*);

}  // namespace breakeven::cblas
