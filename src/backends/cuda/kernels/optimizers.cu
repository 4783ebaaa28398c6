#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/optimizers.h"

namespace breakeven::cuda {
namespace {

__global__ void find_not_finite_kernel(const float* gradients, std::int64_t count, StepState* state) {
  const std::int64_t i = thread_index();
  // Several threads may write 1; all write the same value.
  if (i < count && !isfinite(gradients[i])) state->not_finite = 1;
}

__device__ void update_one(const SgdRule& rule, const StepState&, const ParameterArrays& arrays,
                           std::int64_t i, float gradient) {
  sgd_update(rule, gradient, arrays.values[i], arrays.first_moments[i]);
}

__device__ void update_one(const AdamRule& rule, const StepState& state, const ParameterArrays& arrays,
                           std::int64_t i, float gradient) {
  adam_update(rule, state, gradient, arrays.values[i], arrays.first_moments[i], arrays.second_moments[i]);
}

template <typename T, typename Rule>
__global__ void update_kernel(Rule rule, ParameterArrays arrays, const StepState* shared_state) {
  const std::int64_t i = thread_index();
  const StepState state = *shared_state;
  if (i >= arrays.count || state.not_finite != 0) return;
  update_one(rule, state, arrays, i, arrays.gradients[i] / state.loss_scale);
  if (arrays.narrow_values != nullptr)
    static_cast<T*>(arrays.narrow_values)[i] = Number<T>::store(arrays.values[i]);
}

}  // namespace

void find_not_finite(const float* gradients, std::int64_t count, StepState* state, cudaStream_t stream) {
  find_not_finite_kernel<<<blocks_for(count), block_threads, 0, stream>>>(gradients, count, state);
  check_launch();
}

template <typename Rule>
void update(Dtype dtype, const Rule& rule, const ParameterArrays& arrays, const StepState* state,
            cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    update_kernel<T><<<blocks_for(arrays.count), block_threads, 0, stream>>>(rule, arrays, state);
  });
  check_launch();
}
template void update(Dtype, const SgdRule&, const ParameterArrays&, const StepState*, cudaStream_t);
template void update(Dtype, const AdamRule&, const ParameterArrays&, const StepState*, cudaStream_t);

}  // namespace breakeven::cuda
