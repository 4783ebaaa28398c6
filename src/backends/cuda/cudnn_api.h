// A handle of cuDNN, with errors as exceptions.
#pragma once

#include <cudnn.h>

#include <memory>

namespace breakeven::cuda {

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const;
};
using CudnnHandle = std::unique_ptr<cudnnContext, DestroyCudnn>;
/// For work on `stream`. Throws Unsupported where cuDNN's library cannot be used, with the loader's words.
CudnnHandle make_handle(cudaStream_t stream);

}  // namespace breakeven::cuda
