// Tests `breakeven merge`: the shards of a run, measured with simulated backends, become the result of the
// run.
#include <fstream>
#include <functional>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class MergeCommand : public DriverTest {
 protected:
  std::filesystem::path config_ = products({8, 64, 16, 512, 24, 32}, {"a", "b"}, {{"max_seconds", 0.1}});

  Outcome measured(const std::string& shard, const std::string& name,
                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run",    config_, "--shard", shard, "--out", file(name).string(),
                                       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return breakeven(arguments);
  }
  /// The files of all shards.
  std::vector<std::string> shards(int count) const {
    std::vector<std::string> files;
    for (int number = 1; number <= count; ++number) {
      const std::string name = fmt::format("part-{}.json", number);
      EXPECT_EQ(measured(fmt::format("{}/{}", number, count), name).status, 0) << name;
      files.push_back(file(name).string());
    }
    return files;
  }
  Outcome merged(const std::vector<std::string>& files, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"merge", "--out", file("whole.json").string()};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return breakeven(arguments);
  }
  /// Writes the result again, with a change.
  static void change(const std::string& path, const std::function<void(Json&)>& edit) {
    Json result = parse_file(path);
    edit(result);
    std::ofstream(path) << result.dump();
  }
  void expect_refused(const std::vector<std::string>& files, const std::string& message,
                      int status = 2) const {
    const Outcome outcome = merged(files);
    EXPECT_EQ(outcome.status, status) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(exists(file("whole.json"))) << message;
  }
  static std::vector<std::string> rows(const Json& result) {
    std::vector<std::string> rows;
    for (const Json& c : result.at("cases"))
      rows.push_back(c.at("id").get<std::string>() + " " + c.at("backend").get<std::string>());
    return rows;
  }
};

TEST_F(MergeCommand, GivesWhatTheWholeRunGives) {
  const Outcome whole = breakeven({"run", config_, "--out", file("unsharded.json"), "--quiet"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const auto files = shards(3);
  const Outcome outcome = with_status(0, merged({files[2], files[0], files[1]}));
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("Saved: " + file("whole.json").string()));
  const Json expected = parse_file(file("unsharded.json"));
  const Json result = parse_file(file("whole.json"));
  EXPECT_EQ(rows(result), rows(expected));
  EXPECT_THAT(not_ok(result), IsEmpty());
  for (const char* same : {"schema", "complete", "tool", "host", "config", "backends", "warnings"})
    EXPECT_EQ(result.at(same), expected.at(same)) << same;
  EXPECT_FALSE(result.contains("shard"));
  EXPECT_FALSE(result.contains("shard_plan"));
  const Json shard = parse_file(files[1]);
  EXPECT_EQ(shard.at("shard"), "2/3");
  EXPECT_EQ(shard.at("shard_plan").at("cases"), 6);
  for (const Json& c : shard.at("cases"))
    EXPECT_EQ(c, find_case(result, c.at("id"), c.at("backend"))) << "nothing of a case is changed";
}

TEST_F(MergeCommand, WritesAFileThatOtherCommandsRead) {
  merged(shards(2));
  const std::string whole = file("whole.json").string();
  EXPECT_EQ(breakeven({"report", whole}).status, 0);
  EXPECT_EQ(breakeven({"compare", whole, whole}).status, 0);
  ASSERT_EQ(breakeven({"run", config_, "--out", file("unsharded.json"), "--quiet"}).status, 0);
  EXPECT_EQ(breakeven({"rank", whole}).status, breakeven({"rank", file("unsharded.json")}).status);
  EXPECT_EQ(breakeven({"history", "add", file("store"), whole, "--commit", "c"}).status, 0);
  EXPECT_EQ(breakeven({"run", config_, "--resume", whole, "--quiet"}).status, 0)
      << "nothing is missing in it";
}

TEST_F(MergeCommand, WritesToStandardOutput) {
  const auto files = shards(1);
  const Outcome outcome = with_status(0, breakeven({"merge", files[0], "--out", "-"}));
  EXPECT_EQ(parse(outcome.out).at("cases").size(), 12U);
  EXPECT_THAT(breakeven({"merge", files[0], "--out", files[0]}).err,
              HasSubstr("is an input of this command"));
  EXPECT_THAT(breakeven({"merge", "-", "-", "--out", "-"}).err, HasSubstr("- is given twice"));
  EXPECT_EQ(breakeven({"merge", files[0]}).status, 2) << "without --out";
}

TEST_F(MergeCommand, RefusesWhatIsNotEachShardOnce) {
  const auto files = shards(3);
  expect_refused(
      {files[0], files[1]},
      "shard 3/3 is missing; run `breakeven run CONFIG --shard 3/3 --out FILE` and give that file, too");
  expect_refused({files[0], files[1], files[2], files[1]}, "are both shard 2/3; leave one out");
  ASSERT_EQ(measured("1/2", "half.json").status, 0);
  expect_refused({files[0], file("half.json")}, "is shard 1/3");
  ASSERT_EQ(breakeven({"run", config_, "--out", file("unsharded.json"), "--quiet"}).status, 0);
  expect_refused({file("unsharded.json")}, "unsharded.json: does not say which shard of a run it is");
  expect_refused({config_}, "config.json: is a config");
  expect_refused({file("nosuch.json")}, "nosuch.json");
}

TEST_F(MergeCommand, RefusesShardsOfDifferentRuns) {
  const std::string first = shards(1)[0];
  ASSERT_EQ(measured("1/2", "first.json").status, 0);
  const auto expect_other = [&](const std::vector<std::string>& options, const std::string& message) {
    ASSERT_EQ(measured("2/2", "second.json", options).status, 0) << message;
    expect_refused({file("first.json"), file("second.json")}, message);
  };
  expect_other({"--seconds", "0.05"}, "give all shards the same --seconds");
  expect_other({"--precision", "0.5"}, "give all shards the same --precision");
  expect_other({"--library-defaults"}, "give all shards --library-defaults, or none");
  expect_other({"--backends", "a"}, "give all shards the same --backends");
  expect_other({"--filter", "m=(8|64|16|32)/"}, "measure all shards with the same --filter");
  ASSERT_EQ(measured("2/2", "second.json").status, 0);
  const std::string second = file("second.json").string();
  change(second, [](Json& r) { r["tool"]["version"] = "0.0.1"; });
  expect_refused({file("first.json"), second}, "measure all shards with one version");
  change(second, [&](Json& r) {
    r["tool"]["version"] = parse_file(file("first.json")).at("tool").at("version");
    r["tool"]["commit"] = "6f5e4d3c2b1a";
  });
  change(file("first.json"), [](Json& r) { r["tool"]["commit"] = "1a2b3c4d5e6f"; });
  expect_refused({file("first.json"), second},
                 "first.json was measured by breakeven of commit 1a2b3c4d5e6f, and " + second +
                     " by breakeven of commit 6f5e4d3c2b1a; measure one of them again");
  change(second, [](Json& r) {
    r["tool"]["version"] = nullptr;
    r["config"]["title"] = "Another?";
  });
  change(file("first.json"), [](Json& r) { r["tool"]["version"] = nullptr; });
  expect_refused({file("first.json"), second}, "have different configs");
}

TEST_F(MergeCommand, ComparesTheMachines) {
  const auto files = shards(2);
  change(files[1], [](Json& r) { r["host"]["name"] = "another-host"; });
  EXPECT_THAT(with_status(0, merged(files)).err, HasSubstr("shard 2/2 on another-host"));
  EXPECT_THAT(parse_file(file("whole.json")).at("warnings").dump(), HasSubstr("shard 2/2 on another-host"));
  std::filesystem::remove(file("whole.json"));
  change(files[1], [](Json& r) { r["host"]["cpu"] = "Another CPU"; });
  expect_refused(files, "--allow machine", 4);
  EXPECT_THAT(with_status(0, merged(files, {"--allow", "machine"})).err,
              HasSubstr("allowed: different CPU: "));
  EXPECT_EQ(merged(files, {"--allow", "algorithm"}).status, 2);
}

TEST_F(MergeCommand, AnInterruptedShardIsJoinedAndCanBeContinued) {
  const auto files = shards(2);
  change(files[1], [](Json& r) {
    r["complete"] = false;
    r["cases"][0]["status"] = "interrupted";
    for (const char* of_time : {"seconds", "gflops", "gbps"}) r["cases"][0][of_time] = nullptr;
  });
  const Outcome incomplete = merged(files);
  EXPECT_EQ(incomplete.status, 4) << "a case is missing";
  EXPECT_THAT(
      incomplete.err,
      HasSubstr(fmt::format("continue it with `breakeven run CONFIG --shard 2/2 --resume {}`", files[1])));
  EXPECT_EQ(parse_file(file("whole.json")).at("complete"), false);
  const Outcome wrong = breakeven({"run", config_, "--shard", "1/2", "--resume", files[1], "--quiet"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("is shard 2/2, not 1/2; continue it with --shard 2/2"));
  const Outcome filtered =
      breakeven({"run", config_, "--shard", "2/2", "--filter", "m=(8|64)/", "--resume", files[1], "--quiet"});
  EXPECT_THAT(filtered.err, HasSubstr("is a shard of other cases"));
  with_status(0, breakeven({"run", config_, "--shard", "2/2", "--resume", files[1], "--quiet"}));
  EXPECT_THAT(with_status(0, merged(files)).err, Not(HasSubstr("incomplete")));
  EXPECT_EQ(parse_file(file("whole.json")).at("complete"), true);
}

/// It has all cases then, so it is no shard any more.
TEST_F(MergeCommand, AShardContinuedWithoutShardIsTheWholeRun) {
  const auto files = shards(2);
  ASSERT_EQ(breakeven({"run", config_, "--resume", files[0], "--quiet"}).status, 0);
  const Json whole = parse_file(files[0]);
  EXPECT_FALSE(whole.contains("shard"));
  EXPECT_EQ(whole.at("cases").size(), 12U);
  ASSERT_EQ(breakeven({"run", config_, "--shard", "1/2", "--resume", files[0], "--quiet"}).status, 0);
  EXPECT_FALSE(parse_file(files[0]).contains("shard")) << "it still has all cases";
}

}  // namespace
}  // namespace breakeven::cli_tests
