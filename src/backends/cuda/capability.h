// The features of a device, by its compute capability (CUDA Programming Guide, "Compute Capabilities"), and
// why a device or its driver cannot be used.
#pragma once

#include <string>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven::cuda {

struct Capability {
  int major = 0, minor = 0;
  bool operator<(const Capability& other) const {  // nvcc's C++17 has no <=>
    return major != other.major ? major < other.major : minor < other.minor;
  }
};

/// The minimum compute capability for `dtype`.
Capability needed_for(Dtype dtype);
/// The elements of `dtypes` in which a device computes.
std::vector<Dtype> computed_by(Capability device, std::vector<Dtype> dtypes);
/// The reason why a device with this name does not compute in `dtype`; empty if its capability is sufficient.
std::string why_not(Dtype dtype, const std::string& device, Capability has);

/// The capabilities for which this program's kernels are compiled (CMAKE_CUDA_ARCHITECTURES).
std::vector<Capability> compiled_architectures();
/// The reason why a program compiled for these capabilities cannot run on a device; empty if it can. Machine
/// code runs from its capability up to the next major one. For newer ones, the program contains code that
/// their driver compiles.
std::string why_no_code(const std::string& device, Capability has, const std::vector<Capability>& compiled);

/// The reason why the driver's library is missing. A container sees the kernel's module of its host, but the
/// library only if it was started with the GPU.
std::string why_no_driver(bool module_is_loaded);
/// The reason why a driver that serves CUDA `driver` cannot run a program of CUDA `runtime`, with the remedy.
/// A version is numbered as CUDA numbers it: 13020 is 13.2.
std::string why_driver_is_too_old(int driver, int runtime);
std::string cuda_version(int number);

}  // namespace breakeven::cuda
