// Convolutions of a network. One kernel of this program computes the gradients of ReLU and of the bias, and
// reads each value once.
#include <fmt/format.h>

#include <memory>

#include "backends/cuda/convolutions.h"
#include "backends/cuda/network/layers.h"
#include "backends/cuda/race.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

/// Plans to race for each convolution of a step.
constexpr int most_plans = 8;

class ConvolutionLayer final : public LayerWork {
 public:
  explicit ConvolutionLayer(const LayerSite& site)
      : LayerWork(site), plans_(site.task.tuned ? most_plans : 1) {
    const Layer& layer = site_.layer;
    if (layer.activation == Activation::gelu)
      throw Unsupported(fmt::format("no GELU behind the convolution '{}' here", layer.name));
    if (!site_.engine.cudnn) site_.engine.cudnn = make_handle();
    prepare_forward();
  }

  void forward() override {
    if (fused_) return fused_->enqueue(stream());
    enqueue_plain();
  }

  void prepare_backward() override {
    own_slope_ = has_relu() && !site_.output.slope_applied;
    sums_ = RowSums({.rows = site_.task.batch * site_.layer.p * site_.layer.q,
                     .columns = site_.layer.k,
                     .plane = values_of_a_channel()},
                    stream());
    const bool is_narrow = facts(dtype()).bytes() < sizeof(float);
    const std::int64_t elements = weight_elements();
    if (is_narrow) narrow_gradient_ = Memory(elements * element_bytes());
    weights_gradient_ = convolution(problem(Pass::backward_weights),
                                    {.first = site_.input.value,
                                     .second = site_.output.gradient,
                                     .output = is_narrow ? narrow_gradient_.data() : weights_gradient()});
    if (!site_.wants_input_gradient) return;
    input_gradient_ =
        convolution(problem(Pass::backward_data),
                    {.first = site_.output.gradient, .second = weights(), .output = site_.input.gradient});
  }

  void backward() override {
    // This changes the gradient that the others read.
    if (own_slope_) {
      sum_rows_through_relu(dtype(), sums_.get(), site_.output.value, site_.output.gradient, bias_gradient(),
                            stream());
    }
    auto* const apart = site_.engine.branch.fork();
    if (!own_slope_) sum_rows(dtype(), sums_.get(), site_.output.gradient, bias_gradient(), apart);
    weights_gradient_->enqueue(apart);
    if (narrow_gradient_.bytes() > 0) {
      widen(dtype(), narrow_gradient_.data(), weights_gradient(), weight_elements(), apart);
    }
    if (input_gradient_) input_gradient_->enqueue(stream());
  }

  std::string algorithm() const override {
    std::string text =
        fused_ ? fmt::format("{}: forward with bias and ReLU: {}", site_.layer.name, fused_->algorithm())
               : fmt::format("{}: forward: {}", site_.layer.name, plain_->algorithm());
    if (weights_gradient_) text += "; weights' gradient: " + weights_gradient_->algorithm();
    if (input_gradient_) text += "; input's gradient: " + input_gradient_->algorithm();
    return text;
  }

 private:
  std::int64_t weight_elements() const { return site_.layer.k * site_.layer.sum_length(); }
  /// The number of values of one channel that are stored contiguously.
  std::int64_t values_of_a_channel() const {
    return site_.engine.layout == TensorLayout::nchw ? site_.layer.p * site_.layer.q : 1;
  }

  void enqueue_plain() {
    plain_->enqueue(stream());
    add_bias(dtype(), site_.output.value, bias(), site_.layer.k, values_of_a_channel(), has_relu(),
             output_elements(), stream());
  }

  ConvolutionProblem problem(Pass pass) const {
    const Layer& layer = site_.layer;
    return {.pass = pass,
            .dtype = dtype(),
            .layout = site_.engine.layout,
            .source = {site_.task.batch, layer.c, layer.h, layer.w},
            .weights = {layer.k, layer.c, layer.filter, layer.filter},
            .result = {site_.task.batch, layer.k, layer.p, layer.q},
            .pad_h = layer.pad,
            .pad_w = layer.pad,
            .stride_h = layer.stride,
            .stride_w = layer.stride,
            .deterministic = site_.task.exchange.deterministic};
  }

  std::unique_ptr<Convolution> convolution(const ConvolutionProblem& p, const ConvolutionMemory& operands) {
    return std::make_unique<Convolution>(p, operands, site_.engine.cudnn.get(), site_.engine.stopwatch,
                                         plans_);
  }

  /// Uses one kernel for convolution, bias and ReLU if cuDNN has one and it is faster than a convolution
  /// followed by a kernel for the rest.
  void prepare_forward() {
    ConvolutionProblem forward_problem = problem(Pass::forward);
    ConvolutionMemory operands{.first = site_.input.value, .second = weights(), .output = site_.output.value};
    plain_ = convolution(forward_problem, operands);
    if (!has_relu() || !site_.task.fused) return;
    forward_problem.bias_and_relu = true;
    operands.bias = site_.parameters.operand(*site_.layer.bias);
    try {
      fused_ = convolution(forward_problem, operands);
    } catch (const Unsupported&) {
      return;
    } catch (const OutOfMemory&) {
      return;  // only the other one's workspace fits
    }
    bool is_fused_faster = true;
    if (site_.task.tuned) {
      is_fused_faster =
          race(site_.engine.stopwatch, {[this] { enqueue_plain(); }, [this] { fused_->enqueue(stream()); }})
              .fastest == 1;
    }
    (is_fused_faster ? plain_ : fused_).reset();
  }

  int plans_;                                   // number of plans to try for each convolution
  std::unique_ptr<Convolution> fused_, plain_;  // one of these is set after preparation
  std::unique_ptr<Convolution> weights_gradient_, input_gradient_;
  Memory narrow_gradient_;  // of the weights, as cuDNN writes it
  bool own_slope_ = false;
  RowSums sums_;
};

const Layers::Registration conv2d_layer(LayerKind::conv2d, Layers::make_one<ConvolutionLayer>);

}  // namespace
}  // namespace breakeven::cuda
