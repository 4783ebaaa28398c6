// The timed loop, which uses Google Benchmark.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages.h"
#include "worker/backend.h"
#include "workloads/transfer.h"

namespace breakeven {

struct SampleMode {
  Transfer transfer;            // what belongs to an iteration
  bool cold = false;            // flush the caches before every iteration
  bool each_iteration = false;  // time every iteration separately, for latencies
  bool host_energy = true;      // the energy of the host's processors belongs to the work
  bool on_device = false;       // another process may have used the device until now
  bool device_seconds = true;   // by further runs; if false, there are exactly the requested runs
};

/// Runs a prepared case `iterations` times, as one Google Benchmark run with manual time.
answer::Sample take_sample(Prepared& prepared, const std::string& name, std::int64_t iterations,
                           const SampleMode& mode);

}  // namespace breakeven
