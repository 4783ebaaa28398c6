// Copies of data between the host and a device with its own memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/parameters.h"

namespace breakeven {

/// The meaning of the parameters `transfer` and `repetitions`:
///   resident  operands and results stay on the device
///   each      every run copies its operands to the device and its result to the host
///   once      `repetitions` runs share one copy to the device and one back, and form one iteration
/// On a device that works in host memory there is nothing to copy: `each` is the same as `resident`, and an
/// iteration of `once` consists of that many runs.
struct Transfer {
  enum class Policy { resident, each, once };

  Policy policy = Policy::resident;
  std::int64_t repetitions = 1;  // runs in one iteration

  bool moves() const { return policy != Policy::resident; }
  static Transfer of(const Parameters& parameters);
};

/// The value of `transfer`: `resident`, `each` or `once`; resident if the workload has no such parameter.
std::string transfer_policy(const Parameters& parameters);

/// Adds both parameters to a workload's list, before `dtype`, which is the last.
std::vector<Parameter> with_transfer(std::vector<Parameter> parameters);

/// Sets `repetitions` to its default unless the policy is `once`, so that one problem has one id.
void normalise_transfer(Parameters& parameters);

/// The part of a title that says how a case is run, with a comma before each item; empty for the default.
std::string how_text(const Parameters& parameters);

}  // namespace breakeven
