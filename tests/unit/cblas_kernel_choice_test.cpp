#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "backends/cblas/kernel_choice.h"

namespace breakeven::cblas {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(KernelChoice, VectorsAreThoseThatKernelsNeed) {
  const auto of = [](const std::vector<std::string>& features) { return vectors_of(features); };
  EXPECT_EQ(of({"sse4_2", "avx"}), Vectors::sse);
  EXPECT_EQ(of({"avx", "avx2"}), Vectors::sse) << "without FMA";
  EXPECT_EQ(of({"avx2", "fma", "avx512f"}), Vectors::avx2) << "as Knights Landing";
  EXPECT_EQ(of({"avx2", "fma", "avx512f", "avx512bw", "avx512vl"}), Vectors::avx512);
}

TEST(KernelChoice, NarrowerKernelsThanTheProcessorAreWarnedOf) {
  EXPECT_THAT(kernels_warning("Haswell", Vectors::avx2, Vectors::avx512, "X=Y"),
              AllOf(HasSubstr("Haswell"), HasSubstr("AVX-512 unused"), HasSubstr("X=Y")));
  EXPECT_THAT(kernels_warning("Prescott", Vectors::sse, Vectors::avx2, "X=Y"), HasSubstr("AVX2 unused"));
  EXPECT_EQ(kernels_warning("SkylakeX", Vectors::avx512, Vectors::avx512, "X=Y"), "");
  EXPECT_EQ(kernels_warning("SkylakeX", Vectors::avx512, Vectors::avx2, "X=Y"), "");
}

}  // namespace
}  // namespace breakeven::cblas
