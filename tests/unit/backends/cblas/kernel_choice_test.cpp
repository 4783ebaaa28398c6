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

RacedKernels raced(std::vector<double> rounds) {
  return {.rounds = std::move(rounds)};
}
RacedKernels always(double seconds) {
  return raced(std::vector<double>(8, seconds));
}
std::size_t fastest(const std::vector<RacedKernels>& all) {
  return fastest_kernels(all);
}

TEST(KernelChoice, OthersMustBeFasterInNearlyEveryRoundAndByTheMarginInTheMedian) {
  EXPECT_EQ(fastest({always(100), always(97)}), 1U);
  EXPECT_EQ(fastest({always(100), always(99)}), 0U);
  EXPECT_EQ(fastest({always(100), always(200)}), 0U);
  EXPECT_EQ(fastest({always(100), raced({90, 90, 90, 90, 90, 90, 90, 90})}), 1U);
  EXPECT_EQ(fastest({always(100), raced({90, 90, 90, 90, 90, 90, 99, 99})}), 1U);
  EXPECT_EQ(fastest({always(100), raced({90, 90, 90, 90, 90, 90, 101, 101})}), 0U);
}

TEST(KernelChoice, AmongEquallyFastOnesTheFirstIsTaken) {
  EXPECT_EQ(fastest({always(100), raced({20, 21, 20, 21, 20, 21, 20, 21}), always(20)}), 1U);
  EXPECT_EQ(fastest({always(100), always(20), always(19.8)}), 2U);
}

TEST(KernelChoice, ThoseThatDiedAreOut) {
  const RacedKernels dead = raced({});
  EXPECT_EQ(fastest({always(100), dead}), 0U);
  EXPECT_EQ(fastest({dead, always(1)}), 0U) << "with nothing to compare with";
}

TEST(KernelChoice, ThoseFarBehindLoseToAnyThatWereTimed) {
  const RacedKernels slow{.far_behind = true};
  EXPECT_EQ(fastest({slow, slow, always(1)}), 2U);
  EXPECT_EQ(fastest({always(1), slow}), 0U);
  EXPECT_EQ(fastest({slow, raced({})}), 0U);
}

TEST(KernelChoice, IsUndecidedWhereOthersOnlySeemFaster) {
  const auto undecided = [](const std::vector<RacedKernels>& all) { return is_undecided(all); };
  EXPECT_TRUE(undecided({always(100), raced({90, 90, 90, 90, 90, 90, 110, 110})}));
  EXPECT_FALSE(undecided({always(100), always(90)})) << "clearly faster";
  EXPECT_FALSE(undecided({always(100), always(99)}));
  EXPECT_FALSE(undecided({always(100), raced({}), RacedKernels{.far_behind = true}}));
}

TEST(KernelChoice, FewRoundsDecideNothing) {
  EXPECT_EQ(fastest({raced({100, 100, 100, 100, 100}), raced({50, 50, 50, 50, 50})}), 0U);
}

/// A race on a machine with other work: every round is slower by a random amount, some of them much.
class RaceWithNoise {
 public:
  explicit RaceWithNoise(std::uint64_t seed) : generator_(seed) {}
  RacedKernels run(double seconds) {
    std::vector<double> rounds;
    for (int i = 0; i < 28; ++i)
      rounds.push_back(seconds * (1 + 0.03 * usual_(generator_)) * (is_hit_(generator_) ? 1.5 : 1));
    return raced(rounds);
  }

 private:
  std::mt19937_64 generator_;
  std::exponential_distribution<double> usual_;
  std::bernoulli_distribution is_hit_{0.15};
};

TEST(KernelChoice, NoiseSeldomChoosesAndSeldomHidesFivePerCent) {
  constexpr int races = 1000;
  int changed = 0, found = 0, found_small = 0;
  for (int seed = 0; seed < races; ++seed) {
    RaceWithNoise race(static_cast<std::uint64_t>(seed));
    const RacedKernels own = race.run(1);
    changed += fastest({own, race.run(1), race.run(1), race.run(1), race.run(1)}) != 0 ? 1 : 0;
    found += fastest({own, race.run(0.8)}) == 1 ? 1 : 0;
    found_small += fastest({own, race.run(0.95)}) == 1 ? 1 : 0;
  }
  RecordProperty("changed", changed);
  RecordProperty("found_small", found_small);
  EXPECT_LT(changed, races / 20) << "among kernels that are equally fast";
  EXPECT_GT(found, races * 49 / 50);
  EXPECT_GT(found_small, races * 9 / 10);
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
