// Tests the store: added runs are there once, complete and in order; a file that is not a store is refused.
#include "history/store.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>

#include "unit/history_sample.h"
#include "unit/messages.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"

namespace breakeven::history_store_test {
namespace {

using sample::not_ok;
using sample::run_of;
using sample::timed;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::duration<double> patience{10};

class HistoryStoreTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "history"; }
  HistoryStore to_add() const { return {path(), HistoryStore::Open::to_add, patience}; }
  HistoryStore existing() const { return {path(), HistoryStore::Open::existing, patience}; }
  static AddedRun add(HistoryStore& store, const Result& result, const std::string& commit = "abc",
                      const std::string& machine = "") {
    return store.add(
        result, to_json_text(result),
        {.commit = commit, .branch = "main", .time = "", .machine = machine, .source = "f.json"});
  }
  /// Opens the store for this alone.
  AddedRun add_once(const Result& result, const std::string& commit = "abc") const {
    HistoryStore store = to_add();
    return add(store, result, commit);
  }
  /// Executes SQL with another connection.
  void execute(const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  std::string why_refused(HistoryStore::Open open = HistoryStore::Open::existing) const {
    const std::string why =
        message_of<HistoryError>([&] { HistoryStore(path(), open, std::chrono::milliseconds(50)).read(); });
    EXPECT_THAT(why, AnyOf("was accepted", HasSubstr(path().string())));
    return why;
  }
  TemporaryFolder folder_;
};

TEST_F(HistoryStoreTest, TellsProcessorsOfOneNameApart) {
  HistoryStore store = to_add();
  Result run = run_of({timed("a", 1e-3)});
  run.host.cpu_identity = "AuthenticAMD family 25 model 17 stepping 1";
  add(store, run);
  run.created = "2026-01-02T00:00:00Z";
  run.host.cpu_identity = "AuthenticAMD family 26 model 2 stepping 1";
  add(store, run);
  const History h = existing().read();
  ASSERT_EQ(h.machines.size(), 2U);
  EXPECT_EQ(h.machines[0].description,
            "A CPU (AuthenticAMD family 25 model 17 stepping 1), 2 CPUs, 2 threads");
}

TEST_F(HistoryStoreTest, KeepsWhatIsAdded) {
  HistoryStore store = to_add();
  const AddedRun added = add(store, run_of({timed("a", 1e-3), timed("b", 2e-3), not_ok("c", Status::wrong)}));
  EXPECT_TRUE(added.is_new);
  EXPECT_EQ(added.measurements, 3U);
  EXPECT_FALSE(added.before);
  const History h = existing().read();
  ASSERT_EQ(h.machines.size(), 1U);
  EXPECT_EQ(h.machines[0].name, "host");
  EXPECT_EQ(h.machines[0].description, "A CPU, 2 CPUs, 2 threads");
  ASSERT_EQ(h.runs.size(), 1U);
  EXPECT_EQ(h.runs[0].commit, "abc");
  EXPECT_EQ(h.runs[0].branch, "main");
  EXPECT_EQ(h.runs[0].time, "2026-01-01T00:00:00Z");
  EXPECT_EQ(h.runs[0].source, "f.json");
  EXPECT_THAT(h.runs[0].software,
              ElementsAre(testing::Pair("openblas", Software{.text = "0.1.0, OpenBLAS 0.3.21"})));
  ASSERT_EQ(h.series.size(), 3U);
  EXPECT_EQ(h.series[1].case_id, "b");
  EXPECT_EQ(h.series[1].backend, "openblas");
  ASSERT_EQ(h.series[1].measurements.size(), 1U);
  EXPECT_EQ(h.series[1].measurements[0].seconds, 2e-3);
  EXPECT_EQ(h.series[2].measurements[0].status, Status::wrong);
}

TEST_F(HistoryStoreTest, KeepsTheSettings) {
  HistoryStore store = to_add();
  Result run = run_of({timed("a", 1e-3)});
  add(store, run);
  run.host.environment.emplace();
  run.host.environment->emplace("OMP_PROC_BIND", "close");
  run.host.environment->emplace("NCCL_ALGO", "Ring");
  run.config = R"({"measure": {"placement": "free"}})";
  add(store, run);
  run.cases[0].conditions.ranks = {{.host = "a"}, {.host = "a"}};
  add(store, run);
  const History h = existing().read();
  ASSERT_EQ(h.runs.size(), 3U);
  EXPECT_THAT(h.runs[0].settings, testing::IsEmpty()) << "the variables are not known";
  EXPECT_THAT(h.runs[1].settings, ElementsAre("OMP_PROC_BIND=close", "placement=free"));
  EXPECT_THAT(h.runs[1].software, testing::SizeIs(1)) << "of the backend";
  EXPECT_THAT(h.runs[2].settings, ElementsAre("NCCL_ALGO=Ring", "OMP_PROC_BIND=close", "placement=free"));
}

TEST_F(HistoryStoreTest, DoesNotTakeTheSameFileTwice) {
  HistoryStore store = to_add();
  const Result r = run_of({timed("a", 1e-3)});
  add(store, r);
  const AddedRun again = add(store, r, "another");
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.run.id, 1);
  EXPECT_EQ(again.run.commit, "abc");
  EXPECT_EQ(store.read().runs.size(), 1U);
}

TEST_F(HistoryStoreTest, DoesNotTakeWhatWasNotMeasured) {
  HistoryStore store = to_add();
  CaseResult fits = timed("fits", 1);
  fits.seconds.reset();
  fits.op = "fits";
  CaseResult failed = not_ok("fits too", Status::failed);
  failed.op = "fits";
  const AddedRun added =
      add(store, run_of({not_ok("a", Status::unsupported), not_ok("b", Status::interrupted), fits, failed}));
  EXPECT_FALSE(added.is_new);
  EXPECT_EQ(added.measurements, 0U);
  EXPECT_TRUE(store.read().runs.empty());
}

TEST_F(HistoryStoreTest, KeepsTheOrderOfAddingWhateverTheClockSays) {
  HistoryStore store = to_add();
  for (const char* time : {"2026-01-02T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"})
    add(store, run_of({timed("a", 1e-3)}, time), time);
  const AddedRun last = add(store, run_of({timed("a", 1e-3)}, "2024-01-01T00:00:00Z"), "last");
  ASSERT_TRUE(last.before);
  EXPECT_EQ(last.before->time, "2026-01-01T00:00:00Z");
  std::vector<std::string> commits;
  for (const auto& run : store.read().runs) commits.push_back(run.commit);
  EXPECT_THAT(commits,
              ElementsAre("2026-01-02T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "last"));
}

TEST_F(HistoryStoreTest, KeepsMachinesApart) {
  HistoryStore store = to_add();
  Result r = run_of({timed("a", 1e-3)});
  add(store, r);
  r.host.threads = 1;
  add(store, r);
  r.host.gpus.push_back({});
  r.host.gpus.back().id = "GPU-1";
  r.host.gpus.back().name = "A GPU";
  add(store, r);
  r.created = "later";
  r.host.name = "drawn anew";
  add(store, r, "abc", "host");
  EXPECT_EQ(store.read().machines.size(), 3U);
  r.created = "later still";
  r.config = R"({"measure": {"cache": "cold"}})";
  add(store, r, "abc", "host");
  const History h = store.read();
  ASSERT_EQ(h.machines.size(), 4U) << "--machine stands for the host's name";
  EXPECT_THAT(h.machines.back().description, HasSubstr(", cold caches"));
  EXPECT_EQ(h.series.size(), 4U);
}

/// A container has a new name each time it starts.
TEST_F(HistoryStoreTest, CountsAMachineOfAnotherNameAsTheOneThatAgrees) {
  HistoryStore store = to_add();
  Result r = run_of({timed("a", 1e-3)}, "1");
  add(store, r);
  r.host.name = "f00dcafe";
  r.created = "2";
  EXPECT_EQ(add(store, r).machine.name, "host");
  r.created = "3";
  EXPECT_EQ(add(store, r, "abc", "node 2").machine.name, "node 2") << "as the user says";
  r.host.name = "host";
  r.created = "4";
  EXPECT_EQ(add(store, r).machine.name, "host") << "that of its name, not the newest";
  r.host.name = "beef";
  r.host.threads = 1;
  r.created = "5";
  EXPECT_EQ(add(store, r).machine.name, "beef") << "another number of threads";
  EXPECT_EQ(store.read().machines.size(), 3U);
}

TEST_F(HistoryStoreTest, AcceptsSeriesUpToTheirNewestRun) {
  HistoryStore store = to_add();
  add(store, run_of({timed("a", 1e-3), timed("b", 1e-3)}, "1"));
  add(store, run_of({timed("a", 1e-3)}, "2"));
  store.accept({1, 2});
  add(store, run_of({timed("a", 1e-3)}, "3"));
  const History h = store.read();
  EXPECT_EQ(h.series[0].accepted, 2U);
  EXPECT_EQ(h.series[1].accepted, 1U);
  store.accept({1, 2});
  EXPECT_EQ(store.read().series[0].accepted, 3U);
}

TEST_F(HistoryStoreTest, KeepsNamesAsTheyAre) {
  HistoryStore store = to_add();
  const std::string name = std::string("<b>'; DROP TABLE run; --\x1b[2J\0\xff", 29);
  Result r = run_of({timed(name, 1e-3)});
  store.add(r, "text", {.commit = name, .branch = name, .time = "", .machine = name, .source = name});
  const History h = existing().read();
  EXPECT_EQ(h.series.at(0).case_id, name);
  EXPECT_EQ(h.runs.at(0).commit, name);
  EXPECT_EQ(h.machines.at(0).name, name);
}

TEST_F(HistoryStoreTest, WhatIsNoStoreIsRefusedAndLeftAsItIs) {
  EXPECT_THAT(why_refused(), HasSubstr("there is no such store"));
  const std::string text = "{\"schema\": \"breakeven.result/1\"}, and long enough to be mistaken";
  folder_.write("history", text);
  for (const auto open : {HistoryStore::Open::existing, HistoryStore::Open::to_add})
    EXPECT_THAT(why_refused(open), HasSubstr("is not a history store"));
  EXPECT_EQ(read_file(path()), text);
}

TEST_F(HistoryStoreTest, AnotherProgramsDatabaseIsRefused) {
  execute("CREATE TABLE theirs(x)");
  for (const auto open : {HistoryStore::Open::existing, HistoryStore::Open::to_add})
    EXPECT_THAT(why_refused(open), HasSubstr("is not a history store"));
}

TEST_F(HistoryStoreTest, AnEmptyFileBecomesAStoreOnlyWhenAddedTo) {
  folder_.write("history", "");
  EXPECT_THAT(why_refused(), HasSubstr("is not a history store"));
  EXPECT_EQ(why_refused(HistoryStore::Open::to_add), "was accepted");
  EXPECT_EQ(why_refused(), "was accepted");
}

TEST_F(HistoryStoreTest, AnotherVersionIsRefused) {
  { const HistoryStore store = to_add(); }
  for (const std::string version : {"0", "4"}) {
    execute(("PRAGMA user_version = " + version).c_str());
    for (const auto open : {HistoryStore::Open::existing, HistoryStore::Open::to_add})
      EXPECT_THAT(why_refused(open),
                  HasSubstr("of version " + version + ", and this program reads versions 1 to 3"));
  }
}

MachineSpeed some_speed() {
  return {.rounds = 40,
          .slow_rounds = 3,
          .median = 0.98,
          .lowest = 0.5,
          .best_seconds = {{"throughput", 40e-6}, {"memory", 230e-6}},
          .median_seconds = {{"throughput", 41e-6}, {"memory", 240e-6}},
          .reservation = "the processor's speed is not known"};
}

TEST_F(HistoryStoreTest, TheMachinesOwnSpeedIsKept) {
  Result result = run_of({timed("case", 1e-3)});
  result.machine_speed = some_speed();
  EXPECT_EQ(add_once(result).run.machine_speed, some_speed());
  add_once(run_of({timed("case", 1e-3)}, "2026-01-02T00:00:00Z"));
  const History history = existing().read();
  ASSERT_EQ(history.runs.size(), 2U);
  EXPECT_EQ(history.runs[0].machine_speed, some_speed());
  EXPECT_EQ(history.runs[1].machine_speed, std::nullopt) << "its file has none";
}

TEST_F(HistoryStoreTest, AStoreOfVersion1IsReadAndGrows) {
  add_once(run_of({timed("case", 1e-3)}));
  execute(
      "DROP TABLE setting; ALTER TABLE software DROP COLUMN on_gpu; DROP TABLE machine_speed; "
      "DROP TABLE probe; PRAGMA user_version = 1");
  EXPECT_EQ(existing().read().runs.size(), 1U);
  existing().accept({1});
  const auto unchanged = folder_.read("history");
  EXPECT_EQ(existing().read().series.at(0).accepted, 1U);
  EXPECT_EQ(folder_.read("history"), unchanged) << "reading leaves the file as older programs know it";
  Result result = run_of({timed("case", 1e-3)}, "2026-01-02T00:00:00Z");
  result.machine_speed = some_speed();
  EXPECT_TRUE(add_once(result).is_new);
  const History history = existing().read();
  ASSERT_EQ(history.runs.size(), 2U);
  EXPECT_EQ(history.runs[0].machine_speed, std::nullopt);
  EXPECT_EQ(history.runs[1].machine_speed, some_speed());
  EXPECT_EQ(history.series.at(0).accepted, 1U);
}

/// It has the settings as lines of a backend without a name, and a GPU's driver in the text of the software.
TEST_F(HistoryStoreTest, AStoreOfVersion2IsReadAndGrows) {
  add_once(run_of({timed("case", 1e-3)}));
  execute(R"(DROP TABLE setting; ALTER TABLE software DROP COLUMN on_gpu; PRAGMA user_version = 2;
             INSERT INTO software VALUES (1, '', 'GREETING=it''s "so"' || char(10) || 'placement=free');
             INSERT INTO software VALUES (1, 'cuda', '12.4, driver 550.54'), (1, 'onednn', 'driverless 1'))");
  const auto expect_upgraded = [&] {
    const auto run = existing().read().runs.at(0);
    EXPECT_THAT(run.settings, ElementsAre("GREETING=it's \"so\"", "placement=free"));
    EXPECT_THAT(run.software,
                ElementsAre(testing::Pair("cuda", Software{.text = "12.4, driver 550.54", .on_gpu = true}),
                            testing::Pair("onednn", Software{.text = "driverless 1"}),
                            testing::Pair("openblas", Software{.text = "0.1.0, OpenBLAS 0.3.21"})));
  };
  const auto unchanged = folder_.read("history");
  expect_upgraded();
  EXPECT_EQ(folder_.read("history"), unchanged) << "reading leaves the file as older programs know it";
  add_once(run_of({timed("case", 1e-3)}, "2026-01-02T00:00:00Z"));
  expect_upgraded();
}

TEST_F(HistoryStoreTest, ImpossibleSpeedsAreDamage) {
  Result result = run_of({timed("case", 1e-3)});
  result.machine_speed = some_speed();
  add_once(result);
  const std::string whole = folder_.read("history");
  for (const char* sql : {"UPDATE machine_speed SET median = 2", "UPDATE machine_speed SET lowest = -1",
                          "UPDATE machine_speed SET rounds = 0", "UPDATE machine_speed SET slow_rounds = 41",
                          "UPDATE machine_speed SET run = 7", "UPDATE probe SET median_seconds = 0",
                          "UPDATE probe SET best_seconds = -1", "UPDATE probe SET best_seconds = 9e999",
                          "DELETE FROM machine_speed"}) {
    folder_.write("history", whole);
    execute(sql);
    EXPECT_THAT(why_refused(), HasSubstr("is damaged")) << sql;
  }
}

TEST_F(HistoryStoreTest, AFolderIsRefused) {
  std::filesystem::create_directory(path());
  EXPECT_THAT(why_refused(HistoryStore::Open::to_add), HasSubstr("is no ordinary file"));
}

TEST_F(HistoryStoreTest, DamageIsFoundWhereverItIs) {
  {
    HistoryStore store = to_add();
    std::vector<CaseResult> cases;
    for (int i = 0; i < 300; ++i) cases.push_back(timed("case/" + std::to_string(i), 1e-3));
    for (int i = 0; i < 10; ++i) add(store, run_of(cases, std::to_string(i)));
  }
  const auto size = std::filesystem::file_size(path());
  const auto whole = folder_.path() / "whole";
  std::filesystem::copy_file(path(), whole);
  int found = 0;
  int pages = 0;
  for (std::uintmax_t page = 0; page < size; page += 4096) {
    std::filesystem::copy_file(whole, path(), std::filesystem::copy_options::overwrite_existing);
    std::fstream(path(), std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(page))
        .write(std::string(4096, '\x5a').data(), 4096);
    ++pages;
    const std::string why = why_refused();
    if (why != "was accepted") ++found;
    EXPECT_EQ(fault_of_message(why), "") << why;
  }
  EXPECT_EQ(found, pages);
  std::filesystem::copy_file(whole, path(), std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path(), size / 2);
  EXPECT_THAT(why_refused(), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace breakeven::history_store_test
