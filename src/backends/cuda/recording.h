// Work recorded once as a CUDA graph, and then launched as one.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>

namespace breakeven::cuda {

class Recording {
 public:
  /// `enqueue` has been run once before, so that all it calls is loaded; it must only enqueue. Nothing is
  /// run.
  Recording(cudaStream_t stream, const std::function<void()>& enqueue);
  void launch(cudaStream_t stream) const;

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace breakeven::cuda
