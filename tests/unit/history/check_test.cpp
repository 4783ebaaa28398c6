// Tests which changes in a history count as new and for the worse.
#include "history/check.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "history/store.h"
#include "reports/history.h"
#include "reports/words/notes.h"
#include "results/filter.h"
#include "unit/history_sample.h"
#include "unit/messages.h"

namespace breakeven::history_check_test {
namespace {

using sample::history_of;
using sample::run_of;
using sample::stepped;
using sample::timed;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HistoryCheckTest, ANewChangeForTheWorseFails) {
  const History h = history_of({stepped(60, 100, 1), stepped(60, 40, 1.2, 2)});
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.changes.size(), 1U);
  const Change& c = check.changes[0];
  EXPECT_EQ(c.state, ChangeState::fresh);
  EXPECT_EQ(c.series->case_id, "case/1");
  EXPECT_EQ(c.last_before, 39U);
  EXPECT_EQ(c.first_after, 40U);
  EXPECT_NEAR(c.ratio, 1.2, 0.01);
  EXPECT_LT(c.interval.low, 1.2);
  EXPECT_GT(c.interval.high, 1.2);
  EXPECT_LT(c.p_value, 0.01);
  EXPECT_EQ(exit_status(check), 1);
}

/// Runs that creep resemble the runs before them: nobody knows that there is a step.
TEST(HistoryCheckTest, WhatRunsThatResembleEachOtherMayExplainIsASuspicion) {
  std::vector<double> seconds;
  for (int run = 0; run < 60; ++run) seconds.push_back(1e-3 * (1 + 0.002 * run + 0.0001 * (run * 7 % 5)));
  const History h = history_of({seconds});
  const HistoryCheck check = check_history(h, {});
  EXPECT_TRUE(check.changes.empty());
  ASSERT_EQ(check.suspicions.size(), 1U);
  EXPECT_TRUE(check.suspicions[0].at_least);
  EXPECT_GT(check.suspicions[0].more, 0U);
  EXPECT_EQ(exit_status(check), 0);
}

TEST(HistoryCheckTest, AChangeForTheBetterDoesNot) {
  const History h = history_of({stepped(60, 40, 0.8)});
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.changes.size(), 1U);
  EXPECT_EQ(check.changes[0].state, ChangeState::better);
  EXPECT_EQ(exit_status(check), 0);
}

/// The probe's arithmetic took 40 us in each run, times `factor` from `begin` on, and up to `end`.
void probe(History& history, std::size_t begin, double factor, std::size_t end = 1'000'000) {
  for (std::size_t i = 0; i < history.runs.size(); ++i) {
    const double noise = static_cast<double>(i * 37 % 11) * 1e-4;
    const double seconds = 40e-6 * (1 + noise) * (i >= begin && i < end ? factor : 1);
    history.runs[i].machine_speed = MachineSpeed{
        .rounds = 10, .best_seconds = {{"throughput", seconds}}, .median_seconds = {{"throughput", seconds}}};
  }
}

TEST(HistoryCheckTest, WhatMovedWithTheMachineIsNotTheCode) {
  History h = history_of({stepped(60, 40, 1.2), stepped(60, 40, 1.1, 2), stepped(60, 100, 1, 3)});
  probe(h, 40, 1.2);
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.host_changes.size(), 1U);
  EXPECT_EQ(check.host_changes[0].part, "throughput");
  EXPECT_EQ(check.host_changes[0].last_before, 39U);
  EXPECT_EQ(check.host_changes[0].first_after, 40U);
  EXPECT_NEAR(check.host_changes[0].ratio, 1.2, 0.001);
  ASSERT_EQ(check.changes.size(), 2U);
  for (const Change& c : check.changes) {
    EXPECT_EQ(c.state, ChangeState::machine);
    EXPECT_THAT(note_texts(c.notes),
                testing::Contains(HasSubstr("the machine itself became slower there: its arithmetic "
                                            "takes 1.2x as long")));
  }
  EXPECT_EQ(exit_status(check), 0);
  const auto json = nlohmann::json::parse(history_json(check, "store"));
  EXPECT_EQ(json["changes"][0]["state"], "machine");
  EXPECT_EQ(json["machine_changes"][0]["part"], "throughput");
  EXPECT_EQ(json["machine_changes"][0]["first_after"]["commit"], "c40");
}

TEST(HistoryCheckTest, AFasterMachineMakesNothingGood) {
  History h = history_of({stepped(90, 30, 1.2, 1, 60)});
  probe(h, 60, 1 / 1.2);
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.changes.size(), 2U);
  EXPECT_EQ(check.changes[0].state, ChangeState::fresh);
  EXPECT_EQ(check.changes[0].first_after, 30U);
  EXPECT_EQ(check.changes[1].state, ChangeState::machine);
  EXPECT_EQ(exit_status(check), 1);
}

/// Code and machine become slower at once. The machine recovers, and then the code.
TEST(HistoryCheckTest, WhatWasMadeGoodOnAMachineThatRecoveredIsNotNew) {
  auto seconds = stepped(120, 30, 1.5, 1, 60);
  for (std::size_t i = 60; i < 90; ++i) seconds[i] *= 1.25;
  History h = history_of({seconds});
  probe(h, 30, 1.2, 60);
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.changes.size(), 3U);
  EXPECT_EQ(check.changes[0].state, ChangeState::undone);
  EXPECT_EQ(check.changes[1].state, ChangeState::machine);
  EXPECT_EQ(check.changes[2].state, ChangeState::better);
  EXPECT_EQ(exit_status(check), 0);
}

TEST(HistoryCheckTest, WhatStaysSlowWhenTheMachineRecoversIsTheCode) {
  History h = history_of({stepped(120, 30, 1.2)});
  probe(h, 30, 1.2, 60);
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.changes.size(), 1U);
  EXPECT_EQ(check.changes[0].state, ChangeState::fresh);
  EXPECT_THAT(note_texts(check.changes[0].notes),
              ElementsAre("the machine itself became slower there: its arithmetic takes 1.2x as long; from "
                          "run 61 on it was as before, and this series was not"));
  EXPECT_EQ(exit_status(check), 1);
  h = history_of({stepped(120, 30, 1.2, 1, 60)});
  probe(h, 30, 1.2, 60);
  const HistoryCheck both = check_history(h, {});
  ASSERT_EQ(both.changes.size(), 2U);
  EXPECT_EQ(both.changes[0].state, ChangeState::machine) << "it recovered with the machine";
  EXPECT_EQ(both.changes[1].state, ChangeState::machine);
  h = history_of({stepped(62, 30, 1.2)});
  probe(h, 30, 1.2, 60);
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::machine) << "too few runs since then";
}

TEST(HistoryMachine, IsAnotherOneWhereRanksRanOnSeveralHosts) {
  Result run = run_of({timed("case", 1)});
  run.cases[0].conditions.ranks = {{.host = "a"}, {.host = "a"}};
  EXPECT_EQ(machine_of(run, "").description, machine_of(run_of({timed("case", 1)}), "").description);
  run.cases[0].conditions.ranks[1].host = "b";
  EXPECT_THAT(machine_of(run, "").description, HasSubstr(", ranks on 2 hosts"));
}

TEST(HistorySoftware, NamesTheDriverOfAGpuAlone) {
  Result run = run_of({});
  EXPECT_EQ(software_of(run).at("openblas"), (Software{.text = "0.1.0, OpenBLAS 0.3.21", .on_gpu = false}));
  run.backends[0].device_id = "GPU-1";
  Gpu& gpu = run.host.gpus.emplace_back();
  gpu.id = "GPU-1";
  gpu.driver = "550.54";
  run.backends[0].device = "gpu";
  EXPECT_EQ(software_of(run).at("openblas"),
            (Software{.text = "0.1.0, OpenBLAS 0.3.21, driver 550.54", .on_gpu = true}));
}

/// The probe is of the CPUs.
TEST(HistoryCheckTest, AGpuIsNotExplainedByTheCpus) {
  History h = history_of({stepped(60, 40, 1.2)});
  probe(h, 40, 1.2);
  for (auto& run : h.runs) run.software["openblas"].on_gpu = true;
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::fresh);
}

TEST(HistoryCheckTest, AMachineThatBecameFasterIsNoMerit) {
  History h = history_of({stepped(60, 40, 1 / 1.2)});
  probe(h, 40, 1 / 1.2);
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.changes.size(), 1U);
  EXPECT_EQ(check.changes[0].state, ChangeState::machine);
}

TEST(HistoryCheckTest, MoreThanTheMachinesChangeIsTheCode) {
  History h = history_of({stepped(60, 40, 1.5)});
  probe(h, 40, 1.2);
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::fresh) << "1.2 does not account for 1.5";
  h = history_of({stepped(60, 40, 1.2)});
  probe(h, 40, 1 / 1.2);
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::fresh) << "the machine became faster";
  h = history_of({stepped(60, 40, 1.2)});
  probe(h, 20, 1.2);
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::fresh) << "it was 20 runs earlier";
  h = history_of({stepped(60, 40, 1.2)});
  probe(h, 100, 1);
  const HistoryCheck check = check_history(h, {});
  EXPECT_EQ(check.changes.at(0).state, ChangeState::fresh) << "it did not change";
  EXPECT_THAT(check.host_changes, testing::IsEmpty());
}

TEST(HistoryCheckTest, OneMachineDoesNotAccountForAnother) {
  History h = history_of({stepped(60, 40, 1.2)});
  probe(h, 40, 1.2);
  h.machines.push_back({.id = 2, .name = "other", .description = "A CPU, 2 CPUs"});
  for (auto& run : h.runs) run.machine = 2;
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::fresh);
  EXPECT_EQ(check_history(h, {}).host_changes.at(0).machine->name, "other");
}

TEST(HistoryCheckTest, RunsWithoutAProbeArePassedOver) {
  History h = history_of({stepped(60, 40, 1.2)});
  probe(h, 40, 1.2);
  for (std::size_t i = 0; i < 30; ++i) h.runs[i].machine_speed.reset();
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::machine);
  for (auto& run : h.runs) run.machine_speed.reset();
  EXPECT_EQ(check_history(h, {}).changes.at(0).state, ChangeState::fresh);
}

TEST(HistoryCheckTest, ASuspicionNamesRunsInWhichTheMachineWasSlow) {
  auto seconds = stepped(12, 100, 1);
  for (const std::size_t i : {10U, 11U}) seconds[i] *= 1.5;
  History h = history_of({seconds});
  probe(h, 100, 1);
  h.runs[11].machine_speed->median = 0.6;
  const HistoryCheck check = check_history(h, {});
  ASSERT_EQ(check.suspicions.size(), 1U);
  EXPECT_THAT(note_texts(check.suspicions[0].notes),
              ElementsAre("in run 12 the machine ran at 60 % of its own speed"));
}

TEST(HistoryCheckTest, WhatIsAcceptedIsNotNewUntilMoreHappens) {
  History h = history_of({stepped(60, 40, 1.2)});
  h.series[0].accepted = 40;
  EXPECT_EQ(exit_status(check_history(h, {})), 1) << "accepted before it happened";
  h.series[0].accepted = 45;
  const HistoryCheck check = check_history(h, {});
  EXPECT_EQ(check.changes.at(0).state, ChangeState::accepted);
  EXPECT_EQ(exit_status(check), 0);
  auto more = stepped(100, 40, 1.2);
  for (std::size_t i = 70; i < 100; ++i) more[i] *= 1.1;
  h = history_of({more});
  h.series[0].accepted = 45;
  const HistoryCheck later = check_history(h, {});
  ASSERT_EQ(later.changes.size(), 2U);
  EXPECT_EQ(later.changes[0].state, ChangeState::fresh) << "new ones come first";
  EXPECT_EQ(later.changes[0].first_after, 70U);
  EXPECT_EQ(exit_status(later), 1);
}

TEST(HistoryCheckTest, WhatWasMadeGoodIsNotNew) {
  const HistoryCheck check = check_history(history_of({stepped(90, 30, 1.2, 1, 60)}), {});
  ASSERT_EQ(check.changes.size(), 2U);
  EXPECT_EQ(check.changes[0].state, ChangeState::undone);
  EXPECT_EQ(check.changes[1].state, ChangeState::better);
  EXPECT_EQ(exit_status(check), 0);
}

TEST(HistoryCheckTest, WhatHappenedBeforeSinceIsNotNew) {
  const History h = history_of({stepped(60, 40, 1.2)});
  CheckOptions options;
  options.since = find_run(h, "c41");
  EXPECT_EQ(check_history(h, options).changes.at(0).state, ChangeState::earlier);
  EXPECT_EQ(exit_status(check_history(h, options)), 0);
  options.since = find_run(h, "#41");
  EXPECT_EQ(exit_status(check_history(h, options)), 1) << "run 41 is of commit c40, the first that is slower";
}

TEST(HistoryCheckTest, BelowTheThresholdNothingCounts) {
  const History h = history_of({stepped(200, 100, 1.05)});
  CheckOptions options;
  EXPECT_EQ(exit_status(check_history(h, options)), 1);
  options.threshold = 0.08;
  EXPECT_EQ(exit_status(check_history(h, options)), 0);
}

TEST(HistoryCheckTest, AYoungHistoryIsGoodAndSaysHowManyRunsItTakes) {
  EXPECT_EQ(exit_status(check_history(history_of({}), {})), 4) << "there is nothing at all";
  const History few = history_of({stepped(8, 4, 2)});
  const HistoryCheck check = check_history(few, {});
  EXPECT_EQ(check.untold, 1U);
  EXPECT_TRUE(check.is_too_young());
  EXPECT_GT(check.values_needed, 8U);
  EXPECT_EQ(exit_status(check), 0);
  const History mixed = history_of({stepped(8, 4, 2), stepped(60, 100, 1)});
  const HistoryCheck one_can_tell = check_history(mixed, {});
  EXPECT_FALSE(one_can_tell.is_too_young());
  EXPECT_EQ(exit_status(one_can_tell), 0);
}

TEST(HistoryCheckTest, AYoungHistorySaysWhatIsWrong) {
  History few = history_of({stepped(8, 100, 1)});
  few.series[0].measurements.back().status = Status::failed;
  EXPECT_EQ(exit_status(check_history(few, {})), 4);
  few.series[0].measurements.back().status = Status::wrong;
  EXPECT_EQ(exit_status(check_history(few, {})), 1);
}

/// Ten runs; in the last four one case takes a fifth of the time, and another five times as long.
TEST(HistoryCheckTest, AYoungHistorySaysWhatIsKnown) {
  const History h = history_of({stepped(10, 6, 0.2), stepped(10, 6, 5, 2), stepped(10, 100, 1, 3)});
  const HistoryCheck check = check_history(h, {});
  EXPECT_EQ(exit_status(check), 0);
  ASSERT_EQ(check.promising.size(), 1U);
  EXPECT_EQ(check.promising[0].series->case_id, "case/0");
  EXPECT_EQ(check.promising[0].values, 4U);
  EXPECT_NEAR(check.promising[0].ratio, 0.2, 0.01);
  EXPECT_GT(check.promising[0].more, 0U);
  const auto json = nlohmann::json::parse(history_json(check, "store"));
  EXPECT_EQ(json.at("perhaps_faster").at(0).at("id"), "case/0");
  EXPECT_EQ(json.at("runs_recorded"), 10);
}

TEST(HistoryCheckTest, AsManyRunsAsAreNeededWillDo) {
  const std::size_t needed = check_history(history_of({{}}), {}).values_needed;
  bool found = false;
  for (std::size_t begin = 3; begin + 3 <= needed; ++begin)
    found = found || exit_status(check_history(history_of({stepped(needed, begin, 2)}), {})) == 1;
  EXPECT_TRUE(found);
}

TEST(HistoryCheckTest, TheNewestRunsAreWatched) {
  const HistoryCheck check = check_history(history_of({stepped(60, 58, 1.5)}), {});
  EXPECT_TRUE(check.changes.empty());
  ASSERT_EQ(check.suspicions.size(), 1U);
  EXPECT_EQ(check.suspicions[0].values, 2U);
  EXPECT_NEAR(check.suspicions[0].ratio, 1.5, 0.03);
  EXPECT_EQ(exit_status(check), 0);
  const std::size_t then = 60 + check.suspicions[0].more;
  EXPECT_EQ(exit_status(check_history(history_of({stepped(then, 58, 1.5)}), {})), 1) << "as was foretold";
}

TEST(HistoryCheckTest, WhatIsNotOkInTheNewestRunCounts) {
  History h = history_of({stepped(60, 100, 1), stepped(60, 100, 1, 2)});
  h.series[0].measurements.back().status = Status::failed;
  EXPECT_EQ(exit_status(check_history(h, {})), 4);
  h.series[1].measurements.back().status = Status::wrong;
  const HistoryCheck check = check_history(h, {});
  EXPECT_EQ(exit_status(check), 1);
  EXPECT_EQ(check.failures.at(0).status, Status::wrong);
  h.series[0].accepted = h.series[1].accepted = 60;
  EXPECT_EQ(exit_status(check_history(h, {})), 0);
  h.series[0].accepted = h.series[1].accepted = 0;
  h.series[0].measurements.back().status = h.series[1].measurements.back().status = Status::ok;
  h.series[0].measurements[30].status = Status::wrong;
  EXPECT_EQ(exit_status(check_history(h, {})), 0) << "long ago";
}

/// A noisy day affects all series alike: this common effect must not add up.
TEST(HistoryCheckTest, FiveHundredSeriesWithCommonNoiseGiveNoAlarm) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 generator(seed);
    const auto uniform = [&] { return static_cast<double>(generator() >> 11U) * 0x1p-53; };
    std::vector<std::vector<double>> seconds(500, std::vector<double>(80));
    for (std::size_t run = 0; run < 80; ++run) {
      const double day = uniform() < 0.1 ? 1 + 0.3 * uniform() : 1;
      for (auto& series : seconds) series[run] = 1e-3 * day * (1 + 0.05 * uniform());
    }
    if (!check_history(history_of(seconds), {}).changes.empty()) ++alarms;
  }
  EXPECT_LE(alarms, 2) << "of 20 histories, where 0.2 are expected at most";
}

TEST(HistoryCheckTest, NotesSayWhatElseChanged) {
  History h = history_of({stepped(60, 40, 1.2)});
  for (std::size_t run = 40; run < 60; ++run) h.runs[run].software["openblas"].text = "0.2.0";
  EXPECT_THAT(note_texts(check_history(h, {}).changes.at(0).notes), ElementsAre("openblas: 0.1.0 → 0.2.0"));
  h.runs[40].commit = h.runs[39].commit;
  EXPECT_THAT(note_texts(check_history(h, {}).changes.at(0).notes),
              ElementsAre(HasSubstr("it is not the code"), "openblas: 0.1.0 → 0.2.0"));
}

TEST(HistoryCheckTest, NotesNameOtherSettings) {
  History h = history_of({stepped(60, 40, 1.2)});
  const auto notes = [&] { return note_texts(check_history(h, {}).changes.at(0).notes); };
  for (std::size_t run = 40; run < 60; ++run)
    h.runs[run].settings = {"placement=free", "OMP_PROC_BIND=close", "MKL_CBWR=AVX2"};
  EXPECT_THAT(notes(), testing::IsEmpty()) << "those before are not known";
  for (std::size_t run = 0; run < 40; ++run) h.runs[run].settings = {"placement=cores", "MKL_CBWR=AVX2"};
  EXPECT_THAT(notes(), ElementsAre("settings: placement=cores → OMP_PROC_BIND=close, placement=free"));
  for (std::size_t run = 40; run < 60; ++run) h.runs[run].settings = {"placement=cores"};
  EXPECT_THAT(notes(), ElementsAre("settings: MKL_CBWR=AVX2 → none"));
}

TEST(HistorySelectTest, LeavesWhatIsAskedFor) {
  History h = history_of({stepped(10, 5, 1), stepped(10, 5, 1)});
  h.machines.push_back({.id = 2, .name = "other", .description = ""});
  h.series[1].machine = 2;
  for (std::size_t run = 0; run < 4; ++run) h.runs[run].branch = "topic";
  EXPECT_EQ(select(h, {.machine = "other"}).series.at(0).case_id, "case/1");
  EXPECT_EQ(select(h, {.machine = "1"}).series.at(0).case_id, "case/0");
  EXPECT_EQ(select(h, {.filter = "1 openblas$"}).series.at(0).case_id, "case/1");
  EXPECT_EQ(select(h, {.branch = "topic"}).series.at(0).measurements.size(), 4U);
  const auto why_refused = [&](const HistorySelection& selection) {
    return message_of<HistoryError>([&] { select(h, selection); });
  };
  EXPECT_THAT(why_refused({.machine = "third"}), HasSubstr("there are host (1); other (2)"));
  EXPECT_THROW(select(h, {.filter = "("}), FilterError);
  EXPECT_THAT(why_refused({.filter = "nothing"}), HasSubstr("finds no series"));
  EXPECT_THAT(why_refused({.branch = "nothing"}), HasSubstr("there are runs of main, topic"));
}

TEST(HistorySelectTest, FindsRunsByNumberAndCommit) {
  History h = history_of({stepped(12, 5, 1)});
  h.runs[7].commit = h.runs[6].commit;
  EXPECT_EQ(find_run(h, "3"), 2U);
  EXPECT_EQ(find_run(h, "#12"), 11U);
  EXPECT_EQ(find_run(h, "c6"), 6U) << "measured twice: from the first on";
  EXPECT_EQ(find_run(h, "c1"), 11U) << "several begin so: the newest";
  EXPECT_THROW(find_run(h, "d"), HistoryError);
  EXPECT_THROW(find_run(h, ""), HistoryError);
  EXPECT_THROW(find_run(h, "#13"), HistoryError);
}

TEST(HistoryReportTest, AsJsonHasEverything) {
  const History h = history_of({stepped(60, 40, 1.2)});
  const auto json = nlohmann::json::parse(history_json(check_history(h, {}), "store"));
  EXPECT_EQ(json.at("schema"), "breakeven.history/1");
  EXPECT_EQ(json.at("exit_status"), 1);
  const auto& change = json.at("changes").at(0);
  EXPECT_EQ(change.at("id"), "case/0");
  EXPECT_EQ(change.at("state"), "new");
  EXPECT_EQ(change.at("direction"), "slower");
  EXPECT_EQ(change.at("last_before").at("commit"), "c39");
  EXPECT_EQ(change.at("first_after").at("run"), 41);
  EXPECT_LT(change.at("ratio").at("low"), change.at("ratio").at("value"));
}

}  // namespace
}  // namespace breakeven::history_check_test
