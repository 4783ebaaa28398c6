// Writes and reads verdicts, the result of `threshold` and a host's selftest as JSON: docs/result-file.md.
#include "results/json.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "results/reading.h"
#include "results/validation.h"
#include "results/words.h"
#include "statistics/summary.h"
#include "verdicts/fleet.h"
#include "verdicts/selftest.h"
#include "verdicts/threshold.h"
#include "verdicts/validation.h"
#include "verdicts/verdict.h"

namespace breakeven {
namespace {

constexpr const char* verdict_schema = "breakeven.verdict/1";
constexpr const char* threshold_schema = "breakeven.threshold/1";
constexpr const char* selftest_schema = "breakeven.selftest/1";

bool is_finite(const Ratio& ratio) {
  return std::isfinite(ratio.value) && std::isfinite(ratio.low) && std::isfinite(ratio.high);
}

/// Writes the interval only if there is one, so that files of pairs do not change.
void interval_fields(Fields& f, std::optional<Interval>& interval) {
  std::optional<double> low, high;
  if (interval) {
    low = interval->low;
    high = interval->high;
  }
  f.if_set("ci_low", low);
  f.if_set("ci_high", high);
  if (f.reads() && low && high) interval = Interval{.low = *low, .high = *high};
}

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

// ---- verdicts

void fields(Fields& f, Ratio& ratio) {
  f.required("value", ratio.value);
  f.required("low", ratio.low);
  f.required("high", ratio.high);
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
  joined_note_field(f, "reason", c.reasons);
  if (c.ratio && !is_finite(*c.ratio))
    f.derived("ratio", nullptr);
  else
    f.optional("ratio", c.ratio);
  f.optional("base_seconds", c.base_seconds);
  f.optional("head_seconds", c.head_seconds);
  f.optional("base_algorithm", c.base_algorithm);
  f.optional("head_algorithm", c.head_algorithm);
  f.if_set("launches", c.launches);
  note_text_fields(f, "notes", c.notes);
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
  joined_note_field(f, "method", v.method);
  f.optional("wall_seconds", v.wall_seconds);
  note_text_fields(f, "warnings", v.warnings);
  f.required("host", v.host);
  f.required("base", v.base);
  f.required("head", v.head);
  f.if_set("notes", v.notes);
  f.if_set("machine_speed", v.machine_speed);
  f.if_set("mean_change", v.mean_change);
}

std::string to_json_text(const Verdicts& v, const Words& words) {
  return text_in_lines(json_of(v, &words), {lines_of("cases", v.cases, &words)});
}

Verdicts verdicts_from(const Json& json) {
  const JsonReader in(json);
  expect_schema(in, verdict_schema);
  auto verdicts = read_fields<Verdicts>(in);
  read_cases(in, verdicts.cases);
  for (std::size_t i = 0; i < verdicts.cases.size(); ++i) {
    if (const std::string fault = fault_of(verdicts.cases[i], verdicts.threshold); !fault.empty())
      throw JsonError((Place() / "cases" / i).pointer(), fault);
  }
  const auto exit_status = in.get_if<std::int64_t>("exit_status");
  if (const std::string fault = fault_of(verdicts, exit_status); !fault.empty()) in.fail(fault);
  return verdicts;
}

// ---- the result of `threshold`

void fields(Fields& f, LeadChange& change) {
  f.required("below", change.below);
  f.required("above", change.above);
  f.required("from", change.from);
  f.optional("by_bisection", change.by_bisection);
  f.required("earliest", change.earliest);
  f.required("latest", change.latest);
  f.number("crossing", change.crossing);
  f.number("ci_low", change.interval.low);
  f.number("ci_high", change.interval.high);
  f.if_set("interpolated", change.interpolated);
  if (f.writes() && change.by_bisection && !change.interpolated) return;
  f.optional("last_below", change.last_below);
  f.optional("first_above", change.first_above);
  const std::string fault = fault_of(change);
  f.expect(fault.empty(), "{}", fault);
}

void fields(Fields& f, ThresholdPointSide& side) {
  f.optional("backend", side.backend);
  f.optional("seconds", side.seconds);
  f.optional("joules", side.joules);
  f.optional("cost", side.cost);
  f.optional("algorithm", side.algorithm);
  interval_fields(f, side.interval);
  f.if_set("own_speed", side.own_speed);
}

void fields(Fields& f, ThresholdPoint& point) {
  f.required("value", point.value);
  std::vector<double> middles = middles_of(point.log_ratios), bounds;
  for (const LaunchEffect& launch : point.log_ratios) bounds.push_back(launch.upper - launch.middle());
  if (std::ranges::all_of(point.log_ratios, &LaunchEffect::is_known)) bounds.clear();
  f.optional("log_ratios", middles);
  f.if_set("bounds", bounds);
  if (f.reads()) {
    f.expect(bounds.empty() || bounds.size() == middles.size(),
             "has not one of bounds for each of log_ratios");
    f.expect(std::ranges::all_of(bounds, [](double bound) { return bound >= 0; }), "has a bound below 0");
    bounds.resize(middles.size());
    point.log_ratios.clear();
    for (std::size_t i = 0; i < middles.size(); ++i)
      point.log_ratios.emplace_back(middles[i] - bounds[i], middles[i] + bounds[i]);
  }
  f.required("baseline", point.sides[0]);
  f.required("challenger", point.sides[1]);
  f.optional("wrong", point.wrong);
  f.optional("reason", point.reason);
  interval_fields(f, point.interval);
}

void answer_fields(Fields& f, ThresholdAnswer& answer, const Threshold& threshold) {
  f.required("title", answer.title);
  f.optional("in", answer.in);
  f.required("answer", answer.found.answer);
  if (f.words() != nullptr) f.derived("in_words", f.words()->of_answer(answer, threshold));
  f.required("from", answer.from);
  f.required("to", answer.to);
  f.optional("first_measured", answer.found.first);
  f.optional("last_measured", answer.found.last);
  f.optional("values", answer.found.values);
  f.optional("launches", answer.found.launches);
  f.if_set("slow_launches", answer.slow_launches);
  f.required("changes", answer.found.changes);
  f.required("points", answer.points);
  note_text_fields(f, "notes", answer.notes);
}

void fields(Fields& f, HourlyPrice& price) {
  f.required("per_hour", price.per_hour);
  f.required("currency", price.from.currency);
  f.required("source", price.from.source);
  f.required("date", price.from.date);
}

void fields(Fields& f, ThresholdContender& side) {
  f.required("wanted", side.wanted);
  f.required("threads", side.threads);
  if (f.reads() || side.ranks != 1) f.optional("ranks", side.ranks);
  f.optional("price", side.price);
  f.required("backends", side.backends);
  f.if_set("name", side.name);
  f.if_set("host", side.host);
  f.if_set("own_speed", side.own_speed);
}

void fields(Fields& f, LargestBatch& one) {
  f.required("title", one.title);
  f.required("device", one.device);
  f.required("backend", one.backend);
  f.required("batch", one.batch);
  f.required("largest_measured", one.largest);
  f.required("p99", one.p99);
  f.required("images_per_second", one.samples_per_second);
  f.expect(one.p99 > 0 && one.samples_per_second > 0, "has a p99 of {} s and {} images a second", one.p99,
           one.samples_per_second);
  f.expect(one.batch >= 0 && one.batch <= one.largest, "has the batch {} of {} measured", one.batch,
           one.largest);
}

void fields(Fields& f, LatencyLimit& limit) {
  f.required("limit", limit.seconds);
  f.required("largest_batches", limit.answers);
  f.expect(limit.seconds > 0 && !limit.answers.empty(), "has a limit of {} and {} batches", limit.seconds,
           limit.answers.size());
}

void fields(Fields& f, Threshold& threshold) {
  f.derived("schema", threshold_schema);
  f.optional("created", threshold.created);
  f.required("complete", threshold.complete);
  tool_fields(f, threshold.tool_version);
  f.required("host", threshold.host);
  f.optional("title", threshold.title);
  f.required("parameter", threshold.parameter);
  f.required("width", threshold.width);
  f.optional("unlike_precision", threshold.unlike_precision);
  f.required("baseline", threshold.sides[0]);
  f.required("challenger", threshold.sides[1]);
  f.optional("wall_seconds", threshold.wall_seconds);
  note_text_fields(f, "warnings", threshold.warnings);
  f.json_text("config", threshold.config);
  f.objects("answers", threshold.answers,
            [&](Fields& one, ThresholdAnswer& answer) { answer_fields(one, answer, threshold); });
  f.if_set("machine_speed", threshold.machine_speed);
  f.if_set("from_results", threshold.from_results);
  f.if_set("p99", threshold.p99);
}

Threshold threshold_from(const Json& json) {
  const JsonReader in(json);
  expect_schema(in, threshold_schema);
  auto threshold = read_fields<Threshold>(in);
  if (const std::string fault = fault_of(threshold); !fault.empty()) in.fail(fault);
  for (std::size_t i = 0; i < threshold.answers.size(); ++i) {
    if (const std::string fault = fault_of(threshold.answers[i], threshold); !fault.empty())
      throw JsonError((Place() / "answers" / i).pointer(), fault);
  }
  return threshold;
}

std::string to_json_text(const Threshold& threshold, const Words& words) {
  return text_of(json_of(threshold, &words));
}

// ---- a selftest

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
  f.optional("bound", noise.bound);
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
  return text_of(json_of(selftest), 1) + "\n";
}

std::string to_json_text(Fleet fleet, const Words& words) {
  Json json;
  Fields f(json, &words);
  f.derived("schema", std::string("breakeven.fleet/1"));
  f.derived("threshold", fleet.threshold);
  f.objects("kinds", fleet.kinds, [&](Fields& one, NodeKind& kind) {
    std::vector<std::string> nodes;
    for (const std::size_t node : kind.nodes) nodes.push_back(fleet.nodes[node]);
    one.derived("name", kind.name);
    one.derived("nodes", nodes);
    joined_note_field(one, "why_not", kind.why_not, true);
  });
  std::vector<std::string> not_compared;
  for (const std::size_t node : fleet.not_compared) not_compared.push_back(fleet.nodes[node]);
  f.if_set("not_compared", not_compared);
  f.if_set("wrong", fleet.has_wrong);
  f.if_set("partial", fleet.is_partial);
  if (!fleet.notes.empty()) note_text_fields(f, "notes", fleet.notes);
  f.objects("standings", fleet.standings, [&](Fields& one, NodeStanding& standing) {
    one.derived("node", fleet.nodes[standing.node]);
    one.required("backend", standing.backend);
    one.required("op", standing.op);
    one.required("cases", standing.cases);
    if (standing.runs > 1) one.derived("runs", standing.runs);
    one.required("ratio", standing.ratio);
    one.required("ci_low", standing.interval.low);
    one.required("ci_high", standing.interval.high);
    one.required("p_value", standing.p_value);
    one.required("slower", standing.is_slower);
    one.if_set("probably_slower", standing.is_probably_slower);
    one.if_set("one_launch", standing.has_one_launch);
    one.if_set("slower_from", standing.slower_from);
    joined_note_field(one, "cause", standing.cause, true);
  });
  return text_of(json, 1) + "\n";
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
