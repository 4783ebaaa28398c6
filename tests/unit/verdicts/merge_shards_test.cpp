// Tests how the shards of a run become one result, and which files are not shards of one run.
#include "verdicts/merge_shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <functional>
#include <optional>

#include "reports/words/notes.h"
#include "unit/messages.h"
#include "unit/reports_sample.h"
#include "version.h"

namespace breakeven::verdicts_merge_shards_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Change = std::function<void(Result&)>;

BackendRecord backend(const std::string& name) {
  BackendRecord record;
  record.name = name;
  record.version = "1";
  record.device = "cpu";
  record.available = true;
  return record;
}

/// Three shards of products of sizes 0 to 4 on the backends a and b: 0 and 3, 1 and 4, and 2.
std::vector<ShardFile> shards() {
  std::vector<ShardFile> files;
  std::vector<std::string> ids;
  for (std::int64_t size = 0; size < 5; ++size) ids.push_back(sample::product("a", size, 0.01).id);
  for (std::size_t number = 1; number <= 3; ++number) {
    ShardRecord record{.shard = {.number = number, .count = 3},
                       .cases = 5,
                       .fingerprint = fingerprint_of(ids),
                       .positions = {}};
    std::vector<CaseResult> cases;
    for (std::size_t position = number - 1; position < record.cases; position += 3) {
      record.positions.push_back(position);
      for (const char* name : {"a", "b"})
        cases.push_back(sample::product(name, static_cast<std::int64_t>(position), 0.01));
    }
    ShardFile& file = files.emplace_back(
        ShardFile{.file = std::to_string(number) + ".json", .result = sample::result(std::move(cases))});
    file.result.shard = std::move(record);
    file.result.backends = {backend("a"), backend("b")};
  }
  return files;
}

/// The three shards, with `change` made to the second.
std::vector<ShardFile> changed(const Change& change) {
  auto files = shards();
  change(files[1].result);
  return files;
}

std::string why_refused(std::vector<ShardFile> files) {
  try {
    return message_of<ShardError>([&] { merge_shards(std::move(files), {}); });
  } catch (const ShardsIncomparable& e) {
    return fmt::format("{} and {}: {}; --allow {}", e.first, e.other, reasons_text(e.differences),
                       fmt::join(e.kinds, ","));
  }
}

std::vector<std::string> rows(const Result& result) {
  std::vector<std::string> rows;
  for (const CaseResult& c : result.cases) rows.push_back(c.id + " " + c.backend);
  return rows;
}

std::vector<std::string> rows_of_all_cases() {
  std::vector<std::string> rows;
  for (const char* size : {"0", "1", "2", "3", "4"}) {
    for (const char* name : {"a", "b"})
      rows.push_back(fmt::format("matmul/m={0}/n={0}/k={0}/f32 {1}", size, name));
  }
  return rows;
}

TEST(MergedShards, AreTheWholeRunInItsOrder) {
  auto files = shards();
  files[1].result.created = "2026-10-31T12:00:00Z";
  std::ranges::reverse(files);
  const Result merged = merge_shards(std::move(files), {});
  EXPECT_EQ(rows(merged), rows_of_all_cases());
  EXPECT_TRUE(merged.complete);
  EXPECT_EQ(merged.shard, std::nullopt);
  EXPECT_EQ(merged.created, "2026-10-31T12:00:00Z") << "the first shard's start";
  EXPECT_EQ(merged.config, shards()[0].result.config);
  EXPECT_EQ(merged.backends.size(), 2U);
  EXPECT_THAT(note_texts(merged.warnings), IsEmpty());
}

/// Another shard's CPUs were shared while it measured the ceilings.
TEST(MergedShards, AreNotImplausibleBesideADisturbedMachine) {
  const auto implausible_beside = [](double own_speed) {
    auto files = shards();
    CaseResult peak = sample::measured_case("peak", {{"dtype", "f32"}}, 1);
    peak.flop = 50e9;  // half of what the CPUs can do
    peak.seconds->own_speed = {own_speed, own_speed, own_speed};
    CaseResult product =
        sample::measured_case("matmul", {{"m", 1000}, {"n", 1000}, {"k", 1000}, {"dtype", "f32"}}, 0.02);
    for (std::size_t row = 0; row < 2; ++row) {
      peak.backend = product.backend = row == 0 ? "a" : "b";
      files[0].result.cases[row] = peak;
      files[1].result.cases[row] = product;
    }
    for (ShardFile& file : files)
      file.result.shard->fingerprint = fingerprint_of({peak.id, product.id, "matmul/m=2/n=2/k=2/f32",
                                                       "matmul/m=3/n=3/k=3/f32", "matmul/m=4/n=4/k=4/f32"});
    const Result merged = merge_shards(std::move(files), {});
    return std::ranges::count(merged.cases, Status::implausible, &CaseResult::status);
  };
  EXPECT_EQ(implausible_beside(0.5), 0);
  EXPECT_EQ(implausible_beside(0.99), optimised ? 2 : 0);
}

/// A continued run has the backends that it measured later at its end.
TEST(MergedShards, HaveTheBackendsOfACaseTogether) {
  auto files = shards();
  std::ranges::stable_sort(files[0].result.cases, {}, &CaseResult::backend);
  EXPECT_EQ(rows(merge_shards(std::move(files), {})), rows_of_all_cases());
}

TEST(MergedShards, KeepEachWarningOnce) {
  auto files = shards();
  for (ShardFile& file : files) {
    file.result.warnings = quoted_notes({"of all", "of " + file.file});
    file.result.backends[0].warnings = {"slow"};
  }
  files[2].result.backends[0].notes = {quoted_note("a note")};
  const Result merged = merge_shards(std::move(files), {});
  EXPECT_THAT(note_texts(merged.warnings), ElementsAre("of all", "of 1.json", "of 2.json", "of 3.json"));
  EXPECT_THAT(merged.backends[0].warnings, ElementsAre("slow"));
  EXPECT_THAT(merged.backends[0].notes, ElementsAre(quoted_note("a note")));
}

TEST(MergedShards, AddUpTheTimesOfSampling) {
  auto files = shards();
  files[0].result.sampling = Sampling{.wall_seconds = 3, .sample_seconds = 2, .probe_seconds = 0.5};
  files[2].result.sampling = Sampling{.wall_seconds = 5, .sample_seconds = 4, .probe_seconds = 0.25};
  const Result merged = merge_shards(std::move(files), {});
  EXPECT_EQ(merged.sampling, (Sampling{.wall_seconds = 8, .sample_seconds = 6, .probe_seconds = 0.75}));
}

TEST(MergedShards, CombineTheSpeedOfTheMachine) {
  auto files = shards();
  files[0].result.machine_speed = MachineSpeed{.rounds = 30,
                                               .slow_rounds = 3,
                                               .median = 1,
                                               .lowest = 0.9,
                                               .best_seconds = {{"l2", 2}},
                                               .median_seconds = {{"l2", 4}},
                                               .clock_range = 1.01};
  files[1].result.machine_speed = MachineSpeed{.rounds = 10,
                                               .slow_rounds = 5,
                                               .median = 0.6,
                                               .lowest = 0.5,
                                               .best_seconds = {{"l2", 3}},
                                               .median_seconds = {{"l2", 8}},
                                               .reservation = "why",
                                               .clock_range = 1.2};
  const auto speed = merge_shards(std::move(files), {}).machine_speed;
  ASSERT_TRUE(speed);
  EXPECT_EQ(speed->rounds, 40);
  EXPECT_EQ(speed->slow_rounds, 8);
  EXPECT_DOUBLE_EQ(speed->median, 0.9);
  EXPECT_EQ(speed->lowest, 0.5);
  EXPECT_EQ(speed->best_seconds.at("l2"), 2);
  EXPECT_DOUBLE_EQ(speed->median_seconds.at("l2"), 5);
  EXPECT_EQ(speed->clock_range, 1.2);
  EXPECT_EQ(speed->reservation, "why");
}

TEST(MergedShards, MayBeIncomplete) {
  const Result merged = merge_shards(changed([](Result& r) {
                                       r.complete = false;
                                       r.cases[3] = sample::refused(r.cases[3], Status::interrupted, "");
                                     }),
                                     {});
  EXPECT_FALSE(merged.complete);
  EXPECT_EQ(rows(merged), rows_of_all_cases());
  EXPECT_THAT(
      note_texts(merged.warnings),
      ElementsAre(
          "shard 2/3 (2.json) is incomplete, 1 of its 4 results are missing: continue it with "
          "`breakeven run CONFIG --shard 2/3 --resume 2.json` and the --filter, --backends and --threads "
          "that it had, then merge again"));
}

TEST(MergedShards, OfMachinesWithOtherNamesSayWhereTheyWereMeasured) {
  const Result merged = merge_shards(changed([](Result& r) { r.host.name = "beta"; }), {});
  EXPECT_EQ(merged.host.name, "host");
  EXPECT_THAT(note_texts(merged.warnings),
              ElementsAre("shards 1/3, 3/3 were measured on host; shard 2/3 on beta"));
}

TEST(MergedShards, OfEqualGpusSayWhereTheyWereMeasured) {
  auto files = shards();
  for (ShardFile& file : files) {
    const std::string id = "GPU-" + file.file;
    Gpu& gpu = file.result.host.gpus.emplace_back();
    gpu.id = id;
    gpu.driver = "550";
    file.result.backends[0].device_id = id;
  }
  const Result merged = merge_shards(files, {});
  EXPECT_THAT(note_texts(merged.warnings),
              ElementsAre("shard 1/3 was measured on host (GPU-1.json); shard 2/3 on host "
                          "(GPU-2.json); shard 3/3 on host (GPU-3.json)"));
  EXPECT_EQ(merged.backends[0].device_id, "GPU-1.json");
  files[1].result.host.gpus[0].driver = "560";
  EXPECT_THAT(why_refused(files), HasSubstr("different GPU driver: 550 → 560"));
}

/// The shards of one host each get a GPU of their own.
TEST(MergedShards, OfGpusThatVariablesChooseAreAlike) {
  auto files = shards();
  for (ShardFile& file : files) file.result.host.environment = {{"CUDA_VISIBLE_DEVICES", file.file}};
  EXPECT_THAT(note_texts(merge_shards(files, {}).warnings), IsEmpty());
  files[1].result.host.environment->emplace("CUDA_LAUNCH_BLOCKING", "1");
  EXPECT_THAT(why_refused(files), HasSubstr("--allow settings"));
}

TEST(MergedShards, OfRanksOnOtherNumbersOfHostsMustBeAllowed) {
  const auto with_second_rank_on = [](const char* host) {
    auto files = shards();
    for (ShardFile& file : files) file.result.cases[0].conditions.ranks = {{.host = "x"}, {.host = "x"}};
    files[1].result.cases[0].conditions.ranks[1].host = host;
    return files;
  };
  EXPECT_TRUE(merge_shards(with_second_rank_on("x"), {}).complete);
  EXPECT_THAT(
      why_refused(with_second_rank_on("y")),
      AllOf(HasSubstr("2 ranks on 1 host, 2 threads → 2 ranks on 2 hosts"), HasSubstr("--allow threads")));
}

TEST(MergedShards, OfMachinesThatDifferMustBeAllowed) {
  const auto files = changed([](Result& r) {
    r.host.cpu = "Another CPU";
    r.host.threads = 4;
  });
  EXPECT_THROW(merge_shards(files, {}), ShardsIncomparable);
  EXPECT_THAT(why_refused(files),
              AllOf(HasSubstr("1.json and 2.json"),
                    HasSubstr("different CPU: A CPU → Another CPU; different number of threads: 2 → 4"),
                    HasSubstr("--allow machine,threads")));
  EXPECT_THROW(merge_shards(files, {Difference::machine}), ShardsIncomparable);
  EXPECT_THAT(note_texts(merge_shards(files, {Difference::machine, Difference::threads}).warnings),
              ElementsAre("shard 2/3: allowed: different CPU: A CPU → Another CPU",
                          "shard 2/3: allowed: different number of threads: 2 → 4"));
  EXPECT_THAT(why_refused(changed([](Result& r) { r.backends[1].version = "2"; })),
              HasSubstr("--allow library"));
  EXPECT_THAT(allowable_differences(), AllOf(Contains("machine"), Not(Contains("algorithm"))));
}

TEST(MergedShards, OfGpusAloneMayHaveOtherClocksOfCpus) {
  auto files = changed([](Result& r) { r.host.settings["governor"] = "powersave"; });
  for (ShardFile& file : files) file.result.host.settings.try_emplace("governor", "performance");
  EXPECT_THAT(why_refused(files), HasSubstr("--allow clocks"));
  for (ShardFile& file : files) {
    for (CaseResult& c : file.result.cases) c.device = "gpu";
  }
  EXPECT_TRUE(merge_shards(files, {}).complete);
}

TEST(MergedShards, OfKernelsThatDifferHaveAWarning) {
  const auto files = [] {
    auto all = changed([](Result& r) { r.host.kernel = "6.2"; });
    for (ShardFile& file : all) {
      if (file.result.host.kernel.empty()) file.result.host.kernel = "6.1";
    }
    return all;
  }();
  EXPECT_THAT(note_texts(merge_shards(files, {}).warnings),
              ElementsAre("shard 2/3: different kernel: 6.1 → 6.2"));
}

TEST(MergedShards, AreEachThereOnce) {
  EXPECT_THAT(why_refused({}), HasSubstr("nothing to join"));
  auto files = shards();
  files.erase(files.begin() + 1);
  EXPECT_EQ(
      why_refused(files),
      "shard 2/3 is missing; run `breakeven run CONFIG --shard 2/3 --out FILE` and give that file, too");
  files.erase(files.begin());
  EXPECT_THAT(why_refused(files), HasSubstr("shards 1/3, 2/3 are missing; run"));
  files = shards();
  files.push_back(files[0]);
  files.back().file = "again.json";
  EXPECT_EQ(why_refused(files), "1.json and again.json are both shard 1/3; leave one out");
  for (ShardFile& file : files) file.result.shard->shard.count = 999'999;
  files.pop_back();
  EXPECT_EQ(fault_of_message(why_refused(files)), "");
  EXPECT_THAT(why_refused(files), HasSubstr("11/999999, ... are missing"));
}

TEST(MergedShards, AreOfOneCommitWhereItIsKnown) {
  auto files = shards();
  EXPECT_EQ(merge_shards(files, {}).tool_commit, "");
  for (ShardFile& file : files) file.result.tool_commit = "aaaa";
  EXPECT_EQ(merge_shards(files, {}).tool_commit, "aaaa");
  files[0].result.tool_commit.clear();
  EXPECT_EQ(merge_shards(files, {}).tool_commit, "") << "one is of an earlier version";
  files[2].result.tool_commit = "aaaa-dirty";
  EXPECT_EQ(why_refused(files),
            files[1].file + " was measured by breakeven of commit aaaa, and " + files[2].file +
                " by breakeven of commit aaaa-dirty; measure one of them again with the other's breakeven "
                "(`breakeven --version` shows its commit)");
}

TEST(MergedShards, AreOfOneRun) {
  const std::vector<std::pair<Change, std::string>> faults{
      {[](Result& r) { r.shard.reset(); }, "2.json: does not say which shard of a run it is"},
      {[](Result& r) { r.shard->shard.count = 4; }, "1.json is shard 1/3, and 2.json is shard 2/4"},
      {[](Result& r) { r.tool_version = "0.2.0"; }, "the version of breakeven 0.1.0, and 2.json has 0.2.0"},
      {[](Result& r) { r.config = "{}"; }, "1.json and 2.json have different configs"},
      {[](Result& r) { r.shard->cases = 6; }, "the number of cases 5, and 2.json has 6"},
      {[](Result& r) { r.shard->fingerprint = "g"; }, "are shards of different cases"},
      {[](Result& r) { r.shard->settings.precision = 0.5; }, "--precision"},
      {[](Result& r) { r.shard->settings.max_seconds = 7; }, "the same --seconds"},
      {[](Result& r) { r.shard->settings.energy_seconds = 7; }, "the time for energy"},
      {[](Result& r) { r.shard->settings.library_defaults = true; }, "--library-defaults"},
      {[](Result& r) { r.backends.pop_back(); }, "1.json has the backends a, b, and 2.json has a;"},
      {[](Result& r) {
         r.backends[1].available = false;
         r.backends[1].reason = "no libb.so";
       },
       "2.json: b was not available, and it was for other shards: no libb.so"},
      {[](Result& r) { r.cases.pop_back(), r.cases.pop_back(); },
       "2.json: does not have the cases of shard 2/3"},
      {[](Result& r) { r.cases.push_back(sample::product("a", 9, 1)); },
       "does not have the cases of shard 2/3"},
      {[](Result& r) {
         r.shard->positions = {0, 1};
       },
       "does not have the cases of shard 2/3"},
      {[](Result& r) { r.shard->positions = {1}; }, "the shards have 4 cases together, and the run has 5"},
  };
  for (const auto& [change, message] : faults) {
    const std::string why = why_refused(changed(change));
    EXPECT_THAT(why, HasSubstr(message));
    EXPECT_EQ(fault_of_message(why), "");
  }
}

}  // namespace
}  // namespace breakeven::verdicts_merge_shards_test
