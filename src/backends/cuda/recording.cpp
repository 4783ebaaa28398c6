#include "backends/cuda/recording.h"

#include <stdexcept>

namespace breakeven::cuda {
namespace {

using Graph = Owned<CUgraph_st, cudaGraphDestroy>;

Graph end_capture(cudaStream_t stream) {
  cudaGraph_t recorded = nullptr;
  check(cudaStreamEndCapture(stream, &recorded), "recording a CUDA graph");
  return Graph(recorded);
}

}  // namespace

Recording::Recording(cudaStream_t stream, const std::function<void()>& enqueue) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording a CUDA graph");
  Graph recorded;
  try {
    enqueue();
    recorded = end_capture(stream);
  } catch (...) {
    // End the recording, so that the stream can be used again; its error is already known.
    cudaGraph_t unfinished = nullptr;
    cudaStreamEndCapture(stream, &unfinished);
    if (unfinished != nullptr) cudaGraphDestroy(unfinished);
    cudaGetLastError();
    throw;
  }
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, recorded.get(), 0), "instantiating a CUDA graph");
  graph_.reset(made);
}

void Recording::launch(cudaStream_t stream) const {
  check(cudaGraphLaunch(graph_.get(), stream), "launching a CUDA graph");
}

RecordedCalls::RecordedCalls(cudaStream_t stream, std::int64_t sets, const std::function<void()>& enqueue) {
  if (sets > most) return;
  try {
    for (std::int64_t set = 0; set < sets; ++set) graphs_.emplace_back(stream, enqueue);
  } catch (const std::runtime_error&) {
    graphs_.clear();  // not everything that libraries do can be recorded
  }
}

void RecordedCalls::launch(cudaStream_t stream) {
  graphs_[next_].launch(stream);
  next_ = next_ + 1 == graphs_.size() ? 0 : next_ + 1;
}

}  // namespace breakeven::cuda
