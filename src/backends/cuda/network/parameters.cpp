#include "backends/cuda/network/parameters.h"

#include <algorithm>

#include "network/channels_last.h"

namespace breakeven::cuda {
namespace {

/// Every tensor starts at a multiple of this many elements, 256 bytes in a 16-bit type, for which cuBLASLt
/// has its fastest kernels. The elements between tensors are zero with gradient zero, and so stay zero.
constexpr std::int64_t alignment = 128;

}  // namespace

AdamRule adam_rule(const Optimizer& optimizer) {
  return {.rate = static_cast<float>(optimizer.learning_rate),
          .beta1 = optimizer.beta1,
          .beta2 = optimizer.beta2,
          .epsilon = static_cast<float>(optimizer.epsilon)};
}

NetworkParameters::NetworkParameters(const ModelTask& task, TensorLayout layout)
    : dtype_(task.dtype), optimizer_(task.optimizer) {
  for (const ParameterTensor& tensor : task.network.parameters) {
    offsets_.push_back(count_);
    count_ += (tensor.elements() + alignment - 1) / alignment * alignment;
  }
  std::vector<float> initial(static_cast<std::size_t>(count_), 0.0F);
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const auto values = layout == TensorLayout::nhwc ? channels_last_values(task.network, i, task.seed)
                                                     : initial_values(task.network, i, task.seed);
    std::copy(values.begin(), values.end(), initial.begin() + offsets_[i]);
  }
  const auto bytes = count_ * static_cast<std::int64_t>(sizeof(float));
  initial_ = Memory::of(initial.data(), bytes);
  values_ = Moved(bytes, task.transfer == Transfer::Policy::once);
  if (is_narrow()) narrow_values_ = Memory(count_ * static_cast<std::int64_t>(facts(dtype_).bytes()));
  if (!optimizer_) return;
  gradients_ = Memory(bytes);
  gradients_.clear(nullptr);
  first_moments_ = Memory(bytes);
  if (optimizer_->states() > 1) second_moments_ = Memory(bytes);
  check(cudaStreamSynchronize(nullptr), "cudaMemset");  // other streams do not wait for it
}

void NetworkParameters::copy_inputs_to_device(cudaStream_t stream) {
  values_.copy_inputs_to_device(stream);
  if (is_narrow()) narrow(dtype_, values(), narrow_values_.data(), count_, stream);
}

void NetworkParameters::reset(cudaStream_t stream) {
  check(cudaMemcpyAsync(values_.data(), initial_.data(), static_cast<std::size_t>(initial_.bytes()),
                        cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpy");
  if (is_narrow()) narrow(dtype_, values(), narrow_values_.data(), count_, stream);
  values_.copy_outputs_to_host(stream);
  first_moments_.clear(stream);
  second_moments_.clear(stream);
}

void* NetworkParameters::operand(std::size_t index) {
  if (!is_narrow()) return value(index);
  return narrow_values_.as<std::byte>() + offsets_[index] * static_cast<std::int64_t>(facts(dtype_).bytes());
}

ParameterArrays NetworkParameters::arrays() {
  return {.values = values(),
          .gradients = gradients_.as<float>(),
          .first_moments = first_moments_.as<float>(),
          .second_moments = second_moments_.as<float>(),
          .narrow_values = narrow_values_.data(),
          .count = count_};
}

void NetworkParameters::enqueue_update(const StepState* state, cudaStream_t stream) {
  if (optimizer_->kind == Optimizer::Kind::adam) {
    update(dtype_, adam_rule(*optimizer_), arrays(), state, stream);
  } else {
    const SgdRule rule{.rate = static_cast<float>(optimizer_->learning_rate),
                       .momentum = static_cast<float>(optimizer_->momentum)};
    update(dtype_, rule, arrays(), state, stream);
  }
}

}  // namespace breakeven::cuda
