// The choice of the files that a command reads, from all that it is given.
#include "results/file_kind.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "unit/messages.h"
#include "unit/reports_sample.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"
#include "unit/thresholds_sample.h"
#include "verdicts/measured.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using Json = nlohmann::ordered_json;

TEST(FileKind, IsToldByTheSchemaOrTheKeys) {
  const auto kind = [](const char* text) { return kind_of(Json::parse(text)); };
  EXPECT_EQ(kind(R"({"schema": "breakeven.result/1"})"), FileKind::result);
  EXPECT_EQ(kind(R"({"schema": "breakeven.result/99"})"), FileKind::result) << "a later version";
  EXPECT_EQ(kind(R"({"schema": "breakeven.threshold/1"})"), FileKind::threshold);
  EXPECT_EQ(kind(R"({"schema": "breakeven.verdict/1"})"), FileKind::verdict);
  EXPECT_EQ(kind(R"({"schema": "breakeven.gate-quality/1"})"), FileKind::gate_quality);
  EXPECT_EQ(kind(R"({"schema": "breakeven.selftest/1"})"), FileKind::selftest);
  EXPECT_EQ(kind(R"({"schema": "breakeven.history/1"})"), FileKind::history_check);
  EXPECT_EQ(kind(R"({"schema": "breakeven.rank/1"})"), FileKind::ranking);
  EXPECT_EQ(kind(R"({"schema": "breakeven.fleet/1"})"), FileKind::fleet);
  EXPECT_EQ(kind(R"({"schema": "somebody.else/1", "workloads": []})"), FileKind::unknown);
  EXPECT_EQ(kind(R"({"title": "", "workloads": []})"), FileKind::config);
  EXPECT_EQ(kind(R"({"context": {}, "benchmarks": []})"), FileKind::google_benchmark);
  EXPECT_EQ(kind(R"({"prices": []})"), FileKind::prices);
  EXPECT_EQ(kind(R"({"source": "here", "columns": ["m"], "rows": [[1]]})"), FileKind::shapes);
  EXPECT_EQ(kind(R"({"host": {}, "backends": []})"), FileKind::device_list);
  EXPECT_EQ(kind(R"({"host": {}, "backends": [], "cases": []})"), FileKind::result_without_schema);
  EXPECT_EQ(kind(R"({"schema": 3})"), FileKind::unknown);
  EXPECT_EQ(kind("[1]"), FileKind::unknown);
}

class FilesOfKinds : public testing::Test {
 protected:
  static std::string why_refused(const std::vector<std::filesystem::path>& files) {
    return message_of<ResultError>([&] { read_measured(files); });
  }
  const TemporaryFolder folder_;
  const std::filesystem::path result_ = folder_.write(
      "r.json", to_json_text(sample::recorded_result({sample::recorded(sample::product("a", 64, 1))})));
  const std::filesystem::path rank_ = folder_.write("rank.json", R"({"schema": "breakeven.rank/1"})");
  const std::filesystem::path google_ =
      folder_.write("google.json", R"({"context": {}, "benchmarks": [{"name": "a", "real_time": NaN}]})");
};

TEST_F(FilesOfKinds, OthersAreSkippedAndNamed) {
  const std::vector files{rank_, result_, google_,
                          folder_.write("t.json", to_json_text(sample::threshold()))};
  const Measured measured = read_measured(files);
  EXPECT_THAT(measured.results, SizeIs(1));
  EXPECT_THAT(measured.thresholds, SizeIs(1));
  ASSERT_THAT(measured.skipped, SizeIs(2));
  EXPECT_THAT(skipped_text(measured.skipped),
              AllOf(HasSubstr("2 files skipped: "), HasSubstr(rank_.string() + " is a ranking of machines"),
                    HasSubstr(google_.string() + " is Google Benchmark's JSON")));
  EXPECT_THAT(read_measured(files, results_alone).skipped, SizeIs(3));
  EXPECT_EQ(skipped_text({}), "");
}

TEST_F(FilesOfKinds, ManyOfOneKindAreOnePhrase) {
  std::vector<SkippedFile> skipped;
  for (const char* name : {"a", "b", "c", "d", "e"})
    skipped.push_back({.file = name, .kind = FileKind::verdict});
  EXPECT_EQ(skipped_text(skipped),
            "5 files skipped: a, b, c and 2 more are each a verdict of `breakeven gate` or `compare`");
}

TEST_F(FilesOfKinds, NoneAtAllIsAnErrorThatNamesThem) {
  EXPECT_THAT(why_refused({rank_}), AllOf(HasSubstr("rank.json: is a ranking of machines; give a result of"),
                                          Not(HasSubstr("use the breakeven that wrote it"))));
  EXPECT_THAT(why_refused({rank_, google_}),
              AllOf(HasSubstr("none of the 2 files"), HasSubstr("rank.json is a ranking of machines"),
                    HasSubstr("google.json is Google Benchmark's JSON")));
  EXPECT_THAT(why_refused({folder_.write("other.json", "{}"), rank_}), HasSubstr("JSON of an unknown kind"));
}

TEST_F(FilesOfKinds, ALaterVersionOfTheRightKindAndADamagedFileAreErrors) {
  EXPECT_THAT(why_refused({result_, folder_.write("later.json", R"({"schema": "breakeven.result/99"})")}),
              HasSubstr("later.json: is of schema 'breakeven.result/99'"));
  EXPECT_THAT(why_refused({result_, folder_.write("t99.json", R"({"schema": "breakeven.threshold/99"})")}),
              AllOf(HasSubstr("t99.json: is of schema 'breakeven.threshold/99'"),
                    HasSubstr("use the breakeven that wrote it")));
  EXPECT_THAT(why_refused({result_, folder_.write("half.json", R"({"schema": "breakeven.result/1")")}),
              HasSubstr("half.json: is not valid JSON"));
}

TEST_F(FilesOfKinds, LabelsNameMachinesOfFiles) {
  const std::vector files{rank_, result_};
  const std::vector<MachineLabel> labels{{.file = result_, .name = "small server"}};
  const Measured measured = read_measured(files, results_alone, labels);
  EXPECT_EQ(measured.results[0].host.name, "small server");
  EXPECT_EQ(measured.results[0].host.recorded_name(), "host");
  const std::vector<MachineLabel> of_skipped{{.file = rank_, .name = "small server"}};
  EXPECT_THROW(read_measured(files, results_alone, of_skipped), LabelError);
}

}  // namespace
}  // namespace breakeven
