// Tests writing and reading results of `threshold`.
#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "reports/words/threshold_words.h"
#include "unit/messages.h"
#include "unit/reports_sample.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"
#include "unit/thresholds_sample.h"
#include "unit/verdicts_sample.h"
#include "verdicts/measured.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
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

TEST(ThresholdJson, KeepsTheLargestBatches) {
  Threshold written = sample::threshold();
  EXPECT_THAT(to_json_text(written), Not(HasSubstr("p99")));
  written.p99 = LatencyLimit{.seconds = 5e-3,
                             .answers = {{.title = "infer, network mlp, f32",
                                          .device = "A GPU",
                                          .backend = "cuda",
                                          .batch = 8,
                                          .largest = 64,
                                          .p99 = 4e-3,
                                          .samples_per_second = 2000}}};
  const std::string text = to_json_text(written);
  EXPECT_THAT(text, HasSubstr("\"largest_batches\""));
  const Threshold found = threshold_from(Json::parse(text));
  EXPECT_EQ(to_json_text(found), text);
  written.p99->answers[0].batch = 65;
  EXPECT_THROW(threshold_from(Json::parse(to_json_text(written))), JsonError);
}

// The fields of each struct, to compare them all at once.
auto fields_of(const Threshold& t) {
  return std::tie(t.created, t.complete, t.tool_version, t.warnings, t.host, t.machine_speed, t.title,
                  t.parameter, t.width, t.unlike_precision, t.from_results, t.config, t.wall_seconds);
}
auto fields_of(const ThresholdContender& c) {
  return std::tie(c.wanted, c.threads, c.name, c.host, c.own_speed);
}
auto fields_of(const ThresholdAnswer& a) {
  return std::tie(a.title, a.in, a.from, a.to, a.slow_launches, a.notes);
}
auto fields_of(const BreakEven& b) {
  return std::tie(b.answer, b.first, b.last, b.values, b.launches);
}
auto fields_of(const LeadChange& c) {
  return std::tie(c.below, c.above, c.crossing, c.interval, c.by_bisection, c.interpolated, c.from,
                  c.earliest, c.latest, c.last_below, c.first_above);
}
auto fields_of(const ThresholdPoint& p) {
  return std::tie(p.value, p.log_ratios, p.reason, p.wrong, p.interval);
}
auto fields_of(const ThresholdPointSide& s) {
  return std::tie(s.backend, s.seconds, s.joules, s.cost, s.algorithm, s.interval, s.own_speed);
}

/// Every field that is not in the sample.
TEST(ThresholdJson, KeepsEveryField) {
  Threshold t = sample::threshold();
  t.width = 0.1;
  t.unlike_precision = true;
  t.from_results = true;
  t.machine_speed = MachineSpeed{.rounds = 3,
                                 .slow_rounds = 1,
                                 .median = 0.9,
                                 .lowest = 0.5,
                                 .best_seconds = {{"l2", 6e-6}},
                                 .median_seconds = {{"l2", 7e-6}}};
  t.sides[0].name = "box";
  t.sides[0].own_speed = 0.44;
  t.sides[0].host.emplace();
  t.sides[0].host->name = "the box";
  t.sides[1].threads = 7;
  t.answers[0].points[0].sides[0].own_speed = 0.16;
  t.answers[0].slow_launches = 2;
  t.answers[0].points[0].log_ratios[1] = {0.5, 0.75};
  LeadChange& change = t.answers[0].found.changes[0];
  change.by_bisection = change.interpolated = true;
  change.last_below = 100;
  change.first_above = 500;
  ThresholdPoint& point = t.answers[0].points[0];
  point.wrong = true;
  point.interval = Interval{.low = -0.5, .high = 0.5};
  point.sides[0].cost = 3e-6;
  point.sides[0].interval = Interval{.low = 0.9e-5, .high = 1.1e-5};
  point.sides[1].joules = 5;
  const Threshold found = threshold_from(Json::parse(to_json_text(t)));
  EXPECT_EQ(fields_of(found), fields_of(t));
  for (std::size_t side = 0; side < 2; ++side)
    EXPECT_EQ(fields_of(found.sides[side]), fields_of(t.sides[side])) << side;
  EXPECT_EQ(found.sides[1].backends.at(0).name, "b");
  EXPECT_FALSE(found.sides[0].price);
  const HourlyPrice& price = found.sides[1].price.value();
  EXPECT_EQ(price.per_hour, 2.5);
  EXPECT_EQ(price.from.currency, "USD");
  EXPECT_EQ(price.from.source, "an offer");
  EXPECT_EQ(price.from.date, "2026-10-01");
  const ThresholdAnswer& answer = found.answers.at(0);
  EXPECT_EQ(fields_of(answer), fields_of(t.answers[0]));
  EXPECT_EQ(fields_of(answer.found), fields_of(t.answers[0].found));
  EXPECT_EQ(fields_of(answer.found.changes.at(0)), fields_of(change));
  EXPECT_EQ(fields_of(answer.points.at(0)), fields_of(point));
  for (std::size_t side = 0; side < 2; ++side)
    EXPECT_EQ(fields_of(answer.points[0].sides[side]), fields_of(point.sides[side])) << side;
  EXPECT_EQ(answer.points.at(1).reason, "out of memory");
  const Json plain = Json::parse(to_json_text(sample::threshold()));
  for (const char* absent : {"machine_speed", "from_results"}) EXPECT_FALSE(plain.contains(absent)) << absent;
  EXPECT_FALSE(plain.at("answers")[0].at("changes")[0].contains("interpolated"));
  EXPECT_TRUE(plain.at("answers")[0].at("changes")[0].contains("last_below")) << "a line was fitted";
  EXPECT_FALSE(plain.at("baseline").contains("name"));
}

/// Answers that a search does not give.
TEST(ThresholdJson, AgreesWithItself) {
  for (const auto& [place, value, said] : std::vector<std::tuple<const char*, Json, const char*>>{
           {"/answers/0/changes/0/earliest", 9999, "is from 384, and its bounds are 9999 and 392"},
           {"/answers/0/changes/0/crossing", 1e9, "has the crossing 1000000000"},
           {"/answers/0/changes/0/above", "baseline", "changes from baseline to itself"},
           {"/answers/0/changes", Json::array(), "has the answer from_value, and no change"},
           {"/answers/0/answer", "always", "has the answer always, and a change from 384"},
           {"/answers/0/answer", "until_value",
            "has the answer until_value, and a last change to challenger"},
           {"/answers/0/points/0/value", 2048, "has the value 2048 before 512"},
           {"/answers/0/points/2/value", 2048, "is from 64 to 1024, and has the value 2048"},
           {"/answers/0/points/0/challenger/seconds", 1e4, "has the value 64, which has a ratio of"},
           {"/answers/0/points/0/challenger/seconds", -1, "has the value 64, which has a sample of -1 s"},
           {"/answers/0/to", 1, "is from 64 to 1"},
           {"/answers/0/first_measured", 4096, "has 4096 as the first value measured, and 1024 as the last"},
           {"/created", "yesterday", "a date that is 'yesterday'"},
           {"/width", 0, "has a width of 0"},
           {"/baseline/threads", -5, "has a baseline that has -5 threads"},
           {"/challenger/price/per_hour", -3, "has a challenger that has a price of -3 per hour"}}) {
    Json document = Json::parse(to_json_text(sample::threshold()));
    document[Json::json_pointer(place)] = value;
    EXPECT_THAT(message_of<JsonError>([&] { threshold_from(document); }), HasSubstr(said)) << place;
  }
}

TEST(ThresholdJson, SaysWhereItIsNoThreshold) {
  const auto why = [](const Json::json_pointer& place, const Json& value) {
    Json document = Json::parse(to_json_text(sample::threshold()));
    document[place] = value;
    return message_of<JsonError>([&] { threshold_from(document); });
  };
  using Pointer = Json::json_pointer;
  EXPECT_THAT(why(Pointer("/parameter"), 3), HasSubstr("/parameter is of the wrong type"));
  EXPECT_THAT(why(Pointer("/answers/0/answer"), "perhaps"),
              AllOf(HasSubstr("/answers/0"), HasSubstr("'perhaps'")));
  EXPECT_THAT(why(Pointer("/answers/0/changes/0/above"), "b"), HasSubstr("/answers/0/changes/0"));
  EXPECT_THAT(why(Pointer("/answers/0/last_measured"), nullptr), HasSubstr("/answers/0"));
  EXPECT_THAT(why(Pointer("/challenger/price/per_hour"), "much"), HasSubstr("/challenger/price/per_hour"));
  EXPECT_THAT(why(Pointer("/answers/0/answer"), "perhaps"), HasSubstr("has the unknown answer 'perhaps'"));
  EXPECT_THAT(why(Pointer("/answers/0/last_measured"), nullptr),
              HasSubstr("has one of first_measured and last_measured, and not the other"));
  EXPECT_EQ(why(Pointer("/schema"), "breakeven.threshold/2"),
            "is of schema 'breakeven.threshold/2' and this program reads 'breakeven.threshold/1': use the "
            "breakeven "
            "that wrote it");
  EXPECT_THAT(why(Pointer("/answers/0/values"), -1), HasSubstr("/answers/0/values is below 0"));
  EXPECT_THAT(why(Pointer("/answers/0/launches"), -1), HasSubstr("/answers/0/launches is below 0"));
}

TEST(Measured, FilesAreToldApartByTheirSchema) {
  const TemporaryFolder folder;
  const std::vector files{
      folder.write("t.json", to_json_text(sample::threshold())),
      folder.write("r.json",
                   to_json_text(sample::recorded_result({sample::recorded(sample::product("a", 64, 1))})))};
  const Measured measured = read_measured(files);
  EXPECT_THAT(measured.results, SizeIs(1));
  EXPECT_THAT(measured.thresholds, SizeIs(1));

  const std::vector verdict{folder.write("v.json", to_json_text(sample::verdicts({})))};
  EXPECT_THAT(read_measured(verdict, std::array{FileKind::verdict}).verdicts, SizeIs(1));

  const std::vector broken{
      folder.write("b.json", R"({"schema": "breakeven.threshold/1", "complete": true})")};
  EXPECT_THAT(message_of<ResultError>([&] { read_measured(broken); }),
              AllOf(HasSubstr("b.json"), HasSubstr("/tool is missing")));
  const std::vector unknown{folder.write("u.json", R"({"schema": "breakeven.rank/1"})")};
  EXPECT_THROW(read_measured(unknown), ResultError);
}

/// The machines of results and of thresholds alike, whichever file comes first.
TEST(Measured, MachinesOfAllFilesAreToldApart) {
  const TemporaryFolder folder;
  Threshold elsewhere = sample::threshold();
  elsewhere.host.cpu = "Another CPU";
  const auto t = folder.write("t.json", to_json_text(elsewhere));
  const auto r = folder.write(
      "r.json", to_json_text(sample::recorded_result({sample::recorded(sample::product("a", 64, 1))})));
  const std::vector files{t, r};
  const Measured measured = read_measured(files);
  EXPECT_EQ(measured.thresholds.at(0).host.name, "Another CPU");
  EXPECT_EQ(measured.results.at(0).host.name, "A CPU, 2 cores");
  const std::vector<MachineLabel> labels{{.file = t, .name = "mine"}};
  const Measured labelled = read_measured(files, what_reports_show, labels);
  EXPECT_EQ(labelled.thresholds.at(0).host.name, "mine");
  EXPECT_EQ(labelled.results.at(0).host.name, "host");
}

/// The GPU that one file lists belongs to all files of its machine, and to both sides of a threshold.
TEST(Measured, FilesOfProcessorsAreOfTheMachineWithTheGpu) {
  const TemporaryFolder folder;
  const Result cpu = sample::recorded_result({sample::recorded(sample::product("a", 64, 1))});
  Result gpu = sample::recorded_result({sample::on_gpu(sample::recorded(sample::product("cuda", 64, 1)))});
  gpu.host.gpus.emplace_back().id = "GPU-1";
  Threshold both = sample::threshold();
  both.from_results = true;
  both.host = cpu.host;
  both.sides[0].host = cpu.host;
  both.sides[1].host = gpu.host;
  const std::vector files{folder.write("cpu.json", to_json_text(cpu)),
                          folder.write("t.json", to_json_text(both)),
                          folder.write("gpu.json", to_json_text(gpu))};
  const auto hosts = [](const Measured& measured) {
    const Threshold& found = measured.thresholds.at(0);
    return std::vector{measured.results.at(0).host, measured.results.at(1).host, found.host,
                       found.sides[0].host.value(), found.sides[1].host.value()};
  };
  for (const Host& host : hosts(read_measured(files))) {
    EXPECT_EQ(host.name, "host");
    EXPECT_THAT(host.gpus, SizeIs(1));
  }
  const std::vector<MachineLabel> labels{{.file = files[1], .name = "the box"}};
  for (const Host& host : hosts(read_measured(files, what_reports_show, labels)))
    EXPECT_EQ(host.name, "the box");
}

}  // namespace
}  // namespace breakeven
