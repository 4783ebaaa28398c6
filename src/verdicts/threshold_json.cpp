// What `threshold` found as JSON, and back. Its description is docs/thresholds.md.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_parts.h"
#include "verdicts/threshold.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const LeadChange& change) {
  Json made{{"below", name(change.below)},
            {"above", name(change.above)},
            {"from", change.from},
            {"by_bisection", change.by_bisection},
            {"earliest", change.earliest},
            {"latest", change.latest},
            {"crossing", number_or_null(change.crossing)},
            {"ci_low", number_or_null(change.interval.low)},
            {"ci_high", number_or_null(change.interval.high)}};
  if (change.interpolated) {
    made["interpolated"] = true;
    made["last_below"] = change.last_below;
    made["first_above"] = change.first_above;
  }
  return made;
}

/// Only of what has one, so that the files of pairs stay as they are.
void add_interval(Json& made, const std::optional<Interval>& interval) {
  if (!interval) return;
  made["ci_low"] = number_or_null(interval->low);
  made["ci_high"] = number_or_null(interval->high);
}

std::optional<Interval> read_interval(const JsonReader& in) {
  const auto low = in.optional_number("ci_low");
  const auto high = in.optional_number("ci_high");
  return low && high ? std::optional(Interval{.low = *low, .high = *high}) : std::nullopt;
}

Json to_json(const ThresholdStand& side) {
  Json made{{"backend", side.backend},
            {"seconds", number_or_null(side.seconds)},
            {"joules", number_or_null(side.joules)},
            {"cost", number_or_null(side.cost)},
            {"algorithm", side.algorithm}};
  add_interval(made, side.interval);
  return made;
}

Json to_json(const ThresholdPoint& point) {
  Json made{{"value", point.value},
            {"log_ratios", numbers_or_nulls(point.log_ratios)},
            {"baseline", to_json(point.sides[0])},
            {"challenger", to_json(point.sides[1])},
            {"wrong", point.wrong},
            {"reason", point.reason}};
  add_interval(made, point.interval);
  return made;
}

Json to_json(const ThresholdAnswer& answer, const Threshold& threshold) {
  Json made{{"title", answer.title},
            {"in", name(answer.in)},
            {"answer", name(answer.found.answer)},
            {"in_words", in_words(answer, threshold)},
            {"from", answer.from},
            {"to", answer.to},
            {"first_measured", or_null(answer.found.first)},
            {"last_measured", or_null(answer.found.last)},
            {"values", answer.found.values},
            {"launches", answer.found.launches},
            {"changes", Json::array()},
            {"points", Json::array()},
            {"notes", answer.notes}};
  for (const LeadChange& change : answer.found.changes) made["changes"].push_back(to_json(change));
  for (const ThresholdPoint& point : answer.points) made["points"].push_back(to_json(point));
  return made;
}

Json to_json(const ThresholdContender& side) {
  Json made{
      {"wanted", side.wanted}, {"threads", side.threads}, {"price", nullptr}, {"backends", Json::array()}};
  if (side.price)
    made["price"] = {{"per_hour", side.price->per_hour},
                     {"currency", side.price->from.currency},
                     {"source", side.price->from.source},
                     {"date", side.price->from.date}};
  for (const BackendRecord& backend : side.backends) made["backends"].push_back(to_json(backend));
  if (!side.name.empty()) made["name"] = side.name;
  if (side.host) made["host"] = to_json(*side.host);
  return made;
}

HourlyPrice read_price(const JsonReader& in) {
  return {.per_hour = in.get<double>("per_hour"),
          .from = {.currency = in.get<std::string>("currency"),
                   .source = in.get<std::string>("source"),
                   .date = in.get<std::string>("date")}};
}

ThresholdContender read_contender(const JsonReader& in) {
  ThresholdContender side{.wanted = in.get<std::vector<std::string>>("wanted"),
                          .backends = {},
                          .threads = in.get<int>("threads"),
                          .price = {}};
  if (in.has("price")) side.price = read_price(in.child("price"));
  in.each("backends", [&](const JsonReader& b) { side.backends.push_back(read_backend(b)); });
  side.name = in.get_or<std::string>("name", "");
  if (in.has("host")) side.host = read_host(in.child("host"));
  return side;
}

ThresholdStand read_stand(const JsonReader& in) {
  return {.backend = in.get_or<std::string>("backend", ""),
          .seconds = in.optional_number("seconds"),
          .joules = in.optional_number("joules"),
          .cost = in.optional_number("cost"),
          .algorithm = in.get_or<std::string>("algorithm", ""),
          .interval = read_interval(in)};
}

ThresholdPoint read_point(const JsonReader& in) {
  return {.value = in.get<std::int64_t>("value"),
          .log_ratios = in.numbers("log_ratios"),
          .sides = {read_stand(in.child("baseline")), read_stand(in.child("challenger"))},
          .reason = in.get_or<std::string>("reason", ""),
          .wrong = in.get_or<bool>("wrong", false),
          .interval = read_interval(in)};
}

/// The one of `all` that is called what `key` says.
template <typename Named, std::size_t N>
Named read_name(const JsonReader& in, const char* key, const std::array<Named, N>& all) {
  const auto said = in.get<std::string>(key);
  for (const Named one : all) {
    if (name(one) == said) return one;
  }
  in.fail(fmt::format("has no {} that is called '{}'", key, said));
}

LeadChange read_change(const JsonReader& in) {
  return {.below = read_name(in, "below", all_leads),
          .above = read_name(in, "above", all_leads),
          .crossing = in.number("crossing"),
          .interval = {.low = in.number("ci_low"), .high = in.number("ci_high")},
          .by_bisection = in.get_or<bool>("by_bisection", false),
          .interpolated = in.get_or<bool>("interpolated", false),
          .from = in.get<std::int64_t>("from"),
          .earliest = in.get<std::int64_t>("earliest"),
          .latest = in.get<std::int64_t>("latest"),
          .last_below = in.get_or<std::int64_t>("last_below", 0),
          .first_above = in.get_or<std::int64_t>("first_above", 0)};
}

ThresholdAnswer read_answer(const JsonReader& in) {
  ThresholdAnswer answer{.title = in.get<std::string>("title"),
                         .in = in.has("in") ? read_name(in, "in", quantities) : Quantity::time,
                         .from = in.get<std::int64_t>("from"),
                         .to = in.get<std::int64_t>("to"),
                         .found = {.answer = read_name(in, "answer", break_even_answers),
                                   .changes = {},
                                   .first = in.optional<std::int64_t>("first_measured"),
                                   .last = in.optional<std::int64_t>("last_measured"),
                                   .values = in.has("values") ? in.count("values") : 0,
                                   .launches = in.has("launches") ? in.count("launches") : 0},
                         .points = {},
                         .notes = in.get_or<std::vector<std::string>>("notes", {})};
  if (answer.found.first.has_value() != answer.found.last.has_value())
    in.fail("has one of first_measured and last_measured, and not the other");
  in.each("changes", [&](const JsonReader& c) { answer.found.changes.push_back(read_change(c)); });
  in.each("points", [&](const JsonReader& p) { answer.points.push_back(read_point(p)); });
  return answer;
}

}  // namespace

Threshold threshold_from(const Json& json) {
  const JsonReader in(json, "");
  const auto schema = in.get_or<std::string>("schema", threshold_schema);
  if (schema != threshold_schema)
    throw ResultError(
        fmt::format("is of schema '{}' and this program reads '{}': use the breakeven that wrote it", schema,
                    threshold_schema));
  Threshold t;
  t.created = in.get_or<std::string>("created", "");
  t.complete = in.get<bool>("complete");
  t.tool_version = in.child("tool").get_or<std::string>("version", "");
  t.warnings = in.get_or<std::vector<std::string>>("warnings", {});
  t.host = read_host(in.child("host"));
  t.machine_speed = read_machine_speed(in);
  t.title = in.get_or<std::string>("title", "");
  t.parameter = in.get<std::string>("parameter");
  t.width = in.get<double>("width");
  t.sides = {read_contender(in.child("baseline")), read_contender(in.child("challenger"))};
  t.unlike_precision = in.get_or<bool>("unlike_precision", false);
  t.from_results = in.get_or<bool>("from_results", false);
  t.config = text_of(in.at("config"));
  t.wall_seconds = in.get_or<double>("wall_seconds", 0);
  in.each("answers", [&](const JsonReader& a) { t.answers.push_back(read_answer(a)); });
  return t;
}

std::string to_json_text(const Threshold& t) {
  Json made{{"schema", threshold_schema},
            {"created", t.created},
            {"complete", t.complete},
            {"tool", {{"name", "breakeven"}, {"version", t.tool_version}}},
            {"host", to_json(t.host)},
            {"title", t.title},
            {"parameter", t.parameter},
            {"width", t.width},
            {"unlike_precision", t.unlike_precision},
            {"baseline", to_json(t.sides[0])},
            {"challenger", to_json(t.sides[1])},
            {"wall_seconds", t.wall_seconds},
            {"warnings", t.warnings},
            {"config", config_json(t.config)},
            {"answers", Json::array()}};
  if (t.machine_speed) made["machine_speed"] = to_json(*t.machine_speed);
  if (t.from_results) made["from_results"] = true;
  for (const ThresholdAnswer& answer : t.answers) made["answers"].push_back(to_json(answer, t));
  return text_of(made);
}

}  // namespace breakeven
