// Convolutions as matrix products (im2col: Chellapilla, Puri and Simard, High performance convolutional
// neural networks for document processing, 2006): for a block of result positions, the source elements are
// written to a matrix small enough for the cache, and the library multiplies it by the filters. Threads share
// images, blocks or channels; each calls the library alone. Where Winograd's algorithm is possible, too, the
// faster of the two is used.
#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cblas/columns.h"
#include "backends/cblas/gemm.h"
#include "backends/cblas/library.h"
#include "backends/cblas/winograd.h"
#include "worker/backend.h"
#include "worker/host_operation.h"
#include "worker/operand_sets.h"
#include "worker/threads.h"
#include "worker/tuning.h"
#include "workloads/parallel.h"

namespace breakeven::cblas {
namespace {

/// The number of columns of a matrix with `rows` rows: as many as fit in 1 MiB, but at least as many as fast
/// products need.
std::int64_t block_columns(std::int64_t rows, std::size_t element_bytes) {
  constexpr std::int64_t bytes = 1 << 20;
  return std::clamp<std::int64_t>(bytes / (rows * static_cast<std::int64_t>(element_bytes)), 192, 4096);
}

/// The common part of the three passes: sizes, and a workspace for each thread.
template <typename T>
class Convolution : public HostOperation {
 public:
  std::string algorithm() const override {
    return fmt::format("{}, blocks of {} columns",
                       p_.is_pointwise() ? "products on the source itself" : "im2col", block_);
  }

 protected:
  Convolution(const Conv2d& problem, std::uint64_t seed, std::int64_t sets)
      : HostOperation(HostTensors::of(problem, seed, sets)), p_(problem) {
    let_library_use(1);
  }

  std::int64_t filter() const { return p_.r * p_.s; }
  std::int64_t group_c() const { return p_.group_c(); }
  std::int64_t group_k() const { return p_.group_k(); }
  std::int64_t positions() const { return p_.p() * p_.q(); }
  std::int64_t result_stride() const { return p_.k * positions(); }
  std::int64_t source_stride() const { return p_.c * p_.h * p_.w; }

  /// Makes the pieces, whose matrices have `rows` rows, and room on each thread for a matrix of `rows` +
  /// `more_rows` rows.
  void make_pieces(std::int64_t rows, std::int64_t more_rows) {
    pieces_ = cut_positions(p_.n, positions(), block_columns(rows, sizeof(T)), threads());
    for (const Piece& piece : pieces_) block_ = std::max(block_, piece.positions());
    room_ = (rows + more_rows) * block_;
    workspace_ = Buffer<T>(threads() * room_);
  }
  T* workspace(int thread) { return workspace_.data() + thread * room_; }

  const T* first_operand() const { return tensors_.first_as<T>(); }
  const T* second_operand() const { return tensors_.second_as<T>(); }
  T* output() { return tensors_.output_as<T>(); }

  /// The offset of the filters, or of their gradient, of channels `in` of a group: k rows, columns (c, r, s).
  std::int64_t weights_offset(const Channels& in) const {
    return (in.group * group_k() * group_c() + in.first) * filter();
  }
  std::int64_t weights_stride() const { return group_c() * filter(); }

  /// The matrix of `piece` and channels `in` of the source. It is written to `room` if necessary.
  Matrix<T> columns_of(const T* source, const Channels& in, const Piece& piece, T* room) const {
    const T* first = source + (in.group * group_c() + in.first) * p_.h * p_.w;
    if (p_.is_pointwise() && piece.images == 1)
      return {first + piece.image * source_stride() + piece.first, positions()};
    fill_columns(p_, first, in.count, piece, room);
    return {room, piece.positions()};
  }

  /// The matrix of `piece` and the planes of a group, in a tensor shaped like the result. It is written to
  /// `room` if the piece spans several images.
  Matrix<T> result_gradient(const T* gradient, std::int64_t group, const Piece& piece, T* room) const {
    const T* first = gradient + group * group_k() * positions();
    if (piece.images == 1) return {first + piece.image * result_stride() + piece.first, positions()};
    gather_planes(first, result_stride(), group_k(), positions(), piece, room);
    return {room, piece.positions()};
  }

  Conv2d p_;
  std::vector<Piece> pieces_;
  std::int64_t block_ = 0;

 private:
  std::int64_t room_ = 0;
  Buffer<T> workspace_;
};

template <typename T>
class Forward final : public Convolution<T> {
  using Base = Convolution<T>;
  using Base::block_, Base::p_, Base::pieces_, Base::tensors_;
  using Base::first_operand, Base::second_operand, Base::output, Base::workspace;
  using Base::group_c, Base::group_k, Base::filter, Base::positions;
  using Base::make_pieces, Base::columns_of, Base::result_stride, Base::weights_stride;

 public:
  Forward(const Conv2d& problem, std::uint64_t seed, std::int64_t sets) : Base(problem, seed, sets) {
    make_pieces(group_c() * filter(), group_k());
    // Filters are shared, too, if there are fewer pieces than threads; each thread then fills its own
    // columns.
    const auto pieces = std::ssize(pieces_);
    filters_ = cut_channels(p_.groups, group_k(), (threads() + pieces - 1) / pieces);
  }

  void run() override {
    tensors_.next();
    const auto pieces = std::ssize(pieces_);
    parallel_items(pieces * std::ssize(filters_), threads(), [&](std::int64_t i, int thread) {
      compute(pieces_[static_cast<std::size_t>(i % pieces)], filters_[static_cast<std::size_t>(i / pieces)],
              workspace(thread));
    });
  }

 private:
  void compute(const Piece& piece, const Channels& filters, T* room) {
    const std::int64_t terms = weights_stride();
    const Channels all{.group = filters.group, .first = 0, .count = group_c()};
    const auto columns = columns_of(first_operand(), all, piece, room);
    const std::int64_t first = filters.group * group_k() + filters.first;
    const Matrix<T> weights{second_operand() + first * terms, terms};
    T* result = output() + first * positions();
    if (piece.images == 1) {
      gemm(filters.count, piece.count, terms, weights, columns, T{0},
           result + piece.image * result_stride() + piece.first, positions());
      return;
    }
    T* block = room + terms * block_;
    gemm(filters.count, piece.positions(), terms, weights, columns, T{0}, block, piece.positions());
    scatter_planes(block, result_stride(), filters.count, positions(), piece, result);
  }

  std::vector<Channels> filters_;
};

template <typename T>
class BackwardData final : public Convolution<T> {
  using Base = Convolution<T>;
  using Base::block_, Base::p_, Base::pieces_, Base::tensors_;
  using Base::first_operand, Base::second_operand, Base::output, Base::workspace;
  using Base::group_c, Base::group_k, Base::filter, Base::source_stride;
  using Base::make_pieces, Base::result_gradient, Base::weights_offset, Base::weights_stride;

 public:
  BackwardData(const Conv2d& problem, std::uint64_t seed, std::int64_t sets) : Base(problem, seed, sets) {
    make_pieces(group_c() * filter(), group_k());
    // All pieces of an image add to the same elements, so one thread processes them.
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (i == 0 || pieces_[i].image != pieces_[i - 1].image) first_piece_.push_back(i);
    }
    const auto images = std::ssize(first_piece_);
    first_piece_.push_back(pieces_.size());
    const std::int64_t shares = images % threads() == 0 ? 1 : (4 * threads() + images - 1) / images;
    channels_ = cut_channels(p_.groups, group_c(), shares);
  }

  void run() override {
    tensors_.next();
    const auto images = std::ssize(first_piece_) - 1;
    parallel_items(images * std::ssize(channels_), threads(), [&](std::int64_t i, int thread) {
      const auto image = static_cast<std::size_t>(i % images);
      for (std::size_t piece = first_piece_[image]; piece < first_piece_[image + 1]; ++piece) {
        compute(pieces_[piece], channels_[static_cast<std::size_t>(i / images)], piece == first_piece_[image],
                workspace(thread));
      }
    });
  }

 private:
  void compute(const Piece& piece, const Channels& channels, bool first_of_image, T* room) {
    const std::int64_t rows = channels.count * filter();
    const std::int64_t plane = p_.h * p_.w;
    const Matrix<T> weights{second_operand() + weights_offset(channels), weights_stride(), true};
    const auto gradient =
        result_gradient(first_operand(), channels.group, piece, room + weights_stride() * block_);
    T* source = output() + (channels.group * group_c() + channels.first) * plane;
    if (p_.is_pointwise() && piece.images == 1) {
      gemm(rows, piece.count, group_k(), weights, gradient, T{0},
           source + piece.image * source_stride() + piece.first, plane);
      return;
    }
    gemm(rows, piece.positions(), group_k(), weights, gradient, T{0}, room, piece.positions());
    for (std::int64_t i = 0; first_of_image && i < piece.images; ++i) {
      T* image = source + (piece.image + i) * source_stride();
      std::fill(image, image + channels.count * plane, T{0});
    }
    add_columns(p_, room, channels.count, piece, source);
  }

  std::vector<std::size_t> first_piece_;  // of each image, or of each run of images in one piece; and the end
  std::vector<Channels> channels_;
};

template <typename T>
class BackwardWeights final : public Convolution<T> {
  using Base = Convolution<T>;
  using Base::block_, Base::p_, Base::pieces_, Base::tensors_;
  using Base::first_operand, Base::second_operand, Base::output, Base::workspace;
  using Base::group_c, Base::group_k, Base::filter, Base::weights_offset, Base::weights_stride;
  using Base::make_pieces, Base::columns_of, Base::result_gradient;

 public:
  BackwardWeights(const Conv2d& problem, std::uint64_t seed, std::int64_t sets) : Base(problem, seed, sets) {
    // With enough channels, each thread has its own. Otherwise the filters are small, and each thread has its
    // own sum over a part of the images.
    by_channels_ = threads() == 1 || problem.c >= 8 * threads();
    channels_ = cut_channels(problem.groups, group_c(), by_channels_ ? threads() : 1);
    make_pieces(channels_.back().count * filter() + filter(), group_k());
    if (!by_channels_) sums_ = Buffer<T>(threads() * problem.elements_weights());
  }

  void run() override {
    tensors_.next();
    const T* source = first_operand();
    const T* gradient = second_operand();
    T* weights = output();
    const auto pieces = std::ssize(pieces_);
    if (by_channels_) {
      parallel_items(std::ssize(channels_), threads(), [&](std::int64_t i, int thread) {
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
          add(source, gradient, pieces_[static_cast<std::size_t>(piece)],
              channels_[static_cast<std::size_t>(i)], piece == 0, weights, workspace(thread));
        }
      });
      return;
    }
    const std::int64_t elements = p_.elements_weights();
    const std::int64_t all = threads();
    on_threads(threads(), [&](int thread) {
      T* sum = sums_.data() + thread * elements;
      const Part mine = part_of(pieces, thread, all);
      if (mine.count == 0) std::fill(sum, sum + elements, T{0});
      for (std::int64_t piece = mine.first; piece < mine.last(); ++piece) {
        for (const Channels& channels : channels_) {
          add(source, gradient, pieces_[static_cast<std::size_t>(piece)], channels, piece == mine.first, sum,
              workspace(thread));
        }
      }
    });
    parallel_ranges(elements, [&](std::int64_t first, std::int64_t last, int) {
      for (std::int64_t i = first; i < last; ++i) {
        T sum = sums_[i];
        for (std::int64_t thread = 1; thread < all; ++thread) sum += sums_[thread * elements + i];
        weights[i] = sum;
      }
    });
  }

 private:
  void add(const T* source, const T* gradient, const Piece& piece, const Channels& channels, bool first,
           T* sum, T* room) const {
    const auto columns = columns_of(source, channels, piece, room);
    const auto result = result_gradient(gradient, channels.group, piece,
                                        room + (channels_.back().count + 1) * filter() * block_);
    gemm(group_k(), channels.count * filter(), piece.positions(), result,
         Matrix<T>{columns.data, columns.stride, true}, first ? T{0} : T{1}, sum + weights_offset(channels),
         weights_stride());
  }

  bool by_channels_ = false;
  std::vector<Channels> channels_;
  Buffer<T> sums_;
};

/// Runs the faster of two implementations of the same problem.
class Tuned final : public Prepared {
 public:
  Tuned(std::unique_ptr<Prepared> first, std::unique_ptr<Prepared> second) {
    const std::array ways{first.get(), second.get()};
    std::size_t selected = 0;
    select_fastest(
        ways.size(), [&](std::size_t i) { selected = i; }, [&] { ways.at(selected)->run(); });
    fastest_ = std::move(selected == 0 ? first : second);
  }

  void run() override { fastest_->run(); }
  Evidence show(const std::vector<std::int64_t>& elements) override { return fastest_->show(elements); }
  std::string algorithm() const override { return fastest_->algorithm() + " (tuned: best of 2 ways)"; }
  std::int64_t operand_sets() const override { return fastest_->operand_sets(); }

 private:
  std::unique_ptr<Prepared> fastest_;
};

template <typename T>
std::unique_ptr<Prepared> prepare_in(const Conv2d& p, std::uint64_t seed, std::int64_t sets) {
  switch (p.pass) {
    case Pass::forward: {
      auto by_columns = std::make_unique<Forward<T>>(p, seed, sets);
      auto by_tiles = p.tuned ? winograd_forward(p, seed, sets) : nullptr;
      if (!by_tiles) return by_columns;
      return std::make_unique<Tuned>(std::move(by_columns), std::move(by_tiles));
    }
    case Pass::backward_data:
      return std::make_unique<BackwardData<T>>(p, seed, sets);
    case Pass::backward_weights:
      break;
  }
  return std::make_unique<BackwardWeights<T>>(p, seed, sets);
}

/// The copies of the tensors that im2col and, in a race, Winograd hold at once.
int copies_of(const Case& problem) {
  return is_tuned(problem.parameters) && has_winograd_forward(Conv2d(problem.parameters)) ? 2 : 1;
}

const OperationRegistration conv2d_registered(
    {.op = "conv2d",
     .dtypes = fixed_dtypes({Dtype::f64, Dtype::f32}),
     .prepare = [](const Case& problem, std::uint64_t seed) -> std::unique_ptr<Prepared> {
       const Conv2d p(problem.parameters);
       if (std::max(p.h * p.w, p.p() * p.q()) > std::numeric_limits<int>::max() ||
           p.group_c() * p.r * p.s > std::numeric_limits<int>::max())
         throw Unsupported("CBLAS counts rows and columns in 32 bits: the planes or filters are too large");
       const std::int64_t sets = operand_sets_on_host(problem, copies_of(problem));
       return p.dtype == Dtype::f64 ? prepare_in<double>(p, seed, sets) : prepare_in<float>(p, seed, sets);
     },
     .copies = copies_of});

}  // namespace
}  // namespace breakeven::cblas
