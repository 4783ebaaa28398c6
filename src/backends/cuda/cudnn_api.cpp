#include "backends/cuda/cudnn_api.h"

#include <cudnn_frontend.h>
#include <fmt/format.h>

#include "backends/cuda/cudnn_library.h"
#include "backends/cuda/device.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

namespace fe = cudnn_frontend;

/// Opens cuDNN once. Returns why it cannot be used, or an empty string.
const std::string& why_no_cudnn() {
  static const std::string why_not = open_cudnn(fmt::format("libcudnn.so.{}", CUDNN_MAJOR), CUDNN_MAJOR);
  return why_not;
}

/// Throws like check() in device.h.
void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    library_failed(what, fe::detail::get_error_string(status),
                   status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ||
                       status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
}

}  // namespace

std::string usable_cudnn_version() {
  return why_no_cudnn().empty() ? cudnn_version_text(fe::detail::get_backend_version()) : "";
}

void DestroyCudnn::operator()(cudnnHandle_t handle) const {
  fe::detail::destroy_handle(handle);
}

CudnnHandle make_handle() {
  if (!why_no_cudnn().empty()) throw Unsupported(why_no_cudnn());
  cudnnHandle_t made = nullptr;
  check(fe::detail::create_handle(&made), "cudnnCreate");
  return CudnnHandle(made);
}

}  // namespace breakeven::cuda
