// The result file, written and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "results/result.h"
#include "unit/messages.h"
#include "unit/reports_sample.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

Result read_text(const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder.write("result.json", text);
  return read_result(path);
}

/// The text of the sample result with these seconds of sampling.
std::string text_with(std::optional<Sampling> sampling) {
  Result result;
  result.config = "{}";
  result.sampling = sampling;
  result.cases = {sample::product("openblas", 64, 1e-5)};
  return to_json_text(result);
}

TEST(ResultJson, KeepsTheTimeSpentSampling) {
  const Result back = read_text(text_with(Sampling{.wall_seconds = 12.5, .sample_seconds = 12.25}));
  ASSERT_TRUE(back.sampling.has_value());
  EXPECT_EQ(back.sampling->wall_seconds, 12.5);
  EXPECT_EQ(back.sampling->sample_seconds, 12.25);
}

TEST(ResultJson, KeepsThatNothingWasSampled) {
  EXPECT_EQ(read_text(text_with(std::nullopt)).sampling, std::nullopt);
}

TEST(ResultJson, ReadsFilesFromBeforeSamplingWasRecorded) {
  std::string text = text_with(std::nullopt);
  const std::string entry = "\"sampling\": null,\n";
  const auto at = text.find(entry);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, entry.size());
  EXPECT_EQ(read_text(text).sampling, std::nullopt);
}

TEST(ResultJson, NamesThePlaceOfSamplingThatIsOfTheWrongType) {
  std::string text = text_with(Sampling{.wall_seconds = 12.5, .sample_seconds = 12.25});
  text.replace(text.find("12.25"), 5, "\"12\"");
  EXPECT_THAT(message_of<ResultError>([&] { read_text(text); }), HasSubstr("/sampling/sample_seconds"));
}

}  // namespace
}  // namespace breakeven
