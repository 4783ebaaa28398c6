#include "reports/words/rank_words.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>

#include "unit/rankings.h"
#include "unit/reports_sample.h"

namespace breakeven::rank_words_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Estimate one_second{.value = 1};

Ranked candidate(const std::string& device, bool is_cpu, std::vector<RankedPart> parts) {
  Ranked one;
  one.parts = std::move(parts);
  one.candidate.name = device + " here";
  one.candidate.device = device;
  one.candidate.is_cpu = is_cpu;
  return one;
}

Ranking ranking_of(std::vector<Ranked> ranked) {
  Ranking ranking;
  ranking.ranked = std::move(ranked);
  for (std::size_t i = 0; i < ranking.ranked.front().parts.size(); ++i)
    ranking.entries.push_back({.id = fmt::format("c{}", i), .title = fmt::format("case {}", i)});
  return ranking;
}

CaseResult without_time(Status status, const std::string& reason) {
  return sample::refused(sample::product("onednn", 64, 1), status, reason);
}

TEST(RankWords, SayWhyAPartHasNoTime) {
  const auto why = [](const RankedPart& part) { return unknown_text(part, Metric::time); };
  const CaseResult refused = without_time(Status::out_of_memory, "4 GiB were asked for");
  const CaseResult failed = without_time(Status::failed, "crashed");
  const CaseResult interrupted = without_time(Status::interrupted, "not measured yet");
  const CaseResult missed = sample::product("blis", 64, 1);
  EXPECT_EQ(why(RankedPart{.seconds = one_second, .without_time = {&failed}}), "");
  EXPECT_EQ(why(RankedPart{}), "not measured");
  EXPECT_EQ(why(RankedPart{.without_time = {&interrupted, &refused, &failed, &missed}}),
            "onednn: out of memory: 4 GiB were asked for; onednn: failed: crashed; blis: did not reach its "
            "target; interrupted: not measured yet (continue the run with --resume)");
  EXPECT_EQ(why(RankedPart{.unpredicted = RooflineOf::datasheets}),
            "nothing to predict it from: no other device of its kind in the catalogue was measured, or the "
            "peak of this dtype is not known");
  EXPECT_EQ(
      why(RankedPart{.without_time = {&interrupted}, .unpredicted = RooflineOf::ceilings}),
      "interrupted: not measured yet (continue the run with --resume), and nothing to predict it from: run "
      "configs/ceilings.json on this machine, and on one of its kind that has the case");
  EXPECT_EQ(why(RankedPart{.unpredicted = RooflineOf::ceilings}),
            "not measured, and nothing to predict it from: run configs/ceilings.json on this machine, and on "
            "one of its kind that has the case");
}

TEST(RankWords, SayWhyATimeOrAnEnergyIsUnknown) {
  const auto why = [](std::vector<RankedPart> parts, Metric metric = Metric::time) {
    const Ranking ranking = ranking_of({candidate("CPU", true, std::move(parts))});
    return unknown_text(ranking, ranking.ranked[0], metric);
  };
  const CaseResult failed = without_time(Status::failed, "crashed");
  const RankedPart measured{.seconds = one_second};
  const RankedPart missing;
  EXPECT_EQ(why({}), "no case was measured on all of them");
  EXPECT_EQ(why({missing, missing}), "none of these cases was measured on it");
  EXPECT_EQ(why({{.without_time = {&failed}}}), "not known for 1 of 1 case: case 0: onednn: failed: crashed");
  EXPECT_EQ(why({measured, missing, missing, missing}),
            "not known for 3 of 4 cases: case 1: not measured; case 2: not measured; case 3: not measured");
  EXPECT_EQ(why({measured, missing, missing, missing, missing}),
            "not known for 4 of 5 cases: case 1: not measured; case 2: not measured; case 3: not measured; "
            "...");
  EXPECT_EQ(why({measured, {.seconds = one_second, .joules = one_second}}, Metric::energy),
            "not known for 1 of 2 cases: case 0: energy not known");
  Ranking known = ranking_of({candidate("CPU", true, {measured})});
  known.ranked[0].seconds = one_second;
  EXPECT_EQ(unknown_text(known, known.ranked[0], Metric::time), "");
}

TEST(RankWords, SayWhyThereIsNoCost) {
  const auto why = [](std::optional<NoCost> no_cost, bool is_cpu = false) {
    Ranking ranking = ranking_of({candidate("A GPU", is_cpu, {{}, {.devices = 4}})});
    ranking.ranked[0].candidate.host.name = "g";
    ranking.ranked[0].no_cost = no_cost;
    return unknown_text(ranking, ranking.ranked[0], Metric::cost);
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why(NoCost::no_prices), "no prices were given");
  EXPECT_EQ(why(NoCost::ambiguous_price),
            "the price of 'A GPU' could be that of several processors here; add \"machine\": \"A GPU here\"");
  EXPECT_EQ(why(NoCost::purchase_price_only),
            "it has a purchase price alone: what a run costs depends on how much it is used");
  EXPECT_EQ(why(NoCost::no_price), "there is no price for 'A GPU'");
  EXPECT_EQ(why(NoCost::price_of_host_only),
            "there is no price for 'A GPU'; that of the host 'g' is of its processors: add one with "
            "\"device\": \"A GPU\"");
  EXPECT_EQ(why(NoCost::no_time), "none of these cases was measured on it");
  EXPECT_EQ(why(NoCost::several_devices),
            "'case 1' ran on 4 GPUs, and the price is of one; name work without it with --mix CONFIG");
  EXPECT_EQ(why(NoCost::several_devices, true),
            "'case 1' ran on 4 hosts, and the price is of one; name work without it with --mix CONFIG");
}

TEST(RankWords, SayWhoseCasesDoNotCount) {
  EXPECT_EQ(uncounted_text(std::vector<Uncounted>{{.candidate = "n1", .cases = 4, .lacking = {"n2"}},
                                                  {.candidate = "n2", .cases = 1, .lacking = {"n1", "n3"}}}),
            "Cases that another machine lacks are not counted: 4 of n1 and 1 of n2.");
  EXPECT_EQ(uncounted_text({}), "");
}

TEST(RankWords, NoteWhatARankingLeavesOut) {
  Ranking ranking = ranking_of({candidate("CPU", true, {{.seconds = one_second}})});
  EXPECT_THAT(ranking_notes(ranking),
              ElementsAre("there is one machine, CPU here, and nothing to rank it against"));
  ranking.ranked.push_back(ranking.ranked[0]);
  EXPECT_THAT(ranking_notes(ranking), IsEmpty());
  ranking.left_out = {"a", "b"};
  Rankings rankings = alone(ranking);
  rankings.unused_prices = {"Z80", "elsewhere"};
  rankings.not_ranked = {"read", "matmul"};
  EXPECT_THAT(ranking_notes(rankings),
              ElementsAre("left out, because the others have cases in common without it: a, b; --mix CONFIG "
                          "names the work instead",
                          "no two machines have cases of sums of an array and matrix products in common",
                          "prices of machines that are not among the results: Z80, elsewhere"));
  EXPECT_THAT(ranking_notes(ranking_of({candidate("CPU", true, {}), candidate("CPU", true, {})})),
              ElementsAre("no case was measured on all of them; name the work with --mix CONFIG, or run one "
                          "config on each"));
}

TEST(RankWords, NoteDifferentNumbersOfDevices) {
  const RankedPart of_four{.seconds = one_second, .devices = 4};
  const RankedPart of_one{.seconds = one_second};
  const RankedPart predicted{.seconds = one_second, .predicted = true};
  EXPECT_THAT(
      ranking_notes(ranking_of(
          {candidate("CPU", true, {of_one, of_one}), candidate("GPU", false, {of_four, predicted})})),
      ElementsAre("the machines used different numbers of devices for 1 case: case 0 on 1 host of CPU "
                  "here, 4 GPUs of GPU here; to rank single devices, name work without such cases "
                  "with --mix CONFIG"));
  EXPECT_THAT(ranking_notes(ranking_of(
                  {candidate("CPU", true, {of_one, of_one}), candidate("GPU", false, {of_four, of_four})})),
              ElementsAre("the machines used different numbers of devices for 2 cases: for example case 0 on "
                          "1 host of CPU here, 4 GPUs of GPU here; to rank single devices, name work without "
                          "such cases with --mix CONFIG"));
}

TEST(RankWords, NoteHowFarPredictionsAreOff) {
  Ranking ranking = ranking_of(
      {candidate("a", true, {{.seconds = one_second}}), candidate("b", true, {{.seconds = one_second}})});
  ranking.predictions = {{RooflineOf::datasheets, DeviceKind::gpus},
                         {RooflineOf::ceilings, DeviceKind::processors}};
  EXPECT_THAT(
      ranking_notes(ranking),
      ElementsAre("predicted cases were not measured, and how far the predictions are off is not known: "
                  "that takes results of two different GPUs of the catalogue",
                  "predicted cases were not measured, and how far the predictions are off is not known: "
                  "that takes results of two different processors with their ceilings"));
  for (const PredictedBy by : ranking.predictions)
    ranking.prediction_errors[by] = {.devices = 2, .cases = 2, .typical = 1.2, .most = 1.25};
  EXPECT_THAT(
      ranking_notes(ranking),
      ElementsAre("predicted cases were not measured; predicted from each other by their datasheets, the 2 "
                  "different GPUs here are off by a factor of 1.20 (median) and 1.25 (95 %) over 2 cases",
                  "predicted cases were not measured; predicted from each other by the ceilings that were "
                  "measured, the 2 different processors here are off by a factor of 1.20 (median) and 1.25 "
                  "(95 %) over 2 cases"));
}

TEST(RankWords, SayWhichMachineAPriceMayMean) {
  EXPECT_EQ(
      unknown_machine_text({.name = "H20", .known = {"H200", "Zen 5, 2 cores"}}),
      "no machine here is called 'H20'; did you mean 'H200'?; `breakeven rank` calls them H200 and Zen 5, 2 "
      "cores");
}

TEST(RankWords, SayWhichCachesWereWarm) {
  EXPECT_EQ(mixed_caches_text({.warm = "a", .cold = "b"}),
            "the files were not measured alike: one of a with warm caches, one of b with cold ones; rank "
            "either kind alone");
}

}  // namespace
}  // namespace breakeven::rank_words_test
