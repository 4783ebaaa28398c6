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

}  // namespace breakeven::cuda
