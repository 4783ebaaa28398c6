#include "backends/cblas/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backends/cblas/columns.h"
#include "backends/cblas/gemm.h"
#include "backends/cblas/threads.h"
#include "backends/cblas/winograd_transforms.h"
#include "workloads/host_tensors.h"

namespace breakeven::cblas {
namespace {

/// outer x channels x inner to outer x inner x channels.
void channels_last(const float* from, const OutputShape& shape, float* to) {
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    const std::int64_t image = o * shape.channels * shape.inner;
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      for (std::int64_t i = 0; i < shape.inner; ++i)
        to[image + i * shape.channels + c] = from[image + c * shape.inner + i];
    }
  }
}

/// The source and the result are held with channels last, the filters transformed.
class WinogradForward final : public Prepared {
 public:
  WinogradForward(const Conv2d& problem, const Winograd& winograd, std::uint64_t seed)
      : p_(problem), winograd_(winograd), tensors_(HostTensors::of(problem, seed)) {
    let_library_use(1);
    source_ = Buffer<float>(p_.elements_source());
    channels_last(tensors_.first_as<float>(), {.outer = p_.n, .channels = p_.c, .inner = p_.h * p_.w},
                  source_.data());
    transform_filters();
    tensors_.first = {};
    tensors_.second = {};
    result_ = Buffer<float>(p_.elements_result());
    beyond_ = Buffer<float>(p_.c);
    std::fill(beyond_.data(), beyond_.data() + p_.c, 0.0F);

    pieces_ = cut_positions(1, p_.n * tiles_down() * tiles_across(), most_tiles(), threads());
    for (const Piece& piece : pieces_) block_ = std::max(block_, piece.count);
    workspace_ = Buffer<float>(threads() * room());
  }

  void run() override {
    const auto pieces = std::ssize(pieces_);
    parallel_for(pieces * p_.groups, threads(), [&](std::int64_t i, int thread) {
      compute(pieces_[static_cast<std::size_t>(i % pieces)], i / pieces, workspace_.data() + thread * room());
    });
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.dtype, result_.data(), p_.elements_result());
    run();
    // The reverse of channels last is the same with the roles of channels and positions exchanged.
    channels_last(result_.data(), {.outer = p_.n, .channels = p_.p() * p_.q(), .inner = p_.k},
                  tensors_.output_as<float>());
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override {
    return fmt::format(
        "Winograd, tiles of 2 x 2, blocks of {}; source and result channels last, filters held transformed",
        block_);
  }

 private:
  std::int64_t group_c() const { return p_.c / p_.groups; }
  std::int64_t group_k() const { return p_.k / p_.groups; }
  std::int64_t tiles_down() const { return (p_.p() + 1) / 2; }
  std::int64_t tiles_across() const { return (p_.q() + 1) / 2; }
  std::int64_t room() const { return winograd_.products * block_ * (group_c() + group_k()); }

  /// So many that the library's products are long enough, and what is between them stays near.
  std::int64_t most_tiles() const {
    constexpr std::int64_t floats = 1 << 19;
    return std::clamp<std::int64_t>(floats / (winograd_.products * (group_c() + group_k())), 96, 512);
  }

  /// To planes of channels x filters, group by group.
  void transform_filters() {
    const std::int64_t plane = group_c() * group_k();
    filters_ = Buffer<float>(p_.groups * winograd_.products * plane);
    const auto* plain = tensors_.second_as<float>();
    for (std::int64_t k = 0; k < p_.k; ++k) {
      float* const group = filters_.data() + k / group_k() * winograd_.products * plane;
      for (std::int64_t c = 0; c < group_c(); ++c) {
        winograd_.filter(plain + (k * group_c() + c) * 9, group + c * group_k() + k % group_k(), plane);
      }
    }
  }

  void compute(const Piece& piece, std::int64_t group, float* room) {
    float* const transformed = room;
    float* const products = room + winograd_.products * block_ * group_c();
    for (std::int64_t t = 0; t < piece.count; ++t)
      transform_source(piece.first + t, group, transformed + t * group_c());
    const std::int64_t filters = group_c() * group_k();
    const float* const weights = filters_.data() + group * winograd_.products * filters;
    for (std::int64_t i = 0; i < winograd_.products; ++i) {
      gemm(piece.count, group_k(), group_c(), Matrix<float>{transformed + i * block_ * group_c(), group_c()},
           Matrix<float>{weights + i * filters, group_k()}, 0.0F, products + i * block_ * group_k(),
           group_k());
    }
    for (std::int64_t t = 0; t < piece.count; ++t)
      transform_result(products + t * group_k(), piece.first + t, group);
  }

  struct Place {
    std::int64_t image, y, x;  // y and x of the tile's first result
  };
  Place place_of(std::int64_t tile) const {
    const std::int64_t row = tile / tiles_across();
    return {.image = row / tiles_down(), .y = row % tiles_down() * 2, .x = tile % tiles_across() * 2};
  }

  void transform_source(std::int64_t tile, std::int64_t group, float* to) const {
    const Place place = place_of(tile);
    std::array<const float*, 25> pixels{};
    auto pixel = pixels.begin();
    for (std::int64_t dy = 0; dy < winograd_.side; ++dy) {
      const std::int64_t y = place.y * winograd_.stride - p_.pad_h + dy;
      for (std::int64_t dx = 0; dx < winograd_.side; ++dx) {
        const std::int64_t x = place.x * winograd_.stride - p_.pad_w + dx;
        const bool inside = y >= 0 && y < p_.h && x >= 0 && x < p_.w;
        *pixel++ = inside ? source_.data() + ((place.image * p_.h + y) * p_.w + x) * p_.c + group * group_c()
                          : beyond_.data();
      }
    }
    winograd_.source(pixels.data(), group_c(), to, block_ * group_c());
  }

  void transform_result(const float* from, std::int64_t tile, std::int64_t group) {
    const Place place = place_of(tile);
    std::array<float*, 4> pixels{};
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t y = place.y + i / 2;
      const std::int64_t x = place.x + i % 2;
      if (y < p_.p() && x < p_.q()) {
        pixels[i] = result_.data() + ((place.image * p_.p() + y) * p_.q() + x) * p_.k + group * group_k();
      }
    }
    winograd_.result(from, block_ * group_k(), group_k(), pixels.data());
  }

  Conv2d p_;
  const Winograd& winograd_;
  HostTensors tensors_;
  Buffer<float> source_, filters_, result_;
  Buffer<float> beyond_;  // what lies outside of the source
  std::vector<Piece> pieces_;
  std::int64_t block_ = 0;  // tiles of the largest piece
  Buffer<float> workspace_;
};

}  // namespace

std::unique_ptr<Prepared> winograd_forward(const Conv2d& p, std::uint64_t seed) {
  const Winograd* const winograd = p.stride_h == p.stride_w ? winograd_for(p.stride_h) : nullptr;
  const bool suits = winograd != nullptr && p.pass == Pass::forward && p.dtype == Dtype::f32 && p.r == 3 &&
                     p.s == 3 && p.dilation == 1 && p.c / p.groups % winograd_lanes == 0 &&
                     p.k / p.groups % winograd_lanes == 0;
  return suits ? std::make_unique<WinogradForward>(p, *winograd, seed) : nullptr;
}

}  // namespace breakeven::cblas
