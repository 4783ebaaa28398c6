#include <algorithm>

#include "backends/cuda/kernels/elementwise.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/normalisation.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

constexpr int widest = 32;  // columns a block
constexpr int most_sums = 2;

/// Columns that a block takes: as many as there are, or a warp's width.
int block_columns(std::int64_t columns) {
  int width = 1;
  while (width < widest && width < columns) width *= 2;
  return width;
}

unsigned column_blocks(std::int64_t columns) {
  const int width = block_columns(columns);
  return static_cast<unsigned>((columns + width - 1) / width);
}

/// How many blocks share the rows of some columns: enough to fill any device, none without a few rows a
/// thread.
unsigned row_blocks(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t enough_blocks = 1024;
  constexpr std::int64_t rows_a_thread = 4;
  const std::int64_t most = std::max<std::int64_t>(1, enough_blocks / column_blocks(columns));
  const std::int64_t block_rows = block_threads / block_columns(columns);
  return static_cast<unsigned>(std::clamp<std::int64_t>(rows / (rows_a_thread * block_rows), 1, most));
}

struct Sums {
  float value[most_sums];
};

/// The sum over a block's rows of threads, in those of row 0.
__device__ Sums sum_of_block(Sums mine) {
  __shared__ Sums shared[block_threads];
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
  shared[at] = mine;
  __syncthreads();
  for (unsigned distance = blockDim.y / 2; distance > 0; distance /= 2) {
    if (threadIdx.y < distance) {
      for (int s = 0; s < most_sums; ++s) shared[at].value[s] += shared[at + distance * blockDim.x].value[s];
    }
    __syncthreads();
  }
  const Sums sum = shared[threadIdx.x];
  __syncthreads();  // before it is written again
  return sum;
}

/// terms(row, column) gives what is summed, and may change what it reads there. Blocks are block_columns() x
/// the rest of their threads; both are powers of two.
template <typename Terms>
__global__ void sum_columns_kernel(ColumnSums sums, Terms terms, float* first, float* second) {
  __shared__ bool last;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sums mine{};
  if (column < sums.columns) {
    for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y; row < sums.rows;
         row += static_cast<std::int64_t>(gridDim.y) * blockDim.y) {
      const Sums term = terms(row, column);
      for (int s = 0; s < most_sums; ++s) mine.value[s] += term.value[s];
    }
  }
  mine = sum_of_block(mine);
  if (threadIdx.y == 0 && column < sums.columns) {
    for (int s = 0; s < most_sums; ++s)
      sums.partial[(blockIdx.y * sums.columns + column) * most_sums + s] = mine.value[s];
  }
  // Whoever is last sees what all others wrote (CUDA Programming Guide, "Memory Fence Functions").
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) last = atomicAdd(&sums.finished[blockIdx.x], 1U) == gridDim.y - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  Sums total{};
  if (column < sums.columns) {
    for (std::int64_t part = threadIdx.y; part < gridDim.y; part += blockDim.y) {
      for (int s = 0; s < most_sums; ++s)
        total.value[s] += __ldcg(&sums.partial[(part * sums.columns + column) * most_sums + s]);
    }
  }
  total = sum_of_block(total);
  if (threadIdx.y == 0 && column < sums.columns) {
    first[column] = total.value[0];
    if (second != nullptr) second[column] = total.value[1];
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) sums.finished[blockIdx.x] = 0;
}

template <typename Terms>
void sum_columns(const ColumnSums& sums, const Terms& terms, float* first, float* second,
                 cudaStream_t stream) {
  const int width = block_columns(sums.columns);
  const dim3 block(static_cast<unsigned>(width), static_cast<unsigned>(block_threads / width));
  const dim3 grid(column_blocks(sums.columns), row_blocks(sums.rows, sums.columns));
  sum_columns_kernel<<<grid, block, 0, stream>>>(sums, terms, first, second);
  check_launch();
}

template <typename T>
struct Plain {
  const T* gradient;
  std::int64_t columns;
  __device__ Sums operator()(std::int64_t row, std::int64_t column) const {
    return {{Number<T>::load(gradient[row * columns + column]), 0.0F}};
  }
};

template <typename T>
struct ThroughRelu {
  const T* output;
  T* gradient;
  std::int64_t columns;
  __device__ Sums operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * columns + column;
    const float g = Number<T>::load(gradient[i]) * relu_slope(Number<T>::load(output[i]));
    gradient[i] = Number<T>::store(g);
    return {{g, 0.0F}};
  }
};

template <typename T>
struct ThroughGelu {
  const T* linear;
  T* gradient;
  std::int64_t columns;
  __device__ Sums operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * columns + column;
    const float g = Number<T>::load(gradient[i]) * gelu_slope(Number<T>::load(linear[i]));
    gradient[i] = Number<T>::store(g);
    return {{g, 0.0F}};
  }
};

template <typename T>
struct OfNormal {
  const T* x;
  const Moments* moments;
  const T* gradient;
  std::int64_t columns;
  __device__ Sums operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * columns + column;
    const float g = Number<T>::load(gradient[i]);
    return {{g * normal(Number<T>::load(x[i]), moments[row]), g}};
  }
};

}  // namespace

std::int64_t ColumnSums::partial_floats(std::int64_t rows, std::int64_t columns) {
  return row_blocks(rows, columns) * columns * most_sums;
}

std::int64_t ColumnSums::counters(std::int64_t columns) {
  return column_blocks(columns);
}

void sum_rows(Dtype dtype, const ColumnSums& sums, const void* gradient, float* bias_gradient,
              cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums, Plain<T>{static_cast<const T*>(gradient), sums.columns}, bias_gradient, nullptr,
                stream);
  });
}

void sum_rows_through_relu(Dtype dtype, const ColumnSums& sums, const void* output, void* gradient,
                           float* bias_gradient, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums, ThroughRelu<T>{static_cast<const T*>(output), static_cast<T*>(gradient), sums.columns},
                bias_gradient, nullptr, stream);
  });
}

void sum_rows_through_gelu(Dtype dtype, const ColumnSums& sums, const void* linear, void* gradient,
                           float* bias_gradient, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums, ThroughGelu<T>{static_cast<const T*>(linear), static_cast<T*>(gradient), sums.columns},
                bias_gradient, nullptr, stream);
  });
}

void sum_rows_of_normal(Dtype dtype, const ColumnSums& sums, const void* x, const float* moments,
                        const void* gradient, float* gamma_gradient, float* beta_gradient,
                        cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums,
                OfNormal<T>{static_cast<const T*>(x), reinterpret_cast<const Moments*>(moments),
                            static_cast<const T*>(gradient), sums.columns},
                gamma_gradient, beta_gradient, stream);
  });
}

}  // namespace breakeven::cuda
