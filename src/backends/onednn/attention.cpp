// Scaled dot-product attention. The matrices of one head are small, so each head of each image is computed by
// one thread, with dnnl_sgemm, which stays on the calling thread inside a parallel loop.
#include <cmath>

#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"
#include "network/row_kernels.h"

namespace breakeven::onednn {
namespace {

/// A matrix inside another one, with rows `stride` apart.
struct View {
  float* data;
  std::int64_t stride;
};

/// to = op(a) op(b), m x n, with sums of length k.
void product(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, View a,
             View b, View to) {
  // This cannot fail, because the arguments are correct.
  dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0F, a.data, a.stride, b.data,
             b.stride, 0.0F, to.data, to.stride);
}

class Attention final : public LayerWork {
 public:
  explicit Attention(const LayerSite& site)
      : LayerWork(site),
        tokens_(site.layer->tokens),
        width_(site.layer->out),
        heads_(site.layer->heads),
        features_(width_ / heads_),
        problems_(site.batch() * heads_),
        scale_(1.0F / std::sqrt(static_cast<float>(features_))),
        weights_(problems_ * tokens_ * tokens_),
        weights_gradient_(site.training() ? problems_ * tokens_ * tokens_ : 0) {
    site.allocate_output(site.batch() * tokens_, width_);
  }

  void forward() override {
    parallel_items(problems_, [this](std::int64_t problem) {
      const auto [q, k, v] = queries_keys_values(input_.value, problem);
      const View weights = square(weights_, problem);
      product(false, true, tokens_, tokens_, features_, q, k, weights);
      softmax(weights.data, tokens_, tokens_, scale_);
      product(false, false, tokens_, features_, tokens_, weights, v, head(output_.value, problem));
    });
  }

  void backward() override {
    parallel_items(problems_, [this](std::int64_t problem) {
      const auto [q, k, v] = queries_keys_values(input_.value, problem);
      const auto [q_gradient, k_gradient, v_gradient] = queries_keys_values(input_.gradient, problem);
      const View weights = square(weights_, problem);
      const View scores = square(weights_gradient_, problem);
      const View gradient = head(output_.gradient, problem);
      product(true, false, tokens_, features_, tokens_, weights, gradient, v_gradient);
      product(false, true, tokens_, tokens_, features_, gradient, v, scores);
      softmax_backward(weights.data, scores.data, tokens_, tokens_, scale_);
      product(false, false, tokens_, features_, tokens_, scores, k, q_gradient);
      product(true, false, tokens_, features_, tokens_, scores, q, k_gradient);
    });
  }

 private:
  struct Triple {
    View q, k, v;
  };

  /// The q, k and v of one head of one image; `tensor` holds them side by side.
  Triple queries_keys_values(Tensor& tensor, std::int64_t problem) const {
    const std::int64_t stride = 3 * width_;
    float* first = tensor.as<float>() + problem / heads_ * tokens_ * stride + problem % heads_ * features_;
    return {{first, stride}, {first + width_, stride}, {first + 2 * width_, stride}};
  }
  View head(Tensor& tensor, std::int64_t problem) const {
    return {tensor.as<float>() + problem / heads_ * tokens_ * width_ + problem % heads_ * features_, width_};
  }
  View square(Buffer<float>& buffer, std::int64_t problem) const {
    return {buffer.data() + problem * tokens_ * tokens_, tokens_};
  }

  std::int64_t tokens_, width_, heads_, features_, problems_;
  float scale_;
  Buffer<float> weights_, weights_gradient_;
};

const Layers::Registration attention_layer(LayerKind::attention, Layers::make_one<Attention>);

}  // namespace
}  // namespace breakeven::onednn
