// The networks in plain loops, for reference results. In float64 they are exact enough to compare every
// backend with; in float32, and with rounded operands, they show the tests what honest and dishonest
// arithmetic look like.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/model_task.h"
#include "workloads/network.h"

namespace breakeven {

/// Rounds one operand of a product to a lower precision; null: no rounding.
template <typename Real>
using RoundOperand = Real (*)(Real);

/// `Real` is double or float, the type of all values and sums.
template <typename Real>
class ReferenceNetwork {
 public:
  /// `threads`: the largest number of threads; 0 for compute_threads().
  ReferenceNetwork(Network network, std::uint64_t seed, RoundOperand<Real> round = nullptr, int threads = 0);

  /// Restores the initial parameters and sets the optimiser's state to zero.
  void reset();

  /// Computes the logits, images x 10. `images` holds images x 784 pixel values. Keeps the values that
  /// backward() needs.
  const std::vector<Real>& forward(std::span<const float> images);

  /// Returns the losses of the images of the last forward(), summed and divided by `batch`, and adds their
  /// gradient to gradients(). So a batch may be processed in parts.
  double backward(std::span<const std::uint8_t> labels, std::int64_t batch);

  /// Networks for `count` parts of a batch, which may be computed at the same time, each with `threads`
  /// threads. They have the parameters of this one, which must outlive them and not change, and gradients of
  /// their own.
  std::vector<ReferenceNetwork> parts(std::int64_t count, int threads);
  /// Frees the values that forward() has kept.
  void forget_values();
  /// Adds the gradients of parts, in their order.
  void add_gradients(const std::vector<ReferenceNetwork>& parts);

  /// Runs one step of the optimiser with gradients(), and sets them to zero.
  void update(const Optimizer& optimizer);

  const Network& network() const { return network_; }
  /// One vector for each of network().parameters. parameters() may be modified.
  std::vector<std::vector<Real>>& parameters() { return parameters_; }
  const std::vector<std::vector<Real>>& gradients() const { return gradients_; }

 private:
  using Values = std::vector<Real>;

  /// The values of a layer that its backward pass needs, images x elements each.
  struct Kept {
    std::vector<Real> linear;  // before the activation, if any
    std::vector<Real> output;
    std::vector<Real> output_gradient;  // in a layer's backward function: before the activation
    std::vector<Real> probabilities;    // attention: images x heads x tokens x tokens
  };

  /// A part, whose parameters are those of another network.
  struct NoParameters {};
  ReferenceNetwork(NoParameters, Network network, RoundOperand<Real> round, int threads);

  const std::vector<Real>& input_of(std::size_t layer) const;
  /// The network with the parameters.
  const ReferenceNetwork& whole() const { return whole_ == nullptr ? *this : *whole_; }
  const Values& parameter(std::size_t tensor) const { return whole().parameters_[tensor]; }
  /// Values rounded as operands of products. Where nothing is rounded, they are the values themselves, which
  /// must outlive it.
  class Operand {
   public:
    Operand(const Values& values, RoundOperand<Real> round);
    const Real* data() const { return rounded_.empty() ? values_.data() : rounded_.data(); }

   private:
    const Values& values_;
    Values rounded_;
  };
  /// Transposes the weights of dense layers for forward().
  void transpose_weights();
  /// The number of threads for a loop over `elements` with little to do for each.
  int threads_of_loop(std::int64_t elements) const;

  // One pair of functions for each kind of layer. Forward: computes the output before the activation from
  // zeros. Backward: adds to the gradient of the input, given that of the output before the activation. The
  // image's gradient is null and not computed; only a dense layer or a convolution can be the first layer.
  void dense_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void conv2d_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void max_pool_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void positions_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void attention_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void layer_norm_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void mean_tokens_forward(const Layer& layer, const Values& input, Kept& kept) const;
  void dense_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);
  void conv2d_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);
  void max_pool_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);
  void positions_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);
  void attention_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);
  void layer_norm_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);
  void mean_tokens_backward(const Layer& layer, const Values& input, const Kept& kept, Real* input_gradient);

  struct Functions {
    void (ReferenceNetwork::*forward)(const Layer&, const Values&, Kept&) const;
    void (ReferenceNetwork::*backward)(const Layer&, const Values&, const Kept&, Real*);
  };
  static const Functions& functions_of(LayerKind kind);

  Network network_;
  std::uint64_t seed_;
  RoundOperand<Real> round_;
  int threads_;
  std::int64_t images_ = 0;                  // of the last forward()
  const ReferenceNetwork* whole_ = nullptr;  // in a part: the network with the parameters
  std::vector<std::vector<Real>> parameters_, gradients_, first_moments_, second_moments_;
  std::vector<Values> transposed_weights_;  // of dense layers, by parameter tensor
  int updates_ = 0;
  std::vector<Real> pixels_;
  std::vector<Kept> kept_;
};

extern template class ReferenceNetwork<double>;
extern template class ReferenceNetwork<float>;

/// Computes the softmax cross-entropy of logits, images x 10, summed and divided by `batch`, and its
/// gradient.
template <typename Real>
double cross_entropy(std::span<const Real> logits, std::span<const std::uint8_t> labels, std::int64_t batch,
                     Real* gradient);

}  // namespace breakeven
