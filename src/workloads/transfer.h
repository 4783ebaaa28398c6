// How data gets to a device that has memory of its own, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/parameters.h"

namespace breakeven {

/// What the parameters `transfer` and `repetitions` ask for:
///   resident  operands and results stay on the device
///   each      every run has its operands brought to the device, and its result fetched
///   once      `repetitions` runs share one way to the device and one back, and together are one iteration
/// On a device that works in the host's own memory there is nothing to move: `each` is `resident` there, and
/// an iteration of `once` is so many runs.
struct Transfer {
  enum class Policy { resident, each, once };

  Policy policy = Policy::resident;
  std::int64_t repetitions = 1;  // runs in one iteration

  bool moves() const { return policy != Policy::resident; }
  static Transfer of(const Parameters& parameters);
};

/// `resident`, `each` or `once`; resident where the workload has no such parameter.
std::string transfer_policy(const Parameters& parameters);

/// A workload's list with both of them, before `dtype`, which is the last.
std::vector<Parameter> with_transfer(std::vector<Parameter> parameters);

/// `repetitions` has no meaning but with `once`: one problem has one id.
void normalise_transfer(Parameters& parameters);

/// What a title says of how a case is run, each part with a comma before it; empty where it is run as usual.
std::string how_text(const Parameters& parameters);

}  // namespace breakeven
