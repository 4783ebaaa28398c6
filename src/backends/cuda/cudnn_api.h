// A cuDNN handle, with errors as exceptions.
#pragma once

#include <cudnn.h>

#include <memory>

namespace breakeven::cuda {

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const;
};
using CudnnHandle = std::unique_ptr<cudnnContext, DestroyCudnn>;
/// Makes a handle. Throws Unsupported with the loader's message if cuDNN's library cannot be used.
CudnnHandle make_handle();

}  // namespace breakeven::cuda
