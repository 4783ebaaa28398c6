// Tests `breakeven history` from outside: its output, its exit statuses, and errors of stores and files.
#include <sqlite3.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/driver.h"
#include "unit/variable_for_now.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HistoryTest : public DriverTest {
 protected:
  /// Google Benchmark's JSON of these benchmarks' times, in ns.
  static Json benchmarks(const std::vector<double>& times,
                         const std::string& date = "2026-01-01T00:00:00+00:00") {
    Json rows = Json::array();
    for (std::size_t i = 0; i < times.size(); ++i)
      rows.push_back({{"run_name", fmt::format("BM_{}", i)}, {"real_time", times[i]}, {"time_unit", "ns"}});
    return {{"context", {{"host_name", "runner"}, {"num_cpus", 2}, {"executable", "bench"}, {"date", date}}},
            {"benchmarks", rows}};
  }
  /// Writes `runs` files. From file `begin`, the first of their two benchmarks takes `factor` times as long.
  std::vector<std::string> files(std::size_t runs, std::size_t begin, double factor) const {
    std::vector<std::string> all;
    for (std::size_t run = 0; run < runs; ++run) {
      const double noise = static_cast<double>(run * 7919 % 31) / 31;
      all.push_back(write(fmt::format("{}.json", run),
                          benchmarks({1000 * (1 + 0.01 * noise) * (run >= begin ? factor : 1), 2000 + noise},
                                     fmt::format("2026-01-{:02}T00:00:00+00:00", run % 28 + 1))
                              .dump()));
    }
    return all;
  }
  std::filesystem::path store() const { return file("history"); }
  Outcome history(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "history");
    return breakeven(std::move(arguments));
  }
  Outcome add(std::vector<std::string> results, const std::string& commit = "abc") const {
    results.insert(results.begin(), {"add", store(), "--commit", commit});
    return history(std::move(results));
  }
  /// A store of `runs` runs, of commits c0, c1, ...
  void fill(std::size_t runs, std::size_t begin, double factor) const {
    const auto all = files(runs, begin, factor);
    for (std::size_t run = 0; run < runs; ++run)
      ASSERT_EQ(add({all[run]}, fmt::format("c{}", run)).status, 0);
  }
  Outcome check(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"check", store()});
    return history(std::move(arguments));
  }
};

TEST_F(HistoryTest, ANewChangeForTheWorseIsFoundAcceptedAndForgotten) {
  fill(40, 30, 1.2);
  EXPECT_THAT(with_status(1, check({"--out", file("found.json")})).out,
              AllOf(HasSubstr("1 change is slower, and nobody has accepted it"), HasSubstr("BM_0 bench"),
                    HasSubstr("run 30 (c29, 2026-01-02T00:00:00Z)")));
  const Json json = parse_file(file("found.json"));
  EXPECT_EQ(json.at("exit_status"), 1);
  EXPECT_EQ(json.at("changes").at(0).at("first_after").at("commit"), "c30");
  EXPECT_EQ(parse(check({"--out", "-"}).out), json);
  EXPECT_THAT(with_status(2, check({"--out", store()})).err, HasSubstr("is an input of this command"));

  EXPECT_EQ(check({"--threshold", "30%"}).status, 0);
  EXPECT_EQ(check({"--since", "c31"}).status, 0);
  EXPECT_EQ(check({"--since", "c30"}).status, 1);
  EXPECT_EQ(check({"--filter", "BM_1"}).status, 0);
  EXPECT_EQ(check({"--machine", "runner"}).status, 1);
  with_status(0, history({"accept", store(), "--filter", "BM_0"}));
  EXPECT_THAT(with_status(0, check()).out, HasSubstr("Slower, and accepted: 1 change."));
}

/// A million benchmarks are a long file but no crash, and the output stays short.
TEST_F(HistoryTest, SlowAMillionBenchmarks) {
  std::string text = benchmarks({}).dump();
  std::string rows;
  for (int i = 0; i < 1'000'000; ++i) {
    rows +=
        fmt::format(R"({}{{"run_name":"BM_{}","real_time":1000,"time_unit":"ns"}})", i == 0 ? "" : ",", i);
  }
  text.insert(text.find("[]") + 1, rows);
  with_status(0, add({write("million.json", text)}));
  const Outcome outcome = with_status(0, check({"--out", file("checked.json")}));
  EXPECT_THAT(outcome.out, HasSubstr("1 of "));
  EXPECT_THAT(outcome.out, HasSubstr(" runs recorded: changes can be found from "));
  EXPECT_LT(outcome.out.size(), 100'000U);
}

TEST_F(HistoryTest, AYoungHistoryIsNoFailure) {
  fill(3, 2, 1.5);
  EXPECT_THAT(with_status(0, check()).out,
              testing::ContainsRegex("3 of [0-9]+ runs recorded: changes can be found from"));
}

TEST_F(HistoryTest, TakesResultsOfRunAndKeepsThemInOrder) {
  EXPECT_EQ(breakeven({"run", products({8, 16}), "--out", file("result.json"), "--quiet"}).status, 0);
  EXPECT_THAT(with_status(0, add({file("result.json")})).out,
              AllOf(HasSubstr("run 1 (abc, "), HasSubstr("added: 4 cases")));
  EXPECT_THAT(with_status(0, add({file("result.json")}, "other")).out,
              HasSubstr("is there already, as run 1 (abc, "));
  const Outcome earlier = with_status(0, history({"add", store(), file("result.json"),
                                                  write("earlier.json", text_of(file("result.json")) + " "),
                                                  "--commit", "def", "--time", "2001-01-01"}));
  EXPECT_THAT(earlier.out, HasSubstr("its time is before that of run 1"));
  const Outcome listed = with_status(0, history({"list", store()}));
  EXPECT_THAT(listed.out, HasSubstr("2 runs, 1 machine, 4 series"));
  EXPECT_LT(listed.out.find("run 2 (def"), listed.out.find("run 1 (abc")) << "the newest first";
}

TEST_F(HistoryTest, TheCommitIsThatOfTheWorkingDirectory) {
  // Neither this machine's settings nor a repository around the folder may count, nor that of a git hook.
  const VariableForNow hook("GIT_DIR", BREAKEVEN_SOURCE_DIR "/.git"), own("GIT_CONFIG_GLOBAL", "/dev/null"),
      of_system("GIT_CONFIG_SYSTEM", "/dev/null"),
      ceiling("GIT_CEILING_DIRECTORIES", folder_.path().parent_path().c_str());
  const auto result = files(1, 0, 1)[0];
  EXPECT_THAT(with_status(2, history({"add", store(), result})).err, HasSubstr("say --commit SHA"));
  EXPECT_FALSE(std::filesystem::exists(store())) << "nothing is begun that cannot be done";
  const auto git = [&](const std::string& arguments) {
    return std::system(fmt::format("unset $(git rev-parse --local-env-vars); "
                                   "git -C '{}' -c user.name=n -c user.email=e {} >/dev/null 2>&1",
                                   folder_.path().string(), arguments)
                           .c_str());
  };
  if (git("init -b topic") != 0) GTEST_SKIP() << "no git here";
  ASSERT_EQ(git("commit --allow-empty -m message"), 0);
  with_status(0, history({"add", store(), result}));
  const std::string listed = history({"list", store()}).out;
  EXPECT_THAT(listed, testing::ContainsRegex("run 1 \\([0-9a-f]{12}, .* of topic"));
  const auto next = files(3, 0, 1);
  const std::string commit = listed.substr(listed.find("run 1 (") + 7, 12);
  with_status(0, history({"add", store(), next[1], "--commit", commit}));
  with_status(0, history({"add", store(), next[2], "--commit", "0123456789"}));
  EXPECT_THAT(history({"list", store()}).out,
              AllOf(testing::ContainsRegex("run 2 \\([0-9a-f]{12}, [^\n]* of topic"),
                    Not(testing::ContainsRegex("run 3 \\(0123456789, [^\n]* of topic"))))
      << "the branch of the commit that is checked out is known, and no other";
}

/// The change is on one branch, and on machines that have a name in common.
TEST_F(HistoryTest, BranchesAndMachinesAreToldApart) {
  const auto all = files(40, 20, 1.2);
  for (std::size_t run = 0; run < all.size(); ++run) {
    Json result = parse_file(all[run]);
    result["context"]["host_name"] = fmt::format("runner-{}", run);
    write(fmt::format("{}.json", run), result.dump());
    with_status(0, history({"add", store(), all[run], "--commit", fmt::format("c{}", run), "--branch",
                            run < 20 ? "main" : "topic", "--machine", "pool"}));
  }
  with_status(1, check());
  with_status(0, check({"--branch", "main"}));
  with_status(1, check({"--machine", "pool"}));
  const std::string newest = with_status(0, history({"list", store()})).out;
  EXPECT_THAT(newest, AllOf(HasSubstr("40 runs, 1 machine, 2 series"), HasSubstr("run 40 (c39"),
                            HasSubstr("of topic"), HasSubstr("and 20 earlier; --all shows them"),
                            Not(HasSubstr("run 1 (c0"))));
  EXPECT_THAT(with_status(0, history({"list", store(), "--all"})).out,
              AllOf(HasSubstr("run 40 (c39"), HasSubstr("run 1 (c0"), HasSubstr("of main"),
                    Not(HasSubstr("--all shows them"))));
}

TEST_F(HistoryTest, WhatWasNotMeasuredIsNotAdded) {
  EXPECT_THAT(with_status(4, add({write("none.json", benchmarks({}).dump())})).out,
              HasSubstr("holds nothing that was measured"));
  EXPECT_FALSE(std::filesystem::exists(store()));
}

TEST_F(HistoryTest, BadFilesAreRefusedByNameAndNothingIsAdded) {
  const auto good = files(1, 0, 1)[0];
  const std::string text = text_of(good);
  const std::vector<std::pair<std::string, std::string>> bad{
      {text.substr(0, text.size() / 2), "perhaps truncated"},
      {"", "is empty; is it the right file?"},
      {R"({"schema": "breakeven.result/99"})", "breakeven.result/99"},
      {R"({"context": {}, "benchmarks": [{"run_name": "a", "real_time": "12"}]})", "/benchmarks/0/real_time"},
      {R"({"schema": "breakeven.result/1", "complete": true, "complete": false})",
       "/complete is there twice"},
      {std::string(200'000, '['), "nested"},
  };
  for (const auto& [content, message] : bad) {
    const auto path = write("bad.json", content);
    const Outcome outcome = add({good, path});
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(path.string()));
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(store())) << message;
  }
  EXPECT_EQ(add({write("verdict.json", R"({"schema": "breakeven.verdict/1"})")}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(store()));
  EXPECT_EQ(add({file("nosuch.json")}).status, 2);
  EXPECT_EQ(history({"add", store(), good, "--commit", "c", "--time", "yesterday"}).status, 2);
  for (const char* time : {"2026-13-01", "2026-02-30", "2026-01-01T24:00:00Z", "2026-01-01T12:60:00Z"}) {
    EXPECT_THAT(with_status(2, history({"add", store(), good, "--commit", "c", "--time", time})).err,
                HasSubstr(fmt::format("--time {}: must be in UTC", time)));
  }
  EXPECT_THAT(with_status(2, history({"add", store(), "-", "-", "--commit", "c"})).err,
              HasSubstr("- is given twice"));
}

TEST_F(HistoryTest, NamesWithMarkupAndEscapesAreHarmless) {
  Json hostile = benchmarks({1, 2});
  hostile["benchmarks"][0]["run_name"] = "\x1b]0;owned\x07'); DROP TABLE run;--<script>";
  hostile["context"]["host_name"] = "\x1b[2J";
  EXPECT_EQ(add({write("hostile.json", hostile.dump())}, "\x1b[31m").status, 0);
  for (const char* command : {"check", "list"})
    EXPECT_THAT(history({command, store()}).out, Not(HasSubstr("\x1b")));
}

TEST_F(HistoryTest, WhatIsNoStoreIsRefused) {
  const auto result = files(1, 0, 1)[0];
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check", result},
                                                  {"list", result},
                                                  {"accept", result},
                                                  {"add", result, result, "--commit", "c"}}) {
    EXPECT_THAT(with_status(2, history(command)).err, HasSubstr(result + ": is not a history store"));
  }
  EXPECT_THAT(with_status(2, check()).err, HasSubstr("`breakeven history add` makes one"));
  EXPECT_EQ(history({}).status, 2);
  EXPECT_EQ(history({"chek", store()}).status, 2);
}

TEST_F(HistoryTest, ADamagedStoreIsRefused) {
  fill(3, 9, 1);
  std::filesystem::resize_file(store(), std::filesystem::file_size(store()) / 2);
  for (const Outcome& outcome : {check(), add({files(4, 9, 1)[3]})}) {
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is damaged"));
  }
}

TEST_F(HistoryTest, ALockedStoreIsAnErrorAfterTheWait) {
  fill(1, 9, 1);
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(store().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const std::vector<std::string> command{"history",  "add", store(),  files(2, 9, 1)[1],
                                         "--commit", "c",   "--wait", "0.2"};
  EXPECT_THAT(with_status(2, breakeven(command)).err,
              HasSubstr("locked for 0.2 s; try again, or wait longer with --wait"));
  EXPECT_EQ(sqlite3_close(writer), SQLITE_OK);  // ends its transaction
  with_status(0, breakeven(command));
  EXPECT_THAT(history({"list", store()}).out, HasSubstr("2 runs, "));
}

TEST_F(HistoryTest, TwoWritersAtOnceAreBothInIt) {
  const auto all = files(12, 99, 1);
  const auto command = [&](std::size_t begin) {
    std::vector<std::string> arguments{"history", "add", store(), "--commit", "c"};
    arguments.insert(arguments.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.begin() + static_cast<std::ptrdiff_t>(begin + 6));
    return launch(arguments);
  };
  Process one(command(0));
  Process two(command(6));
  EXPECT_EQ(one.wait().status, 0);
  EXPECT_EQ(two.wait().status, 0);
  EXPECT_THAT(history({"list", store()}).out, HasSubstr("12 runs, 1 machine, 2 series"));
}

TEST_F(HistoryTest, KilledInTheMiddleItIsWhole) {
  fill(1, 9, 1);
  const auto large = write("large.json", benchmarks(std::vector<double>(5'000, 1.5)).dump());
  std::size_t killed = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    Process writer(launch({"history", "add", store(), large, "--commit", "c"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + 15 * attempt));
    writer.send(SIGKILL);
    if (writer.wait().status == 128 + SIGKILL) ++killed;
    EXPECT_THAT(with_status(0, history({"list", store()})).out,
                testing::AnyOf(HasSubstr("1 run, 1 machine, 2 series"),
                               HasSubstr("2 runs, 1 machine, 5,000 series")));
  }
  EXPECT_GT(killed, 0U);
  EXPECT_EQ(add({large}).status, 0) << "it can be added, or is there";
}

}  // namespace
}  // namespace breakeven::cli_tests
