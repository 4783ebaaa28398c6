#include <algorithm>

#include "backends/cuda/kernels/elementwise.h"
#include "backends/cuda/kernels/fast_division.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/normalisation.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

constexpr int widest = 32;  // columns per block
constexpr int most_sums = 2;

/// Columns per block, so that neighbouring threads read neighbouring values: as many as there are, up to a
/// warp's width; one if the values of a column are stored contiguously.
int block_columns(const SummedRows& of) {
  if (of.plane > 1) return 1;
  int width = 1;
  while (width < widest && width < of.columns) width *= 2;
  return width;
}

unsigned column_blocks(const SummedRows& of) {
  const int width = block_columns(of);
  return static_cast<unsigned>((of.columns + width - 1) / width);
}

/// The number of blocks that share the rows of some columns: enough to fill any device, but with a few rows
/// per thread.
unsigned row_blocks(const SummedRows& of) {
  constexpr std::int64_t enough_blocks = 1024;
  constexpr std::int64_t rows_a_thread = 4;
  const std::int64_t most = std::max<std::int64_t>(1, enough_blocks / column_blocks(of));
  const std::int64_t block_rows = block_threads / block_columns(of);
  return static_cast<unsigned>(std::clamp<std::int64_t>(of.rows / (rows_a_thread * block_rows), 1, most));
}

/// Computes the index of the element in a row and a column.
struct Places {
  std::int64_t columns;
  Divisor plane;
  bool in_planes;

  explicit Places(const SummedRows& of) : columns(of.columns), plane(of.plane), in_planes(of.plane > 1) {}
  __device__ std::int64_t operator()(std::int64_t row, std::int64_t column) const {
    if (!in_planes) return row * columns + column;
    const std::int64_t image = plane.quotient(row);
    return plane.product(image * columns + column) + plane.remainder(row, image);
  }
};

struct Sums {
  float value[most_sums];
};

/// Sums over a block's rows of threads. Threads of row 0 have the result.
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
  __syncthreads();  // before the next call writes to it
  return sum;
}

/// Sums terms(element, row), which may modify the elements that it reads. Blocks are block_columns() wide and
/// have block_threads threads; both are powers of two.
template <typename Terms>
__global__ void sum_columns_kernel(ColumnSums sums, Places places, Terms terms, float* first, float* second) {
  __shared__ bool last;
  const std::int64_t columns = sums.of.columns;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sums mine{};
  if (column < columns) {
    for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
         row < sums.of.rows; row += static_cast<std::int64_t>(gridDim.y) * blockDim.y) {
      const Sums term = terms(places(row, column), row);
      for (int s = 0; s < most_sums; ++s) mine.value[s] += term.value[s];
    }
  }
  mine = sum_of_block(mine);
  if (threadIdx.y == 0 && column < columns) {
    for (int s = 0; s < most_sums; ++s)
      sums.partial[(blockIdx.y * columns + column) * most_sums + s] = mine.value[s];
  }
  // The last block sees what all others wrote (CUDA Programming Guide, "Memory Fence Functions").
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) last = atomicAdd(&sums.finished[blockIdx.x], 1U) == gridDim.y - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  Sums total{};
  if (column < columns) {
    for (std::int64_t part = threadIdx.y; part < gridDim.y; part += blockDim.y) {
      for (int s = 0; s < most_sums; ++s)
        total.value[s] += __ldcg(&sums.partial[(part * columns + column) * most_sums + s]);
    }
  }
  total = sum_of_block(total);
  if (threadIdx.y == 0 && column < columns) {
    first[column] = total.value[0];
    if (second != nullptr) second[column] = total.value[1];
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) sums.finished[blockIdx.x] = 0;
}

template <typename Terms>
void sum_columns(const ColumnSums& sums, const Terms& terms, float* first, float* second,
                 cudaStream_t stream) {
  const int width = block_columns(sums.of);
  const dim3 block(static_cast<unsigned>(width), static_cast<unsigned>(block_threads / width));
  const dim3 grid(column_blocks(sums.of), row_blocks(sums.of));
  sum_columns_kernel<<<grid, block, 0, stream>>>(sums, Places(sums.of), terms, first, second);
  check_launch();
}

template <typename T>
struct Plain {
  const T* gradient;
  __device__ Sums operator()(std::int64_t i, std::int64_t) const {
    return {{Number<T>::load(gradient[i]), 0.0F}};
  }
};

/// Multiplies the gradient by slope(of).
template <typename T, float (*slope)(float)>
struct Through {
  const T* of;
  T* gradient;
  __device__ Sums operator()(std::int64_t i, std::int64_t) const {
    const float g = Number<T>::load(gradient[i]) * slope(Number<T>::load(of[i]));
    gradient[i] = Number<T>::store(g);
    return {{g, 0.0F}};
  }
};

template <float (*slope)(float)>
void sum_rows_through(Dtype dtype, const ColumnSums& sums, const void* of, void* gradient,
                      float* bias_gradient, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums, Through<T, slope>{static_cast<const T*>(of), static_cast<T*>(gradient)}, bias_gradient,
                nullptr, stream);
  });
}

template <typename T>
struct OfNormal {
  const T* x;
  const Moments* moments;
  const T* gradient;
  __device__ Sums operator()(std::int64_t i, std::int64_t row) const {
    const float g = Number<T>::load(gradient[i]);
    return {{g * normal(Number<T>::load(x[i]), moments[row]), g}};
  }
};

}  // namespace

std::int64_t ColumnSums::partial_floats(const SummedRows& of) {
  return row_blocks(of) * of.columns * most_sums;
}

std::int64_t ColumnSums::counters(const SummedRows& of) {
  return column_blocks(of);
}

void sum_rows(Dtype dtype, const ColumnSums& sums, const void* gradient, float* bias_gradient,
              cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums, Plain<T>{static_cast<const T*>(gradient)}, bias_gradient, nullptr, stream);
  });
}

void sum_rows_through_relu(Dtype dtype, const ColumnSums& sums, const void* output, void* gradient,
                           float* bias_gradient, cudaStream_t stream) {
  sum_rows_through<relu_slope>(dtype, sums, output, gradient, bias_gradient, stream);
}

void sum_rows_through_gelu(Dtype dtype, const ColumnSums& sums, const void* linear, void* gradient,
                           float* bias_gradient, cudaStream_t stream) {
  sum_rows_through<gelu_slope>(dtype, sums, linear, gradient, bias_gradient, stream);
}

void sum_rows_of_normal(Dtype dtype, const ColumnSums& sums, const void* x, const float* moments,
                        const void* gradient, float* gamma_gradient, float* beta_gradient,
                        cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    sum_columns(sums,
                OfNormal<T>{static_cast<const T*>(x), reinterpret_cast<const Moments*>(moments),
                            static_cast<const T*>(gradient)},
                gamma_gradient, beta_gradient, stream);
  });
}

}  // namespace breakeven::cuda
