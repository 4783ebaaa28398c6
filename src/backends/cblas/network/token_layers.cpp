// The layers of a transformer that treat every token alike, or sum over tokens.
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/elementwise.h"
#include "backends/cblas/network/image_layer.h"
#include "worker/vectorised.h"

namespace breakeven::cblas {
namespace {

/// Eight sums side by side, added at the end: a single one would have to wait for itself at every element.
struct LaneSum {
  static constexpr std::int64_t lanes = 8;
  std::array<float, lanes> sums{};
  float total() const {
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }
};

template <typename Term>
[[gnu::always_inline]] inline float sum_of(std::int64_t count, const Term& term) {
  LaneSum sum;
  std::int64_t i = 0;
  for (; i + LaneSum::lanes <= count; i += LaneSum::lanes) {
    for (std::int64_t lane = 0; lane < LaneSum::lanes; ++lane)
      sum.sums[static_cast<std::size_t>(lane)] += term(i + lane);
  }
  float rest = 0;
  for (; i < count; ++i) rest += term(i);
  return sum.total() + rest;
}

/// y = gamma (x - mean) / deviation + beta on each row; keeps mean and 1 / deviation.
BREAKEVEN_VECTORISED void normalise(const float* input, std::int64_t rows, std::int64_t features,
                                    const float* gamma, const float* beta, float* means, float* inverses,
                                    float* output) {
  const auto n = static_cast<float>(features);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = input + row * features;
    float* y = output + row * features;
    const float mean = sum_of(features, [x](std::int64_t f) { return x[f]; }) / n;
    const float squares =
        sum_of(features, [x, mean](std::int64_t f) { return (x[f] - mean) * (x[f] - mean); });
    const float inverse = 1.0F / std::sqrt(squares / n + static_cast<float>(layer_norm_epsilon));
    for (std::int64_t f = 0; f < features; ++f) y[f] = gamma[f] * ((x[f] - mean) * inverse) + beta[f];
    means[row] = mean;
    inverses[row] = inverse;
  }
}

/// With n = (x - mean) inverse and g = gamma dy: dx = inverse (g - mean of g - n times the mean of g n). Adds
/// the parameters' gradients to their sums.
BREAKEVEN_VECTORISED void normalise_backward(const float* input, std::int64_t rows, std::int64_t features,
                                             const float* gamma, const float* means, const float* inverses,
                                             const float* gradient, float* __restrict gamma_gradient,
                                             float* __restrict beta_gradient,
                                             float* __restrict input_gradient) {
  const auto n = static_cast<float>(features);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = input + row * features;
    const float* dy = gradient + row * features;
    const float mean = means[row];
    const float inverse = inverses[row];
    for (std::int64_t f = 0; f < features; ++f) {
      gamma_gradient[f] += dy[f] * ((x[f] - mean) * inverse);
      beta_gradient[f] += dy[f];
    }
    if (input_gradient == nullptr) continue;
    const float mean_g = sum_of(features, [=](std::int64_t f) { return gamma[f] * dy[f]; }) / n;
    const float mean_gn =
        sum_of(features, [=](std::int64_t f) { return gamma[f] * dy[f] * ((x[f] - mean) * inverse); }) / n;
    float* dx = input_gradient + row * features;
    for (std::int64_t f = 0; f < features; ++f)
      dx[f] = inverse * (gamma[f] * dy[f] - mean_g - (x[f] - mean) * inverse * mean_gn);
  }
}

/// A dense layer on the tokens of a few images. Weights are small beside the batch's activations, so each
/// thread sums their gradient for itself.
class TokenDense final : public ImageLayer {
 public:
  explicit TokenDense(const LayerTask& task)
      : l_(task.layer), input_is_relu_(task.input_is_relu), parameters_(task.parameters) {
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

  Layer l_;
  bool input_is_relu_;
  NetworkParameters& parameters_;
  Buffer<float> linear_;  // before GELU, whose slope needs it
};

class Positions final : public ImageLayer {
 public:
  explicit Positions(const LayerTask& task) : l_(task.layer), parameters_(task.parameters) {}

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

  Layer l_;
  NetworkParameters& parameters_;
};

class LayerNorm final : public ImageLayer {
 public:
  explicit LayerNorm(const LayerTask& task)
      : l_(task.layer),
        parameters_(task.parameters),
        means_(task.batch * l_.tokens),
        inverses_(task.batch * l_.tokens) {}

  void forward(Images images, const float* input, float* output, int) override {
    const float* gamma = parameters_.values(*l_.weights);
    const float* beta = parameters_.values(*l_.bias);
    normalise(input, images.count * l_.tokens, l_.in, gamma, beta, means_.data() + images.first * l_.tokens,
              inverses_.data() + images.first * l_.tokens, output);
  }

  void backward(Images images, const float* input, float* gradient, float* input_gradient,
                int thread) override {
    const float* gamma = parameters_.values(*l_.weights);
    float* gamma_gradient = parameters_.gradient(*l_.weights, thread);
    float* beta_gradient = parameters_.gradient(*l_.bias, thread);
    normalise_backward(input, images.count * l_.tokens, l_.in, gamma,
                       means_.data() + images.first * l_.tokens, inverses_.data() + images.first * l_.tokens,
                       gradient, gamma_gradient, beta_gradient, input_gradient);
  }

 private:
  Layer l_;
  NetworkParameters& parameters_;
  Buffer<float> means_, inverses_;  // of every token
};

class MeanTokens final : public ImageLayer {
 public:
  explicit MeanTokens(const LayerTask& task) : l_(task.layer) {}

  void forward(Images images, const float* input, float* output, int) override {
    const auto tokens = static_cast<float>(l_.tokens);
    for (std::int64_t i = 0; i < images.count; ++i) {
      float* y = output + i * l_.out;
      std::fill(y, y + l_.out, 0.0F);
      add_rows(input + i * l_.input_elements(), l_.in, l_.tokens, l_.in, y);
      for (std::int64_t f = 0; f < l_.out; ++f) y[f] /= tokens;
    }
  }

  void backward(Images images, const float*, float* gradient, float* input_gradient, int) override {
    if (input_gradient == nullptr) return;
    const auto tokens = static_cast<float>(l_.tokens);
    for (std::int64_t i = 0; i < images.count * l_.tokens; ++i) {
      const float* dy = gradient + i / l_.tokens * l_.out;
      for (std::int64_t f = 0; f < l_.out; ++f) input_gradient[i * l_.in + f] = dy[f] / tokens;
    }
  }

  bool needs_input() const override { return false; }

 private:
  Layer l_;
};

}  // namespace

std::unique_ptr<ImageLayer> make_token_dense(const LayerTask& task) {
  return std::make_unique<TokenDense>(task);
}
std::unique_ptr<ImageLayer> make_positions(const LayerTask& task) {
  return std::make_unique<Positions>(task);
}
std::unique_ptr<ImageLayer> make_layer_norm(const LayerTask& task) {
  return std::make_unique<LayerNorm>(task);
}
std::unique_ptr<ImageLayer> make_mean_tokens(const LayerTask& task) {
  return std::make_unique<MeanTokens>(task);
}

}  // namespace breakeven::cblas
