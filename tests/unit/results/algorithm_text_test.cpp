#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "results/algorithm.h"
#include "results/backend_spelling.h"

namespace breakeven {
namespace {

TEST(ChosenAlgorithm, IsWithoutTheOthersOfTheRace) {
  for (const auto& [text, chosen] : std::vector<std::pair<const char*, const char*>>{
           {"64x64 tiles, tuned: best of 5, the first took 1.07x", "64x64 tiles"},
           {"plan 3, tuned: there is one", "plan 3"},
           {"channels last, contiguous took 1.3x, mkldnn took 1.05e+02x", "channels last"},
           {"channels last, contiguous failed, mkldnn not tried, kernels for Zen",
            "channels last, kernels for Zen"},
           {"eager, contiguous, fused sgd; eager, channels_last, fused sgd took 1.1x; eager, default sgd "
            "failed",
            "eager, contiguous, fused sgd"},
           {"graph, weights' gradients beside inputs' (the other way took 1.04x), NCHW took 1.20x",
            "graph, weights' gradients beside inputs'"},
           {"one thread (tuned: best of 4 ways)", "one thread"},
           {"matmul gemm:jit, tuned: fastest of 7 ways", "matmul gemm:jit"},
           {"stores past the caches; tuned: best of 2 ways", "stores past the caches"}})
    EXPECT_EQ(chosen_algorithm(text), chosen);
}

TEST(ChosenAlgorithm, IsTheWholeTextOfOthers) {
  for (const char* text : {"", "brgemm:avx512_core took part", "2x took", "im2col, the last took x",
                           "the first named, not tuned", "winograd (4x4 tiles)", "a took 1.1x", "a; b, c)"})
    EXPECT_EQ(chosen_algorithm(text), text);
}

TEST(Frameworks, AreNotTheLibrariesBeneathThem) {
  for (const char* backend : {"pytorch", "pytorch-cuda-compiled", "tensorflow", "jax-cuda"})
    EXPECT_TRUE(is_framework(backend)) << backend;
  for (const char* backend : {"openblas", "openblas-0.3.30", "onednn", "cuda", "native", ""})
    EXPECT_FALSE(is_framework(backend)) << backend;
}

}  // namespace
}  // namespace breakeven
