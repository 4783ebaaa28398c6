#include "backends/cuda/cudnn_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "backends/cuda/cudnn_library.h"
#include "backends/cuda/device.h"
#include "worker/backend.h"

namespace cudnn_frontend {
/// Where the front end looks for cuDNN's functions, and demands to be told by this name: among all that are
/// loaded, so that whoever loads some of their own before the library's is heard (LD_PRELOAD).
void* cudnn_dlhandle = RTLD_DEFAULT;
}  // namespace cudnn_frontend

namespace breakeven::cuda {
namespace {

void need_cudnn() {
  static const std::string why_not = open_cudnn(fmt::format("libcudnn.so.{}", CUDNN_MAJOR), CUDNN_MAJOR);
  if (!why_not.empty()) throw Unsupported(why_not);
}

}  // namespace

void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    library_failed(what, fe::detail::get_error_string(status), status == CUDNN_STATUS_ALLOC_FAILED);
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

CudnnHandle make_handle(cudaStream_t stream) {
  need_cudnn();
  cudnnHandle_t made = nullptr;
  check(fe::detail::create_handle(&made), "cudnnCreate");
  CudnnHandle handle(made);
  check(fe::detail::set_stream(made, stream), "cudnnSetStream");
  return handle;
}

}  // namespace breakeven::cuda
