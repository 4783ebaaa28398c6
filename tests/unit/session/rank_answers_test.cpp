#include "session/rank_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> two_hosts{"a", "b"};

template <typename T>
T combined(const std::vector<Answer>& answers, const std::vector<std::string>& hosts = two_hosts) {
  return std::get<T>(combine(answers, hosts));
}

answer::Hello hello_on(const std::string& host) {
  answer::Hello hello;
  hello.name = "openblas";
  hello.libraries = {{"openblas", "0.3.21"}};
  hello.ranks = {{.host = host, .pid = 1}};
  return hello;
}

answer::Sample sample(double seconds, double communication) {
  answer::Sample one;
  one.iterations = 10;
  one.seconds = seconds;
  one.cpu_seconds = seconds;
  one.joules = 3;
  one.communication_seconds = communication;
  return one;
}

TEST(RankAnswers, HelloListsAllRanks) {
  const auto hello = combined<answer::Hello>({hello_on("a"), hello_on("b")});
  ASSERT_EQ(hello.ranks.size(), 2U);
  EXPECT_EQ(hello.ranks[1].host, "b");
}

TEST(RankAnswers, RanksWithOtherLibrariesAreRefused) {
  answer::Hello other = hello_on("b");
  other.libraries = {{"openblas", "0.3.20"}};
  EXPECT_EQ(combined<answer::Refusal>({hello_on("a"), other}).reason,
            "rank 1 on b: has openblas 0.3.20, and rank 0 0.3.21; ranks must not differ");
}

TEST(RankAnswers, RanksOfAnotherVersionAreRefused) {
  answer::Hello other = hello_on("b");
  other.version = "9";
  EXPECT_THAT(combined<answer::Refusal>({hello_on("a"), other}).reason, HasSubstr("runs version 9"));
}

TEST(RankAnswers, TwoRanksOnOneGpuAreRefused) {
  answer::Hello first = hello_on("a"), second = hello_on("a");
  first.device_id = second.device_id = "GPU-1";
  EXPECT_THAT(combined<answer::Refusal>({first, second}, {"a", "a"}).reason,
              HasSubstr("rank 1 on a: computes on GPU-1, as a rank before it does"));
  // Every host may have a GPU of that name.
  EXPECT_EQ(combined<answer::Hello>({first, second}).ranks.size(), 2U);
}

TEST(RankAnswers, RanksOnGpusOfDifferentModelsAreRefused) {
  answer::Hello first = hello_on("a"), second = hello_on("b");
  first.device = second.device = "gpu";
  first.device_name = second.device_name = "NVIDIA A100";
  EXPECT_EQ(combined<answer::Hello>({first, second}).device_name, "NVIDIA A100");
  second.device_name = "NVIDIA T400";
  EXPECT_EQ(combined<answer::Refusal>({first, second}).reason,
            "rank 1 on b: computes on NVIDIA T400, and rank 0 on NVIDIA A100; ranks must not differ: "
            "CUDA_VISIBLE_DEVICES chooses GPUs of one model");
  EXPECT_EQ(note_of_cpus({first, second}, two_hosts), std::nullopt) << "they are no CPUs";
}

TEST(RankAnswers, RanksOnCpusOfDifferentModelsAreWarnedOf) {
  answer::Hello first = hello_on("a"), second = hello_on("b");
  first.device_name = second.device_name = "EPYC 1";
  EXPECT_EQ(note_of_cpus({first, second}, two_hosts), std::nullopt);
  second.device_name = "EPYC 2";
  EXPECT_EQ(combined<answer::Hello>({first, second}).ranks.size(), 2U);
  EXPECT_EQ(note_of_cpus({first, second}, two_hosts),
            (Note{.kind = NoteKind::ranks_on_other_cpus, .about = {"rank 1 on b", "EPYC 2", "EPYC 1"}}));
  EXPECT_EQ(note_of_cpus({answer::Refusal{}, second}, two_hosts), std::nullopt);
}

/// CPUs of unlike models support unlike dtypes.
TEST(RankAnswers, WhatOneRankLacksNoneHas) {
  answer::Hello first = hello_on("a"), second = hello_on("b");
  first.supports = {{"train", {"f32", "bf16"}}, {"all_reduce", {"f32"}}};
  second.supports = {{"train", {"f32"}}};
  second.unreadable = {{"joules", "why"}};
  const auto together = combined<answer::Hello>({first, second});
  EXPECT_THAT(together.supports, ElementsAre(testing::Pair("train", ElementsAre("f32")),
                                             testing::Pair("all_reduce", testing::IsEmpty())));
  EXPECT_EQ(together.unreadable.at("joules"), "why");
}

TEST(RankAnswers, ASampleLastsAsLongAsTheLongestAndCostsTheTimeOfAll) {
  const auto together = combined<answer::Sample>({sample(1.0, 0.1), sample(1.2, 0.3)});
  EXPECT_DOUBLE_EQ(together.seconds, 1.2);
  EXPECT_DOUBLE_EQ(together.cpu_seconds.value(), 2.2);
  // The first one waits for 0.2 s more.
  EXPECT_DOUBLE_EQ(together.communication_seconds.value(), 0.3);
  EXPECT_DOUBLE_EQ(together.joules.value(), 6);
}

TEST(RankAnswers, EnergyOfAHostCountsOnce) {
  EXPECT_DOUBLE_EQ(combined<answer::Sample>({sample(1, 0), sample(1, 0)}, {"a", "a"}).joules.value(), 3);
}

TEST(RankAnswers, TimeOnDevicesIsTheLongestAndUnknownIfThatOfOneIs) {
  answer::Sample first = sample(1, 0), second = sample(1, 0);
  first.device_seconds = 0.5;
  second.device_seconds = 0.75;
  EXPECT_EQ(combined<answer::Sample>({first, second}).device_seconds, 0.75);
  second.device_seconds.reset();
  EXPECT_EQ(combined<answer::Sample>({first, second}).device_seconds, std::nullopt);
  EXPECT_EQ(combined<answer::Sample>({second, first}).device_seconds, std::nullopt);
}

TEST(RankAnswers, AWarningOfSeveralRanksIsGivenOnce) {
  answer::Sample first = sample(1, 0), second = sample(1, 0);
  first.warnings = {"both"};
  second.warnings = {"both", "second alone"};
  EXPECT_THAT(combined<answer::Sample>({first, second}).warnings, ElementsAre("both", "second alone"));
}

TEST(RankAnswers, AnEpochLastsAsLongAsTheLongestOfEachPart) {
  const answer::Epoch first{.seconds = 2, .evaluation_seconds = 0.5, .accuracy = 0.8, .losses = {1, 0.5}};
  const answer::Epoch second{.seconds = 3, .evaluation_seconds = 0.25, .accuracy = 0.8, .losses = {1, 0.5}};
  const auto together = combined<answer::Epoch>({first, second});
  EXPECT_DOUBLE_EQ(together.seconds, 3);
  EXPECT_DOUBLE_EQ(together.evaluation_seconds, 0.5);
  EXPECT_DOUBLE_EQ(together.accuracy, 0.8);
  EXPECT_THAT(together.losses, ElementsAre(1, 0.5));
}

TEST(RankAnswers, ARefusalOfOneRankIsThatOfAll) {
  const auto refusal = combined<answer::Refusal>(
      {answer::Ready{.algorithm = "x"}, answer::Refusal{.status = "out_of_memory", .reason = "needs 9 GiB"}});
  EXPECT_EQ(refusal.status, "out_of_memory");
  EXPECT_EQ(refusal.reason, "rank 1 on b: needs 9 GiB");
}

TEST(RankAnswers, ARefusalForAnothersIsNotTheReason) {
  const answer::Refusal follows{.status = "unsupported", .reason = answer::refused_by_another_rank};
  const answer::Refusal own{.status = "out_of_memory", .reason = "needs 9 GiB"};
  EXPECT_EQ(combined<answer::Refusal>({follows, own}).reason, "rank 1 on b: needs 9 GiB");
  EXPECT_EQ(combined<answer::Refusal>({own, own}).reason, "needs 9 GiB");
}

TEST(RankAnswers, ResultsThatDifferAreRefused) {
  EXPECT_EQ(combined<answer::Refusal>({Evidence{.elements = {1, 2}}, Evidence{.elements = {1, 2.5}}}).reason,
            "rank 1 on b: holds another result than rank 0: element 1 is 2.5 and not 2");
  const double nan = std::nan("");
  EXPECT_THAT(combined<answer::Refusal>({Evidence{.losses = {1}}, Evidence{.losses = {nan}}}).reason,
              HasSubstr("loss 0 is nan"));
  // Rounding may make them different.
  EXPECT_THAT(combined<Evidence>({Evidence{.elements = {2}}, Evidence{.elements = {2.0001}}}).elements,
              ElementsAre(2));
}

TEST(Stragglers, ARankThatIsSlowInMostSamplesIsNamed) {
  Stragglers found;
  for (int i = 0; i < 10; ++i) {
    if (i < 5) {
      EXPECT_EQ(found.found(two_hosts), std::nullopt);
    }
    found.note({sample(2.0, i < 3 ? 0.1 : 1.0), sample(2.0, 0.1)});
  }
  EXPECT_EQ(found.found(two_hosts),
            (Note{.kind = NoteKind::slow_rank, .figures = {1.25}, .about = {"rank 1 on b"}}));
}

TEST(Stragglers, RanksThatOnlyCommunicateHaveNone) {
  Stragglers found;
  for (int i = 0; i < 10; ++i) found.note({sample(1.0, 0.999), sample(1.0, 0.99)});
  EXPECT_EQ(found.found(two_hosts), std::nullopt);
}

}  // namespace
}  // namespace breakeven
