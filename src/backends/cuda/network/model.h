// The small networks on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cuda/stopwatch.h"
#include "network/model.h"

namespace breakeven::cuda {

/// How many steps, or batches, may be enqueued behind a closed gate: each is some launches, or the nodes of a
/// graph, which fill the device's queue as well.
std::int64_t most_queued_runs(const Network& network);

/// Enqueues all work on the stopwatch's stream. Throws Unsupported or OutOfMemory.
std::unique_ptr<Model> make_network_model(const ModelTask& task, Stopwatch& stopwatch);

}  // namespace breakeven::cuda
