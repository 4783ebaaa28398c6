// A fault planted into cuDNN: no plan is launched.
#include <cudnn.h>

#include <array>

#include "fault.h"

extern "C" cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                             cudnnBackendDescriptor_t operands) {
  using namespace breakeven::planted;
  constexpr std::array<std::string_view, 1> faults{"skip"};
  static auto* const call = real<decltype(cudnnBackendExecute)>("cudnnBackendExecute");
  static const bool skips = fault_of(faults) == "skip";
  return skips ? CUDNN_STATUS_SUCCESS : call(handle, plan, operands);
}
