// The networks in plain loops: the arbiter of what every backend computes. In float64 it gives the truth; in
// float32, and with operands rounded on the way, it shows the tests what honest and dishonest arithmetic look
// like.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/model_task.h"
#include "workloads/network.h"

namespace breakeven {

/// What a narrower type does to one operand of a product; none where it is null.
template <typename Real>
using RoundOperand = Real (*)(Real);

/// `Real` is double or float: of all values and of every running sum.
template <typename Real>
class ReferenceNetwork {
 public:
  /// `threads`: how many at most; 0 for compute_threads().
  ReferenceNetwork(Network network, std::uint64_t seed, RoundOperand<Real> round = nullptr, int threads = 0);

  /// Initial parameters; optimiser state zero.
  void reset();

  /// The logits, images x 10. `images` holds images x 784 pixel values. Keeps what backward() needs.
  const std::vector<Real>& forward(std::span<const float> images);

  /// Returns the losses of the images that forward() saw last, summed and divided by `batch`, and adds the
  /// gradient of that to gradients(). A batch may so be taken in parts.
  double backward(std::span<const std::uint8_t> labels, std::int64_t batch);

  /// One step of the optimiser along gradients(), which are zero after it.
  void update(const Optimizer& optimizer);

  const Network& network() const { return network_; }
  /// One vector for each of network().parameters. The first may be changed.
  std::vector<std::vector<Real>>& parameters() { return parameters_; }
  const std::vector<std::vector<Real>>& gradients() const { return gradients_; }

 private:
  using Values = std::vector<Real>;

  /// What one layer keeps for its backward pass, images x elements each.
  struct Kept {
    std::vector<Real> linear;  // before the activation, where there is one
    std::vector<Real> output;
    std::vector<Real> output_gradient;
    std::vector<Real> probabilities;  // attention: images x heads x tokens x tokens
  };

  const std::vector<Real>& input_of(std::size_t layer) const;
  std::vector<Real> operand(const std::vector<Real>& values) const;
  void layer_forward(std::size_t index);
  /// `gradient` is that of the layer before its activation; the input's is added to `input_gradient`.
  /// (Products leave out the image's, which nobody needs.)
  void layer_backward(std::size_t index, const Values& gradient, Values& input_gradient);

  // A kind of layer each. Outputs are zero before; an input's gradient that is null is not needed.
  void dense_forward(const Layer& layer, const Values& input, Values& output) const;
  void conv2d_forward(const Layer& layer, const Values& input, Values& output) const;
  void max_pool_forward(const Layer& layer, const Values& input, Values& output) const;
  void positions_forward(const Layer& layer, const Values& input, Values& output) const;
  void attention_forward(const Layer& layer, const Values& input, Values& output,
                         Values& probabilities) const;
  void layer_norm_forward(const Layer& layer, const Values& input, Values& output) const;
  void mean_tokens_forward(const Layer& layer, const Values& input, Values& output) const;
  void dense_backward(const Layer& layer, const Values& input, const Values& gradient, Real* input_gradient);
  void conv2d_backward(const Layer& layer, const Values& input, const Values& gradient, Real* input_gradient);
  void max_pool_backward(const Layer& layer, const Values& input, const Values& gradient,
                         Real* input_gradient) const;
  void positions_backward(const Layer& layer, const Values& gradient, Real* input_gradient);
  void attention_backward(const Layer& layer, const Values& input, const Values& exact_probabilities,
                          const Values& gradient, Real* input_gradient) const;
  void layer_norm_backward(const Layer& layer, const Values& input, const Values& gradient,
                           Real* input_gradient);
  void mean_tokens_backward(const Layer& layer, const Values& gradient, Real* input_gradient) const;

  Network network_;
  std::uint64_t seed_;
  RoundOperand<Real> round_;
  int threads_;
  std::int64_t images_ = 0;  // of the last forward()
  std::vector<std::vector<Real>> parameters_, gradients_, first_moments_, second_moments_;
  int updates_ = 0;
  std::vector<Real> pixels_, pixel_gradient_;
  std::vector<Kept> kept_;
};

extern template class ReferenceNetwork<double>;
extern template class ReferenceNetwork<float>;

/// Softmax cross-entropy of logits images x 10, summed and divided by `batch`; writes its gradient.
template <typename Real>
double cross_entropy(std::span<const Real> logits, std::span<const std::uint8_t> labels, std::int64_t batch,
                     Real* gradient);

}  // namespace breakeven
