// The kernels of the networks, each enqueued by a plain call. Tensors are device memory holding a batch, one
// image behind the other; `void*` are of `dtype` (f32 where it is tf32), everything else is f32. The
// arithmetic is in the headers named below, which the unit tests run on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backends/cuda/kernels/attention.h"
#include "backends/cuda/kernels/optimizers.h"
#include "backends/cuda/kernels/pooling.h"
#include "workloads/dtype.h"

namespace breakeven::cuda {

// elementwise.cu (elementwise.h)

/// Images as bytes, and the rows of batches, stored contiguously.
struct DeviceImages {
  const std::uint8_t* pixels = nullptr;
  const std::uint8_t* labels = nullptr;
  const std::uint32_t* rows = nullptr;
};
/// Position among the rows. It is kept on the device, so that a batch does not wait for the host.
struct RowsPlace {
  std::uint32_t first = 0;  // of the next batch, among `count` rows
  std::uint32_t count = 0;
  unsigned finished = 0;  // blocks that have ended, zero between launches
};
/// `place` = the first of `count` rows, at least a batch.
void begin_rows(RowsPlace* place, std::int64_t count, cudaStream_t stream);
/// values and labels = those of the next batch, batch x pixels and batch. Behind the last whole batch comes
/// the first again.
void gather_images(Dtype dtype, const DeviceImages& images, RowsPlace* place, std::int64_t batch,
                   std::int64_t pixels, void* values, std::uint8_t* labels, cudaStream_t stream);
void apply_gelu(Dtype dtype, const void* x, void* y, std::int64_t count, cudaStream_t stream);
/// y[i] = x[i] + period[i mod length]
void add_periodic(Dtype dtype, const void* x, const float* period, std::int64_t length, void* y,
                  std::int64_t count, cudaStream_t stream);
/// y[i] = ReLU, if requested, of y[i] + bias[i / inner mod channels]. `inner`: values of one channel that are
/// stored contiguously; 1 with channels last.
void add_bias(Dtype dtype, void* y, const float* bias, std::int64_t channels, std::int64_t inner,
              bool then_relu, std::int64_t count, cudaStream_t stream);
/// From f32 to the dtype, and back.
void narrow(Dtype dtype, const float* from, void* to, std::int64_t count, cudaStream_t stream);
void widen(Dtype dtype, const void* from, float* to, std::int64_t count, cudaStream_t stream);
/// Means of tokens x features over the tokens, and their gradient.
void mean_tokens(Dtype dtype, const void* x, void* means, std::int64_t images, std::int64_t tokens,
                 std::int64_t features, cudaStream_t stream);
void mean_tokens_gradient(Dtype dtype, const void* gradient, void* x_gradient, std::int64_t images,
                          std::int64_t tokens, std::int64_t features, cudaStream_t stream);

// columns.cu

/// A matrix, rows x columns, that is summed over its rows. With a `plane` over 1, so many rows of one column
/// are stored contiguously, then those of the next column: images with channels first.
struct SummedRows {
  std::int64_t rows = 0, columns = 0, plane = 1;
};
/// Room for the sums, which many blocks share: each sums some rows, and the last to end sums what they found,
/// always in the same order.
struct ColumnSums {
  SummedRows of;
  float* partial = nullptr;      // of every block
  unsigned* finished = nullptr;  // blocks that have ended, zero between launches

  static std::int64_t partial_floats(const SummedRows& of);
  static std::int64_t counters(const SummedRows& of);
};

/// bias_gradient[c] = sum over rows of gradient[r][c]
void sum_rows(Dtype dtype, const ColumnSums& sums, const void* gradient, float* bias_gradient,
              cudaStream_t stream);
/// The same after gradient[r][c] *= the slope of ReLU, of which `output` is the result; or of GELU, which was
/// given `linear`.
void sum_rows_through_relu(Dtype dtype, const ColumnSums& sums, const void* output, void* gradient,
                           float* bias_gradient, cudaStream_t stream);
void sum_rows_through_gelu(Dtype dtype, const ColumnSums& sums, const void* linear, void* gradient,
                           float* bias_gradient, cudaStream_t stream);
/// gamma_gradient[f] = sum over tokens of gradient normal(x), beta_gradient[f] that of gradient. `moments`:
/// two values a token, as normalise() leaves them.
void sum_rows_of_normal(Dtype dtype, const ColumnSums& sums, const void* x, const float* moments,
                        const void* gradient, float* gamma_gradient, float* beta_gradient,
                        cudaStream_t stream);

// normalisation.cu (normalisation.h)

void normalise(Dtype dtype, const void* x, std::int64_t tokens, std::int64_t features, const float* gamma,
               const float* beta, void* y, float* moments, cudaStream_t stream);
void normalise_gradient(Dtype dtype, const void* x, std::int64_t tokens, std::int64_t features,
                        const float* gamma, const float* moments, const void* gradient, void* x_gradient,
                        cudaStream_t stream);

// attention.cu (attention.h)

/// What a block's memory has room for, at most, on this device.
std::int64_t most_block_bytes();
/// To be called once, outside of a captured graph, before those that follow: they may then use `bytes`.
void allow_attention(Dtype dtype, std::int64_t bytes);
void attention(Dtype dtype, const AttentionShape& shape, std::int64_t images, const void* qkv, void* output,
               cudaStream_t stream);
void attention_gradient(Dtype dtype, const AttentionShape& shape, std::int64_t images, const void* qkv,
                        const void* gradient, void* qkv_gradient, cudaStream_t stream);

// pooling.cu (pooling.h)

void max_pool(Dtype dtype, const PoolShape& shape, std::int64_t images, const void* x, void* y,
              cudaStream_t stream);
void max_pool_gradient(Dtype dtype, const PoolShape& shape, std::int64_t images, const void* x,
                       const void* gradient, void* x_gradient, bool of_relu, cudaStream_t stream);

// loss.cu (cross_entropy.h)

/// Floats that cross_entropy() writes: sums of losses.
std::int64_t loss_parts(std::int64_t batch);
/// gradient = state.loss_scale times that of the mean loss, batch x 10.
void cross_entropy(Dtype dtype, const float* logits, const std::uint8_t* labels, std::int64_t batch,
                   const StepState* state, void* gradient, float* parts, cudaStream_t stream);

// optimizers.cu (optimizers.h)

/// The parameters of a network behind one another, and what training keeps beside them, `count` each.
struct ParameterArrays {
  float* values = nullptr;
  const float* gradients = nullptr;
  float* first_moments = nullptr;   // velocity, of sgd
  float* second_moments = nullptr;  // of adam
  void* narrow_values = nullptr;    // values in the dtype, where that is narrower than f32
  std::int64_t count = 0;
};
/// state.not_finite is set where a gradient is.
void find_not_finite(const float* gradients, std::int64_t count, StepState* state, cudaStream_t stream);
/// No update where state.not_finite is set.
void update(Dtype dtype, const SgdRule& rule, const ParameterArrays& arrays, const StepState* state,
            cudaStream_t stream);
void update(Dtype dtype, const AdamRule& rule, const ParameterArrays& arrays, const StepState* state,
            cudaStream_t stream);
/// losses[state.losses mod capacity] = the mean loss, from `parts` sums; then finish_step().
void end_step(const float* parts, std::int64_t count, std::int64_t batch, bool scales, const AdamRule& rule,
              float* losses, unsigned capacity, StepState* state, cudaStream_t stream);

}  // namespace breakeven::cuda
