#include "backends/cblas/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/cblas/columns.h"
#include "backends/cblas/library.h"
#include "backends/cblas/winograd_tiles.h"
#include "worker/threads.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"

namespace breakeven::cblas {
namespace {

/// A forward convolution. The source and the result are stored with channels last, the filters transformed.
class WinogradForward final : public Prepared {
 public:
  WinogradForward(const Conv2d& problem, const Winograd& winograd, std::uint64_t seed, std::int64_t sets)
      : p_(problem),
        sets_(sets),
        winograd_(winograd),
        tiles_(winograd,
               {.h = p_.h, .w = p_.w, .pad_h = p_.pad_h, .pad_w = p_.pad_w, .p = p_.p(), .q = p_.q()},
               std::max(p_.c, p_.k)),
        tensors_(HostTensors::of(problem, seed)) {
    let_library_use(1);
    source_ = Buffer<float>(sets_ * p_.elements_source());
    transpose_matrices(tensors_.first.data(), p_.n, p_.c, p_.h * p_.w, sizeof(float), bytes(source_));
    prepare_filters();
    repeat(source_);
    repeat(filters_);
    tensors_.first = {};
    tensors_.second = {};
    result_ = Buffer<float>(sets_ * p_.elements_result());

    pieces_ = cut_positions(1, p_.n * tiles_.per_image(), most_tiles(), threads());
    for (const Piece& piece : pieces_) block_ = std::max(block_, piece.count);
    workspace_ = Buffer<float>(threads() * room());
  }

  void run() override {
    set_ = set_ + 1 == sets_ ? 0 : set_ + 1;
    const auto pieces = std::ssize(pieces_);
    parallel_items(pieces * p_.groups, threads(), [&](std::int64_t i, int thread) {
      compute(pieces_[static_cast<std::size_t>(i % pieces)], i / pieces, workspace_.data() + thread * room());
    });
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.dtype, result_.data(), result_.size());
    for (std::int64_t set = 0; set < sets_; ++set) run();
    const std::byte* const last =
        bytes(result_) + (sets_ - 1) * p_.elements_result() * static_cast<std::int64_t>(sizeof(float));
    transpose_matrices(last, p_.n, p_.p() * p_.q(), p_.k, sizeof(float), tensors_.output.data());
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override {
    return fmt::format(
        "Winograd, tiles of 2 x 2, blocks of {}; source and result channels last, filters held transformed",
        block_);
  }
  std::int64_t operand_sets() const override { return sets_; }

 private:
  static std::byte* bytes(Buffer<float>& buffer) { return reinterpret_cast<std::byte*>(buffer.data()); }
  /// Copies the first set to all others.
  void repeat(Buffer<float>& sets) const {
    const std::int64_t size = sets.size() / sets_;
    for (std::int64_t set = 1; set < sets_; ++set) std::copy_n(sets.data(), size, sets.data() + set * size);
  }
  /// The part of `sets` that belongs to the current set.
  float* of_turn(Buffer<float>& sets) const { return sets.data() + set_ * (sets.size() / sets_); }
  std::int64_t room() const { return winograd_.products * block_ * (p_.group_c() + p_.group_k()); }

  /// Enough tiles for fast products, few enough for the values between them to stay in the cache.
  std::int64_t most_tiles() const {
    constexpr std::int64_t floats = 1 << 19;
    return std::clamp<std::int64_t>(floats / (winograd_.products * (p_.group_c() + p_.group_k())), 96, 512);
  }

  /// Transforms the filters to planes of channels x filters, group by group.
  void prepare_filters() {
    Buffer<float> turned(p_.elements_weights());
    transpose_matrices(tensors_.second.data(), p_.k, p_.group_c(), 9, sizeof(float), bytes(turned));
    const std::int64_t group = p_.group_c() * p_.group_k();
    const std::int64_t planes = winograd_.products * group;
    Buffer<float> transformed(planes);
    filters_ = Buffer<float>(sets_ * p_.groups * planes);
    for (std::int64_t g = 0; g < p_.groups; ++g) {
      transform_filters(winograd_, turned.data() + g * group * 9, 0, p_.group_k(), p_.group_k(), p_.group_c(),
                        transformed.data());
      transpose_filters(winograd_, transformed.data(), 0, p_.group_k(), p_.group_k(), p_.group_c(),
                        filters_.data() + g * planes);
    }
  }

  void compute(const Piece& piece, std::int64_t group, float* room) {
    tiles_.convolve({.first = piece.first, .count = piece.count, .room = block_},
                    {.data = of_turn(source_) + group * p_.group_c(), .count = p_.group_c(), .of = p_.c},
                    of_turn(filters_) + group * winograd_.products * p_.group_c() * p_.group_k(), false,
                    {.data = of_turn(result_) + group * p_.group_k(), .count = p_.group_k(), .of = p_.k},
                    room);
  }

  Conv2d p_;
  std::int64_t sets_, set_ = 0;  // sets of source, filters and result; the current one
  const Winograd& winograd_;
  WinogradTiles tiles_;
  HostTensors tensors_;
  Buffer<float> source_, filters_, result_;  // of all sets, stored contiguously
  std::vector<Piece> pieces_;
  std::int64_t block_ = 0;  // tiles of the largest piece
  Buffer<float> workspace_;
};

}  // namespace

bool has_winograd_forward(const Conv2d& p) {
  return p.stride_h == p.stride_w && winograd_for(p.stride_h) != nullptr && p.pass == Pass::forward &&
         p.dtype == Dtype::f32 && p.r == 3 && p.s == 3 && p.dilation == 1 &&
         p.group_c() % winograd_lanes == 0 && p.group_k() % winograd_lanes == 0;
}

std::unique_ptr<Prepared> winograd_forward(const Conv2d& p, std::uint64_t seed, std::int64_t sets) {
  if (!has_winograd_forward(p)) return nullptr;
  return std::make_unique<WinogradForward>(p, *winograd_for(p.stride_h), seed, sets);
}

}  // namespace breakeven::cblas
