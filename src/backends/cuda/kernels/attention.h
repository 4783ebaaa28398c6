// Scaled dot-product attention of one head in one image. The threads of a block share it, with all operands
// in shared memory. With about 28 tokens, its products are too small to benefit from tensor cores, and
// passing scores between kernels would take longer than the arithmetic.
#pragma once

#include <cmath>
#include <cstdint>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

struct AttentionShape {
  int tokens, heads, size;  // `size`: features per head

  /// Features of an output token. An input token has three times as many: q, k and v side by side.
  BREAKEVEN_HOST_DEVICE int width() const { return heads * size; }
  /// Values from one row to the next in shared memory: odd, so that rows start in different banks.
  BREAKEVEN_HOST_DEVICE int stride() const { return size | 1; }
  BREAKEVEN_HOST_DEVICE int operand_floats() const { return tokens * stride(); }
  BREAKEVEN_HOST_DEVICE int score_floats() const { return tokens * tokens; }
  std::int64_t forward_bytes() const {
    return static_cast<std::int64_t>(sizeof(float)) * (3LL * operand_floats() + score_floats());
  }
  std::int64_t backward_bytes() const {
    return static_cast<std::int64_t>(sizeof(float)) * (4LL * operand_floats() + 2LL * score_floats());
  }
};

/// Copies one head's part of an image's tokens, which are `width` values apart, to rows in shared memory.
template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE void load_head(Team team, const AttentionShape& shape, const T* from, int width,
                                     float* to) {
  for (int i = team.rank(); i < shape.tokens * shape.size; i += team.size()) {
    const int token = i / shape.size;
    const int feature = i % shape.size;
    to[token * shape.stride() + feature] =
        Number<T>::load(from[static_cast<std::int64_t>(token) * width + feature]);
  }
}

/// products[t][u] = scale * a[t] . b[u].
template <typename Team>
BREAKEVEN_HOST_DEVICE void products_of_rows(Team team, const AttentionShape& shape, const float* a,
                                            const float* b, float scale, float* products) {
  for (int i = team.rank(); i < shape.score_floats(); i += team.size()) {
    const float* x = a + i / shape.tokens * shape.stride();
    const float* y = b + i % shape.tokens * shape.stride();
    float sum = 0;
    for (int f = 0; f < shape.size; ++f) sum += x[f] * y[f];
    products[i] = scale * sum;
  }
}

/// to[i][f] = sum over j of factors[i][j] (factors[j][i] if `transposed`) rows[j][f]. `to` is an image's
/// tokens, which are `width` values apart.
template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE void weighted_rows(Team team, const AttentionShape& shape, const float* factors,
                                         bool transposed, const float* rows, T* to, int width) {
  const int next = transposed ? shape.tokens : 1;
  const int start = transposed ? 1 : shape.tokens;
  for (int i = team.rank(); i < shape.tokens * shape.size; i += team.size()) {
    const int token = i / shape.size;
    const int feature = i % shape.size;
    float sum = 0;
    for (int j = 0; j < shape.tokens; ++j)
      sum += factors[token * start + j * next] * rows[j * shape.stride() + feature];
    to[static_cast<std::int64_t>(token) * width + feature] = Number<T>::store(sum);
  }
}

/// Replaces each row by its softmax.
template <typename Team>
BREAKEVEN_HOST_DEVICE void softmax_rows(Team team, const AttentionShape& shape, float* scores) {
  for (int t = team.rank(); t < shape.tokens; t += team.size()) {
    float* row = scores + t * shape.tokens;
    float largest = row[0];
    for (int u = 1; u < shape.tokens; ++u) largest = fmaxf(largest, row[u]);
    float sum = 0;
    for (int u = 0; u < shape.tokens; ++u) sum += row[u] = expf(row[u] - largest);
    for (int u = 0; u < shape.tokens; ++u) row[u] /= sum;
  }
}

/// The gradient through the softmax: gradient = scale P (gradient - sum of P gradient), row by row, in place.
template <typename Team>
BREAKEVEN_HOST_DEVICE void softmax_rows_gradient(Team team, const AttentionShape& shape,
                                                 const float* probabilities, float scale, float* gradient) {
  for (int t = team.rank(); t < shape.tokens; t += team.size()) {
    const float* p = probabilities + t * shape.tokens;
    float* row = gradient + t * shape.tokens;
    float mean = 0;
    for (int u = 0; u < shape.tokens; ++u) mean += p[u] * row[u];
    for (int u = 0; u < shape.tokens; ++u) row[u] = scale * p[u] * (row[u] - mean);
  }
}

BREAKEVEN_HOST_DEVICE inline float attention_scale(const AttentionShape& shape) {
  return 1.0F / sqrtf(static_cast<float>(shape.size));
}

/// Computes head `head` of one image: `qkv` is tokens x 3 width, `output` tokens x width; `memory` has
/// forward_bytes().
template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE void attend(Team team, const AttentionShape& shape, int head, const T* qkv, T* output,
                                  float* memory) {
  const int width = shape.width();
  float* q = memory;
  float* k = q + shape.operand_floats();
  float* v = k + shape.operand_floats();
  float* scores = v + shape.operand_floats();
  const T* from = qkv + head * shape.size;
  load_head(team, shape, from, 3 * width, q);
  load_head(team, shape, from + width, 3 * width, k);
  load_head(team, shape, from + 2 * width, 3 * width, v);
  team.sync();
  products_of_rows(team, shape, q, k, attention_scale(shape), scores);
  team.sync();
  softmax_rows(team, shape, scores);
  team.sync();
  weighted_rows(team, shape, scores, false, v, output + head * shape.size, width);
}

/// Computes the gradients of q, k and v, in their layout. It recomputes the probabilities, which is faster
/// than storing them. `memory` has backward_bytes().
template <typename Team, typename T>
BREAKEVEN_HOST_DEVICE void attend_gradient(Team team, const AttentionShape& shape, int head, const T* qkv,
                                           const T* output_gradient, T* gradient, float* memory) {
  const int width = shape.width();
  float* q = memory;
  float* k = q + shape.operand_floats();
  float* v = k + shape.operand_floats();
  float* dy = v + shape.operand_floats();
  float* probabilities = dy + shape.operand_floats();
  float* scores = probabilities + shape.score_floats();  // gradient of the scores
  const float scale = attention_scale(shape);
  const T* from = qkv + head * shape.size;
  load_head(team, shape, from, 3 * width, q);
  load_head(team, shape, from + width, 3 * width, k);
  load_head(team, shape, from + 2 * width, 3 * width, v);
  load_head(team, shape, output_gradient + head * shape.size, width, dy);
  team.sync();
  products_of_rows(team, shape, q, k, scale, probabilities);
  products_of_rows(team, shape, dy, v, 1.0F, scores);
  team.sync();
  softmax_rows(team, shape, probabilities);
  softmax_rows_gradient(team, shape, probabilities, scale, scores);  // each thread has the same rows
  team.sync();
  T* to = gradient + head * shape.size;
  weighted_rows(team, shape, scores, false, k, to, 3 * width);
  weighted_rows(team, shape, scores, true, q, to + width, 3 * width);
  weighted_rows(team, shape, probabilities, true, dy, to + 2 * width, 3 * width);
}

}  // namespace breakeven::cuda
