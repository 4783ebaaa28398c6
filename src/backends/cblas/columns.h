// Convolution as a product: selects the parts of the images that one product covers, and makes the matrices
// it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/conv2d.h"

namespace breakeven::cblas {

/// Some of the positions (y, x) of a convolution's result: `count` of them from `first` in one image, or all
/// positions of several consecutive images.
struct Piece {
  std::int64_t image = 0, images = 1, first = 0, count = 0;
  std::int64_t positions() const { return images * count; }
};

/// Cuts all positions of `images` images into pieces of about `most` positions at most, and into enough
/// pieces to give `threads` threads equal work if there is enough of it.
std::vector<Piece> cut_positions(std::int64_t images, std::int64_t positions, std::int64_t most, int threads);

/// A range of the channels of one group.
struct Channels {
  std::int64_t group = 0, first = 0, count = 0;
};

/// Cuts the channels of all groups into ranges: at least `parts` in total, if there are as many channels.
std::vector<Channels> cut_channels(std::int64_t groups, std::int64_t per_group, std::int64_t parts);

/// Writes the source elements that each result position reads from `channels` channels as a matrix: a row for
/// each (c, r, s), a column for each position of the piece, `positions()` columns. `source` points to the
/// first of these channels in image 0.
template <typename T>
void fill_columns(const Conv2d& p, const T* source, std::int64_t channels, const Piece& piece, T* columns);

/// The reverse: adds every entry of the matrix to the source element it came from.
template <typename T>
void add_columns(const Conv2d& p, const T* columns, std::int64_t channels, const Piece& piece, T* source);

/// Copies the positions of `piece` in `planes` planes of a tensor to a matrix, planes x positions(), and
/// back. `tensor` points to the first of these planes in image 0; planes have `plane` elements, and images
/// are `stride` elements apart.
template <typename T>
void gather_planes(const T* tensor, std::int64_t stride, std::int64_t planes, std::int64_t plane,
                   const Piece& piece, T* matrix);
template <typename T>
void scatter_planes(const T* matrix, std::int64_t stride, std::int64_t planes, std::int64_t plane,
                    const Piece& piece, T* tensor);

}  // namespace breakeven::cblas
