// Dense layers: three products, fused with as much as cuBLASLt's epilogues can do, unless the task requests
// separate kernels (ModelTask::fused).
//   forward   Y = X W^T + b, then ReLU, which may write its gradient as a mask of bits; or + the added tensor
//   weights   dW = dY^T X, and db, the sums of dY over its rows
//   input     dX = dY W, times the gradient of the previous layer's ReLU; or + the gradient of a later sum
// GELU is a kernel of this program, because cuBLASLt has only the tanh approximation.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "backends/cuda/network/layers.h"
#include "backends/cuda/products.h"
#include "backends/cuda/race.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

/// Algorithms to try for each product.
constexpr int candidates = 16;

class Dense final : public LayerWork {
 public:
  explicit Dense(const LayerSite& site)
      : LayerWork(site),
        in_(site.layer.in),
        out_(site.layer.out),
        rows_(site.task.batch * site.layer.tokens) {
    const bool gelu = site_.layer.activation == Activation::gelu;
    if (gelu && training()) linear_ = Memory(rows_ * out_ * element_bytes());
    prepare_forward();
  }

  void forward() override {
    forward_->enqueue(stream());
    if (own_bias_) {
      add_bias(site_.is_last ? Dtype::f32 : dtype(), linear(), bias(), out_, 1, has_relu(), rows_ * out_,
               stream());
    }
    if (site_.layer.activation == Activation::gelu)
      apply_gelu(dtype(), linear(), site_.output.value, rows_ * out_, stream());
  }

  void prepare_backward() override {
    own_slope_ = site_.layer.activation != Activation::none && !site_.output.slope_applied;
    prepare_weights();
    if (site_.wants_input_gradient) prepare_input();
  }

  void backward() override {
    if (own_slope_ && site_.layer.activation == Activation::gelu) {
      sum_rows_through_gelu(dtype(), sums_.get(), linear(), site_.output.gradient, bias_gradient(), stream());
    } else if (own_slope_) {
      sum_rows_through_relu(dtype(), sums_.get(), site_.output.value, site_.output.gradient, bias_gradient(),
                            stream());
    }
    enqueue_weights(site_.engine.branch.fork());
    if (input_gradient_) input_gradient_->enqueue(stream());
  }

  std::string algorithm() const override {
    std::string text =
        fmt::format("{}: forward{}: {}", site_.layer.name, followed_by_, forward_->algorithm());
    if (weights_gradient_) {
      text += fmt::format("; weights' gradient{}: {}", bias_in_product_ ? " with the bias's" : "",
                          weights_gradient_->algorithm());
    }
    if (input_gradient_) {
      text += fmt::format("; input's gradient{}: {}", site_.input.slope_applied ? " with ReLU's" : "",
                          input_gradient_->algorithm());
    }
    return text;
  }

 private:
  /// GELU's input. In inference it is overwritten by the output.
  void* linear() { return linear_.bytes() > 0 ? linear_.data() : site_.output.value; }

  std::optional<Product> product(const ProductProblem& problem, const ProductOperands& operands) {
    return std::optional<Product>(std::in_place, problem, operands, site_.engine.stopwatch,
                                  site_.task.tuned ? candidates : 1);
  }
  /// Empty if cuBLASLt has no kernel that does all of this at once: then several kernels are needed.
  std::optional<Product> product_if_supported(const ProductProblem& problem,
                                              const ProductOperands& operands) {
    try {
      return product(problem, operands);
    } catch (const Unsupported&) {
      return std::nullopt;
    }
  }

  void prepare_forward() {
    ProductProblem problem{
        .m = rows_, .n = out_, .k = in_, .transpose_b = true, .types = product_types(dtype())};
    ProductOperands operands{
        .a = site_.input.value, .b = weights(), .c = linear(), .workspace = site_.engine.product_workspace};
    if (site_.added != nullptr) operands.addend = site_.added->value;
    if (site_.is_last) problem.types.output = CUDA_R_32F;  // logits
    if (site_.task.fused && prepare_fused_forward(problem, operands)) return;
    own_bias_ = true;
    followed_by_ = site_.added != nullptr ? " with sum" : "";
    forward_ = product(problem, operands);
  }

  /// Fuses as much with the product as cuBLASLt has a kernel for. Returns false if it has none.
  bool prepare_fused_forward(ProductProblem problem, ProductOperands operands) {
    operands.bias = site_.is_last ? bias() : site_.parameters.operand(*site_.layer.bias);
    if (has_relu() && training()) {
      site_.output.relu_mask = Memory(mask_bytes(rows_, out_));
      operands.mask = site_.output.relu_mask.data();
      problem.epilogue = CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
      followed_by_ = " with bias, ReLU and its slopes";
      if ((forward_ = product_if_supported(problem, operands))) return true;
      site_.output.relu_mask = {};
      operands.mask = nullptr;
    }
    problem.epilogue = has_relu() ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    followed_by_ = has_relu()               ? " with bias and ReLU"
                   : site_.added != nullptr ? " with bias and sum"
                                            : " with bias";
    forward_ = product_if_supported(problem, operands);
    return forward_.has_value();
  }

  /// Computes the bias's gradient in the same kernel if cuBLASLt has one and it is faster than a separate
  /// kernel.
  void prepare_weights() {
    ProductProblem problem{
        .m = out_, .n = in_, .k = rows_, .transpose_a = true, .types = product_types(dtype())};
    problem.types.output = CUDA_R_32F;
    ProductOperands operands{.a = site_.output.gradient,
                             .b = site_.input.value,
                             .c = weights_gradient(),
                             .workspace = site_.engine.branch_workspace};
    weights_gradient_ = product(problem, operands);
    sums_ = RowSums({.rows = rows_, .columns = out_}, stream());
    if (own_slope_ || !site_.task.fused) return;
    problem.epilogue = CUBLASLT_EPILOGUE_BGRADB;
    operands.bias = bias_gradient();
    std::optional<Product> fused = product_if_supported(problem, operands);
    if (!fused) return;
    if (site_.task.tuned) {
      const RaceResult raced = race(
          site_.engine.stopwatch, {[this] { enqueue_weights(stream()); }, [&] { fused->enqueue(stream()); }});
      if (raced.fastest == 0) return;
    }
    weights_gradient_ = std::move(fused);
    bias_in_product_ = true;
    sums_ = {};
  }

  void enqueue_weights(cudaStream_t stream) {
    if (!own_slope_ && !bias_in_product_) {
      sum_rows(dtype(), sums_.get(), site_.output.gradient, bias_gradient(), stream);
    }
    weights_gradient_->enqueue(stream);
  }

  void prepare_input() {
    ProductProblem problem{.m = rows_,
                           .n = in_,
                           .k = out_,
                           .types = product_types(dtype()),
                           .epilogue = CUBLASLT_EPILOGUE_DRELU};
    ProductOperands operands{.a = site_.output.gradient,
                             .b = weights(),
                             .c = site_.input.gradient,
                             .mask = site_.input.relu_mask.data(),
                             .workspace = site_.engine.product_workspace};
    if (site_.input_added_to != nullptr) {
      operands.addend = site_.input_added_to->gradient;
    } else if (site_.input.relu_mask.bytes() > 0 && fits_mask()) {
      if ((input_gradient_ = product_if_supported(problem, operands))) {
        site_.input.slope_applied = true;
        return;
      }
    }
    problem.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    operands.mask = nullptr;
    input_gradient_ = product(problem, operands);
  }

  /// True if the mask was written for a matrix of the shape that this layer reads.
  bool fits_mask() const { return site_.input.relu_mask.bytes() == mask_bytes(rows_, in_); }

  std::int64_t in_, out_, rows_;
  Memory linear_;  // GELU's input
  std::optional<Product> forward_, weights_gradient_, input_gradient_;
  std::string followed_by_;       // operations fused with the forward product, for algorithm()
  bool own_bias_ = false;         // a separate kernel adds the bias, and applies ReLU
  bool own_slope_ = false;        // a separate kernel applies the activation's gradient, and sums the bias's
  bool bias_in_product_ = false;  // the product of the weights' gradient also sums the bias's
  RowSums sums_;
};

const Layers::Registration dense_layer(LayerKind::dense, Layers::make_one<Dense>);

}  // namespace
}  // namespace breakeven::cuda
