// The timed loop: Google Benchmark's.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages.h"
#include "worker/backend.h"
#include "workloads/transfer.h"

namespace breakeven {

struct SampleMode {
  Transfer transfer;            // what an iteration is
  bool cold = false;            // flush the caches before every iteration
  bool each_iteration = false;  // time every iteration alone, for latencies
  bool host_energy = true;      // the energy of the host's processors is that of the work
  bool on_device = false;       // other processes' work may have had the device until now
  bool device_seconds = true;   // by further runs; without, there are exactly as many as asked for
};

/// Runs a prepared case `iterations` times, as one Google Benchmark run with manual time.
answer::Sample take_sample(Prepared& prepared, const std::string& name, std::int64_t iterations,
                           const SampleMode& mode);

}  // namespace breakeven
