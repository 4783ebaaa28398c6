// A host's selftest as JSON, and back: docs/regression-checks.md.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_parts.h"
#include "results/json_reader.h"
#include "results/json_text.h"
#include "statistics/proportion.h"
#include "verdicts/selftest.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* selftest_schema = "breakeven.selftest/1";

/// A rate with its interval: for people, and worked out again where it is read.
Json rate(std::size_t events, std::size_t trials) {
  const Interval interval = proportion_interval(events, trials);
  return {
      {"rate", trials == 0 ? Json(nullptr) : Json(static_cast<double>(events) / static_cast<double>(trials))},
      {"low", interval.low},
      {"high", interval.high}};
}

Json to_json(const InjectedCounts& c) {
  return {{"injected", c.share},
          {"suites", c.suites},
          {"failing_suites", c.failing},
          {"failing", rate(c.failing, c.suites)},
          {"cases", c.cases},
          {"slower", c.slower},
          {"faster", c.faster},
          {"same", c.same},
          {"inconclusive", c.inconclusive},
          {"incomparable", c.incomparable},
          {"found_slower", rate(c.slower, c.cases)}};
}

Selftest selftest_from(const Json& json) {
  if (!json.is_object() || !json.contains("schema"))
    throw ResultError("was not made by `breakeven selftest`: it has no \"schema\"; make it again");
  const JsonReader in(json, "");
  const auto found = in.get<std::string>("schema");
  if (found != selftest_schema) {
    throw ResultError(
        fmt::format("is of schema '{}' and '{}' is read here: make it again with `breakeven "
                    "selftest`",
                    found, selftest_schema));
  }
  Selftest s;
  s.created = in.get<std::string>("created");
  s.tool_version = in.child("tool").get_or<std::string>("version", "");
  s.host = read_host(in.child("host"));
  s.rules.threshold = in.get<double>("threshold");
  s.rules.cases = in.count("suite");
  s.wall_seconds = in.get_or<double>("wall_seconds", 0);
  in.each("injected", [&](const JsonReader& c) {
    s.counts.push_back({.share = c.get<double>("injected"),
                        .suites = c.count("suites"),
                        .failing = c.count("failing_suites"),
                        .cases = c.count("cases"),
                        .slower = c.count("slower"),
                        .faster = c.count("faster"),
                        .same = c.count("same"),
                        .inconclusive = c.count("inconclusive"),
                        .incomparable = c.count("incomparable")});
    if (s.counts.back().failing > s.counts.back().suites) c.fail("has more failing suites than suites");
  });
  in.each("noise", [&](const JsonReader& c) {
    s.noise.push_back({.id = c.get<std::string>("id"),
                       .backend = c.get<std::string>("backend"),
                       .launches = c.count("launches"),
                       .deviation = c.get<double>("deviation"),
                       .smallest_change = c.get<double>("smallest_change")});
    if (!(s.noise.back().deviation >= 0)) c.fail("has a deviation below 0");
  });
  return s;
}

}  // namespace

std::string to_json_text(const Selftest& s) {
  Json made{{"schema", selftest_schema},
            {"created", s.created},
            {"tool", {{"name", "breakeven"}, {"version", s.tool_version}}},
            {"host", to_json(s.host)},
            {"threshold", s.rules.threshold},
            {"suite", s.rules.cases},
            {"wall_seconds", s.wall_seconds},
            {"injected", Json::array()},
            {"noise", Json::array()}};
  for (const InjectedCounts& c : s.counts) made["injected"].push_back(to_json(c));
  for (const CaseNoise& c : s.noise) {
    made["noise"].push_back({{"id", c.id},
                             {"backend", c.backend},
                             {"launches", c.launches},
                             {"deviation", c.deviation},
                             {"smallest_change", c.smallest_change}});
  }
  return made.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Selftest read_selftest(const std::filesystem::path& path) {
  const std::string text = read_result_text(path);
  return naming_file(path.string(), [&] { return selftest_from(ParsedFile(text).document()); });
}

}  // namespace breakeven
