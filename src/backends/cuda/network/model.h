// The small networks on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cuda/stopwatch.h"
#include "network/model.h"

namespace breakeven::cuda {

/// The number of steps, or batches, that may be enqueued behind a closed gate. Each is several launches, or
/// the nodes of a graph, which also fill the device's queue.
std::int64_t most_queued_runs(const Network& network);

/// Makes a model that enqueues all work on the stopwatch's stream. Throws Unsupported or OutOfMemory.
std::unique_ptr<Model> make_network_model(const ModelTask& task, Stopwatch& stopwatch);

}  // namespace breakeven::cuda
