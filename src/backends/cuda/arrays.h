// Long arrays in device memory: makes inputs there, and returns evidence of results.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/kernels/array_kernels.h"
#include "backends/cuda/race.h"
#include "backends/cuda/stopwatch.h"
#include "worker/backend.h"
#include "workloads/bandwidth.h"
#include "workloads/random.h"

namespace breakeven::cuda {

/// Makes an array of a stream's numbers. The device makes them, because the host would take seconds for large
/// ones.
Memory random_array(const Bandwidth& array, const RandomStream& numbers, cudaStream_t stream);

/// Returns the evidence of an array in `memory`, which is copied to the host in pieces. The stream must be
/// idle.
Evidence show_array(const Bandwidth& array, const Memory& memory, std::uint64_t seed,
                    const std::vector<std::int64_t>& elements);

/// The number of blocks that fill the device once.
unsigned filling_blocks();
/// The launches to try for kernels that write an array, in order of preference.
std::vector<ArrayLaunch> writing_launches();

/// Races the launches; without `tuned`, returns the first. `enqueue` must only enqueue.
Raced<ArrayLaunch> fastest_launch(Stopwatch& stopwatch, const std::vector<ArrayLaunch>& launches, bool tuned,
                                  const std::function<void(const ArrayLaunch&)>& enqueue);

/// The dtypes of arrays on this device.
std::vector<Dtype> array_dtypes();

}  // namespace breakeven::cuda
