// What networks do between products, on arrays in memory.
#pragma once

#include <cstdint>

namespace breakeven::cblas {

/// Adds `bias` to each of `rows` rows of `columns` values, `stride` apart; then ReLU where asked for.
void add_bias(float* y, std::int64_t stride, std::int64_t rows, std::int64_t columns, const float* bias,
              bool relu);
/// The gradient passes where x is above 0: the slope of ReLU, told from its result.
void keep_where_positive(const float* x, float* gradient, std::int64_t count);
void add_to(const float* from, float* to, std::int64_t count);
/// sums[j] += the sum of column j of a matrix with rows `stride` apart.
void add_rows(const float* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* sums);
/// y = x/2 (1 + erf(x / sqrt 2)), and its slope times the gradient.
void gelu(const float* x, float* y, std::int64_t count);
void gelu_backward(const float* x, float* gradient, std::int64_t count);
/// Each row becomes exp(scale x - its largest), divided by the row's sum.
void softmax(float* rows, std::int64_t count, std::int64_t columns, float scale);

/// One optimiser step on `count` parameters, as workloads/model_task.h defines them.
void update_sgd(float* w, float* v, const float* g, std::int64_t count, float rate, float momentum);
struct AdamStep {
  float beta1, beta2, rest1, rest2;  // rest: 1 - beta, which f32 would round badly
  float epsilon;
  float rate;             // learning rate / (1 - beta1^t)
  float root_correction;  // 1 / sqrt(1 - beta2^t)
};
void update_adam(float* w, float* m, float* v, const float* g, std::int64_t count, const AdamStep& step);

}  // namespace breakeven::cblas
