#include "backends/cuda/cudnn_api.h"

#include <fmt/format.h>

#include "backends/cuda/device.h"
#include "worker/backend.h"

namespace breakeven::cuda {

void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    library_failed(what, cudnnGetErrorString(status), status == CUDNN_STATUS_ALLOC_FAILED);
}

void check(const fe::error_t& error, const char* what) {
  if (error.is_good()) return;
  check(cudaGetLastError(), what);  // the cause, where it is CUDA's: before a plan is called unsupported
  switch (error.code) {
    case fe::error_code_t::GRAPH_NOT_SUPPORTED:
    case fe::error_code_t::HEURISTIC_QUERY_FAILED:
    case fe::error_code_t::UNSUPPORTED_GRAPH_FORMAT:
      throw Unsupported(fmt::format("{}: {}", what, error.err_msg));
    default:
      library_failed(what, error.err_msg.c_str(), false);
  }
}

CudnnHandle make_handle() {
  cudnnHandle_t made = nullptr;
  check(cudnnCreate(&made), "cudnnCreate");
  return CudnnHandle(made);
}

}  // namespace breakeven::cuda
