// The small networks: their layers, their parameters and initial values, their loss. Every backend, in any
// language, builds its own network from this description.
//
// All of them read one image of 28 x 28 values and give ten logits. The activations of one image are stored
// contiguously and row-major, as channels x height x width or as tokens x features, and the images of a batch
// one after the other; `dense` reads the output of the layer before it as tokens x in, so flattening costs
// nothing.
//
//   mlp          dense 784-512-512-10, ReLU between. `width` sets both hidden widths.
//   lenet        conv 6 @ 5x5 pad 2, pool, conv 16 @ 5x5, pool, dense 400-120-84-10, ReLU
//   cnn          conv 32 @ 3x3, conv 64 @ 3x3, pool, dense 9216-128-10, ReLU
//   transformer  The image's 28 rows are 28 tokens of 28 values. Dense to `width` (128), learned positions,
//                one post-norm encoder block as PyTorch's TransformerEncoderLayer without dropout (`heads` 4,
//                feed-forward width `hidden` 512, GELU), mean over the tokens, dense to 10.
//
// The loss is softmax cross-entropy, the mean over the batch.
//
// Initial values: element i of parameter tensor t is RandomStream(seed, stream::parameters + t).uniform(i)
// times the tensor's scale, one f32 product; the scale of weights and biases is 1/sqrt(fan_in) rounded from
// f64 to f32 (PyTorch's own bound for both), that of positions is 0.02. Layer normalisation begins at gamma
// 1, beta 0. Tensors are numbered in the order of the layers, weights before bias, gamma before beta.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/dtype.h"
#include "workloads/parameters.h"

namespace breakeven {

inline constexpr std::int64_t image_side = 28;
inline constexpr std::int64_t image_pixels = image_side * image_side;
inline constexpr std::int64_t classes = 10;
inline constexpr double layer_norm_epsilon = 1e-5;

enum class LayerKind {
  dense,        // y = x W^T + b on every token; W is out x in
  conv2d,       // cross-correlation with square filters; W is KCRS; b one value a filter
  max_pool,     // over 2 x 2 squares, stride 2; an odd last row or column is dropped
  positions,    // y = x + P, P tokens x features
  attention,    // scaled dot product; reads tokens x 3 out: q, k and v side by side
  layer_norm,   // over a token's features: gamma (x - mean) / sqrt(variance + 1e-5) + beta; variance over n
  mean_tokens,  // tokens x features -> features
};

/// gelu is exact: x/2 (1 + erf(x / sqrt 2)).
enum class Activation { none, relu, gelu };

/// One layer, which reads the output of the previous layer (the first reads the image): output =
/// activation(layer(input)) + output of layer `add_from`, if it is set.
struct Layer {
  LayerKind kind = LayerKind::dense;
  std::string name;  // unique in the network
  Activation activation = Activation::none;
  std::optional<std::size_t> add_from;  // residual: index of an earlier layer

  // For dense, positions, attention, layer_norm and mean_tokens. For mean_tokens, `tokens` is the number that
  // it reads.
  std::int64_t tokens = 1, in = 0, out = 0;
  std::int64_t heads = 1;  // attention: head h uses features [h out/heads, (h+1) out/heads) of q, k and v

  // For conv2d and max_pool: c x h x w -> k x p x q.
  std::int64_t c = 0, h = 0, w = 0, k = 0, p = 0, q = 0;
  std::int64_t filter = 0, stride = 1, pad = 0;  // the same for rows and columns

  // Indices into Network::parameters: W and b; P; gamma and beta.
  std::optional<std::size_t> weights, bias;

  bool spatial() const { return kind == LayerKind::conv2d || kind == LayerKind::max_pool; }
  /// The number of elements of one image's input and output.
  std::int64_t input_elements() const { return spatial() ? c * h * w : tokens * in; }
  std::int64_t output_elements() const {
    return spatial() ? k * p * q : kind == LayerKind::mean_tokens ? out : tokens * out;
  }
  /// The number of terms of the longest sum for one output element.
  std::int64_t sum_length() const;
};

struct ParameterTensor {
  enum class Start { uniform, ones, zeros };

  std::string name;  // such as `dense1.weight`
  std::vector<std::int64_t> shape;
  Start start = Start::uniform;
  float scale = 1;  // factor of the uniform initial values

  std::int64_t elements() const;
};

struct Network {
  std::string name;
  std::vector<Layer> layers;
  std::vector<ParameterTensor> parameters;

  std::int64_t parameter_elements() const;
  /// The number of elements of the outputs of all layers, for one image.
  std::int64_t activation_elements() const;
};

/// The names that make_network() knows.
const std::vector<std::string>& network_names();
/// The network's name in sentences: "the MLP", "LeNet"; an unknown name is returned unchanged.
std::string network_display_name(const std::string& name);

/// Makes a network from the parameters `network`, `width`, `heads` and `hidden`; 0 selects the network's
/// default. Throws InvalidCase if a network has no such size, or if the sizes do not fit together.
Network make_network(const Parameters& parameters);

/// The values of tensor `index` of network.parameters before training, row-major.
std::vector<float> initial_values(const Network& network, std::size_t index, std::uint64_t seed);

/// The number of operations for one image, in products only (dense, conv2d, and attention's two); a
/// multiply-add counts as two. Element-wise work (biases, activations, normalisation, softmax, the optimiser)
/// is left out, as is usual.
double flop_forward(const Layer& layer);
double flop_forward(const Network& network);
/// The number of operations for the gradients of weights and input: for every product, two products of the
/// same size. The first layer's input is the image, whose gradient is not needed.
double flop_backward(const Network& network);
/// The forward operations if each row and column of a filter takes a single multiplication, the lower limit
/// of all algorithms (Winograd, Arithmetic Complexity of Computations, SIAM 1980).
double least_flop_forward(const Network& network);
double least_flop_backward(const Network& network);

}  // namespace breakeven
