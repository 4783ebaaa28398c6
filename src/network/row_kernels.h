// The loops of CPU networks other than products and convolutions: activations, normalisation, loss,
// optimisers. They run on the calling thread, and are compiled for several generations of processors
// (worker/vectorised.h).
#pragma once

#include <cstdint>
#include <span>

#include "workloads/model_task.h"

namespace breakeven {

/// Adds `bias` to each of `rows` rows of `columns` values, `stride` apart; then applies ReLU if `relu`.
void add_bias(float* y, std::int64_t stride, std::int64_t rows, std::int64_t columns, const float* bias,
              bool relu);
/// ReLU's gradient, from its output: gradients become 0 where x is not above 0.
void keep_where_positive(const float* x, float* gradient, std::int64_t count);
void add_to(const float* from, float* to, std::int64_t count);
/// sums[j] += the sum of column j of a matrix with rows `stride` apart.
void add_rows(const float* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* sums);
/// Computes the mean of `rows` contiguous rows, and the gradient of the rows: an equal share each.
void mean_of_rows(const float* matrix, std::int64_t rows, std::int64_t columns, float* mean);
void mean_of_rows_backward(const float* gradient, std::int64_t rows, std::int64_t columns,
                           float* matrix_gradient);

/// y = x/2 (1 + erf(x / sqrt 2)). The second replaces the gradient of y by that of x.
void gelu(const float* x, float* y, std::int64_t count);
void gelu_backward(const float* x, float* gradient, std::int64_t count);

/// Each row becomes exp(scale x - its largest), divided by the row's sum.
void softmax(float* rows, std::int64_t count, std::int64_t columns, float scale);
/// Replaces the gradient of softmax's results by that of x.
void softmax_backward(const float* results, float* gradient, std::int64_t count, std::int64_t columns,
                      float scale);

/// Computes y = gamma (x - mean) / deviation + beta for each row, and stores mean and 1 / deviation.
void normalise(const float* input, std::int64_t rows, std::int64_t features, const float* gamma,
               const float* beta, float* means, float* inverses, float* output);
void normalise_backward(const float* input, std::int64_t rows, std::int64_t features, const float* gamma,
                        const float* means, const float* inverses, const float* gradient,
                        float* input_gradient);
/// Adds the gradients of `features` neighbouring elements of gamma and beta. Rows are `stride` apart.
void add_normalise_gradients(const float* input, std::int64_t stride, std::int64_t rows,
                             std::int64_t features, const float* means, const float* inverses,
                             const float* gradient, float* gamma_gradient, float* beta_gradient);

/// The mean softmax cross-entropy of the images `rows` of a data set, from logits rows x classes. Writes
/// `scale` times its gradient.
double cross_entropy(const float* logits, std::span<const std::uint8_t> labels,
                     std::span<const std::uint32_t> rows, float scale, float* gradient);

/// The constants of one step of Adam.
struct AdamStep {
  float beta1, beta2, rest1, rest2;  // rest: 1 - beta, which f32 would round badly
  float epsilon;
  float rate;             // learning rate / (1 - beta1^t)
  float root_correction;  // 1 / sqrt(1 - beta2^t)
};

/// One step of an optimiser, as workloads/model_task.h defines it.
class OptimizerStep {
 public:
  OptimizerStep() = default;
  /// `number` counts from 1.
  OptimizerStep(const Optimizer& optimizer, std::int64_t number);
  /// Updates `count` parameters and their state: `first` and, of Adam alone, `second`.
  void update(float* parameters, float* first, float* second, const float* gradient,
              std::int64_t count) const;

 private:
  Optimizer optimizer_;
  AdamStep adam_{};
};

}  // namespace breakeven
