// Results as JSON, and back.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "protocol/json_value.h"
#include "protocol/messages.h"
#include "results/file_kind.h"
#include "results/json_parts.h"
#include "results/json_reader.h"
#include "results/json_text.h"
#include "results/result.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "breakeven.result/1";

Json to_json(const DeviceConditions& c) {
  return {{"readings", c.readings},
          {"sm_mhz", number_or_null(c.sm_mhz)},
          {"sm_mhz_least", number_or_null(c.sm_mhz_least)},
          {"memory_mhz", number_or_null(c.memory_mhz)},
          {"memory_mhz_least", number_or_null(c.memory_mhz_least)},
          {"watts", number_or_null(c.watts)},
          {"celsius", number_or_null(c.celsius)},
          {"clock_reasons", c.clock_reasons},
          {"throttled_seconds", c.throttled_seconds},
          {"pcie_generation", or_null(c.pcie_generation)},
          {"pcie_width", or_null(c.pcie_width)},
          {"other_processes", or_null(c.other_processes)},
          {"ecc_errors", or_null(c.ecc_errors)},
          {"unreadable", c.unreadable}};
}

Json to_json(const Conditions& c) {
  Json made{{"cpus", c.cpus},
            {"cpu_mhz", number_or_null(c.cpu_mhz)},
            {"steal_percent", number_or_null(c.steal_percent)},
            {"other_cpu_percent", number_or_null(c.other_cpu_percent)},
            {"throttled_seconds", number_or_null(c.throttled_seconds)},
            {"thermal_throttles", number_or_null(c.thermal_throttles)},
            {"temperature_celsius", number_or_null(c.temperature_celsius)},
            {"unreadable", c.unreadable}};
  if (c.device) made["device"] = to_json(*c.device);
  return made;
}

Json to_json(const CaseResult& c) {
  Json made{{"id", c.id}, {"op", c.op}};
  if (!c.label.empty()) made["label"] = c.label;
  made["params"] = to_json(c.parameters);
  made["dtype"] = c.dtype;
  made["backend"] = c.backend;
  made["device"] = c.device;
  made["status"] = name(c.status);
  made["reason"] = c.reason;
  if (c.seconds) {
    made["seconds"] = {{"median", number_or_null(c.seconds->median)},
                       {"ci_low", number_or_null(c.seconds->ci_low)},
                       {"ci_high", number_or_null(c.seconds->ci_high)},
                       {"samples", numbers_or_nulls(c.seconds->samples)},
                       {"launches", c.seconds->launches},
                       {"iterations", c.seconds->iterations}};
    if (!c.seconds->throttled.empty()) made["seconds"]["throttled"] = c.seconds->throttled;
    if (!c.seconds->visits.empty()) made["seconds"]["visits"] = c.seconds->visits;
    if (!c.seconds->own_speed.empty()) made["seconds"]["own_speed"] = numbers_or_nulls(c.seconds->own_speed);
  } else {
    made["seconds"] = nullptr;
  }
  made["cpu_seconds"] = number_or_null(c.cpu_seconds);
  made["device_seconds"] = number_or_null(c.device_seconds);
  made["joules"] = number_or_null(c.joules);
  made["flop"] = number_or_null(c.flop);
  made["bytes"] = number_or_null(c.bytes);
  made["gflops"] = number_or_null(c.gflops());
  made["gbps"] = number_or_null(c.gbps());
  if (c.samples > 0) made["samples_per_iteration"] = c.samples;
  if (c.verification) {
    made["verify"] = {{"error", number_or_null(c.verification->error)},
                      {"tolerance", number_or_null(c.verification->tolerance)},
                      {"correct", c.verification->correct},
                      {"elements", c.verification->elements},
                      {"projections", c.verification->projections},
                      {"losses", c.verification->losses}};
    if (!c.verification->detail.empty()) made["verify"]["detail"] = c.verification->detail;
  } else {
    made["verify"] = nullptr;
  }
  made["algorithm"] = c.algorithm;
  made["conditions"] = to_json(c.conditions);
  made["warnings"] = c.warnings;
  if (c.training) {
    const Training& t = *c.training;
    made["training"] = {{"loss", numbers_or_nulls(t.loss)},
                        {"loss_stride", t.loss_stride},
                        {"steps", t.steps},
                        {"accuracy", number_or_null(t.accuracy)},
                        {"epochs", t.epoch_seconds.size()},
                        {"epoch_seconds", numbers_or_nulls(t.epoch_seconds)},
                        {"epoch_accuracy", numbers_or_nulls(t.epoch_accuracy)},
                        {"seconds_to_accuracy", number_or_null(t.seconds_to_accuracy)}};
  }
  if (c.latency)
    made["latency"] = {{"p50", number_or_null(c.latency->p50)},
                       {"p99", number_or_null(c.latency->p99)},
                       {"count", c.latency->count}};
  if (c.fit)
    made["fit"] = {{"largest", c.fit->largest}, {"refused", c.fit->refused}, {"limit", c.fit->limit}};
  return made;
}

/// Everything but the cases, with a line for each case in its place.
std::string whole_text(const Result& r, const std::vector<std::string>& cases) {
  Json head{{"schema", schema},
            {"created", r.created},
            {"complete", r.complete},
            {"tool",
             {{"name", "breakeven"},
              {"version", r.tool_version},
              {"compiler", r.tool_compiler},
              {"build", r.tool_build}}},
            {"warnings", r.warnings},
            {"host", to_json(r.host)}};
  head["config"] = config_json(r.config);
  head["sampling"] = nullptr;
  if (r.sampling) {
    head["sampling"] = {{"wall_seconds", number_or_null(r.sampling->wall_seconds)},
                        {"sample_seconds", number_or_null(r.sampling->sample_seconds)}};
    if (r.sampling->probe_seconds > 0) head["sampling"]["probe_seconds"] = r.sampling->probe_seconds;
  }
  if (r.machine_speed) head["machine_speed"] = to_json(*r.machine_speed);
  std::string text = "{\n";
  for (const auto& [key, value] : head.items())
    text += fmt::format("{}: {},\n", text_of(key), text_of(value));
  text += "\"backends\": [";
  for (std::size_t i = 0; i < r.backends.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + text_of(to_json(r.backends[i]));
  text += "\n],\n\"cases\": [";
  for (std::size_t i = 0; i < cases.size(); ++i) text += (i == 0 ? "\n" : ",\n") + cases[i];
  return text + "\n]\n}\n";
}

// ---- reading

DeviceConditions read_device_conditions(const JsonReader& in) {
  return {.readings = in.get_or<std::int64_t>("readings", 0),
          .sm_mhz = in.optional_number("sm_mhz"),
          .sm_mhz_least = in.optional_number("sm_mhz_least"),
          .memory_mhz = in.optional_number("memory_mhz"),
          .memory_mhz_least = in.optional_number("memory_mhz_least"),
          .watts = in.optional_number("watts"),
          .celsius = in.optional_number("celsius"),
          .clock_reasons = in.get_or<std::vector<std::string>>("clock_reasons", {}),
          .throttled_seconds = in.get_or<std::map<std::string, double>>("throttled_seconds", {}),
          .pcie_generation = in.optional<std::int64_t>("pcie_generation"),
          .pcie_width = in.optional<std::int64_t>("pcie_width"),
          .other_processes = in.optional<std::int64_t>("other_processes"),
          .ecc_errors = in.optional<std::int64_t>("ecc_errors"),
          .unreadable = in.get_or<std::map<std::string, std::string>>("unreadable", {})};
}

Conditions read_conditions(const JsonReader& in) {
  Conditions conditions{.cpus = in.get_or<std::vector<int>>("cpus", {}),
                        .cpu_mhz = in.optional_number("cpu_mhz"),
                        .steal_percent = in.optional_number("steal_percent"),
                        .other_cpu_percent = in.optional_number("other_cpu_percent"),
                        .throttled_seconds = in.optional_number("throttled_seconds"),
                        .thermal_throttles = in.optional_number("thermal_throttles"),
                        .temperature_celsius = in.optional_number("temperature_celsius"),
                        .unreadable = in.get_or<std::map<std::string, std::string>>("unreadable", {}),
                        .device = {}};
  if (in.has("device")) conditions.device = read_device_conditions(in.child("device"));
  return conditions;
}

CaseResult read_case(const JsonReader& in) {
  CaseResult c;
  c.id = in.get<std::string>("id");
  c.op = in.get<std::string>("op");
  c.label = in.get_or<std::string>("label", "");
  c.parameters = read_parameters(in);
  c.dtype = in.get<std::string>("dtype");
  c.backend = in.get<std::string>("backend");
  c.device = in.get_or<std::string>("device", "");
  c.status = read_status(in, "status");
  c.reason = in.get_or<std::string>("reason", "");
  if (in.has("seconds")) {
    const JsonReader s = in.child("seconds");
    c.seconds = Timing{.median = s.get<double>("median"),
                       .ci_low = s.optional_number("ci_low"),
                       .ci_high = s.optional_number("ci_high"),
                       .samples = s.numbers("samples"),
                       .launches = s.get_or<std::vector<std::int64_t>>("launches", {}),
                       .iterations = s.get_or<std::int64_t>("iterations", 0),
                       .throttled = s.get_or<std::vector<std::int64_t>>("throttled", {}),
                       .visits = s.get_or<std::vector<std::int64_t>>("visits", {}),
                       .own_speed = s.has("own_speed") ? s.numbers("own_speed") : std::vector<double>{}};
    if (!c.seconds->own_speed.empty() && c.seconds->own_speed.size() != c.seconds->samples.size())
      s.fail(fmt::format("has {} samples and {} of own_speed", c.seconds->samples.size(),
                         c.seconds->own_speed.size()));
    if (!(c.seconds->median > 0)) in.fail("has a median of seconds that is not above 0");
  }
  if (c.status == Status::ok && !c.seconds && !in.has("fit")) in.fail("is ok and has no seconds");
  c.cpu_seconds = in.optional_number("cpu_seconds");
  c.device_seconds = in.optional_number("device_seconds");
  c.joules = in.optional_number("joules");
  c.flop = in.number("flop");
  c.bytes = in.number("bytes");
  c.samples = in.get_or<std::int64_t>("samples_per_iteration", 0);
  if (in.has("verify")) {
    const JsonReader v = in.child("verify");
    c.verification = Verification{.error = v.number("error"),
                                  .tolerance = v.number("tolerance"),
                                  .correct = v.get<bool>("correct"),
                                  .detail = v.get_or<std::string>("detail", ""),
                                  .elements = v.get_or<std::int64_t>("elements", 0),
                                  .projections = v.get_or<std::int64_t>("projections", 0),
                                  .losses = v.get_or<std::int64_t>("losses", 0)};
  }
  c.algorithm = in.get_or<std::string>("algorithm", "");
  if (in.has("conditions")) c.conditions = read_conditions(in.child("conditions"));
  c.warnings = in.get_or<std::vector<std::string>>("warnings", {});
  if (in.has("training")) {
    const JsonReader t = in.child("training");
    c.training = Training{.loss = t.numbers("loss"),
                          .loss_stride = t.get_or<std::int64_t>("loss_stride", 1),
                          .steps = t.get_or<std::int64_t>("steps", 0),
                          .accuracy = t.optional_number("accuracy"),
                          .epoch_seconds = t.numbers("epoch_seconds"),
                          .epoch_accuracy = t.numbers("epoch_accuracy"),
                          .seconds_to_accuracy = t.optional_number("seconds_to_accuracy")};
  }
  if (in.has("latency")) {
    const JsonReader l = in.child("latency");
    c.latency =
        Latency{.p50 = l.number("p50"), .p99 = l.number("p99"), .count = l.get_or<std::int64_t>("count", 0)};
  }
  if (in.has("fit")) {
    const JsonReader f = in.child("fit");
    c.fit = Fit{.largest = f.get_or<std::int64_t>("largest", 0),
                .refused = f.get_or<std::int64_t>("refused", 0),
                .limit = f.get_or<std::string>("limit", "")};
  }
  return c;
}

}  // namespace

Result result_from(const Json& json) {
  if (const FileKind kind = kind_of(json); kind != FileKind::result)
    throw ResultError(
        fmt::format("is {} and no result; give a file that `breakeven run --out` wrote", describe(kind)));
  const JsonReader in(json, "");
  const auto found = in.get<std::string>("schema");
  if (found != schema) {
    throw ResultError(fmt::format(
        "is of schema '{}' and this program reads '{}': use the breakeven that wrote it", found, schema));
  }
  Result r;
  r.created = in.get_or<std::string>("created", "");
  r.complete = in.get<bool>("complete");
  const JsonReader tool = in.child("tool");
  r.tool_version = tool.get_or<std::string>("version", "");
  r.tool_compiler = tool.get_or<std::string>("compiler", "");
  r.tool_build = tool.get_or<std::string>("build", "");
  r.warnings = in.get_or<std::vector<std::string>>("warnings", {});
  r.host = read_host(in.child("host"));
  r.config = text_of(in.at("config"));
  if (in.has("sampling")) {
    const JsonReader s = in.child("sampling");
    r.sampling = Sampling{.wall_seconds = s.get<double>("wall_seconds"),
                          .sample_seconds = s.get<double>("sample_seconds"),
                          .probe_seconds = s.get_or<double>("probe_seconds", 0)};
  }
  r.machine_speed = read_machine_speed(in);
  in.each("backends", [&](const JsonReader& b) { r.backends.push_back(read_backend(b)); });
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  r.cases.reserve(in.at("cases").size());
  in.each("cases", [&](const JsonReader& c) {
    r.cases.push_back(read_case(c));
    const auto& added = r.cases.back();
    if (!seen.emplace(std::pair(added.id, added.backend), r.cases.size()).second) {
      c.fail(fmt::format("repeats '{}' of backend '{}'", added.id, added.backend));
    }
  });
  return r;
}

Result result_from_text(const std::string& text, const std::string& file) {
  return naming_file(file, [&] { return result_from(ParsedFile(text).document()); });
}

Result read_result(const std::filesystem::path& path) {
  return result_from_text(read_result_text(path), path.string());
}

std::string to_json_text(const CaseResult& c) {
  return text_of(to_json(c));
}

std::string to_json_text(const Result& result) {
  std::vector<std::string> cases;
  cases.reserve(result.cases.size());
  for (const auto& c : result.cases) cases.push_back(to_json_text(c));
  return whole_text(result, cases);
}

std::string to_json_text(const Result& result, const std::vector<std::string>& cases) {
  return whole_text(result, cases);
}
std::string to_json_text(const BackendRecord& backend) {
  return text_of(to_json(backend));
}
std::string to_json_text(const Host& host) {
  return text_of(to_json(host));
}

}  // namespace breakeven
