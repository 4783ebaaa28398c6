// Convolution as a product: which parts of the images one product covers, and the matrices it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/conv2d.h"

namespace breakeven::cblas {

/// A piece of the positions (y, x) of a convolution's result: `count` of them from `first` on in one image,
/// or all of them in several images, one image behind the other.
struct Piece {
  std::int64_t image = 0, images = 1, first = 0, count = 0;
  std::int64_t positions() const { return images * count; }
};

/// Cuts all positions of `images` images into pieces of at most about `most`, so many that `threads` have the
/// same amount of work where there is enough of it.
std::vector<Piece> cut_positions(std::int64_t images, std::int64_t positions, std::int64_t most, int threads);

/// A range of the channels of one group.
struct Channels {
  std::int64_t group = 0, first = 0, count = 0;
};

/// Cuts the channels of every group into at least `parts` ranges together, where there are so many.
std::vector<Channels> cut_channels(std::int64_t groups, std::int64_t per_group, std::int64_t parts);

/// What each result position sees of `channels` channels of the source, as a matrix: a row for each (c, r,
/// s), a column for each position of the piece, `positions()` columns. `source` is the first of these
/// channels in image 0.
template <typename T>
void fill_columns(const Conv2d& p, const T* source, std::int64_t channels, const Piece& piece, T* columns);

/// The reverse: adds every entry of the matrix to the source element it came from.
template <typename T>
void add_columns(const Conv2d& p, const T* columns, std::int64_t channels, const Piece& piece, T* source);

/// Rows of `piece` of `planes` planes of a tensor, as a matrix planes x positions(), and back. `tensor` is
/// the first of these planes in image 0; planes have `plane` elements and images are `stride` elements apart.
template <typename T>
void gather_planes(const T* tensor, std::int64_t stride, std::int64_t planes, std::int64_t plane,
                   const Piece& piece, T* matrix);
template <typename T>
void scatter_planes(const T* matrix, std::int64_t stride, std::int64_t planes, std::int64_t plane,
                    const Piece& piece, T* tensor);

}  // namespace breakeven::cblas
