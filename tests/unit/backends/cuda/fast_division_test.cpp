// Tests division by multiplication, with which the CUDA backend's kernels compute indices.
#include "backends/cuda/kernels/fast_division.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace breakeven::cuda {
namespace {

TEST(CudaFastDivision, IsExactAsFarAsItPromises) {
  for (const std::int64_t divisor : {1, 2, 3, 7, 10, 49, 64, 196, 784, 1000, 36864, 65535, 65536, 16777215}) {
    const Divisor by(divisor);
    const std::int64_t most = std::int64_t{1} << 39;
    for (std::int64_t n = 0; n < 3000; ++n) {
      for (const std::int64_t tried :
           {n, n * divisor, n * divisor + divisor - 1, most - n, most / divisor * divisor - n}) {
        if (tried < 0) continue;
        ASSERT_EQ(by.quotient(tried), tried / divisor) << tried << " by " << divisor;
        ASSERT_EQ(by.remainder(tried), tried % divisor) << tried << " by " << divisor;
      }
    }
  }
}

}  // namespace
}  // namespace breakeven::cuda
