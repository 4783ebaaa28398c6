// Writes and reads a host's selftest as JSON: docs/regression-checks.md.
#include <fmt/format.h>

#include "results/json.h"
#include "results/reading.h"
#include "statistics/proportion.h"
#include "verdicts/selftest.h"

namespace breakeven {
namespace {

constexpr const char* selftest_schema = "breakeven.selftest/1";

/// Writes a rate with its interval, for readers of the file. It is not read back: it follows from the counts.
void write_rate(Fields& f, const char* key, std::size_t events, std::size_t trials) {
  if (!f.writes()) return;
  f.object(key, [&](Fields& rate) {
    const Interval interval = proportion_interval(events, trials);
    rate.derived("rate", trials == 0
                             ? std::nullopt
                             : std::optional(static_cast<double>(events) / static_cast<double>(trials)));
    rate.derived("low", interval.low);
    rate.derived("high", interval.high);
  });
}

}  // namespace

void fields(Fields& f, InjectedCounts& counts) {
  f.required("injected", counts.share);
  f.required("suites", counts.suites);
  f.required("failing_suites", counts.failing);
  write_rate(f, "failing", counts.failing, counts.suites);
  f.required("cases", counts.cases);
  f.required("slower", counts.slower);
  f.required("faster", counts.faster);
  f.required("same", counts.same);
  f.required("inconclusive", counts.inconclusive);
  f.required("incomparable", counts.incomparable);
  write_rate(f, "found_slower", counts.slower, counts.cases);
  f.expect(counts.failing <= counts.suites, "has more failing suites than suites");
}

void fields(Fields& f, CaseNoise& noise) {
  f.required("id", noise.id);
  f.required("backend", noise.backend);
  f.required("launches", noise.launches);
  f.required("deviation", noise.deviation);
  f.required("smallest_change", noise.smallest_change);
  f.expect(noise.deviation >= 0, "has a deviation below 0");
}

void fields(Fields& f, Selftest& selftest) {
  f.derived("schema", selftest_schema);
  f.required("created", selftest.created);
  tool_fields(f, selftest.tool_version);
  f.required("host", selftest.host);
  f.required("threshold", selftest.rules.threshold);
  f.required("suite", selftest.rules.cases);
  f.optional("wall_seconds", selftest.wall_seconds);
  f.required("injected", selftest.counts);
  f.required("noise", selftest.noise);
}

std::string to_json_text(const Selftest& selftest) {
  return json_of(selftest).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Selftest read_selftest(const std::filesystem::path& path) {
  const std::string text = read_result_text(path);
  return naming_file(path.string(), [&] {
    const ParsedFile parsed(text);
    const Json& json = parsed.document();
    if (!json.is_object() || !json.contains("schema"))
      throw JsonError("was not made by `breakeven selftest`: it has no \"schema\"; make it again");
    const JsonReader in(json);
    if (const auto found = in.get<std::string>("schema"); found != selftest_schema)
      throw JsonError(
          fmt::format("is of schema '{}' and '{}' is read here: make it again with `breakeven selftest`",
                      found, selftest_schema));
    return read_fields<Selftest>(in);
  });
}

}  // namespace breakeven
