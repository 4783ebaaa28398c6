#include "backends/cblas/kernel_choice.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace breakeven::cblas {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Features = std::vector<std::string>;
const Features avx2{"avx2", "fma"};
const Features avx512{"avx2", "fma", "avx512f", "avx512bw", "avx512vl"};

TEST(KernelChoice, VectorsAreThoseThatKernelsNeed) {
  EXPECT_EQ(vectors_of(Features{"sse4_2", "avx"}), Vectors::sse);
  EXPECT_EQ(vectors_of(Features{"avx", "avx2"}), Vectors::sse) << "without FMA";
  EXPECT_EQ(vectors_of(Features{"avx2", "fma", "avx512f"}), Vectors::avx2) << "as Knights Landing";
  EXPECT_EQ(vectors_of(avx512), Vectors::avx512);
}

TEST(KernelChoice, CandidatesAreThoseThatTheProcessorRuns) {
  const std::vector<Kernels> known{
      {.name = "wide", .value = "1", .vectors = Vectors::avx512},
      {.name = "bf16", .value = "2", .vectors = Vectors::avx512, .feature = "avx512_bf16"},
      {.name = "narrow", .value = "3", .vectors = Vectors::avx2},
      {.name = "old", .value = "4", .vectors = Vectors::sse}};
  const auto of = [&](const Features& features, const char* own) {
    std::vector<std::string> names;
    for (const Kernels& one : candidates(known, own, features)) names.push_back(one.name);
    return names;
  };
  EXPECT_THAT(of(avx512, "old"), ElementsAre("wide", "narrow"));
  EXPECT_THAT(of(avx512, "wide"), ElementsAre("narrow"));
  EXPECT_THAT(of(avx2, "unknown"), ElementsAre("narrow"));
  EXPECT_THAT(of(Features{"asimd", "sve"}, "unknown"), IsEmpty());
  Features with_bf16 = avx512;
  with_bf16.emplace_back("avx512_bf16");
  EXPECT_THAT(of(with_bf16, "old"), ElementsAre("wide", "bf16", "narrow"));
}

TEST(KernelChoice, NarrowerKernelsThanTheProcessorAreWarnedOf) {
  EXPECT_THAT(kernels_warning("Haswell", Vectors::avx2, Vectors::avx512, "do so"),
              AllOf(HasSubstr("Haswell"), HasSubstr("AVX-512 unused"), HasSubstr("do so")));
  EXPECT_THAT(kernels_warning("Prescott", Vectors::sse, Vectors::avx2, ""), HasSubstr("AVX2 unused"));
  EXPECT_EQ(kernels_warning("SkylakeX", Vectors::avx512, Vectors::avx512, ""), "");
  EXPECT_EQ(kernels_warning("SkylakeX", Vectors::avx512, Vectors::avx2, ""), "");
}

}  // namespace
}  // namespace breakeven::cblas
