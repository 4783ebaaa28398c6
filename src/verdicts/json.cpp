// Verdicts as JSON, and back: docs/verdict-file.md.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/messages.h"
#include "results/json_parts.h"
#include "results/json_reader.h"
#include "results/json_text.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* verdict_schema = "breakeven.verdict/1";
constexpr const char* remedy = "give a file that `breakeven gate --out` or `breakeven compare --out` wrote";

Json to_json(const std::optional<Ratio>& ratio) {
  if (!ratio || !std::isfinite(ratio->value) || !std::isfinite(ratio->low) || !std::isfinite(ratio->high))
    return nullptr;
  return {{"value", ratio->value}, {"low", ratio->low}, {"high", ratio->high}};
}

Json to_json(const CaseVerdict& c) {
  Json made{{"id", c.id}, {"op", c.op}};
  if (!c.label.empty()) made["label"] = c.label;
  made["params"] = to_json(c.parameters);
  made["dtype"] = c.dtype;
  made["backend"] = c.backend;
  made["device"] = c.device;
  made["presence"] = name(c.presence);
  made["base_status"] = c.presence == Presence::only_head ? Json(nullptr) : Json(name(c.base_status));
  made["head_status"] = c.presence == Presence::only_base ? Json(nullptr) : Json(name(c.head_status));
  made["verdict"] = name(c.verdict);
  if (c.not_slower) made["not_slower"] = true;
  if (!c.differences.empty()) made["differences"] = c.differences;
  made["reason"] = c.reason;
  made["ratio"] = to_json(c.ratio);
  made["base_seconds"] = number_or_null(c.base_seconds);
  made["head_seconds"] = number_or_null(c.head_seconds);
  made["base_algorithm"] = c.base_algorithm;
  made["head_algorithm"] = c.head_algorithm;
  if (!c.launches.empty()) {
    made["launches"] = Json::array();
    for (const LaunchSamples& launch : c.launches) {
      Json samples{{"base", numbers_or_nulls(launch.base)}, {"head", numbers_or_nulls(launch.head)}};
      if (!launch.own_speed.empty()) samples["own_speed"] = numbers_or_nulls(launch.own_speed);
      made["launches"].push_back(std::move(samples));
    }
  }
  made["notes"] = c.notes;
  return made;
}

Json to_json(const Side& side) {
  Json made{{"source", side.source}};
  if (!side.name.empty()) made["name"] = side.name;
  if (!side.backend.empty()) made["backend"] = side.backend;
  if (side.threads > 0) made["threads"] = side.threads;
  made["environment"] = Json::object();
  made["backends"] = Json::array();
  for (const auto& [name, value] : side.environment) made["environment"][name] = value;
  for (const BackendRecord& backend : side.backends) made["backends"].push_back(to_json(backend));
  return made;
}

// ---- reading

std::optional<double> read_seconds(const JsonReader& in, const char* key) {
  const auto seconds = in.optional_number(key);
  if (seconds && !(*seconds > 0)) in.fail(fmt::format("has {} that are not above 0", key));
  return seconds;
}

Ratio read_ratio(const JsonReader& in) {
  const Ratio ratio{
      .value = in.get<double>("value"), .low = in.get<double>("low"), .high = in.get<double>("high")};
  if (!(ratio.low > 0 && ratio.low <= ratio.value && ratio.value <= ratio.high))
    in.fail("must have a low above 0, a value of at least that, and a high of at least that");
  return ratio;
}

CaseVerdict read_case(const JsonReader& in) {
  CaseVerdict c;
  c.id = in.get<std::string>("id");
  c.label = in.get_or<std::string>("label", "");
  c.op = in.get<std::string>("op");
  c.parameters = read_parameters(in);
  c.dtype = in.get<std::string>("dtype");
  c.backend = in.get<std::string>("backend");
  c.device = in.get_or<std::string>("device", "");
  const auto presence = parse_presence(in.get<std::string>("presence"));
  if (!presence) in.fail(fmt::format("has the unknown presence '{}'", in.get<std::string>("presence")));
  c.presence = *presence;
  if (c.presence != Presence::only_head) c.base_status = read_status(in, "base_status");
  if (c.presence != Presence::only_base) c.head_status = read_status(in, "head_status");
  const auto verdict = parse_verdict(in.get<std::string>("verdict"));
  if (!verdict) in.fail(fmt::format("has the unknown verdict '{}'", in.get<std::string>("verdict")));
  c.verdict = *verdict;
  c.not_slower = in.get_or<bool>("not_slower", false);
  c.differences = in.get_or<std::vector<std::string>>("differences", {});
  c.reason = in.get_or<std::string>("reason", "");
  if (in.has("ratio")) c.ratio = read_ratio(in.child("ratio"));
  c.base_seconds = read_seconds(in, "base_seconds");
  c.head_seconds = read_seconds(in, "head_seconds");
  c.base_algorithm = in.get_or<std::string>("base_algorithm", "");
  c.head_algorithm = in.get_or<std::string>("head_algorithm", "");
  if (in.has("launches")) {
    in.each("launches", [&](const JsonReader& launch) {
      c.launches.push_back(
          {.base = launch.numbers("base"),
           .head = launch.numbers("head"),
           .own_speed = launch.has("own_speed") ? launch.numbers("own_speed") : std::vector<double>{}});
    });
  }
  c.notes = in.get_or<std::vector<std::string>>("notes", {});
  return c;
}

Side read_side(const JsonReader& in) {
  Side side;
  side.source = in.get<std::string>("source");
  side.name = in.get_or<std::string>("name", "");
  side.backend = in.get_or<std::string>("backend", "");
  side.threads = in.get_or<int>("threads", 0);
  side.environment = in.pairs("environment");
  in.each("backends", [&](const JsonReader& b) { side.backends.push_back(read_backend(b)); });
  return side;
}

}  // namespace

std::string to_json_text(const Verdicts& v) {
  Json head{{"schema", verdict_schema},
            {"kind", v.kind},
            {"created", v.created},
            {"complete", v.complete},
            {"exit_status", exit_status(v)},
            {"tool", {{"name", "breakeven"}, {"version", v.tool_version}}},
            {"threshold", v.threshold},
            {"method", v.method},
            {"wall_seconds", number_or_null(v.wall_seconds)},
            {"warnings", v.warnings},
            {"host", to_json(v.host)},
            {"base", to_json(v.base)},
            {"head", to_json(v.head)}};
  if (!v.notes.empty()) head["notes"] = v.notes;
  if (v.machine_speed) head["machine_speed"] = to_json(*v.machine_speed);
  std::string text = "{\n";
  for (const auto& [key, value] : head.items())
    text += fmt::format("{}: {},\n", text_of(key), text_of(value));
  text += "\"cases\": [";
  for (std::size_t i = 0; i < v.cases.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + text_of(to_json(v.cases[i]));
  return text + "\n]\n}\n";
}

Verdicts verdicts_from(const Json& json) {
  if (!json.is_object() || !json.contains("schema")) {
    throw ResultError(fmt::format("is not a verdict file: it has no \"schema\"; {}", remedy));
  }
  const JsonReader in(json, "");
  const auto found = in.get<std::string>("schema");
  if (found != verdict_schema) {
    constexpr std::string_view kind = "breakeven.verdict/";
    throw ResultError(found.starts_with(kind)
                          ? fmt::format("has the schema '{}', and this breakeven reads '{}': use a newer one",
                                        found, verdict_schema)
                          : fmt::format("is not a verdict file: it has the schema '{}'; {}", found, remedy));
  }
  Verdicts v;
  v.kind = in.get<std::string>("kind");
  v.created = in.get_or<std::string>("created", "");
  v.complete = in.get<bool>("complete");
  v.tool_version = in.child("tool").get_or<std::string>("version", "");
  v.host = read_host(in.child("host"));
  v.machine_speed = read_machine_speed(in);
  v.base = read_side(in.child("base"));
  v.head = read_side(in.child("head"));
  v.threshold = in.get<double>("threshold");
  if (!(v.threshold > 0)) in.fail("has a threshold that is not above 0");
  v.method = in.get_or<std::string>("method", "");
  v.wall_seconds = in.get_or<double>("wall_seconds", 0);
  v.warnings = in.get_or<std::vector<std::string>>("warnings", {});
  v.notes = in.get_or<std::vector<std::string>>("notes", {});
  std::set<std::pair<std::string, std::string>> seen;
  in.each("cases", [&](const JsonReader& c) {
    v.cases.push_back(read_case(c));
    const CaseVerdict& added = v.cases.back();
    if (!seen.emplace(added.id, added.backend).second)
      c.fail(fmt::format("repeats '{}' of backend '{}'", added.id, added.backend));
  });
  return v;
}

Verdicts verdicts_from_json_text(const std::string& text) {
  return verdicts_from(ParsedFile(text).document());
}

Verdicts read_verdicts(const std::filesystem::path& path) {
  const std::string text = read_result_text(path);
  return naming_file(path.string(), [&] { return verdicts_from_json_text(text); });
}

}  // namespace breakeven
