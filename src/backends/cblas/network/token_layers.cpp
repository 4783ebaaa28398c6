// Transformer layers that process every token in the same way, or sum over tokens.
#include <algorithm>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/image_layer.h"
#include "network/row_kernels.h"

namespace breakeven::cblas {
namespace {

/// A dense layer on the tokens of a few images. Weights are small compared with the batch's activations, so
/// each thread sums their gradient separately.
class TokenDense final : public ImageLayer {
 public:
  explicit TokenDense(const LayerTask& task) : ImageLayer(task) {
    if (l_.activation == Activation::gelu) linear_ = Buffer<float>(task.batch * l_.output_elements());
  }

  void forward(Images images, const float* input, float* output, int) override {
    const std::int64_t rows = images.count * l_.tokens;
    const bool through_gelu = l_.activation == Activation::gelu;
    float* y = through_gelu ? linear(images) : output;
    gemm(rows, l_.out, l_.in, Matrix<float>{input, l_.in},
         Matrix<float>{parameters_.values(*l_.weights), l_.in, true}, 0.0F, y, l_.out);
    add_bias(y, l_.out, rows, l_.out, parameters_.values(*l_.bias), l_.activation == Activation::relu);
    if (through_gelu) gelu(y, output, rows * l_.out);
  }

  void backward(Images images, const float* input, float* gradient, float* input_gradient,
                int thread) override {
    const std::int64_t rows = images.count * l_.tokens;
    if (l_.activation == Activation::gelu) gelu_backward(linear(images), gradient, rows * l_.out);
    add_rows(gradient, l_.out, rows, l_.out, parameters_.gradient(*l_.bias, thread));
    gemm(l_.out, l_.in, rows, Matrix<float>{gradient, l_.out, true}, Matrix<float>{input, l_.in}, 1.0F,
         parameters_.gradient(*l_.weights, thread), l_.in);
    if (input_gradient == nullptr) return;
    gemm(rows, l_.in, l_.out, Matrix<float>{gradient, l_.out},
         Matrix<float>{parameters_.values(*l_.weights), l_.in}, 0.0F, input_gradient, l_.in);
    if (input_is_relu_) keep_where_positive(input, input_gradient, rows * l_.in);
  }

 private:
  float* linear(Images images) { return linear_.data() + images.first * l_.output_elements(); }

  Buffer<float> linear_;  // before GELU, for its gradient
};

class Positions final : public ImageLayer {
 public:
  using ImageLayer::ImageLayer;

  void forward(Images images, const float* input, float* output, int) override {
    std::copy(input, input + images.count * elements(), output);
    for (std::int64_t i = 0; i < images.count; ++i)
      add_to(parameters_.values(*l_.weights), output + i * elements(), elements());
  }

  void backward(Images images, const float*, float* gradient, float* input_gradient, int thread) override {
    for (std::int64_t i = 0; i < images.count; ++i)
      add_to(gradient + i * elements(), parameters_.gradient(*l_.weights, thread), elements());
    if (input_gradient != nullptr) std::copy(gradient, gradient + images.count * elements(), input_gradient);
  }

  bool needs_input() const override { return false; }

 private:
  std::int64_t elements() const { return l_.output_elements(); }
};

class LayerNorm final : public ImageLayer {
 public:
  explicit LayerNorm(const LayerTask& task)
      : ImageLayer(task), means_(task.batch * l_.tokens), inverses_(task.batch * l_.tokens) {}

  void forward(Images images, const float* input, float* output, int) override {
    const float* gamma = parameters_.values(*l_.weights);
    const float* beta = parameters_.values(*l_.bias);
    normalise(input, images.count * l_.tokens, l_.in, gamma, beta, means_.data() + images.first * l_.tokens,
              inverses_.data() + images.first * l_.tokens, output);
  }

  void backward(Images images, const float* input, float* gradient, float* input_gradient,
                int thread) override {
    const std::int64_t rows = images.count * l_.tokens;
    const float* means = means_.data() + images.first * l_.tokens;
    const float* inverses = inverses_.data() + images.first * l_.tokens;
    add_normalise_gradients(input, l_.in, rows, l_.in, means, inverses, gradient,
                            parameters_.gradient(*l_.weights, thread),
                            parameters_.gradient(*l_.bias, thread));
    if (input_gradient == nullptr) return;
    normalise_backward(input, rows, l_.in, parameters_.values(*l_.weights), means, inverses, gradient,
                       input_gradient);
  }

 private:
  Buffer<float> means_, inverses_;  // one per token
};

class MeanTokens final : public ImageLayer {
 public:
  using ImageLayer::ImageLayer;

  void forward(Images images, const float* input, float* output, int) override {
    for (std::int64_t i = 0; i < images.count; ++i)
      mean_of_rows(input + i * l_.input_elements(), l_.tokens, l_.out, output + i * l_.out);
  }

  void backward(Images images, const float*, float* gradient, float* input_gradient, int) override {
    if (input_gradient == nullptr) return;
    for (std::int64_t i = 0; i < images.count; ++i)
      mean_of_rows_backward(gradient + i * l_.out, l_.tokens, l_.out,
                            input_gradient + i * l_.input_elements());
  }

  bool needs_input() const override { return false; }
};

const Layers::Registration dense_layer(LayerKind::dense, Layers::make_one<TokenDense>);
const Layers::Registration positions_layer(LayerKind::positions, Layers::make_one<Positions>);
const Layers::Registration layer_norm_layer(LayerKind::layer_norm, Layers::make_one<LayerNorm>);
const Layers::Registration mean_tokens_layer(LayerKind::mean_tokens, Layers::make_one<MeanTokens>);

}  // namespace
}  // namespace breakeven::cblas
