#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "backends/cblas/kernel_choice.h"

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

RacedKernels raced(Vectors vectors, std::vector<double> rounds) {
  return {.vectors = vectors, .rounds = std::move(rounds)};
}
std::size_t fastest(const std::vector<RacedKernels>& all) {
  return fastest_kernels(all);
}

TEST(KernelChoice, OthersMustBeFasterInEveryRound) {
  const RacedKernels own = raced(Vectors::avx2, {100, 100, 100});
  EXPECT_EQ(fastest({own, raced(Vectors::avx2, {90, 95, 97})}), 1U);
  EXPECT_EQ(fastest({own, raced(Vectors::avx2, {50, 98, 50})}), 0U) << "by less than 3 % in one";
  EXPECT_EQ(fastest({own, raced(Vectors::avx2, {200, 200, 200})}), 0U);
}

TEST(KernelChoice, WiderVectorsNeedNoMargin) {
  const RacedKernels own = raced(Vectors::avx2, {100, 100, 100});
  EXPECT_EQ(fastest({own, raced(Vectors::avx512, {99, 99, 99})}), 1U);
  EXPECT_EQ(fastest({own, raced(Vectors::avx512, {99, 101, 99})}), 0U);
}

TEST(KernelChoice, AmongEquallyFastOnesTheFirstIsTaken) {
  const RacedKernels own = raced(Vectors::sse, {100, 100});
  EXPECT_EQ(fastest({own, raced(Vectors::avx512, {20, 20}), raced(Vectors::avx512, {19.5, 20})}), 1U);
  EXPECT_EQ(fastest({own, raced(Vectors::avx512, {20, 20}), raced(Vectors::avx2, {10, 10})}), 2U);
}

TEST(KernelChoice, ThoseThatDiedOrFellBehindAreOut) {
  const RacedKernels dead = raced(Vectors::avx512, {});
  EXPECT_EQ(fastest({raced(Vectors::sse, {100, 100}), dead}), 0U);
  EXPECT_EQ(fastest({dead, raced(Vectors::avx512, {1, 1})}), 0U) << "with nothing to compare with";
  EXPECT_EQ(fastest({raced(Vectors::sse, {100}), raced(Vectors::avx512, {20, 21, 22})}), 1U);
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
