// What `threshold` found, written and read.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "reports_sample.h"
#include "temporary_folder.h"
#include "thresholds_sample.h"
#include "verdicts/measured.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using Json = nlohmann::ordered_json;

TEST(ThresholdJson, IsReadAsItWasWritten) {
  const Threshold written = sample::threshold();
  const std::string text = to_json_text(written);
  const Threshold found = threshold_from(Json::parse(text));
  EXPECT_EQ(to_json_text(found), text);
  EXPECT_EQ(in_words(found.answers[0], found), in_words(written.answers[0], written));
  EXPECT_EQ(exit_status(found), exit_status(written));
}

TEST(ThresholdJson, SaysWhereItIsNoThreshold) {
  const auto why = [](const Json::json_pointer& place, const Json& value) -> std::string {
    Json document = Json::parse(to_json_text(sample::threshold()));
    document[place] = value;
    try {
      threshold_from(document);
    } catch (const ResultError& e) {
      return e.what();
    }
    return "";
  };
  using Pointer = Json::json_pointer;
  EXPECT_THAT(why(Pointer("/parameter"), 3), HasSubstr("/parameter is of the wrong type"));
  EXPECT_THAT(why(Pointer("/answers/0/answer"), "perhaps"),
              AllOf(HasSubstr("/answers/0"), HasSubstr("'perhaps'")));
  EXPECT_THAT(why(Pointer("/answers/0/changes/0/above"), "b"), HasSubstr("/answers/0/changes/0"));
  EXPECT_THAT(why(Pointer("/answers/0/last_measured"), nullptr), HasSubstr("/answers/0"));
  EXPECT_THAT(why(Pointer("/challenger/price/per_hour"), "much"), HasSubstr("/challenger/price/per_hour"));
  EXPECT_THAT(why(Pointer("/answers/0/values"), -1), HasSubstr("/answers/0/values is below 0"));
  EXPECT_THAT(why(Pointer("/answers/0/launches"), -1), HasSubstr("/answers/0/launches is below 0"));
}

TEST(Measured, FilesAreToldApartByTheirSchema) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    const auto path = folder.path() / name;
    std::ofstream(path) << text;
    return path;
  };
  const std::vector files{write("t.json", to_json_text(sample::threshold())),
                          write("r.json", to_json_text(sample::result({sample::product("a", 64, 1)})))};
  const Measured measured = read_measured(files);
  EXPECT_THAT(measured.results, SizeIs(1));
  EXPECT_THAT(measured.thresholds, SizeIs(1));

  const std::vector broken{write("b.json", R"({"schema": "breakeven.threshold/1", "complete": true})")};
  try {
    read_measured(broken);
    FAIL();
  } catch (const ResultError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("b.json"), HasSubstr("/tool is missing")));
  }
  const std::vector unknown{write("u.json", R"({"schema": "breakeven.rank/1"})")};
  EXPECT_THROW(read_measured(unknown), ResultError);
}

}  // namespace
}  // namespace breakeven
