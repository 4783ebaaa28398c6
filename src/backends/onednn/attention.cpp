// Scaled dot-product attention. The matrices of one head are small: each head of each image is one thread's
// work, its products by dnnl_sgemm, which stays on the calling thread inside a parallel loop.
#include <cmath>

#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"

namespace breakeven::onednn {
namespace {

/// A matrix inside another: rows `stride` apart.
struct View {
  float* data;
  std::int64_t stride;
};

/// to = scale op(a) op(b), m x n, the sums of length k.
void product(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float scale,
             View a, View b, View to) {
  // Cannot fail: the arguments are this file's own.
  dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, scale, a.data, a.stride, b.data,
             b.stride, 0.0F, to.data, to.stride);
}

class Attention final : public LayerWork {
 public:
  explicit Attention(const LayerSite& site)
      : input_(*site.input),
        output_(*site.output),
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
      product(false, true, tokens_, tokens_, features_, scale_, q, k, weights);
      for (std::int64_t t = 0; t < tokens_; ++t) softmax(weights.data + t * tokens_);
      product(false, false, tokens_, features_, tokens_, 1.0F, weights, v, head(output_.value, problem));
    });
  }

  void backward() override {
    parallel_items(problems_, [this](std::int64_t problem) {
      const auto [q, k, v] = queries_keys_values(input_.value, problem);
      const auto [q_gradient, k_gradient, v_gradient] = queries_keys_values(input_.gradient, problem);
      const View weights = square(weights_, problem);
      const View scores = square(weights_gradient_, problem);
      const View gradient = head(output_.gradient, problem);
      product(true, false, tokens_, features_, tokens_, 1.0F, weights, gradient, v_gradient);
      product(false, true, tokens_, tokens_, features_, 1.0F, gradient, v, scores);
      for (std::int64_t t = 0; t < tokens_; ++t)
        softmax_gradient(weights.data + t * tokens_, scores.data + t * tokens_);
      product(false, false, tokens_, features_, tokens_, scale_, scores, k, q_gradient);
      product(true, false, tokens_, features_, tokens_, scale_, scores, q, k_gradient);
    });
  }

 private:
  struct Triple {
    View q, k, v;
  };

  /// Of one head of one image; `tensor` holds q, k and v side by side.
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

  void softmax(float* row) const {
    float largest = row[0];
    for (std::int64_t i = 1; i < tokens_; ++i) largest = std::max(largest, row[i]);
    float sum = 0;
    for (std::int64_t i = 0; i < tokens_; ++i) {
      row[i] = std::exp(row[i] - largest);
      sum += row[i];
    }
    for (std::int64_t i = 0; i < tokens_; ++i) row[i] /= sum;
  }

  /// From the gradient of the weights to that of the scores.
  void softmax_gradient(const float* weights, float* gradient) const {
    float sum = 0;
    for (std::int64_t i = 0; i < tokens_; ++i) sum += weights[i] * gradient[i];
    for (std::int64_t i = 0; i < tokens_; ++i) gradient[i] = weights[i] * (gradient[i] - sum);
  }

  Activations& input_;
  Activations& output_;
  std::int64_t tokens_, width_, heads_, features_, problems_;
  float scale_;
  Buffer<float> weights_, weights_gradient_;
};

}  // namespace

std::unique_ptr<LayerWork> make_attention(const LayerSite& site) {
  return std::make_unique<Attention>(site);
}

}  // namespace breakeven::onednn
