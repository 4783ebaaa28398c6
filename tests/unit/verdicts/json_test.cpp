// The verdict file, written and read back.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "results/reading.h"
#include "unit/messages.h"
#include "unit/texts_of_files.h"
#include "unit/verdicts_sample.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

/// Every field set, and no two alike.
Verdicts full_verdicts() {
  CaseVerdict c = sample::verdict_of(Verdict::inconclusive, 64, 1.0 / 3.0);
  c.label = "layer 1";
  c.device = "gpu";
  c.base_status = Status::implausible;
  c.head_status = Status::wrong;
  c.reasons = {quoted_note("why")};
  c.base_algorithm = "one";
  c.head_algorithm = "two";
  c.launches = {{.base = {0.3, 0.6}, .head = {0.1}, .own_speed = {0.99, 0.97}},
                {.base = {}, .head = {1.0 / 7.0}}};
  c.notes = quoted_notes({"algorithm changed", "note"});
  c.not_slower = true;
  c.differences = {"machine", "library"};
  CaseVerdict missing = sample::incomparable(65, "not there");
  missing.presence = Presence::only_base;
  missing.base_status = Status::failed;
  Verdicts v = sample::verdicts({c, missing});
  v.kind = "gate";
  v.complete = false;
  v.mean_change = Ratio{.value = 1.01, .low = 0.97, .high = 1.05};
  v.host.threads = 3;
  v.base.environment = {{"OPENBLAS_CORETYPE", "Haswell"}, {"A", "b"}};
  v.base.backends = {sample::backend("openblas", true)};
  v.head.backends = {sample::backend("onednn", false, "no library")};
  v.base.backend = "openblas";
  v.head.backend = "onednn";
  v.base.name = "502af31 \"A product\"";
  v.base.threads = 2;
  v.base.backends[0].library_files = {{"openblas", "/usr/lib/libopenblas.so.0"}};
  v.notes = {"measure more"};
  v.machine_speed = MachineSpeed{.rounds = 12,
                                 .slow_rounds = 3,
                                 .median = 0.98,
                                 .lowest = 0.5,
                                 .best_seconds = {{"l2", 1e-4}},
                                 .reservation = "why",
                                 .clock_range = 1.07,
                                 .core_to_core_range = 6.1,
                                 .instructions_per_cycle = 1.9};
  v.threshold = 0.05;
  v.wall_seconds = 12.5;
  v.warnings = quoted_notes({"be warned"});
  return v;
}

class VerdictFile : public testing::Test {
 protected:
  static Verdicts read(const std::string& text) {
    return naming_file("verdicts.json", [&] { return verdicts_from(ParsedFile(text).document()); });
  }
  static std::string why_refused(const std::string& text) {
    const std::string why = message_of<ResultError>([&] { read(text); });
    EXPECT_THAT(why, HasSubstr("verdicts.json: "));
    return why;
  }
  static std::string changed(const std::string& pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(to_json_text(full_verdicts()));
    json[nlohmann::json::json_pointer(pointer)] = value;
    return json.dump();
  }
};

// The fields of each struct, to compare them all at once.
auto fields_of(const Verdicts& v) {
  return std::tie(v.kind, v.created, v.complete, v.tool_version, v.host, v.machine_speed, v.threshold,
                  v.method, v.wall_seconds, v.warnings, v.notes, v.mean_change);
}
auto fields_of(const Side& s) {
  return std::tie(s.source, s.environment, s.backend, s.name, s.threads);
}
auto fields_of(const CaseVerdict& c) {
  return std::tie(c.id, c.label, c.op, c.parameters, c.dtype, c.backend, c.device, c.presence, c.base_status,
                  c.head_status, c.verdict, c.reasons, c.ratio, c.base_seconds, c.head_seconds,
                  c.base_algorithm, c.head_algorithm, c.launches, c.notes, c.not_slower, c.differences);
}

TEST_F(VerdictFile, KeepsEveryField) {
  const Verdicts before = full_verdicts();
  const Verdicts v = read(to_json_text(before));
  EXPECT_EQ(fields_of(v), fields_of(before));
  EXPECT_EQ(fields_of(v.base), fields_of(before.base));
  EXPECT_EQ(fields_of(v.head), fields_of(before.head));
  EXPECT_EQ(v.head.threads, 0) << "not known";
  EXPECT_EQ(v.base.backends.at(0).name, "openblas");
  EXPECT_EQ(v.base.backends.at(0).library_files, before.base.backends.at(0).library_files);
  EXPECT_EQ(v.head.backends.at(0).reason, "no library");
  ASSERT_EQ(v.cases.size(), 2U);
  EXPECT_EQ(fields_of(v.cases[0]), fields_of(before.cases[0]));
  EXPECT_EQ(v.cases[1].presence, Presence::only_base);
  EXPECT_EQ(v.cases[1].ratio, std::nullopt);
  EXPECT_EQ(exit_status(v), exit_status(before));
}

/// The diff of two files then shows the cases that differ.
TEST_F(VerdictFile, HasALineForEachFieldAndEachCase) {
  const std::string text = to_json_text(full_verdicts());
  EXPECT_THAT(text, testing::StartsWith("{\n\"schema\": \"breakeven.verdict/1\",\n\"kind\": \"gate\",\n"));
  EXPECT_THAT(text, HasSubstr(",\n\"cases\": [\n{\"id\":\"matmul/m=64/n=64/k=64/f32\""));
  EXPECT_THAT(text, HasSubstr("},\n{\"id\":\"matmul/m=65/n=65/k=65/f32\""));
  EXPECT_THAT(text, testing::EndsWith("}\n]\n}\n"));
}

TEST_F(VerdictFile, NamesItsFields) {
  const auto json = nlohmann::json::parse(to_json_text(full_verdicts()));
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("schema", "kind", "created", "complete", "exit_status", "tool",
                                            "threshold", "method", "wall_seconds", "warnings", "host", "base",
                                            "head", "notes", "machine_speed", "mean_change", "cases"));
}

TEST_F(VerdictFile, LeavesOutWhatIsNotThere) {
  const auto json = nlohmann::json::parse(to_json_text(sample::verdicts({sample::incomparable(1, "why")})));
  for (const char* absent : {"notes", "machine_speed", "mean_change"})
    EXPECT_FALSE(json.contains(absent)) << absent;
  for (const char* absent : {"name", "backend", "threads"})
    EXPECT_FALSE(json.at("base").contains(absent)) << absent;
  for (const char* absent : {"label", "not_slower", "differences", "launches"})
    EXPECT_FALSE(json.at("cases").at(0).contains(absent)) << absent;
}

/// A ratio whose bounds are all there is may be exact.
TEST_F(VerdictFile, ARatioMayBeExact) {
  Verdicts v = full_verdicts();
  v.cases[0].ratio = Ratio{.value = 1, .low = 1, .high = 1};
  v.cases[0].launches = {{.base = {0.1}, .head = {0.1}}};
  EXPECT_EQ(read(to_json_text(v)).cases[0].ratio, v.cases[0].ratio);
  EXPECT_THAT(why_refused(changed("/cases/0/ratio/low", 9)), HasSubstr("/cases/0 has a ratio of 0.333"));
  EXPECT_THAT(why_refused(changed("/cases/0/base_seconds", 0)), HasSubstr("/cases/0 has a sample of 0 s"));
  EXPECT_THAT(why_refused(changed("/cases/0/launches/0/head/0", 1e300)),
              HasSubstr("has a sample of 1e+300 s, and a clock gives"));
  EXPECT_THAT(why_refused(changed("/cases/0/presence", "here")),
              HasSubstr("has the unknown presence 'here'"));
  EXPECT_THAT(why_refused(changed("/cases/0/verdict", "fine")), HasSubstr("has the unknown verdict 'fine'"));
  EXPECT_THAT(why_refused(changed("/schema", "breakeven.verdict/2")),
              HasSubstr("is of schema 'breakeven.verdict/2' and this program reads 'breakeven.verdict/1'"));
}

/// A verdict that contradicts the statuses or the ratio of its case is refused.
TEST_F(VerdictFile, AVerdictAgreesWithItsSides) {
  const auto why_not = [](const CaseVerdict& c) { return why_refused(to_json_text(sample::verdicts({c}))); };
  for (const Verdict verdict : {Verdict::same, Verdict::slower, Verdict::faster}) {
    CaseVerdict c = sample::verdict_of(verdict, 64,
                                       verdict == Verdict::faster   ? 0.5
                                       : verdict == Verdict::slower ? 1.5
                                                                    : 1);
    EXPECT_EQ(read(to_json_text(sample::verdicts({c}))).cases[0].verdict, verdict);
    c.head_status = Status::failed;
    EXPECT_THAT(why_not(c), HasSubstr("and not two sides whose status is ok"));
  }
  for (const Verdict verdict : {Verdict::slower, Verdict::faster}) {
    CaseVerdict c = sample::verdict_of(verdict, 64, 1);
    c.ratio = std::nullopt;
    EXPECT_THAT(why_not(c), HasSubstr("and no ratio"));
  }
  CaseVerdict fits = sample::verdict_of(Verdict::same, 64, 1);
  fits.ratio = std::nullopt;
  EXPECT_EQ(read(to_json_text(sample::verdicts({fits}))).cases[0].verdict, Verdict::same);
  EXPECT_THAT(why_not(sample::verdict_of(Verdict::slower, 64, 0.5)),
              HasSubstr("has the verdict slower, and a ratio of 0.5"));
  EXPECT_THAT(why_not(sample::verdict_of(Verdict::faster, 64, 1.5)),
              HasSubstr("has the verdict faster, and a ratio of 1.5"));
}

/// Verdicts that neither a gate nor a comparison gives.
TEST_F(VerdictFile, AVerdictAgreesWithItsRatio) {
  const auto why_not = [](Verdict verdict, const Ratio& ratio, bool not_slower = false) {
    CaseVerdict c = sample::verdict_of(verdict, 64, 1);
    c.ratio = ratio;
    c.head_seconds = *c.base_seconds * ratio.value;
    c.not_slower = not_slower;
    return why_refused(to_json_text(sample::verdicts({c})));
  };
  EXPECT_THAT(why_not(Verdict::same, {.value = 1.1, .low = 1.098, .high = 1.102}),
              HasSubstr("/cases/0 has the verdict same, and a ratio of 1.1, from 1.098 to 1.102"));
  EXPECT_THAT(why_not(Verdict::same, {.value = 0.9, .low = 0.89, .high = 0.91}),
              HasSubstr("the verdict same"));
  EXPECT_THAT(why_not(Verdict::inconclusive, {.value = 1.5, .low = 1.4, .high = 1.6}, true),
              HasSubstr("has the verdict not_slower, and a ratio of 1.5"));
  EXPECT_THAT(why_not(Verdict::same, {.value = 1, .low = 0.99, .high = 1.01}, true),
              HasSubstr("has the verdict same, and is not_slower"));
}

/// The verdict of a gate rests on a part of its launches: some of them must allow it.
TEST_F(VerdictFile, AVerdictAgreesWithOneOfItsLaunches) {
  const auto gate = [](Verdict verdict, bool not_slower, const std::vector<double>& heads,
                       double own_speed = 1) {
    CaseVerdict c = sample::verdict_of(verdict, 64, 1.2);
    c.not_slower = not_slower;
    c.ratio = Ratio{.value = 1.2, .low = 1.15, .high = 1.25};
    for (const double head : heads)
      c.launches.push_back({.base = {0.01, 0.01}, .head = {head, head}, .own_speed = {own_speed, own_speed}});
    return to_json_text(sample::verdicts({c}));
  };
  EXPECT_THAT(why_refused(gate(Verdict::same, false, {0.012, 0.0121, 0.0119})),
              HasSubstr("the verdict same"));
  EXPECT_THAT(why_refused(gate(Verdict::inconclusive, true, {0.012, 0.0121, 0.0119})),
              HasSubstr("the verdict not_slower"));
  EXPECT_EQ(read(gate(Verdict::same, false, {0.012, 0.01, 0.014})).cases[0].verdict, Verdict::same);
  EXPECT_EQ(read(gate(Verdict::same, false, {0.012, 0.0121, 0.0119}, 0.5)).cases[0].verdict, Verdict::same)
      << "a neighbour can have done all of it";
}

TEST_F(VerdictFile, AnIdIsThatOfItsParameters) {
  CaseVerdict c = sample::verdict_of(Verdict::same, 64, 1);
  c.id = "matmul/m=1/n=1/k=1/f32";
  EXPECT_THAT(why_refused(to_json_text(sample::verdicts({c}))),
              HasSubstr("/cases/0 has the id 'matmul/m=1/n=1/k=1/f32', and the parameters of 'matmul/m=64"));
}

TEST_F(VerdictFile, ARatioAgreesWithItsLaunchesAndTimes) {
  CaseVerdict c = sample::verdict_of(Verdict::slower, 64, 1.1);
  const auto why_not = [&] { return why_refused(to_json_text(sample::verdicts({c}))); };
  c.launches = {{.base = {0.1, 0.101}, .head = {0.1, 0.101}}};
  EXPECT_THAT(why_not(), HasSubstr("/cases/0 has a ratio of 1.1, and launches that give 0.99"));
  c.launches = {{.base = {0.1, 0.1}, .head = {0.11, 0.11}, .own_speed = {0.9, 3}}};
  EXPECT_THAT(why_not(), HasSubstr("has an own_speed of 3"));
  c.launches = {};
  c.base_seconds = 1;
  c.head_seconds = 1e-6;
  EXPECT_THAT(why_not(), HasSubstr("has a ratio of 1.1, and 1 s of the base and 1e-06 s of the head"));
}

TEST_F(VerdictFile, IsOfSomething) {
  for (const auto& [pointer, value, said] : std::vector<std::tuple<std::string, nlohmann::json, std::string>>{
           {"/kind", "guess", "the kind 'guess'"},
           {"/created", "yesterday", "a date that is 'yesterday'"},
           {"/threshold", 50, "a threshold of 50"},
           {"/wall_seconds", -5, "wall_seconds of -5"},
           {"/base/threads", -8, "-8 threads of the base"},
           {"/exit_status", 0, "the exit_status 0, and a case that is slower or wrong"}})
    EXPECT_THAT(why_refused(changed(pointer, value)), HasSubstr(said)) << pointer;
}

TEST_F(VerdictFile, IsWrittenAgainAsItWas) {
  const std::string text = to_json_text(full_verdicts());
  EXPECT_EQ(to_json_text(read(text)), text);
  const std::string empty = to_json_text(sample::verdicts({}));
  EXPECT_EQ(to_json_text(read(empty)), empty);
}

/// A verdict file as breakeven wrote it before any of the optional fields existed.
TEST_F(VerdictFile, OfAnEarlierBreakevenIsRead) {
  const std::string backend = R"({"name": "a", "available": true, "reason": "", "version": "0.1.0",
    "role": "contender", "device": "cpu", "device_name": "A CPU", "libraries": {"a": "1"}, "supports":
    {"matmul": ["f32"]}, "unreadable": {}, "program": "base/breakeven-backend-a"})";
  const std::string text = R"({"schema": "breakeven.verdict/1", "kind": "gate", "created":
    "2026-11-01T12:00:00Z", "complete": true, "exit_status": 1, "tool": {"name": "breakeven", "version":
    "0.1.0"}, "threshold": 0.03, "method": "m", "wall_seconds": 1.5, "warnings": [], "host": {"name": "h"},
    "base": {"source": "base", "environment": {}, "backends": [)" +
                           backend +
                           R"(]}, "head": {"source": "head", "environment": {}, "backends": []},
    "cases": [{"id": "matmul/m=8/n=8/k=8/f32", "op": "matmul", "params": {"m": 8, "n": 8, "k": 8, "dtype": "f32"}, "dtype": "f32", "backend":
    "a", "device": "cpu", "presence": "both", "base_status": "ok", "head_status": "wrong", "verdict":
    "incomparable", "reason": "head: wrong: element 0", "ratio": null, "base_seconds": 0.5, "head_seconds":
    null, "base_algorithm": "x", "head_algorithm": "", "launches": [{"base": [0.5], "head": [0.6]}],
    "notes": []}]})";
  const Verdicts v = verdicts_from(ParsedFile(text).document());
  EXPECT_EQ(exit_status(v), 1);
  EXPECT_FALSE(v.cases.at(0).not_slower);
  EXPECT_EQ(v.cases.at(0).launches.at(0).head, (std::vector{0.6}));
  EXPECT_EQ(v.base.backend, "");
  EXPECT_TRUE(v.notes.empty());
}

TEST_F(VerdictFile, TellsTheExitStatus) {
  EXPECT_EQ(nlohmann::json::parse(to_json_text(full_verdicts())).at("exit_status"), 1);
}

TEST_F(VerdictFile, UnknownIsNull) {
  Verdicts v = full_verdicts();
  v.cases[0].ratio->high = std::numeric_limits<double>::infinity();
  v.cases[0].head_seconds = std::nan("");
  v.cases[0].launches[0].head[0] = std::nan("");
  const std::string text = to_json_text(v);
  const auto json = nlohmann::json::parse(text);
  for (const char* pointer :
       {"/cases/0/ratio", "/cases/0/head_seconds", "/cases/0/launches/0/head/0", "/cases/1/head_status"})
    EXPECT_TRUE(json.at(nlohmann::json::json_pointer(pointer)).is_null()) << pointer;
  EXPECT_EQ(read(text).cases[0].ratio, std::nullopt);
}

TEST_F(VerdictFile, BytesThatAreNoTextAreReplaced) {
  Verdicts v = full_verdicts();
  v.cases[0].backend = v.base.source = v.warnings[0].about[0] = "\xff\xfe<b>";
  EXPECT_THAT(read(to_json_text(v)).cases[0].backend, HasSubstr("<b>"));
}

TEST_F(VerdictFile, CutOffAnywhereIsRefused) {
  const std::string text = to_json_text(full_verdicts());
  for (std::size_t length = 1; length + 2 < text.size(); length += 37)
    EXPECT_THAT(why_refused(text.substr(0, length)), HasSubstr("perhaps truncated")) << length;
}

TEST_F(VerdictFile, WhatIsNoneIsRefused) {
  EXPECT_THAT(why_refused("{}"), HasSubstr("/schema is missing"));
  EXPECT_THAT(why_refused(to_json_text(sample::result({}))), HasSubstr("is of schema 'breakeven.result/"));
}

TEST_F(VerdictFile, WrongValuesAreRefusedByTheirPlace) {
  const std::vector<std::pair<std::string, nlohmann::json>> changes{
      {"/cases", 3},
      {"/cases/0", "x"},
      {"/cases/0/id", nullptr},
      {"/cases/0/params", 3},
      {"/cases/0/head_status", nullptr},
      {"/cases/0/head_status", "fine"},
      {"/cases/0/ratio", 1},
      {"/cases/0/ratio/low", 0},
      {"/cases/0/ratio/value", "1.05"},
      {"/cases/0/ratio/high", 0.001},
      {"/cases/0/base_seconds", -1},
      {"/cases/0/launches/0/base", "x"},
      {"/cases/0/launches/0/base/0", "0.1"},
      {"/cases/0/notes", "x"},
      {"/threshold", "3%"},
      {"/base", nullptr},
      {"/base/backends", 1},
      {"/complete", 1},
  };
  for (const auto& [pointer, value] : changes) {
    SCOPED_TRACE(pointer + " " + value.dump());
    const std::string top = pointer.substr(0, pointer.find('/', 1));
    EXPECT_THAT(why_refused(changed(pointer, value)), HasSubstr("verdicts.json: " + top));
  }
  EXPECT_THAT(why_refused(changed("/threshold", 0)), HasSubstr("threshold"));
}

TEST_F(VerdictFile, RepetitionsAreRefused) {
  auto json = nlohmann::json::parse(to_json_text(full_verdicts()));
  json["cases"][1] = json["cases"][0];
  EXPECT_THAT(why_refused(json.dump()), HasSubstr("/cases/1 repeats"));
  std::string text = to_json_text(full_verdicts());
  text.insert(text.find("\"threshold\""), "\"threshold\": 1, ");
  EXPECT_THAT(why_refused(text), HasSubstr("/threshold is there twice"));
}

}  // namespace
}  // namespace breakeven
