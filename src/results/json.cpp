// Results as JSON, and back.
#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "protocol/json_value.h"
#include "protocol/messages.h"
#include "results/result.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "breakeven.result/1";

/// JSON has no NaN or infinity, and 0 must not stand for unknown: null does.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}
Json numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(number(value));
  return array;
}
Json object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json made = Json::object();
  for (const auto& [key, value] : pairs) made[key] = value;
  return made;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const DeviceConditions& c) {
  return {{"readings", c.readings},
          {"sm_mhz", number(c.sm_mhz)},
          {"sm_mhz_least", number(c.sm_mhz_least)},
          {"memory_mhz", number(c.memory_mhz)},
          {"memory_mhz_least", number(c.memory_mhz_least)},
          {"watts", number(c.watts)},
          {"celsius", number(c.celsius)},
          {"clock_reasons", c.clock_reasons},
          {"throttled_seconds", c.throttled_seconds},
          {"pcie_generation", or_null(c.pcie_generation)},
          {"pcie_width", or_null(c.pcie_width)},
          {"other_processes", or_null(c.other_processes)},
          {"ecc_errors", or_null(c.ecc_errors)},
          {"unreadable", c.unreadable}};
}

Json to_json(const Conditions& c) {
  Json made{{"cpu_mhz", number(c.cpu_mhz)},
            {"steal_percent", number(c.steal_percent)},
            {"other_cpu_percent", number(c.other_cpu_percent)},
            {"throttled_seconds", number(c.throttled_seconds)},
            {"thermal_throttles", number(c.thermal_throttles)},
            {"temperature_celsius", number(c.temperature_celsius)},
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
    made["seconds"] = {{"median", number(c.seconds->median)},   {"ci_low", number(c.seconds->ci_low)},
                       {"ci_high", number(c.seconds->ci_high)}, {"samples", numbers(c.seconds->samples)},
                       {"launches", c.seconds->launches},       {"iterations", c.seconds->iterations}};
    if (!c.seconds->throttled.empty()) made["seconds"]["throttled"] = c.seconds->throttled;
  } else {
    made["seconds"] = nullptr;
  }
  made["cpu_seconds"] = number(c.cpu_seconds);
  made["device_seconds"] = number(c.device_seconds);
  made["joules"] = number(c.joules);
  made["flop"] = number(c.flop);
  made["bytes"] = number(c.bytes);
  made["gflops"] = number(c.gflops());
  made["gbps"] = number(c.gbps());
  if (c.samples > 0) made["samples_per_iteration"] = c.samples;
  if (c.verification) {
    made["verify"] = {
        {"error", number(c.verification->error)},     {"tolerance", number(c.verification->tolerance)},
        {"correct", c.verification->correct},         {"elements", c.verification->elements},
        {"projections", c.verification->projections}, {"losses", c.verification->losses}};
    if (!c.verification->detail.empty()) made["verify"]["detail"] = c.verification->detail;
  } else {
    made["verify"] = nullptr;
  }
  made["algorithm"] = c.algorithm;
  made["conditions"] = to_json(c.conditions);
  made["warnings"] = c.warnings;
  if (c.training) {
    const Training& t = *c.training;
    made["training"] = {{"loss", numbers(t.loss)},
                        {"loss_stride", t.loss_stride},
                        {"steps", t.steps},
                        {"accuracy", number(t.accuracy)},
                        {"epochs", t.epoch_seconds.size()},
                        {"epoch_seconds", numbers(t.epoch_seconds)},
                        {"epoch_accuracy", numbers(t.epoch_accuracy)},
                        {"seconds_to_accuracy", number(t.seconds_to_accuracy)}};
  }
  if (c.latency)
    made["latency"] = {
        {"p50", number(c.latency->p50)}, {"p99", number(c.latency->p99)}, {"count", c.latency->count}};
  if (c.fit)
    made["fit"] = {{"largest", c.fit->largest}, {"refused", c.fit->refused}, {"limit", c.fit->limit}};
  return made;
}

Json to_json(const BackendRecord& b) {
  Json made{
      {"name", b.name}, {"available", b.available}, {"reason", b.reason},          {"version", b.version},
      {"role", b.role}, {"device", b.device},       {"device_name", b.device_name}};
  if (!b.device_id.empty()) made["device_id"] = b.device_id;
  made["libraries"] = object(b.libraries);
  made["supports"] = Json::object();
  for (const auto& [op, dtypes] : b.supports) made["supports"][op] = dtypes;
  made["unreadable"] = b.unreadable;
  made["program"] = b.program;
  return made;
}

Json to_json(const Gpu& g) {
  return {{"id", g.id},
          {"name", or_null(g.name)},
          {"driver", or_null(g.driver)},
          {"memory_bytes", or_null(g.memory_bytes)},
          {"ecc", or_null(g.ecc)},
          {"mig", or_null(g.mig)},
          {"persistence", or_null(g.persistence)},
          {"compute_mode", or_null(g.compute_mode)},
          {"pcie_generation", or_null(g.pcie_generation)},
          {"pcie_width", or_null(g.pcie_width)},
          {"pcie_generation_most", or_null(g.pcie_generation_most)},
          {"pcie_width_most", or_null(g.pcie_width_most)},
          {"power_limit_watts", number(g.power_limit_watts)},
          {"power_limit_default_watts", number(g.power_limit_default_watts)},
          {"sm_mhz_most", number(g.sm_mhz_most)},
          {"memory_mhz_most", number(g.memory_mhz_most)},
          {"unreadable", g.unreadable}};
}

Json to_json(const Host& h) {
  Json made{{"name", h.name},
            {"os", h.os},
            {"kernel", h.kernel},
            {"cpu", h.cpu},
            {"virtualization", h.virtualization},
            {"cpus", h.cpus},
            {"cores", h.cores},
            {"threads", h.threads},
            {"cpu_quota", number(h.cpu_quota)},
            {"memory_bytes", h.memory_bytes},
            {"cpu_features", h.cpu_features},
            {"settings", h.settings}};
  made["gpus"] = Json::array();
  for (const Gpu& gpu : h.gpus) made["gpus"].push_back(to_json(gpu));
  return made;
}

/// Text that is always valid: a library's message may hold bytes that are not UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
  const Json config = Json::parse(r.config, nullptr, false, true);
  head["config"] = config.is_discarded() ? Json(nullptr) : config;
  head["sampling"] = nullptr;
  if (r.sampling) {
    head["sampling"] = {{"wall_seconds", number(r.sampling->wall_seconds)},
                        {"sample_seconds", number(r.sampling->sample_seconds)}};
  }
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

/// Walks the JSON of a result file and keeps the place for errors.
class Reader {
 public:
  Reader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) fail("must be an object");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ResultError(fmt::format("{} {}", place_.empty() ? "/" : place_, what));
  }
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw ResultError(fmt::format("{}/{} is missing", place_, key));
    return *found;
  }
  bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }
  Reader child(const char* key) const { return {at(key), place_ + "/" + key}; }
  template <typename T>
  T get(const char* key) const {
    if (auto value = exactly<T>(at(key))) return *std::move(value);
    throw ResultError(fmt::format("{}/{} is of the wrong type", place_, key));
  }
  template <typename T>
  T get_or(const char* key, T otherwise) const {
    return has(key) ? get<T>(key) : otherwise;
  }
  template <typename T>
  std::optional<T> optional(const char* key) const {
    if (!has(key)) return std::nullopt;
    return get<T>(key);
  }
  std::optional<double> optional_number(const char* key) const { return optional<double>(key); }
  /// null is NaN
  double number(const char* key) const { return optional_number(key).value_or(std::nan("")); }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> values;
    for (const auto& value : get_or<Json>(key, Json::array())) {
      if (!value.is_number() && !value.is_null())
        throw ResultError(fmt::format("{}/{} must hold numbers", place_, key));
      values.push_back(value.is_null() ? std::nan("") : value.get<double>());
    }
    return values;
  }
  std::vector<std::pair<std::string, std::string>> pairs(const char* key) const {
    std::vector<std::pair<std::string, std::string>> all;
    const Json members = get_or<Json>(key, Json::object());
    for (const auto& [name, value] : members.items()) {
      if (!value.is_string()) throw ResultError(fmt::format("{}/{}/{} must be a string", place_, key, name));
      all.emplace_back(name, value.get<std::string>());
    }
    return all;
  }
  template <typename Each>
  void each(const char* key, Each read) const {
    const Json& list = at(key);
    if (!list.is_array()) throw ResultError(fmt::format("{}/{} must be a list", place_, key));
    for (std::size_t i = 0; i < list.size(); ++i)
      read(Reader(list[i], fmt::format("{}/{}/{}", place_, key, i)));
  }

 private:
  const Json& json_;
  std::string place_;
};

DeviceConditions read_device_conditions(const Reader& in) {
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

Conditions read_conditions(const Reader& in) {
  Conditions conditions{.cpu_mhz = in.optional_number("cpu_mhz"),
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

CaseResult read_case(const Reader& in) {
  CaseResult c;
  c.id = in.get<std::string>("id");
  c.op = in.get<std::string>("op");
  c.label = in.get_or<std::string>("label", "");
  try {
    c.parameters = parameters_from_json(in.get<Json>("params"));
  } catch (const ProtocolError& e) {
    in.fail(e.what());
  }
  c.dtype = in.get<std::string>("dtype");
  c.backend = in.get<std::string>("backend");
  c.device = in.get_or<std::string>("device", "");
  const auto status = parse_status(in.get<std::string>("status"));
  if (!status) in.fail(fmt::format("has the unknown status '{}'", in.get<std::string>("status")));
  c.status = *status;
  c.reason = in.get_or<std::string>("reason", "");
  if (in.has("seconds")) {
    const Reader s = in.child("seconds");
    c.seconds = Timing{.median = s.get<double>("median"),
                       .ci_low = s.optional_number("ci_low"),
                       .ci_high = s.optional_number("ci_high"),
                       .samples = s.numbers("samples"),
                       .launches = s.get_or<std::vector<std::int64_t>>("launches", {}),
                       .iterations = s.get_or<std::int64_t>("iterations", 0),
                       .throttled = s.get_or<std::vector<std::int64_t>>("throttled", {})};
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
    const Reader v = in.child("verify");
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
    const Reader t = in.child("training");
    c.training = Training{.loss = t.numbers("loss"),
                          .loss_stride = t.get_or<std::int64_t>("loss_stride", 1),
                          .steps = t.get_or<std::int64_t>("steps", 0),
                          .accuracy = t.optional_number("accuracy"),
                          .epoch_seconds = t.numbers("epoch_seconds"),
                          .epoch_accuracy = t.numbers("epoch_accuracy"),
                          .seconds_to_accuracy = t.optional_number("seconds_to_accuracy")};
  }
  if (in.has("latency")) {
    const Reader l = in.child("latency");
    c.latency =
        Latency{.p50 = l.number("p50"), .p99 = l.number("p99"), .count = l.get_or<std::int64_t>("count", 0)};
  }
  if (in.has("fit")) {
    const Reader f = in.child("fit");
    c.fit = Fit{.largest = f.get_or<std::int64_t>("largest", 0),
                .refused = f.get_or<std::int64_t>("refused", 0),
                .limit = f.get_or<std::string>("limit", "")};
  }
  return c;
}

BackendRecord read_backend(const Reader& in) {
  BackendRecord b;
  b.name = in.get<std::string>("name");
  b.version = in.get_or<std::string>("version", "");
  b.role = in.get_or<std::string>("role", "contender");
  b.device = in.get_or<std::string>("device", "");
  b.device_name = in.get_or<std::string>("device_name", "");
  b.device_id = in.get_or<std::string>("device_id", "");
  b.libraries = in.pairs("libraries");
  const auto supports = in.get_or<std::map<std::string, std::vector<std::string>>>("supports", {});
  b.supports.assign(supports.begin(), supports.end());
  b.unreadable = in.get_or<std::map<std::string, std::string>>("unreadable", {});
  b.program = in.get_or<std::string>("program", "");
  b.available = in.get<bool>("available");
  b.reason = in.get_or<std::string>("reason", "");
  return b;
}

Gpu read_gpu(const Reader& in) {
  return {.id = in.get<std::string>("id"),
          .name = in.optional<std::string>("name"),
          .driver = in.optional<std::string>("driver"),
          .memory_bytes = in.optional<std::int64_t>("memory_bytes"),
          .ecc = in.optional<bool>("ecc"),
          .mig = in.optional<bool>("mig"),
          .persistence = in.optional<bool>("persistence"),
          .compute_mode = in.optional<std::string>("compute_mode"),
          .pcie_generation = in.optional<std::int64_t>("pcie_generation"),
          .pcie_width = in.optional<std::int64_t>("pcie_width"),
          .pcie_generation_most = in.optional<std::int64_t>("pcie_generation_most"),
          .pcie_width_most = in.optional<std::int64_t>("pcie_width_most"),
          .power_limit_watts = in.optional_number("power_limit_watts"),
          .power_limit_default_watts = in.optional_number("power_limit_default_watts"),
          .sm_mhz_most = in.optional_number("sm_mhz_most"),
          .memory_mhz_most = in.optional_number("memory_mhz_most"),
          .unreadable = in.get_or<std::map<std::string, std::string>>("unreadable", {})};
}

Host read_host(const Reader& in) {
  Host host{.name = in.get_or<std::string>("name", ""),
            .os = in.get_or<std::string>("os", ""),
            .kernel = in.get_or<std::string>("kernel", ""),
            .cpu = in.get_or<std::string>("cpu", ""),
            .virtualization = in.get_or<std::string>("virtualization", ""),
            .cpus = in.get_or<int>("cpus", 0),
            .cores = in.get_or<int>("cores", 0),
            .threads = in.get_or<int>("threads", 0),
            .cpu_quota = in.optional_number("cpu_quota"),
            .memory_bytes = in.get_or<std::int64_t>("memory_bytes", 0),
            .cpu_features = in.get_or<std::vector<std::string>>("cpu_features", {}),
            .settings = in.get_or<std::map<std::string, std::string>>("settings", {}),
            .gpus = {}};
  if (in.has("gpus")) in.each("gpus", [&](const Reader& gpu) { host.gpus.push_back(read_gpu(gpu)); });
  return host;
}

Result result_from(const Json& json) {
  if (!json.is_object() || !json.contains("schema")) {
    throw ResultError(
        "is not a result file: it has no \"schema\"; give a file that `breakeven run --out` wrote");
  }
  const Reader in(json, "");
  const auto found = in.get<std::string>("schema");
  if (found != schema) {
    throw ResultError(fmt::format(
        "is of schema '{}' and this program reads '{}': use the breakeven that wrote it", found, schema));
  }
  Result r;
  r.created = in.get_or<std::string>("created", "");
  r.complete = in.get<bool>("complete");
  const Reader tool = in.child("tool");
  r.tool_version = tool.get_or<std::string>("version", "");
  r.tool_compiler = tool.get_or<std::string>("compiler", "");
  r.tool_build = tool.get_or<std::string>("build", "");
  r.warnings = in.get_or<std::vector<std::string>>("warnings", {});
  r.host = read_host(in.child("host"));
  r.config = text_of(in.at("config"));
  if (in.has("sampling")) {
    const Reader s = in.child("sampling");
    r.sampling = Sampling{.wall_seconds = s.get<double>("wall_seconds"),
                          .sample_seconds = s.get<double>("sample_seconds")};
  }
  in.each("backends", [&](const Reader& b) { r.backends.push_back(read_backend(b)); });
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  in.each("cases", [&](const Reader& c) {
    r.cases.push_back(read_case(c));
    const auto& added = r.cases.back();
    if (!seen.emplace(std::pair(added.id, added.backend), r.cases.size()).second) {
      c.fail(fmt::format("repeats '{}' of backend '{}'", added.id, added.backend));
    }
  });
  return r;
}

}  // namespace

Result read_result(const std::filesystem::path& path) {
  const bool standard_input = path == "-";
  std::ifstream file;
  if (!standard_input) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      throw ResultError(fmt::format("{}: is a folder, not a result file", path.string()));
    file.open(path, std::ios::binary);
    if (!file) throw ResultError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  std::istream& in = standard_input ? std::cin : file;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    return result_from(Json::parse(text));
  } catch (const nlohmann::json::exception& e) {
    throw ResultError(fmt::format("{}: is not valid JSON, perhaps truncated: {}", path.string(), e.what()));
  } catch (const ResultError& e) {
    throw ResultError(fmt::format("{}: {}", path.string(), e.what()));
  }
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
