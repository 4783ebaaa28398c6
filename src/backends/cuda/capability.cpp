#include "backends/cuda/capability.h"

#include <fmt/format.h>

#include <algorithm>

namespace breakeven::cuda {
namespace {

std::string text(Capability capability) {
  return fmt::format("{}.{}", capability.major, capability.minor);
}

}  // namespace

Capability needed_for(Dtype dtype) {
  switch (dtype) {
    case Dtype::tf32:
    case Dtype::bf16:
      return {8, 0};
    case Dtype::f8e4m3:
      return {8, 9};
    default:
      return {};
  }
}

std::vector<Dtype> computed_by(Capability device, std::vector<Dtype> dtypes) {
  std::erase_if(dtypes, [device](Dtype dtype) { return device < needed_for(dtype); });
  return dtypes;
}

std::string why_not(Dtype dtype, const std::string& device, Capability has) {
  const Capability needed = needed_for(dtype);
  if (!(has < needed)) return "";
  return fmt::format("{} needs compute capability {}, {} has {}", name(dtype), text(needed), device,
                     text(has));
}

std::string why_no_code(const std::string& device, Capability has, const std::vector<Capability>& compiled) {
  const auto least = std::min_element(compiled.begin(), compiled.end());
  if (least == compiled.end() || !(has < *least)) return "";
  return fmt::format("{} has compute capability {}, and this program is compiled for {} and newer", device,
                     text(has), text(*least));
}

std::string why_no_driver(bool module_is_loaded) {
  if (!module_is_loaded) return "NVIDIA's driver is not installed";
  return "NVIDIA's driver is loaded, but its library libcuda.so.1 is not here: start the container with the "
         "GPU (docker run --gpus all)";
}

std::string why_driver_is_too_old(int driver, int runtime) {
  constexpr int one_major = 1000, oldest_toolkit = 12;
  // CUDA Toolkit Release Notes, "CUDA Toolkit and Minimum Required NVIDIA Driver Version for CUDA Minor
  // Version Compatibility".
  const int needed = runtime / one_major >= 13 ? 580 : 525;
  const int served = driver / one_major;
  const std::string older =
      served >= oldest_toolkit ? fmt::format(", or build breakeven with a toolkit of CUDA {}", served) : "";
  return fmt::format("the driver serves CUDA {}, this program is of {}: install driver {} or later{}",
                     cuda_version(driver), cuda_version(runtime), needed, older);
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace breakeven::cuda
