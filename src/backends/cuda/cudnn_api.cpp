#include "backends/cuda/cudnn_api.h"

#include <fmt/format.h>

#include <stdexcept>

#include "backends/cuda/device.h"
#include "worker/backend.h"

namespace breakeven::cuda {

void check(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  check(cudaGetLastError(), what);  // the cause, where it is CUDA's
  const std::string message = fmt::format("{}: {}", what, cudnnGetErrorString(status));
  if (status == CUDNN_STATUS_ALLOC_FAILED) throw OutOfMemory(message);
  throw std::runtime_error(message);
}

void check(const fe::error_t& error, const char* what) {
  if (error.is_good()) return;
  check(cudaGetLastError(), what);
  const std::string message = fmt::format("{}: {}", what, error.err_msg);
  switch (error.code) {
    case fe::error_code_t::GRAPH_NOT_SUPPORTED:
    case fe::error_code_t::HEURISTIC_QUERY_FAILED:
    case fe::error_code_t::UNSUPPORTED_GRAPH_FORMAT:
      throw Unsupported(message);
    default:
      throw std::runtime_error(message);
  }
}

CudnnHandle make_handle() {
  cudnnHandle_t made = nullptr;
  check(cudnnCreate(&made), "cudnnCreate");
  return CudnnHandle(made);
}

}  // namespace breakeven::cuda
