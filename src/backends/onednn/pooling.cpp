// Max-pooling by loops of this program: for squares of 2 x 2 the library is several times slower than memory.
#include <fmt/format.h>

#include <type_traits>

#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"
#include "worker/backend.h"

namespace breakeven::onednn {
namespace {

/// A layout of images as slices x rows x columns x lanes. Lanes are the channels stored contiguously.
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

/// Calls body with a number of lanes that the compiler knows, so that it can unroll loops.
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
      : LayerWork(site), layer_(*site.layer), relu_before_(site.relu_before_pool) {
    shape_ = slices(input_.value.desc());
    const dnnl::memory::data_type type = data_type(input_.value.desc());
    if (type != site.output_type) throw Unsupported(fmt::format("layer {} changes no types", layer_.name));
    site.allocate_output({{site.batch(), layer_.k, layer_.p, layer_.q}, type, shape_.tag});
    if (site.training()) {
      with_element_type(type, [&]<typename T>(T) {
        chosen_ = Buffer<std::byte>(output_.value.bytes() / sizeof(T) * sizeof(Index<T>));
      });
    }
  }

  void forward() override {
    with_element_type(data_type(input_.value.desc()), [this]<typename T>(T) {
      with_lanes(shape_.lanes, [this](auto lanes) { this->forward_of<T>(lanes); });
    });
  }

  void backward() override {
    with_element_type(data_type(input_.value.desc()), [this]<typename T>(T) {
      with_lanes(shape_.lanes, [this](auto lanes) { this->backward_of<T>(lanes); });
    });
  }

 private:
  /// The index of the largest of the four. It has the width of the values, so that a vector holds as many of
  /// either.
  template <typename T>
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>;
  template <typename T>
  Index<T>* chosen() {
    return reinterpret_cast<Index<T>*>(chosen_.data());
  }

  template <typename T>
  void forward_of(auto lanes) {
    parallel_items(shape_.slices * layer_.p, [this, lanes](std::int64_t row) {
      const std::int64_t stride = layer_.w * lanes;
      const T* from = input_.value.as<T>() + first_input_row(row) * stride;
      T* to = output_.value.as<T>() + row * layer_.q * lanes;
      Index<T>* which = chosen_.size() == 0 ? nullptr : chosen<T>() + row * layer_.q * lanes;
      for (std::int64_t q = 0; q < layer_.q; ++q, from += 2 * lanes, to += lanes) {
        if (which == nullptr) {
          for (std::int64_t i = 0; i < lanes; ++i)
            to[i] =
                larger(larger(from[i], from[lanes + i]), larger(from[stride + i], from[stride + lanes + i]));
        } else {
          choose(from, stride, lanes, to, which + q * lanes);
        }
      }
    });
  }

  template <typename T>
  void backward_of(auto lanes) {
    parallel_items(shape_.slices * layer_.p, [this, lanes](std::int64_t row) {
      const std::int64_t stride = layer_.w * lanes;
      T* to = input_.gradient.as<T>() + first_input_row(row) * stride;
      const std::int64_t first = row * layer_.q * lanes;
      const T* gradient = output_.gradient.as<T>() + first;
      const T* value = output_.value.as<T>() + first;
      const Index<T>* which = chosen<T>() + first;
      for (std::int64_t q = 0; q < layer_.q; ++q) {
        for (std::int64_t i = 0; i < lanes; ++i) {
          const T g = !relu_before_ || value[i] > 0 ? gradient[i] : T();
          to[i] = which[i] == 0 ? g : T();
          to[lanes + i] = which[i] == 1 ? g : T();
          to[stride + i] = which[i] == 2 ? g : T();
          to[stride + lanes + i] = which[i] == 3 ? g : T();
        }
        to += 2 * lanes;
        gradient += lanes;
        value += lanes;
        which += lanes;
      }
    });
  }

  /// The index of the first of the two input rows of a result row, both counted over all slices. An odd last
  /// row is left out.
  std::int64_t first_input_row(std::int64_t row) const {
    return row / layer_.p * layer_.h + row % layer_.p * 2;
  }

  template <typename T>
  static T larger(T a, T b) {
    return in_order(a) < in_order(b) ? b : a;
  }

  /// Finds the largest of four and its index; of equal ones the first.
  template <typename T>
  static void choose(const T* from, std::int64_t stride, auto lanes, T* to, Index<T>* chosen) {
    for (std::int64_t i = 0; i < lanes; ++i) {
      T best = from[i];
      Index<T> which = 0;
      const auto challenge = [&](T value, Index<T> index) {
        const bool wins = in_order(value) > in_order(best);
        which = wins ? index : which;
        best = wins ? value : best;
      };
      challenge(from[lanes + i], 1);
      challenge(from[stride + i], 2);
      challenge(from[stride + lanes + i], 3);
      to[i] = best;
      chosen[i] = which;
    }
  }

  Layer layer_;
  bool relu_before_;
  Slices shape_;
  Buffer<std::byte> chosen_;
};

const Layers::Registration max_pool_layer(LayerKind::max_pool, Layers::make_one<MaxPool>);

}  // namespace
}  // namespace breakeven::onednn
