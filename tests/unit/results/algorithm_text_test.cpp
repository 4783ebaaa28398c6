#include <gtest/gtest.h>

#include "results/backend_spelling.h"

namespace breakeven {
namespace {

TEST(AlgorithmWithoutTimes, IsTheSameOfRacesWithTheSameEnd) {
  EXPECT_EQ(algorithm_without_times("64x64 tiles, tuned: best of 5, the first took 1.07x"),
            "64x64 tiles, tuned: best of 5, the first");
  EXPECT_EQ(algorithm_without_times("channels last, contiguous took 1.3x, mkldnn took 1.05e+02x"),
            algorithm_without_times("channels last, contiguous took 1x, mkldnn took 2.5x"));
}

TEST(AlgorithmWithoutTimes, IsTheWholeTextOfOthers) {
  for (const char* text :
       {"", "one thread (tuned: best of 4 ways)", "brgemm:avx512_core took part", "2x took"})
    EXPECT_EQ(algorithm_without_times(text), text);
}

}  // namespace
}  // namespace breakeven
