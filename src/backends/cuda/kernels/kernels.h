// Functions that enqueue the kernels of networks. Tensors are device memory with a batch of images stored
// contiguously. A `void*` points to elements of `dtype` (f32 for tf32), everything else is f32. The
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

/// Images as bytes, and the rows of batches, all stored contiguously.
struct DeviceImages {
  const std::uint8_t* pixels = nullptr;
  const std::uint8_t* labels = nullptr;
  const std::uint32_t* rows = nullptr;
};
/// The position among the rows. It is on the device, so that a batch does not wait for the host.
struct RowsPlace {
  std::uint32_t first = 0;  // the next batch's first row, among `count` rows
  std::uint32_t count = 0;
  unsigned finished = 0;  // number of finished blocks; zero between launches
};
/// Sets `place` to the first of `count` rows, at least a batch.
void begin_rows(RowsPlace* place, std::int64_t count, cudaStream_t stream);
/// Copies the next batch to `values`, batch x pixels, and `labels`, batch. The first batch follows the last
/// whole one.
void gather_images(Dtype dtype, const DeviceImages& images, RowsPlace* place, std::int64_t batch,
                   std::int64_t pixels, void* values, std::uint8_t* labels, cudaStream_t stream);
void apply_gelu(Dtype dtype, const void* x, void* y, std::int64_t count, cudaStream_t stream);
/// y[i] = x[i] + period[i mod length].
void add_periodic(Dtype dtype, const void* x, const float* period, std::int64_t length, void* y,
                  std::int64_t count, cudaStream_t stream);
/// y[i] += bias[i / inner mod channels], then ReLU if requested. `inner`: values of one channel that are
/// stored contiguously; 1 with channels last.
void add_bias(Dtype dtype, void* y, const float* bias, std::int64_t channels, std::int64_t inner,
              bool then_relu, std::int64_t count, cudaStream_t stream);
/// Converts f32 to the dtype, and back.
void narrow(Dtype dtype, const float* from, void* to, std::int64_t count, cudaStream_t stream);
void widen(Dtype dtype, const void* from, float* to, std::int64_t count, cudaStream_t stream);
/// Means over the tokens of tokens x features, and their gradient.
void mean_tokens(Dtype dtype, const void* x, void* means, std::int64_t images, std::int64_t tokens,
                 std::int64_t features, cudaStream_t stream);
void mean_tokens_gradient(Dtype dtype, const void* gradient, void* x_gradient, std::int64_t images,
                          std::int64_t tokens, std::int64_t features, cudaStream_t stream);
/// values[i] = the sum of `parts` arrays of `count` values, added in their order.
void add_parts(const float* each, int parts, std::int64_t count, float* values, cudaStream_t stream);

// columns.cu

/// A matrix, rows x columns, that is summed over its rows. If `plane` is above 1, as many rows of one column
/// are stored contiguously, followed by those of the next column: images with channels first.
struct SummedRows {
  std::int64_t rows = 0, columns = 0, plane = 1;
};
/// Memory for the sums. Each block sums some rows, and the last to finish adds up these sums, always in the
/// same order.
struct ColumnSums {
  SummedRows of;
  float* partial = nullptr;      // one per block
  unsigned* finished = nullptr;  // number of finished blocks; zero between launches

  static std::int64_t partial_floats(const SummedRows& of);
  static std::int64_t counters(const SummedRows& of);
};

/// bias_gradient[c] = sum over rows of gradient[r][c].
void sum_rows(Dtype dtype, const ColumnSums& sums, const void* gradient, float* bias_gradient,
              cudaStream_t stream);
/// The same after gradient[r][c] is multiplied by the ReLU gradient, given its `output`; or by that of GELU,
/// given its input `linear`.
void sum_rows_through_relu(Dtype dtype, const ColumnSums& sums, const void* output, void* gradient,
                           float* bias_gradient, cudaStream_t stream);
void sum_rows_through_gelu(Dtype dtype, const ColumnSums& sums, const void* linear, void* gradient,
                           float* bias_gradient, cudaStream_t stream);
/// gamma_gradient[f] = sum over tokens of gradient normal(x); beta_gradient[f] = sum of gradient. `moments`:
/// two values per token, from normalise().
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

/// The largest amount of shared memory per block on this device.
std::int64_t most_block_bytes();
/// Allows the attention kernels below to use `bytes` of shared memory. Must be called once before them,
/// outside a captured graph.
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

/// The number of floats that cross_entropy() writes: sums of losses.
std::int64_t loss_parts(std::int64_t batch);
/// gradient = state.loss_scale times that of the mean loss of the `images` images of all ranks; batch x 10.
void cross_entropy(Dtype dtype, const float* logits, const std::uint8_t* labels, std::int64_t batch,
                   std::int64_t images, const StepState* state, void* gradient, float* parts,
                   cudaStream_t stream);

// optimizers.cu (optimizers.h)

/// The parameters of a network, stored contiguously, and the arrays of the optimiser, `count` elements each.
struct ParameterArrays {
  float* values = nullptr;
  const float* gradients = nullptr;
  float* first_moments = nullptr;   // sgd: the velocity
  float* second_moments = nullptr;  // adam only
  void* narrow_values = nullptr;    // copies of the values in the dtype, if it is f16 or bf16
  std::int64_t count = 0;
};
/// Sets state.not_finite if a gradient is not finite.
void find_not_finite(const float* gradients, std::int64_t count, StepState* state, cudaStream_t stream);
/// Updates the parameters by an SgdRule or an AdamRule, unless state.not_finite is set.
template <typename Rule>
void update(Dtype dtype, const Rule& rule, const ParameterArrays& arrays, const StepState* state,
            cudaStream_t stream);
/// losses[state.losses mod capacity] = the mean loss, from `count` sums; then calls finish_step().
void end_step(const float* parts, std::int64_t count, std::int64_t batch, bool scales, const AdamRule& rule,
              float* losses, unsigned capacity, StepState* state, cudaStream_t stream);

}  // namespace breakeven::cuda
