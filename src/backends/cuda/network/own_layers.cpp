// The layers that are computed by kernels of this program alone.
#include <fmt/format.h>

#include "backends/cuda/network/layers.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

class MaxPool final : public LayerWork {
 public:
  explicit MaxPool(const LayerSite& site)
      : LayerWork(site), shape_{site.layer.c, site.layer.h, site.layer.w}, images_(site.task.batch) {
    if (site.engine.layout == TensorLayout::nchw) {
      images_ *= shape_.channels;
      shape_.channels = 1;
    }
    if (site.layer.filter != 2 || site.layer.stride != 2)
      throw Unsupported("only squares of 2 x 2 are pooled here");
  }

  void forward() override {
    max_pool(dtype(), shape_, images_, site_.input.value, site_.output.value, stream());
  }

  /// Only one of four pixels passes a gradient, so ReLU's gradient is needed for no other.
  void prepare_backward() override { site_.input.slope_applied = of_relu(); }

  void backward() override {
    if (!site_.wants_input_gradient) return;
    max_pool_gradient(dtype(), shape_, images_, site_.input.value, site_.output.gradient,
                      site_.input.gradient, of_relu(), stream());
  }

 private:
  bool of_relu() const { return site_.input.activation == Activation::relu; }

  PoolShape shape_;
  std::int64_t images_;  // number of images of that shape
};

/// Adds positions. The gradient of the input is that of the output, in the same memory.
class Positions final : public LayerWork {
 public:
  using LayerWork::LayerWork;

  void forward() override {
    add_periodic(dtype(), site_.input.value, site_.parameters.value(*site_.layer.weights), elements(),
                 site_.output.value, output_elements(), stream());
  }

  void prepare_backward() override {
    sums_ = RowSums({.rows = site_.task.batch, .columns = elements()}, stream());
  }

  void backward() override {
    sum_rows(dtype(), sums_.get(), site_.output.gradient, weights_gradient(), stream());
  }

 private:
  std::int64_t elements() const { return site_.layer.output_elements(); }

  RowSums sums_;
};

class Attention final : public LayerWork {
 public:
  explicit Attention(const LayerSite& site)
      : LayerWork(site),
        shape_{static_cast<int>(site.layer.tokens), static_cast<int>(site.layer.heads),
               static_cast<int>(site.layer.out / site.layer.heads)} {
    const std::int64_t bytes = training() ? shape_.backward_bytes() : shape_.forward_bytes();
    const std::int64_t most = most_block_bytes();
    if (bytes > most) {
      throw Unsupported(fmt::format(
          "heads of {} features need {} KiB of a multiprocessor's shared memory, which has {} KiB: "
          "take more heads",
          shape_.size, bytes / 1024, most / 1024));
    }
    allow_attention(dtype(), bytes);
  }

  void forward() override {
    attention(dtype(), shape_, site_.task.batch, site_.input.value, site_.output.value, stream());
  }

  void backward() override {
    attention_gradient(dtype(), shape_, site_.task.batch, site_.input.value, site_.output.gradient,
                       site_.input.gradient, stream());
  }

  std::string algorithm() const override {
    return fmt::format("{}: one kernel, products in f32", site_.layer.name);
  }

 private:
  AttentionShape shape_;
};

class LayerNorm final : public LayerWork {
 public:
  explicit LayerNorm(const LayerSite& site)
      : LayerWork(site),
        tokens_(site.task.batch * site.layer.tokens),
        moments_(2 * tokens_ * static_cast<std::int64_t>(sizeof(float))) {}

  void forward() override {
    normalise(dtype(), site_.input.value, tokens_, site_.layer.in,
              site_.parameters.value(*site_.layer.weights), bias(), site_.output.value, moments_.as<float>(),
              stream());
  }

  void prepare_backward() override {
    sums_ = RowSums({.rows = tokens_, .columns = site_.layer.in}, stream());
  }

  void backward() override {
    sum_rows_of_normal(dtype(), sums_.get(), site_.input.value, moments_.as<float>(), site_.output.gradient,
                       weights_gradient(), bias_gradient(), stream());
    normalise_gradient(dtype(), site_.input.value, tokens_, site_.layer.in,
                       site_.parameters.value(*site_.layer.weights), moments_.as<float>(),
                       site_.output.gradient, site_.input.gradient, stream());
  }

 private:
  std::int64_t tokens_;
  Memory moments_;
  RowSums sums_;
};

class MeanTokens final : public LayerWork {
 public:
  using LayerWork::LayerWork;

  void forward() override {
    mean_tokens(dtype(), site_.input.value, site_.output.value, site_.task.batch, site_.layer.tokens,
                site_.layer.out, stream());
  }

  void backward() override {
    mean_tokens_gradient(dtype(), site_.output.gradient, site_.input.gradient, site_.task.batch,
                         site_.layer.tokens, site_.layer.out, stream());
  }
};

const Layers::Registration max_pool_layer(LayerKind::max_pool, Layers::make_one<MaxPool>);
const Layers::Registration positions_layer(LayerKind::positions, Layers::make_one<Positions>);
const Layers::Registration attention_layer(LayerKind::attention, Layers::make_one<Attention>);
const Layers::Registration layer_norm_layer(LayerKind::layer_norm, Layers::make_one<LayerNorm>);
const Layers::Registration mean_tokens_layer(LayerKind::mean_tokens, Layers::make_one<MeanTokens>);

}  // namespace
}  // namespace breakeven::cuda
