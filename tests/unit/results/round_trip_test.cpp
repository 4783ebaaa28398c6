// A result file holds everything that was measured: each field survives being written and read.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "results/result.h"
#include "unit/messages.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

/// Every field has a value of its own, so that none can be taken for another.
CaseResult full_case(const std::string& backend) {
  CaseResult c;
  c.id = "matmul/m=3/f32";
  c.label = "a label";
  c.op = "matmul";
  c.parameters = {{"m", std::int64_t{3}}, {"rate", 0.1}, {"flag", true}, {"dtype", std::string("f32")}};
  c.dtype = "f32";
  c.backend = backend;
  c.device = "gpu";
  c.status = Status::ok;
  c.reason = "a reason \"quoted\" \n";
  c.seconds = Timing{.median = 0.1,
                     .ci_low = 0.09,
                     .ci_high = 0.3,
                     .samples = {0.1, 1.0 / 3, 5e-324},
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
  c.warnings = {"one", "two"};
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
  r.warnings = {"of the run"};
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
                      .unreadable = {{"z", "Not Supported"}}},
                     {.id = "GPU-2",
                      .name = {},
                      .driver = {},
                      .memory_bytes = {},
                      .ecc = {},
                      .mig = {},
                      .persistence = {},
                      .compute_mode = {},
                      .pcie_generation = {},
                      .pcie_width = {},
                      .pcie_generation_most = {},
                      .pcie_width_most = {},
                      .power_limit_watts = {},
                      .power_limit_default_watts = {},
                      .sm_mhz_most = {},
                      .memory_mhz_most = {},
                      .unreadable = {}}}};
  r.config = R"({"title":"Which?","workloads":[]})";
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
                        .notes = {"other"},
                        .program = "/path/to/program",
                        .available = false,
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

TEST_F(ResultFile, KeepsEveryField) {
  const Result before = full_result();
  const Result r = read(to_json_text(before));
  EXPECT_EQ(r.created, before.created);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.tool_version, before.tool_version);
  EXPECT_EQ(r.tool_compiler, before.tool_compiler);
  EXPECT_EQ(r.tool_build, before.tool_build);
  EXPECT_EQ(r.warnings, before.warnings);
  EXPECT_EQ(r.host, before.host);
  EXPECT_EQ(r.config, before.config);
  ASSERT_EQ(r.backends.size(), 1U);
  const auto& [b, was] = std::pair(r.backends[0], before.backends[0]);
  EXPECT_EQ(b.name, was.name);
  EXPECT_EQ(b.version, was.version);
  EXPECT_EQ(b.role, was.role);
  EXPECT_EQ(b.device, was.device);
  EXPECT_EQ(b.device_name, was.device_name);
  EXPECT_EQ(b.device_id, was.device_id);
  EXPECT_EQ(b.libraries, was.libraries);
  EXPECT_EQ(b.supports, was.supports);
  EXPECT_EQ(b.unreadable, was.unreadable);
  EXPECT_EQ(b.warnings, was.warnings);
  EXPECT_EQ(b.notes, was.notes);
  EXPECT_EQ(b.program, was.program);
  EXPECT_EQ(b.available, was.available);
  EXPECT_EQ(b.reason, was.reason);
  ASSERT_EQ(r.cases.size(), 2U);
  const CaseResult& c = r.cases[1];
  const CaseResult& w = before.cases[1];
  EXPECT_EQ(c.id, w.id);
  EXPECT_EQ(c.label, w.label);
  EXPECT_EQ(c.op, w.op);
  EXPECT_EQ(c.parameters, w.parameters);
  EXPECT_EQ(c.dtype, w.dtype);
  EXPECT_EQ(c.backend, "two");
  EXPECT_EQ(c.device, w.device);
  EXPECT_EQ(c.status, w.status);
  EXPECT_EQ(c.reason, w.reason);
  ASSERT_TRUE(c.seconds);
  EXPECT_EQ(c.seconds->median, w.seconds->median);
  EXPECT_EQ(c.seconds->ci_low, w.seconds->ci_low);
  EXPECT_EQ(c.seconds->ci_high, w.seconds->ci_high);
  EXPECT_EQ(c.seconds->samples, w.seconds->samples) << "every bit";
  EXPECT_EQ(c.seconds->launches, w.seconds->launches);
  EXPECT_EQ(c.seconds->iterations, w.seconds->iterations);
  EXPECT_EQ(c.seconds->throttled, w.seconds->throttled);
  EXPECT_EQ(c.cpu_seconds, w.cpu_seconds);
  EXPECT_EQ(c.device_seconds, w.device_seconds);
  EXPECT_EQ(c.joules, w.joules);
  EXPECT_EQ(c.flop, w.flop);
  EXPECT_EQ(c.bytes, w.bytes);
  EXPECT_EQ(c.samples, w.samples);
  ASSERT_TRUE(c.verification);
  EXPECT_EQ(c.verification->error, w.verification->error);
  EXPECT_EQ(c.verification->tolerance, w.verification->tolerance);
  EXPECT_EQ(c.verification->correct, w.verification->correct);
  EXPECT_EQ(c.verification->detail, w.verification->detail);
  EXPECT_EQ(c.verification->elements, w.verification->elements);
  EXPECT_EQ(c.verification->projections, w.verification->projections);
  EXPECT_EQ(c.verification->losses, w.verification->losses);
  EXPECT_EQ(c.algorithm, w.algorithm);
  EXPECT_EQ(c.conditions.cpu_mhz, w.conditions.cpu_mhz);
  EXPECT_EQ(c.conditions.steal_percent, w.conditions.steal_percent);
  EXPECT_EQ(c.conditions.other_cpu_percent, w.conditions.other_cpu_percent);
  EXPECT_EQ(c.conditions.throttled_seconds, w.conditions.throttled_seconds);
  EXPECT_EQ(c.conditions.thermal_throttles, w.conditions.thermal_throttles);
  EXPECT_EQ(c.conditions.temperature_celsius, w.conditions.temperature_celsius);
  EXPECT_EQ(c.conditions.unreadable, w.conditions.unreadable);
  EXPECT_EQ(c.conditions.device, w.conditions.device);
  EXPECT_EQ(c.warnings, w.warnings);
  ASSERT_TRUE(c.training);
  EXPECT_EQ(c.training->loss, w.training->loss);
  EXPECT_EQ(c.training->loss_stride, w.training->loss_stride);
  EXPECT_EQ(c.training->steps, w.training->steps);
  EXPECT_EQ(c.training->accuracy, w.training->accuracy);
  EXPECT_EQ(c.training->epoch_seconds, w.training->epoch_seconds);
  EXPECT_EQ(c.training->epoch_accuracy, w.training->epoch_accuracy);
  EXPECT_EQ(c.training->seconds_to_accuracy, w.training->seconds_to_accuracy);
  ASSERT_TRUE(c.latency);
  EXPECT_EQ(c.latency->p50, w.latency->p50);
  EXPECT_EQ(c.latency->p99, w.latency->p99);
  EXPECT_EQ(c.latency->count, w.latency->count);
}

/// Writing what was read gives the same text, so no field is lost, whatever the two tests above compare.
TEST_F(ResultFile, IsWrittenAgainAsItWas) {
  const std::string text = to_json_text(full_result());
  EXPECT_EQ(to_json_text(read(text)), text);
}

TEST_F(ResultFile, KnowsEveryStatus) {
  for (const char* status :
       {"ok", "wrong", "implausible", "unsupported", "out_of_memory", "failed", "timed_out", "interrupted"})
    EXPECT_EQ(name(read(changed("/cases/0/status", status)).cases[0].status), status);
  EXPECT_THAT(why_refused(changed("/cases/0/status", "fine")), HasSubstr("unknown status 'fine'"));
}

TEST_F(ResultFile, UnknownIsNullAndNeverZero) {
  Result r = full_result();
  r.cases.resize(1);
  CaseResult& c = r.cases[0];
  c.status = Status::wrong;
  c.verification->error = std::nan("");
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

TEST_F(ResultFile, BytesThatAreNoTextAreReplaced) {
  Result r = full_result();
  r.cases[0].reason = "loader said \xff\xfe";
  EXPECT_THAT(read(to_json_text(r)).cases[0].reason, HasSubstr("loader said"));
}

TEST_F(ResultFile, CutOffAnywhereIsRefused) {
  const std::string text = to_json_text(full_result());
  for (std::size_t length = 0; length + 2 < text.size(); length += 37)
    EXPECT_THAT(why_refused(text.substr(0, length)), HasSubstr("perhaps truncated")) << length;
}

TEST_F(ResultFile, OfAnotherSchemaIsRefused) {
  EXPECT_THAT(why_refused(changed("/schema", "breakeven.result/2")), HasSubstr("'breakeven.result/2'"));
  EXPECT_THAT(why_refused("{}"), HasSubstr("is JSON of an unknown kind and no result"));
}

TEST_F(ResultFile, ACaseThatIsThereTwiceIsRefused) {
  EXPECT_THAT(why_refused(changed("/cases/1/backend", "one")),
              HasSubstr("/cases/1 repeats 'matmul/m=3/f32' of backend 'one'"));
}

TEST_F(ResultFile, WrongTypesAreRefusedByTheirPlace) {
  EXPECT_THAT(why_refused(changed("/cases/1/seconds/median", "x")), HasSubstr("/cases/1/seconds/median"));
  EXPECT_THAT(why_refused(changed("/cases/1/seconds/median", 0)), HasSubstr("not above 0"));
  EXPECT_THAT(why_refused(changed("/cases/0/seconds", nullptr)), HasSubstr("is ok and has no seconds"));
  EXPECT_THAT(why_refused(changed("/cases", 3)), HasSubstr("/cases must be a list"));
  EXPECT_THAT(why_refused(changed("/cases/0/params", 3)), HasSubstr("/cases/0"));
  EXPECT_THAT(why_refused(changed("/host/cpus", "many")), HasSubstr("/host/cpus"));
  for (const nlohmann::json& count : {nlohmann::json(1e30), nlohmann::json(2.5), nlohmann::json(true)})
    EXPECT_THAT(why_refused(changed("/host/cpus", count)), HasSubstr("/host/cpus is of the wrong type"));
}

}  // namespace
}  // namespace breakeven
