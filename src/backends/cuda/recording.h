// Work that is recorded once as a CUDA graph and then launched as a whole.
#pragma once

#include <functional>

#include "backends/cuda/device.h"

namespace breakeven::cuda {

class Recording {
 public:
  /// Records `enqueue` without running it. It must only enqueue, and must have been run once before, so that
  /// everything it calls is loaded.
  Recording(cudaStream_t stream, const std::function<void()>& enqueue);
  void launch(cudaStream_t stream) const;

 private:
  Owned<CUgraphExec_st, cudaGraphExecDestroy> graph_;
};

}  // namespace breakeven::cuda
