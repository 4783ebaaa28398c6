#include <fmt/format.h>
#include <gmock/gmock.h>

#include "reports/document/cards.h"
#include "session/schedule.h"
#include "unit/document_texts.h"
#include "unit/reports_sample.h"

namespace breakeven::remarks_test {
namespace {

using testing::ElementsAre;

TEST(Remarks, ThatDifferInNumbersAreOne) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) {
    for (const char* backend : {"a", "b"}) {
      cases.push_back(sample::product(backend, m, 1));
      cases.back().warnings = {
          {.kind = NoteKind::other_processes, .figures = {static_cast<double>(m) / 1000}}};
    }
  }
  cases.front().warnings.push_back(quoted_note("throttled"));
  std::vector<Result> results{sample::result(std::move(cases))};
  results[0].warnings = {quoted_note("built without optimisation")};
  EXPECT_THAT(texts(remarks_on(runs_of(results))),
              ElementsAre("built without optimisation",
                          "other processes used 26 % of the CPU time (and 5 more cases like it: a, b)",
                          "throttled (a, matmul 64 x 64 x 64 f32)"));
}

TEST(Remarks, AreShownAtTheirWorst) {
  std::vector<CaseResult> cases;
  for (const std::size_t figure : {58U, 16U, 44U}) {
    cases.push_back(sample::product("a", 64, 1));
    const std::vector<double> own_speed(10, static_cast<double>(figure) / 100);
    const Timing few{.samples = std::vector<double>(figure)};
    cases.back().warnings = {*own_speed_warning(own_speed, {}),
                             timing_warnings(few, Progress::out_of_time, {}).front()};
  }
  const std::vector<Result> results{sample::result(std::move(cases))};
  EXPECT_THAT(
      texts(remarks_on(runs_of(results))),
      ElementsAre("this machine ran at 16 % of its own speed in 10 of 10 samples: measure again when it is "
                  "quieter (and 2 more cases like it: a)",
                  "only 16 samples in 3 s: too few for an interval (and 2 more cases like it: a)"));
}

TEST(Remarks, OfOtherProgramsThatDifferInNumbersAreOne) {
  std::vector<CaseResult> cases;
  for (const int figure : {3, 12, 5}) {
    cases.push_back(sample::product("a", 64, 1));
    cases.back().warnings = {quoted_note(fmt::format("used {} of 16 streams in f16", figure))};
  }
  cases.push_back(sample::product("a", 64, 1));
  cases.back().warnings = {quoted_note("used 3 of 16 streams in f32")};
  const std::vector<Result> results{sample::result(std::move(cases))};
  EXPECT_THAT(texts(remarks_on(runs_of(results))),
              ElementsAre("used 3 of 16 streams in f16 (and 2 more cases like it: a)",
                          "used 3 of 16 streams in f32 (a, matmul 64 x 64 x 64 f32)"));
}

TEST(Remarks, OnSeveralAlgorithmsAreOneWhateverTheirNames) {
  std::vector<CaseResult> cases;
  for (const char* other : {"winograd", "direct", "tiles of 9 x 9"}) {
    cases.push_back(sample::product("a", 64, 1));
    cases.back().warnings = {{.kind = NoteKind::several_algorithms, .about = {"im2col", other}}};
  }
  const std::vector<Result> results{sample::result(std::move(cases))};
  EXPECT_THAT(texts(remarks_on(runs_of(results))),
              ElementsAre("its samples are of several algorithms: \"im2col\" and \"winograd\" (and 2 more "
                          "cases like it: a)"));
}

TEST(Remarks, ThatQuoteAmountsAreOne) {
  std::vector<CaseResult> cases;
  for (const char* amount : {"0.188", "0.25"}) {
    cases.push_back(sample::product("a", 64, 1));
    cases.back().warnings = {
        {.kind = NoteKind::measured_alone, .about = {fmt::format("needs {} GiB", amount)}}};
  }
  const std::vector<Result> results{sample::result(std::move(cases))};
  EXPECT_THAT(
      texts(remarks_on(runs_of(results))),
      ElementsAre("measured alone: needs 0.188 GiB, while others held memory, too (and 1 more case like "
                  "it: a)"));
}

TEST(Remarks, OnRunsDifferByTheirNames) {
  std::vector<Result> results{sample::result({sample::product("a", 64, 1)})};
  for (const char* shard : {"shard 2/3", "shard 3/3"})
    results[0].warnings.push_back(
        with_source(shard, {.kind = NoteKind::changed, .about = {"kernel", "6.1", "6.2"}}));
  EXPECT_THAT(texts(remarks_on(runs_of(results))), ElementsAre("shard 2/3: different kernel: 6.1 → 6.2",
                                                               "shard 3/3: different kernel: 6.1 → 6.2"));
}

TEST(Remarks, OnASlowedMachineAreOneSentence) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) cases.push_back(sample::product("a", m, 1));
  cases[0].warnings = {{.kind = NoteKind::other_processes, .figures = {0.3}},
                       {.kind = NoteKind::slow_samples, .figures = {0.4, 9, 9}}};
  cases[1].warnings = {{.kind = NoteKind::hypervisor, .figures = {0.3}}};
  std::vector<Result> results{sample::result(std::move(cases))};
  EXPECT_EQ(remarks_on(runs_of(results)).size(), 3U) << "without a probe, each says what it knows";
  results[0].warnings = {{.kind = NoteKind::slow_rounds, .figures = {0.95, 80, 90, 0.3}}};
  EXPECT_THAT(
      texts(remarks_on(runs_of(results))),
      ElementsAre("this machine was slowed in 80 of 90 rounds, at worst to 30 % of its own speed, and 2 "
                  "results have times from then: measure again when it is quieter"));
}

TEST(Remarks, OfSeveralMachinesSayWhichTheyAreAbout) {
  const auto run = [](const std::string& machine, int slow, bool throttles) {
    CaseResult c = sample::product("a", 64, 1);
    c.warnings = {quoted_note("other processes used 5 % of CPU time")};
    if (throttles) c.warnings.push_back(quoted_note("throttled"));
    Result made = sample::on_machine(machine, sample::result({c}));
    made.warnings = {{.kind = NoteKind::slow_rounds, .figures = {0.95, static_cast<double>(slow), 90, 0.5}}};
    return made;
  };
  std::vector<Result> results{run("one", 80, false), run("two", 9, true)};
  EXPECT_THAT(
      texts(remarks_on(runs_of(results))),
      ElementsAre("one: this machine was slowed in 80 of 90 rounds, at worst to 50 % of its own speed",
                  "two: this machine was slowed in 9 of 90 rounds, at worst to 50 % of its own speed",
                  "other processes used 5 % of CPU time (2 cases: a; on both machines)",
                  "throttled (a, matmul 64 x 64 x 64 f32; on two)"));
  results[1].complete = false;
  EXPECT_THAT(texts(remarks_on(runs_of(results))).front(),
              "The run on two ended before everything was measured: continue it with --resume.");
}

TEST(Remarks, OnFailuresAreByStatusAndReason) {
  const CaseResult some = sample::product("a", 64, 1);
  std::vector<Result> results{
      sample::result({sample::refused(some, Status::unsupported, "out of luck"), some,
                      sample::refused(some, Status::failed, "out of luck"),
                      sample::refused(some, Status::unsupported, "no conv2d in f16"),
                      sample::refused(some, Status::unsupported, "no conv2d in f64")})};
  results[0].warnings = {quoted_note("built without optimisation")};
  const std::string of = " (a, matmul 64 x 64 x 64 f32)";
  EXPECT_THAT(
      texts(remarks_on(runs_of(results))),
      ElementsAre("failed: out of luck" + of, "built without optimisation", "unsupported: out of luck" + of,
                  "unsupported: no conv2d in f16" + of, "unsupported: no conv2d in f64" + of))
      << "digits in names tell texts apart";
  results[0].complete = false;
  EXPECT_THAT(texts(remarks_on(runs_of(results)))[1], testing::HasSubstr("--resume"));
  results[0] = sample::result({sample::refused(some, Status::interrupted, "interrupted"),
                               sample::refused(some, Status::out_of_memory, "4 GiB")});
  EXPECT_THAT(texts(remarks_on(runs_of(results))),
              ElementsAre("interrupted" + of, "out of memory: 4 GiB" + of));
}

TEST(Remarks, SayThatAShardIsNotTheWholeRun) {
  std::vector<Result> results{sample::result({sample::product("a", 64, 1)})};
  results[0].shard =
      ShardRecord{.shard = {.number = 1, .count = 4}, .cases = 4, .fingerprint = "", .positions = {0}};
  EXPECT_THAT(texts(remarks_on(runs_of(results))),
              ElementsAre("This is shard 1/4: other cases of the run are missing. Join all its shards with "
                          "breakeven merge."));
  EXPECT_EQ(remarks_on(runs_of(results))[0].tone, Tone::warning);
  results.push_back(results[0]);
  results.push_back(results[0]);
  results[1].shard->shard.number = 2;
  EXPECT_THAT(texts(remarks_on(runs_of(results))),
              ElementsAre(testing::HasSubstr("These are shards 1/4 and 2/4: ")));
  for (std::size_t number : {3U, 4U}) {
    results.push_back(results[0]);
    results.back().shard->shard.number = number;
  }
  EXPECT_THAT(remarks_on(runs_of(results)), testing::IsEmpty()) << "all are here";
  results.assign(1, results[0]);
  results[0].shard->shard = {.number = 1, .count = 1};
  EXPECT_THAT(remarks_on(runs_of(results)), testing::IsEmpty());
}

}  // namespace
}  // namespace breakeven::remarks_test
