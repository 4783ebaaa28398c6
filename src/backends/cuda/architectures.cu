#include "backends/cuda/capability.h"

namespace breakeven::cuda {

std::vector<Capability> compiled_architectures() {
  std::vector<Capability> all;
  for (const int number : {__CUDA_ARCH_LIST__}) all.push_back({number / 100, number / 10 % 10});
  return all;
}

}  // namespace breakeven::cuda
