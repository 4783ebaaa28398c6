// The small networks on the device.
#pragma once

#include <memory>

#include "backends/cuda/stopwatch.h"
#include "network/model.h"

namespace breakeven::cuda {

/// Enqueues all work on the stopwatch's stream. Throws Unsupported or OutOfMemory.
std::unique_ptr<Model> make_network_model(ModelTask task, Stopwatch& stopwatch);

}  // namespace breakeven::cuda
