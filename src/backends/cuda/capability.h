// What a device can do, told from its compute capability (CUDA Programming Guide, "Compute Capabilities").
#pragma once

#include <string>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven::cuda {

struct Capability {
  int major = 0, minor = 0;
  bool operator<(const Capability& other) const {  // nvcc's C++17 knows no <=>
    return major != other.major ? major < other.major : minor < other.minor;
  }
};

/// The least that computes in `dtype`.
Capability needed_for(Dtype dtype);
/// Those of `dtypes` that a device computes in.
std::vector<Dtype> computed_by(Capability device, std::vector<Dtype> dtypes);
/// Why a device of that name does not compute in `dtype`; empty where it is not for its capability.
std::string why_not(Dtype dtype, const std::string& device, Capability has);

/// Why a program compiled for these capabilities cannot run on a device; empty where it can. Machine code
/// runs from its capability to the next major one, and for newer ones the program has what their driver
/// compiles.
std::string why_no_code(const std::string& device, Capability has, const std::vector<Capability>& compiled);

}  // namespace breakeven::cuda
