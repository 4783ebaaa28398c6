// cuDNN and its front end (header-only, MIT licence), with errors as exceptions.
#pragma once

#include <cudnn.h>
#include <cudnn_frontend.h>

#include <memory>

namespace breakeven::cuda {

namespace fe = cudnn_frontend;

/// Throw as check() of device.h does.
void check(cudnnStatus_t status, const char* what);
void check(const fe::error_t& error, const char* what);

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const { fe::detail::destroy_handle(handle); }
};
using CudnnHandle = std::unique_ptr<cudnnContext, DestroyCudnn>;
/// For work on `stream`. Throws Unsupported where cuDNN's library cannot be used, with the loader's words.
CudnnHandle make_handle(cudaStream_t stream);

}  // namespace breakeven::cuda
