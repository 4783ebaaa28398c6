// Writes and reads the result of `threshold` as JSON: docs/thresholds.md.
#include <fmt/format.h>

#include "results/json.h"
#include "verdicts/threshold.h"

namespace breakeven {
namespace {

/// Writes the interval only if there is one, so that files of pairs do not change.
void interval_fields(Fields& f, std::optional<Interval>& interval) {
  std::optional<double> low;
  std::optional<double> high;
  if (interval) {
    low = interval->low;
    high = interval->high;
  }
  f.if_set("ci_low", low);
  f.if_set("ci_high", high);
  if (f.reads() && low && high) interval = Interval{.low = *low, .high = *high};
}

}  // namespace

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
  if (f.writes() && !change.interpolated) return;
  f.optional("last_below", change.last_below);
  f.optional("first_above", change.first_above);
}

void fields(Fields& f, ThresholdStand& side) {
  f.optional("backend", side.backend);
  f.optional("seconds", side.seconds);
  f.optional("joules", side.joules);
  f.optional("cost", side.cost);
  f.optional("algorithm", side.algorithm);
  interval_fields(f, side.interval);
}

void fields(Fields& f, ThresholdPoint& point) {
  f.required("value", point.value);
  f.optional("log_ratios", point.log_ratios);
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
  if (f.writes()) f.derived("in_words", in_words(answer, threshold));
  f.required("from", answer.from);
  f.required("to", answer.to);
  f.optional("first_measured", answer.found.first);
  f.optional("last_measured", answer.found.last);
  f.expect(answer.found.first.has_value() == answer.found.last.has_value(),
           "has one of first_measured and last_measured, and not the other");
  f.optional("values", answer.found.values);
  f.optional("launches", answer.found.launches);
  f.required("changes", answer.found.changes);
  f.required("points", answer.points);
  f.optional("notes", answer.notes);
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
  f.optional("price", side.price);
  f.required("backends", side.backends);
  f.if_set("name", side.name);
  f.if_set("host", side.host);
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
  f.optional("warnings", threshold.warnings);
  f.json_text("config", threshold.config);
  f.objects("answers", threshold.answers,
            [&](Fields& one, ThresholdAnswer& answer) { answer_fields(one, answer, threshold); });
  f.if_set("machine_speed", threshold.machine_speed);
  f.if_set("from_results", threshold.from_results);
}

Threshold threshold_from(const Json& json) {
  const JsonReader in(json);
  const auto schema = in.find("schema") != nullptr ? in.get<std::string>("schema") : threshold_schema;
  if (schema != threshold_schema)
    throw JsonError(
        fmt::format("is of schema '{}' and this program reads '{}': use the breakeven that wrote it", schema,
                    threshold_schema));
  return read_fields<Threshold>(in);
}

std::string to_json_text(const Threshold& threshold) {
  return text_of(json_of(threshold));
}

}  // namespace breakeven
