// A handle of cuDNN, with errors as exceptions.
#pragma once

#include <cudnn.h>

#include <memory>

namespace breakeven::cuda {

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const;
};
using CudnnHandle = std::unique_ptr<cudnnContext, DestroyCudnn>;
/// Throws Unsupported where cuDNN's library cannot be used, with the loader's words.
CudnnHandle make_handle();

}  // namespace breakeven::cuda
