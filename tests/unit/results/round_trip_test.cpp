// A result file holds everything that was measured: each field survives being written and read.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "results/counted_samples.h"
#include "results/result.h"
#include "unit/messages.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

/// Every field has a value of its own, so that none can be taken for another.
CaseResult full_case(const std::string& backend) {
  CaseResult c;
  c.id = "another one/m=3/f32";
  c.label = "a label";
  c.op = "another one";
  c.parameters = {{"m", 3}, {"rate", 0.1}, {"flag", true}, {"dtype", "f32"}};
  c.dtype = "f32";
  c.backend = backend;
  c.device = "gpu";
  c.status = Status::failed;
  c.reason = "a reason \"quoted\" \n";
  c.seconds = Timing{.median = 0.1,
                     .ci_low = 0.09,
                     .ci_high = 0.3,
                     .samples = {0.1, 1.0 / 3, 1e-10},
                     .launches = {1, 2},
                     .iterations = 12,
                     .throttled = {0, 2}};
  c.cpu_seconds = 0.21;
  c.device_seconds = 0.22;
  c.joules = 0.23;
  c.flop = 1e18;
  c.bytes = 0x1p60;
  c.samples = 64;
  c.verification = Verification{.error = 1e-7,
                                .tolerance = 1e-6,
                                .correct = true,
                                .detail = "detail",
                                .elements = 9,
                                .projections = 8,
                                .losses = 7};
  c.algorithm = "an algorithm";
  c.threads = ChosenThreads{.chosen = 15, .of = 16};
  c.conditions = {.cpu_mhz = 3000.5,
                  .steal_percent = 0.5,
                  .other_cpu_percent = 1.5,
                  .throttled_seconds = 2.5,
                  .thermal_throttles = 3,
                  .temperature_celsius = 44.5,
                  .unreadable = {{"x", "why"}},
                  .device = DeviceConditions{.readings = 11,
                                             .sm_mhz = 1980.5,
                                             .sm_mhz_least = 1700.5,
                                             .memory_mhz = 2619.5,
                                             .memory_mhz_least = 2600.5,
                                             .watts = 650.5,
                                             .celsius = 71.5,
                                             .clock_reasons = {"power cap", "gpu idle"},
                                             .throttled_seconds = {{"power", 0.25}},
                                             .pcie_generation = 5,
                                             .pcie_width = 16,
                                             .other_processes = 2,
                                             .ecc_errors = 1,
                                             .unreadable = {{"y", "because"}}}};
  c.warnings = quoted_notes({"one", "two"});
  c.training = Training{.loss = {2.3, 0.1},
                        .loss_stride = 4,
                        .steps = 8,
                        .accuracy = 0.91,
                        .epoch_seconds = {1.5, 1.25},
                        .epoch_accuracy = {0.8, 0.91},
                        .seconds_to_accuracy = 2.75};
  c.latency = Latency{.p50 = 0.001, .p99 = 0.002, .count = 1000};
  return c;
}

Result full_result() {
  Result r;
  r.created = "2026-01-02T03:04:05Z";
  r.complete = true;
  r.tool_version = "1.2.3";
  r.tool_compiler = "a compiler";
  r.tool_build = "Release";
  r.tool_commit = "1a2b3c4d5e6f";
  r.warnings = quoted_notes({"of the run"});
  r.host = {.name = "host",
            .os = "os",
            .kernel = "kernel",
            .cpu = "cpu",
            .virtualization = "none",
            .cpus = 8,
            .cores = 4,
            .threads = 3,
            .cpu_quota = 2.5,
            .memory_bytes = std::int64_t{1} << 40U,
            .cpu_identity = "AuthenticAMD family 25 model 17 stepping 1",
            .cpu_features = {"avx2", "fma"},
            .settings = {{"governor", "performance"}},
            .environment = std::map<std::string, std::string>{{"OMP_NUM_THREADS", "2"}},
            .gpus = {{.id = "GPU-1",
                      .name = "A GPU",
                      .driver = "580.1",
                      .memory_bytes = std::int64_t{1} << 37U,
                      .ecc = true,
                      .mig = false,
                      .persistence = true,
                      .compute_mode = "default",
                      .pcie_generation = 1,
                      .pcie_width = 8,
                      .pcie_generation_most = 5,
                      .pcie_width_most = 16,
                      .power_limit_watts = 500.5,
                      .power_limit_default_watts = 700.5,
                      .sm_mhz_most = 1981,
                      .memory_mhz_most = 2620,
                      .unreadable = {{"z", "Not Supported"}}}}};
  r.host.gpus.emplace_back().id = "GPU-2";
  r.config = R"({"title":"Which?","workloads":[]})";
  r.sampling = Sampling{.wall_seconds = 12.5, .sample_seconds = 12.25, .probe_seconds = 0.125};
  r.machine_speed = MachineSpeed{.rounds = 12,
                                 .slow_rounds = 3,
                                 .median = 0.98,
                                 .lowest = 0.5,
                                 .best_seconds = {{"l2", 1e-4}},
                                 .median_seconds = {{"l2", 2e-4}},
                                 .reservation = "why",
                                 .clock_range = 1.07,
                                 .core_to_core_range = 6.1,
                                 .instructions_per_cycle = 1.9};
  r.backends.push_back({.name = "one",
                        .version = "1",
                        .role = "arbiter",
                        .device = "gpu",
                        .device_name = "A device",
                        .device_id = "GPU-1",
                        .libraries = {{"lib", "2.3"}},
                        .supports = {{"conv2d", {"f32"}}, {"matmul", {"f32", "s8"}}},
                        .unreadable = {{"joules", "no meter"}},
                        .warnings = {"slow"},
                        .notes = {quoted_note("other")},
                        .program = "/path/to/program",
                        .available = true,
                        .reason = "why not"});
  r.cases = {full_case("one"), full_case("two")};
  return r;
}

class ResultFile : public testing::Test {
 protected:
  Result read(const std::string& text) const { return read_result(folder_.write("result.json", text)); }
  std::string why_refused(const std::string& text) const {
    const std::string why = message_of<ResultError>([&] { read(text); });
    EXPECT_THAT(why, HasSubstr("result.json"));
    return why;
  }
  /// The text of full_result() with one change.
  static std::string changed(const std::string& pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(to_json_text(full_result()));
    json[nlohmann::json::json_pointer(pointer)] = value;
    return json.dump();
  }
  TemporaryFolder folder_;
};

// The fields of each struct, to compare them all at once.
auto fields_of(const Result& r) {
  return std::tie(r.created, r.complete, r.tool_version, r.tool_commit, r.tool_compiler, r.tool_build,
                  r.warnings, r.host, r.config, r.sampling, r.machine_speed);
}
auto fields_of(const BackendRecord& b) {
  return std::tie(b.name, b.version, b.role, b.device, b.device_name, b.device_id, b.libraries, b.supports,
                  b.unreadable, b.warnings, b.notes, b.program, b.available, b.reason);
}
auto fields_of(const CaseResult& c) {
  return std::tie(c.id, c.label, c.op, c.parameters, c.dtype, c.backend, c.device, c.status, c.reason,
                  c.cpu_seconds, c.device_seconds, c.joules, c.flop, c.bytes, c.samples, c.algorithm,
                  c.threads, c.warnings);
}
auto fields_of(const Timing& t) {
  return std::tie(t.median, t.ci_low, t.ci_high, t.samples, t.launches, t.iterations, t.throttled);
}
auto fields_of(const Verification& v) {
  return std::tie(v.error, v.tolerance, v.correct, v.detail, v.elements, v.projections, v.losses);
}
auto fields_of(const Conditions& c) {
  return std::tie(c.cpu_mhz, c.steal_percent, c.other_cpu_percent, c.throttled_seconds, c.thermal_throttles,
                  c.temperature_celsius, c.unreadable, c.device);
}
auto fields_of(const Training& t) {
  return std::tie(t.loss, t.loss_stride, t.steps, t.accuracy, t.epoch_seconds, t.epoch_accuracy,
                  t.seconds_to_accuracy);
}
auto fields_of(const Latency& l) {
  return std::tie(l.p50, l.p99, l.count);
}

TEST_F(ResultFile, KeepsEveryField) {
  const Result before = full_result();
  const Result r = read(to_json_text(before));
  EXPECT_EQ(fields_of(r), fields_of(before));
  ASSERT_EQ(r.backends.size(), 1U);
  EXPECT_EQ(fields_of(r.backends[0]), fields_of(before.backends[0]));
  ASSERT_EQ(r.cases.size(), 2U);
  const CaseResult& c = r.cases[1];
  const CaseResult& w = before.cases[1];
  EXPECT_EQ(c.backend, "two");
  EXPECT_EQ(fields_of(c), fields_of(w));
  EXPECT_EQ(fields_of(c.conditions), fields_of(w.conditions));
  ASSERT_TRUE(c.seconds && c.verification && c.training && c.latency);
  EXPECT_EQ(fields_of(*c.seconds), fields_of(*w.seconds));
  EXPECT_EQ(fields_of(*c.verification), fields_of(*w.verification));
  EXPECT_EQ(fields_of(*c.training), fields_of(*w.training));
  EXPECT_EQ(fields_of(*c.latency), fields_of(*w.latency));
}

/// Writing what was read gives the same text, so no field is lost, whatever the two tests above compare.
TEST_F(ResultFile, IsWrittenAgainAsItWas) {
  const std::string text = to_json_text(full_result());
  EXPECT_EQ(to_json_text(read(text)), text);
}

/// Reports show figures of samples. They need the same whether the samples were kept or not.
TEST_F(ResultFile, ReadForAReportKeepsFiguresInPlaceOfSamples) {
  Result before = full_result();
  CaseResult& timed = before.cases[0];
  timed.device = before.backends[0].device = "cpu";
  timed.seconds = Timing{.median = 3,
                         .ci_low = 2,
                         .ci_high = 4,
                         .samples = {},
                         .launches = {11, 11},
                         .iterations = 2,
                         .throttled = {1}};
  for (int i = 0; i < 22; ++i) {
    timed.seconds->samples.push_back(i == 20 ? 1 : 2 + i % 3);
    timed.seconds->own_speed.push_back(i == 20 ? 0.5 : 0.99 - 0.001 * i);
  }
  const auto path = folder_.write("result.json", to_json_text(before));
  const CaseResult whole = read_result(path).cases.at(0);
  const CaseResult c = read_result(path, Detail::figures).cases.at(0);
  EXPECT_EQ(fields_of(c), fields_of(whole));
  EXPECT_EQ(c.seconds->samples.capacity() + c.seconds->own_speed.capacity(), 0U);
  EXPECT_TRUE(c.conditions.unreadable.empty());
  EXPECT_EQ(c.seconds->launches, whole.seconds->launches);
  const SampleFigures kept = sample_figures(*c.seconds), computed = sample_figures(*whole.seconds);
  EXPECT_EQ(kept.count, 22U);
  EXPECT_EQ(kept.seconds, 2 * 62);
  EXPECT_EQ(kept.shortest, 1);
  EXPECT_EQ(kept.own_speed_of_shortest, 0.5);
  EXPECT_EQ(kept.own_speed, own_speed_of(whole));
  EXPECT_EQ(kept.launch_medians, computed.launch_medians);
  EXPECT_EQ(kept.launch_medians->size(), 2U);
  EXPECT_EQ(kept.hash, computed.hash);
}

/// Cases are read while the text is parsed, but what is said first is what is wrong first.
TEST_F(ResultFile, SaysWhatIsWrongInTheSameOrderWhereverItStands) {
  const std::string wrong_case = changed("/cases/1/status", "fine");
  auto json = nlohmann::ordered_json::parse(wrong_case);
  EXPECT_THAT(why_refused(wrong_case), HasSubstr("/cases/1 has the unknown status 'fine'"));
  EXPECT_THAT(why_refused(wrong_case.substr(0, wrong_case.size() - 1)), HasSubstr("is not valid JSON"));
  json["cases"][0] = 3;
  EXPECT_THAT(why_refused(json.dump()), HasSubstr("/cases/0 must be an object"));
  json["backends"] = 3;
  EXPECT_THAT(why_refused(json.dump()), HasSubstr("/backends must be a list"));
  json["schema"] = "breakeven.result/2";
  EXPECT_THAT(why_refused(json.dump()), HasSubstr("is of schema 'breakeven.result/2'"));
}

TEST_F(ResultFile, MayHaveItsCasesFirst) {
  const Result before = full_result();
  const auto json = nlohmann::ordered_json::parse(to_json_text(before));
  nlohmann::ordered_json reversed = {{"cases", json.at("cases")}};
  reversed.update(json);
  const auto path = folder_.write("result.json", reversed.dump());
  EXPECT_EQ(to_json_text(read_result(path)), to_json_text(before));
  EXPECT_TRUE(read_result(path, Detail::figures).cases.at(1).seconds->samples.empty());
}

TEST_F(ResultFile, KnowsEveryStatus) {
  for (const char* status :
       {"ok", "wrong", "implausible", "unsupported", "out_of_memory", "failed", "timed_out", "interrupted"}) {
    auto json = nlohmann::json::parse(changed("/cases/0/status", status));
    json["complete"] = status != std::string("interrupted");
    json["cases"][0]["verify"]["correct"] = status != std::string("wrong");
    if (status == std::string("ok")) json["cases"][0]["reason"] = "";
    EXPECT_EQ(name(read(json.dump()).cases[0].status), status);
  }
  EXPECT_THAT(why_refused(changed("/cases/0/status", "fine")), HasSubstr("unknown status 'fine'"));
}

TEST_F(ResultFile, UnknownIsNullAndNeverZero) {
  Result r = full_result();
  r.cases.resize(1);
  CaseResult& c = r.cases[0];
  c.status = Status::wrong;
  c.verification->error = std::nan("");
  c.verification->correct = false;
  c.joules.reset();
  c.cpu_seconds = INFINITY;
  c.conditions.cpu_mhz.reset();
  const std::string text = to_json_text(r);
  const auto json = nlohmann::json::parse(text).at("cases")[0];
  for (const char* pointer :
       {"/verify/error", "/joules", "/cpu_seconds", "/gflops", "/gbps", "/conditions/cpu_mhz"})
    EXPECT_TRUE(json.at(nlohmann::json::json_pointer(pointer)).is_null()) << pointer;
  EXPECT_TRUE(std::isnan(read(text).cases[0].verification->error));
}

/// In the same order, because ids, families and comparisons of cases depend on it.
TEST_F(ResultFile, OfAnOlderProgramHasTheParametersOfANewOne) {
  const Workload& train = *find_workload("train");
  const Case problem = make_case(train, {{"network", "mlp"}, {"batch", 8}});
  const Parameters& all = problem.parameters;
  Result r = full_result();
  for (CaseResult& c : r.cases) {
    c.id = problem.id();
    c.op = "train";
    c.flop = problem.flop();
    c.bytes = problem.bytes();
    c.samples = problem.samples();
    c.latency.reset();
    c.parameters = {};
    for (const auto& [name, value] : all.entries()) {
      if (std::ranges::find(train.parameters(), name, &Parameter::name)->added_with.empty())
        c.parameters.set(name, value);
    }
  }
  ASSERT_LT(r.cases[1].parameters.entries().size(), all.entries().size());
  EXPECT_EQ(read(to_json_text(r)).cases[1].parameters, all);
}

/// Files of older programs have no `sampling` at all.
TEST_F(ResultFile, MayHaveNothingOnSampling) {
  Result r = full_result();
  r.sampling.reset();
  auto json = nlohmann::json::parse(to_json_text(r));
  EXPECT_TRUE(json.at("sampling").is_null());
  EXPECT_EQ(read(json.dump()).sampling, std::nullopt);
  json.erase("sampling");
  EXPECT_EQ(read(json.dump()).sampling, std::nullopt);
}

TEST_F(ResultFile, BytesThatAreNoTextAreReplaced) {
  Result r = full_result();
  r.cases[0].reason = "loader said \xff\xfe";
  EXPECT_THAT(read(to_json_text(r)).cases[0].reason, HasSubstr("loader said"));
}

TEST_F(ResultFile, NamesAreCutAsReasonsAre) {
  Result r = full_result();
  const std::string name(100'000, 'x');
  r.host.name = r.host.cpu = name;
  r.backends[0].version = name;
  const Result again = read(to_json_text(r));
  for (const std::string& cut : {again.host.name, again.host.cpu, again.backends[0].version})
    EXPECT_EQ(cut, name.substr(0, 1997) + "...");
}

TEST_F(ResultFile, CutOffAnywhereIsRefused) {
  const std::string text = to_json_text(full_result());
  for (std::size_t length = 1; length + 2 < text.size(); length += 37)
    EXPECT_THAT(why_refused(text.substr(0, length)), HasSubstr("perhaps truncated")) << length;
}

TEST_F(ResultFile, OfAnotherSchemaIsRefused) {
  EXPECT_THAT(why_refused(changed("/schema", "breakeven.result/2")), HasSubstr("'breakeven.result/2'"));
  EXPECT_THAT(why_refused("{}"), HasSubstr("is JSON of an unknown kind; give"));
}

TEST_F(ResultFile, ACaseThatIsThereTwiceIsRefused) {
  EXPECT_THAT(why_refused(changed("/cases/1/backend", "one")),
              HasSubstr("/cases/1 repeats 'another one/m=3/f32' of backend 'one'"));
}

TEST_F(ResultFile, WrongTypesAreRefusedByTheirPlace) {
  EXPECT_THAT(why_refused(changed("/cases/1/seconds/median", "x")), HasSubstr("/cases/1/seconds/median"));
  EXPECT_THAT(why_refused(changed("/cases", 3)), HasSubstr("/cases must be a list"));
  EXPECT_THAT(why_refused(changed("/cases/0/params", 3)), HasSubstr("/cases/0"));
  EXPECT_THAT(why_refused(changed("/host/cpus", "many")), HasSubstr("/host/cpus"));
  EXPECT_THAT(why_refused(changed("/sampling/sample_seconds", "12")), HasSubstr("/sampling/sample_seconds"));
  for (const nlohmann::json& count : {nlohmann::json(1e30), nlohmann::json(2.5), nlohmann::json(true)})
    EXPECT_THAT(why_refused(changed("/host/cpus", count)), HasSubstr("/host/cpus is of the wrong type"));
}

}  // namespace
}  // namespace breakeven
