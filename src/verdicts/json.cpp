// Writes and reads verdicts as JSON: docs/verdict-file.md.
#include "results/json.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "results/reading.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

constexpr const char* verdict_schema = "breakeven.verdict/1";
constexpr const char* remedy = "give a file that `breakeven gate --out` or `breakeven compare --out` wrote";

bool is_finite(const Ratio& ratio) {
  return std::isfinite(ratio.value) && std::isfinite(ratio.low) && std::isfinite(ratio.high);
}

}  // namespace

void fields(Fields& f, Ratio& ratio) {
  f.required("value", ratio.value);
  f.required("low", ratio.low);
  f.required("high", ratio.high);
  f.expect(ratio.low > 0 && ratio.low <= ratio.value && ratio.value <= ratio.high,
           "must have a low above 0, a value of at least that, and a high of at least that");
}

void fields(Fields& f, LaunchSamples& launch) {
  f.optional("base", launch.base);
  f.optional("head", launch.head);
  f.if_set("own_speed", launch.own_speed);
}

void fields(Fields& f, CaseVerdict& c) {
  case_fields(f, c);
  f.required("presence", c.presence);
  if (c.presence == Presence::only_head)
    f.derived("base_status", nullptr);
  else
    f.required("base_status", c.base_status);
  if (c.presence == Presence::only_base)
    f.derived("head_status", nullptr);
  else
    f.required("head_status", c.head_status);
  f.required("verdict", c.verdict);
  f.if_set("not_slower", c.not_slower);
  f.if_set("differences", c.differences);
  f.optional("reason", c.reason);
  if (c.ratio && !is_finite(*c.ratio))
    f.derived("ratio", nullptr);
  else
    f.optional("ratio", c.ratio);
  f.optional("base_seconds", c.base_seconds);
  f.expect(!c.base_seconds || *c.base_seconds > 0, "has base_seconds that are not above 0");
  f.optional("head_seconds", c.head_seconds);
  f.expect(!c.head_seconds || *c.head_seconds > 0, "has head_seconds that are not above 0");
  f.optional("base_algorithm", c.base_algorithm);
  f.optional("head_algorithm", c.head_algorithm);
  f.if_set("launches", c.launches);
  f.optional("notes", c.notes);
}

void fields(Fields& f, Side& side) {
  f.required("source", side.source);
  f.if_set("name", side.name);
  f.if_set("backend", side.backend);
  f.if_set("threads", side.threads);
  f.optional("environment", side.environment);
  f.required("backends", side.backends);
}

/// Writes or reads everything but the cases, which are written one a line.
void fields(Fields& f, Verdicts& v) {
  f.derived("schema", verdict_schema);
  f.required("kind", v.kind);
  f.optional("created", v.created);
  f.required("complete", v.complete);
  if (f.writes()) f.derived("exit_status", exit_status(v));
  tool_fields(f, v.tool_version);
  f.required("threshold", v.threshold);
  f.expect(v.threshold > 0, "has a threshold that is not above 0");
  f.optional("method", v.method);
  f.optional("wall_seconds", v.wall_seconds);
  f.optional("warnings", v.warnings);
  f.required("host", v.host);
  f.required("base", v.base);
  f.required("head", v.head);
  f.if_set("notes", v.notes);
  f.if_set("machine_speed", v.machine_speed);
}

std::string to_json_text(const Verdicts& v) {
  std::vector<std::string> cases;
  cases.reserve(v.cases.size());
  for (const CaseVerdict& c : v.cases) cases.push_back(text_of(json_of(c)));
  return text_in_lines(json_of(v), {{"cases", cases}});
}

Verdicts verdicts_from(const Json& json) {
  if (!json.is_object() || !json.contains("schema")) {
    throw JsonError(fmt::format("is not a verdict file: it has no \"schema\"; {}", remedy));
  }
  const JsonReader in(json);
  const auto found = in.get<std::string>("schema");
  if (found != verdict_schema) {
    constexpr std::string_view kind = "breakeven.verdict/";
    throw JsonError(found.starts_with(kind)
                        ? fmt::format("has the schema '{}', and this breakeven reads '{}': use a newer one",
                                      found, verdict_schema)
                        : fmt::format("is not a verdict file: it has the schema '{}'; {}", found, remedy));
  }
  auto verdicts = read_fields<Verdicts>(in);
  read_cases(in, verdicts.cases);
  return verdicts;
}

Verdicts verdicts_from_json_text(const std::string& text) {
  return verdicts_from(ParsedFile(text).document());
}

Verdicts read_verdicts(const std::filesystem::path& path) {
  const std::string text = read_result_text(path);
  return naming_file(path.string(), [&] { return verdicts_from_json_text(text); });
}

}  // namespace breakeven
