#include "backends/cuda/convolution_plans.h"

#include <fmt/format.h>

#include <unordered_map>

#include "backends/cuda/convolution_graph.h"
#include "backends/cuda/cudnn_library.h"
#include "backends/cuda/device.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

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

/// Throws like library_failed(), or Unsupported.
void check(const fe::error_t& error, const char* what) {
  if (error.is_good()) return;
  switch (error.code) {
    case fe::error_code_t::GRAPH_NOT_SUPPORTED:
    case fe::error_code_t::HEURISTIC_QUERY_FAILED:
    case fe::error_code_t::UNSUPPORTED_GRAPH_FORMAT:
      // The library also fails to find a plan if memory or the context is lost.
      end_if_context_is_lost(fmt::format("{}: {}", what, error.err_msg));
      if (!memory_is_full()) throw Unsupported(fmt::format("{}: {}", what, error.err_msg));
      [[fallthrough]];
    default:
      library_failed(what, error.err_msg);
  }
}

/// The reason for an error; never empty.
std::string reason(const fe::error_t& error) {
  if (error.is_good()) return "";
  return error.err_msg.empty() ? fmt::format("error {} of cuDNN's front end", static_cast<int>(error.code))
                               : error.err_msg;
}

class CudnnPlans final : public ConvolutionPlans {
 public:
  CudnnPlans(const ConvolutionProblem& problem, cudnnHandle_t handle) : graph_(problem), handle_(handle) {
    check(graph_.plan(handle), "cuDNN's plans of the convolution");
  }

  std::int64_t count() override { return graph_.get().get_execution_plan_count(); }

  std::string build(std::int64_t plan) override { return reason(graph_.get().build_plan_at_index(plan)); }

  std::string name(std::int64_t plan) override {
    std::string name;
    check(graph_.get().get_plan_name_at_index(plan, name), "cuDNN's name of the plan");
    return "cuDNN " + name;
  }

  std::int64_t workspace_bytes(std::int64_t plan) override {
    std::int64_t bytes = 0;
    check(graph_.get().get_workspace_size_plan_at_index(plan, bytes), "cuDNN's workspace");
    return bytes;
  }

  void use(const ConvolutionMemory& memory) override {
    memory_of_[graph_.first()] = memory.first;
    memory_of_[graph_.second()] = memory.second;
    memory_of_[graph_.output()] = memory.output;
    if (graph_.bias()) memory_of_[graph_.bias()] = memory.bias;
  }

  std::string enqueue(std::int64_t plan, void* workspace, cudaStream_t stream) override {
    if (const auto status = fe::detail::set_stream(handle_, stream); status != CUDNN_STATUS_SUCCESS)
      return fmt::format("cudnnSetStream: {}", fe::detail::get_error_string(status));
    return reason(graph_.get().execute_plan_at_index(handle_, memory_of_, workspace, plan));
  }

 private:
  ConvolutionGraph graph_;
  cudnnHandle_t handle_;
  std::unordered_map<ConvolutionGraph::Tensor, void*> memory_of_;
};

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

std::unique_ptr<ConvolutionPlans> make_convolution_plans(const ConvolutionProblem& problem,
                                                         cudnnHandle_t handle) {
  return std::make_unique<CudnnPlans>(problem, handle);
}

}  // namespace breakeven::cuda
