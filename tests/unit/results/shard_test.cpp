// Tests the text of a shard, the fingerprint of its run, and its record in a result file.
#include "results/shard.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "results/measure_settings.h"
#include "results/result.h"
#include "unit/messages.h"
#include "unit/texts_of_files.h"

namespace breakeven::results_shard_test {
namespace {

using testing::HasSubstr;

Result result_of_shard() {
  Result result;
  result.shard = ShardRecord{
      .shard = {.number = 2, .count = 4},
      .cases = 9,
      .fingerprint = "00f",
      .positions = {1, 5, 8},
      .settings = {.precision = 0.01, .max_seconds = 2, .energy_seconds = 0.5, .library_defaults = true}};
  return result;
}

/// The result of reading a file with `value` at `pointer`.
std::string why_refused(const char* pointer, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(to_json_text(result_of_shard()));
  json[nlohmann::json::json_pointer(pointer)] = value;
  return message_of<ResultError>([&] { result_from_text(json.dump(), "file"); });
}

TEST(OptionsOfShard, AreThoseThatChangedTheConfigsSettings) {
  const ShardSettings defaults{.precision = 0.02, .max_seconds = 3, .energy_seconds = 2};
  const auto options = [&](const char* config, const ShardSettings& used) {
    Result result = result_of_shard();
    result.config = config;
    result.shard->settings = used;
    return options_of_shard(result, defaults);
  };
  const ShardSettings used = result_of_shard().shard->settings;
  EXPECT_EQ(options("{}", used), " --seconds 2 --precision 0.01 --library-defaults");
  EXPECT_EQ(options("", used), " --seconds 2 --precision 0.01 --library-defaults");
  EXPECT_EQ(options("{}", defaults), "");
  const char* config =
      R"([{"measure": {"max_seconds": 2, "energy_seconds": 0.5, "precision": 0.01, "library_defaults": true}}])";
  EXPECT_EQ(options(config, used), "");
  // --seconds with the config's own number limits the time for energy.
  EXPECT_EQ(options(R"({"measure": {"max_seconds": 1}})",
                    {.precision = 0.02, .max_seconds = 1, .energy_seconds = 1}),
            " --seconds 1");
  EXPECT_EQ(options_of_shard(Result{}, defaults), "") << "no shard";
}

TEST(ShardText, IsReadAndWritten) {
  for (const char* text : {"1/1", "2/4", "999999/999999"}) {
    const auto shard = parse_shard(text);
    ASSERT_TRUE(shard) << text;
    EXPECT_EQ(shard->text(), text);
  }
  for (const char* text : {"", "/", "1", "1/", "/4", "0/2", "3/2", "1/0", "a/b", "-1/2", "+1/2", "1/2/3",
                           " 1/2", "1/2 ", "1.0/2", "1/1000000", "0000001/2"})
    EXPECT_FALSE(parse_shard(text)) << text;
}

TEST(ShardFingerprint, DependsOnIdsAndTheirOrder) {
  EXPECT_EQ(fingerprint_of({}), "cbf29ce484222325") << "the basis of FNV-1a";
  EXPECT_EQ(fingerprint_of({"a", "b"}).size(), 16U);
  EXPECT_NE(fingerprint_of({"a", "b"}), fingerprint_of({"b", "a"}));
  EXPECT_NE(fingerprint_of({"a", "b"}), fingerprint_of({"ab"}));
}

TEST(ShardRecord, SurvivesBeingWrittenAndRead) {
  const Result before = result_of_shard();
  const Result after = result_from_text(to_json_text(before), "file");
  EXPECT_EQ(after.shard, before.shard);
  const std::string whole = to_json_text(Result());
  EXPECT_FALSE(nlohmann::json::parse(whole).contains("shard"));
  EXPECT_FALSE(nlohmann::json::parse(whole).contains("shard_plan"));
  EXPECT_EQ(result_from_text(whole, "file").shard, std::nullopt);
}

TEST(ShardRecord, IsRefusedIfItIsImpossible) {
  EXPECT_THAT(why_refused("/shard", "5/4"), HasSubstr("has the shard '5/4'; it must be as 1/4"));
  EXPECT_THAT(why_refused("/shard", 2), HasSubstr("/shard"));
  EXPECT_THAT(why_refused("/shard_plan", nullptr), HasSubstr("shard_plan"));
  EXPECT_THAT(why_refused("/shard_plan/positions", {1, 1}), HasSubstr("positions that do not rise"));
  EXPECT_THAT(why_refused("/shard_plan/positions", {1, 9}), HasSubstr("a position beyond its 9 cases"));
  EXPECT_THAT(why_refused("/shard_plan/positions", {-1, 2}), HasSubstr("positions"));
  EXPECT_THAT(why_refused("/shard_plan/settings", {}), HasSubstr("settings"));
}

}  // namespace
}  // namespace breakeven::results_shard_test
