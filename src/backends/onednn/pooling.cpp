// Max-pooling by loops of this program: the library's are several times slower on squares of 2 x 2 than
// memory is.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"
#include "worker/backend.h"

namespace breakeven::onednn {
namespace {

/// A layout of images as slices x rows x columns x lanes, lanes being the channels that lie side by side.
struct Slices {
  std::int64_t slices = 0, lanes = 0;
  dnnl::memory::format_tag tag{};
};

Slices slices(const Desc& desc) {
  using Tag = dnnl::memory::format_tag;
  const Dims dims = dimensions(desc);
  const std::string name = layout_name(desc);
  if (name == "abcd") return {dims[0] * dims[1], 1, Tag::abcd};
  if (name == "acdb") return {dims[0], dims[1], Tag::acdb};
  if (name == "aBcd8b") return {dims[0] * ((dims[1] + 7) / 8), 8, Tag::aBcd8b};
  if (name == "aBcd16b") return {dims[0] * ((dims[1] + 15) / 16), 16, Tag::aBcd16b};
  throw Unsupported(fmt::format("max-pooling does not know layout {}", name));
}

/// A number of lanes that the compiler knows, so that it can unroll.
template <typename Body>
void with_lanes(std::int64_t lanes, const Body& body) {
  if (lanes == 8) {
    body(std::integral_constant<std::int64_t, 8>());
  } else if (lanes == 16) {
    body(std::integral_constant<std::int64_t, 16>());
  } else {
    body(lanes);
  }
}

class MaxPool final : public LayerWork {
 public:
  explicit MaxPool(const LayerSite& site)
      : input_(*site.input), output_(*site.output), layer_(*site.layer), relu_before_(site.relu_before_pool) {
    shape_ = slices(input_.value.desc());
    site.allocate_output(
        {{site.batch(), layer_.k, layer_.p, layer_.q}, dnnl::memory::data_type::f32, shape_.tag});
    if (site.training()) chosen_ = Buffer<std::int32_t>(shape_.slices * layer_.p * layer_.q * shape_.lanes);
  }

  void forward() override {
    with_lanes(shape_.lanes, [this](auto lanes) {
      parallel_items(shape_.slices * layer_.p, [this, lanes](std::int64_t row) {
        const std::int64_t stride = layer_.w * lanes;
        const float* from = input_.value.as<float>() + first_input_row(row) * stride;
        float* to = output_.value.as<float>() + row * layer_.q * lanes;
        std::int32_t* chosen = chosen_.size() == 0 ? nullptr : chosen_.data() + row * layer_.q * lanes;
        for (std::int64_t q = 0; q < layer_.q; ++q, from += 2 * lanes, to += lanes) {
          if (chosen == nullptr) {
            for (std::int64_t i = 0; i < lanes; ++i)
              to[i] = std::max(std::max(from[i], from[lanes + i]),
                               std::max(from[stride + i], from[stride + lanes + i]));
          } else {
            choose(from, stride, lanes, to, chosen + q * lanes);
          }
        }
      });
    });
  }

  void backward() override {
    with_lanes(shape_.lanes, [this](auto lanes) {
      parallel_items(shape_.slices * layer_.p, [this, lanes](std::int64_t row) {
        const std::int64_t stride = layer_.w * lanes;
        float* to = input_.gradient.as<float>() + first_input_row(row) * stride;
        const std::int64_t first = row * layer_.q * lanes;
        const float* gradient = output_.gradient.as<float>() + first;
        const float* value = output_.value.as<float>() + first;
        const std::int32_t* chosen = chosen_.data() + first;
        for (std::int64_t q = 0; q < layer_.q; ++q) {
          for (std::int64_t i = 0; i < lanes; ++i) {
            const float g = !relu_before_ || value[i] > 0 ? gradient[i] : 0.0F;
            to[i] = chosen[i] == 0 ? g : 0.0F;
            to[lanes + i] = chosen[i] == 1 ? g : 0.0F;
            to[stride + i] = chosen[i] == 2 ? g : 0.0F;
            to[stride + lanes + i] = chosen[i] == 3 ? g : 0.0F;
          }
          to += 2 * lanes;
          gradient += lanes;
          value += lanes;
          chosen += lanes;
        }
      });
    });
  }

 private:
  /// Of two, counted over all slices; an odd last row is left out.
  std::int64_t first_input_row(std::int64_t row) const {
    return row / layer_.p * layer_.h + row % layer_.p * 2;
  }

  /// The largest of four, and which: the first of equals.
  static void choose(const float* from, std::int64_t stride, auto lanes, float* to, std::int32_t* chosen) {
    for (std::int64_t i = 0; i < lanes; ++i) {
      float best = from[i];
      std::int32_t which = 0;
      const auto challenge = [&](float value, std::int32_t index) {
        which = value > best ? index : which;
        best = value > best ? value : best;
      };
      challenge(from[lanes + i], 1);
      challenge(from[stride + i], 2);
      challenge(from[stride + lanes + i], 3);
      to[i] = best;
      chosen[i] = which;
    }
  }

  Activations& input_;
  Activations& output_;
  Layer layer_;
  bool relu_before_;
  Slices shape_;
  Buffer<std::int32_t> chosen_;
};

}  // namespace

std::unique_ptr<LayerWork> make_max_pool(const LayerSite& site) {
  return std::make_unique<MaxPool>(site);
}

}  // namespace breakeven::onednn
