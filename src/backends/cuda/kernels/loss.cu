#include "backends/cuda/kernels/cross_entropy.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

/// One thread per image.
template <typename T>
__global__ void cross_entropy_kernel(const float* logits, const std::uint8_t* labels, std::int64_t batch,
                                     std::int64_t images, const StepState* state, T* gradient, float* parts) {
  const std::int64_t image = thread_index();
  float loss = 0;
  if (image < batch) {
    loss = cross_entropy_of_image(logits + image * logits_per_image, labels[image],
                                  state->loss_scale / static_cast<float>(images),
                                  gradient + image * logits_per_image);
  }
  loss = block_sum(loss);
  if (threadIdx.x == 0) parts[blockIdx.x] = loss;
}

__global__ void end_step_kernel(const float* parts, std::int64_t count, std::int64_t batch, bool scales,
                                AdamRule rule, float* losses, unsigned capacity, StepState* state) {
  float loss = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) loss += parts[i];
  loss = block_sum(loss);
  if (threadIdx.x != 0) return;
  losses[state->losses % capacity] = loss / static_cast<float>(batch);
  finish_step(scales, rule, *state);
}

}  // namespace

std::int64_t loss_parts(std::int64_t batch) {
  return blocks_for(batch);
}

void cross_entropy(Dtype dtype, const float* logits, const std::uint8_t* labels, std::int64_t batch,
                   std::int64_t images, const StepState* state, void* gradient, float* parts,
                   cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    cross_entropy_kernel<T><<<blocks_for(batch), block_threads, 0, stream>>>(
        logits, labels, batch, images, state, static_cast<T*>(gradient), parts);
  });
  check_launch();
}

void end_step(const float* parts, std::int64_t count, std::int64_t batch, bool scales, const AdamRule& rule,
              float* losses, unsigned capacity, StepState* state, cudaStream_t stream) {
  end_step_kernel<<<1, block_threads, 0, stream>>>(parts, count, batch, scales, rule, losses, capacity,
                                                   state);
  check_launch();
}

}  // namespace breakeven::cuda
