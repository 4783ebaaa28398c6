#include "verdicts/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "results/json_parts.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* threshold_schema = "breakeven.threshold/1";

/// With its threads, where the sides differ in nothing else.
std::string names_of(const Threshold& threshold, std::size_t side) {
  const auto& sides = threshold.sides;
  const std::string names = fmt::format("{}", fmt::join(sides[side].wanted, " or "));
  return sides[0].wanted != sides[1].wanted ? names
                                            : fmt::format("{} on {} thread{}", names, sides[side].threads,
                                                          sides[side].threads == 1 ? "" : "s");
}

std::string name_of(Lead lead, const Threshold& threshold) {
  if (lead == Lead::neither) return "neither";
  return names_of(threshold, lead == Lead::challenger ? 1 : 0);
}

/// "faster", or what the answer is in.
std::string_view better(Quantity in) {
  switch (in) {
    case Quantity::energy:
      return "more economical";
    case Quantity::cost:
      return "cheaper";
    case Quantity::time:
      break;
  }
  return "faster";
}

std::string interval_text(const LeadChange& change) {
  if (change.by_bisection) {
    return change.earliest == change.latest
               ? "by bisection"
               : fmt::format("by bisection: {} to {}", change.earliest, change.latest);
  }
  return change.earliest == change.latest ? "95 %: no other value"
                                          : fmt::format("95 %: {} to {}", change.earliest, change.latest);
}

bool is_wide(const LeadChange& change, double width) {
  return change.earliest != change.latest && change.interval.high / change.interval.low > 1 + width;
}

Json to_json(const LeadChange& change) {
  return {{"below", name(change.below)},
          {"above", name(change.above)},
          {"from", change.from},
          {"by_bisection", change.by_bisection},
          {"earliest", change.earliest},
          {"latest", change.latest},
          {"crossing", number_or_null(change.crossing)},
          {"ci_low", number_or_null(change.interval.low)},
          {"ci_high", number_or_null(change.interval.high)}};
}

Json to_json(const ThresholdStand& side) {
  return {{"backend", side.backend},
          {"seconds", number_or_null(side.seconds)},
          {"joules", number_or_null(side.joules)},
          {"cost", number_or_null(side.cost)},
          {"algorithm", side.algorithm}};
}

Json to_json(const ThresholdPoint& point) {
  return {{"value", point.value},
          {"log_ratios", numbers_or_nulls(point.log_ratios)},
          {"baseline", to_json(point.sides[0])},
          {"challenger", to_json(point.sides[1])},
          {"wrong", point.wrong},
          {"reason", point.reason}};
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
  return made;
}

}  // namespace

std::string_view name(BreakEven::Answer answer) {
  switch (answer) {
    case BreakEven::Answer::from_value:
      return "from_value";
    case BreakEven::Answer::until_value:
      return "until_value";
    case BreakEven::Answer::always:
      return "always";
    case BreakEven::Answer::never:
      return "never";
    case BreakEven::Answer::neither:
      return "neither";
    case BreakEven::Answer::unclear:
      break;
  }
  return "unclear";
}

std::string_view name(Lead lead) {
  switch (lead) {
    case Lead::baseline:
      return "baseline";
    case Lead::challenger:
      return "challenger";
    case Lead::neither:
      break;
  }
  return "neither";
}

std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  if (!found.last) return fmt::format("no value of {} could be measured on both sides", threshold.parameter);
  if (found.answer == BreakEven::Answer::unclear)
    return fmt::format("not clear: the time was up before all that it takes was measured, from {} to {}",
                       *found.first, *found.last);
  if (found.changes.empty()) {
    const std::string range =
        fmt::format("from {} to {}, which is all that was measured", *found.first, *found.last);
    if (found.answer == BreakEven::Answer::neither) return fmt::format("neither is ahead {}", range);
    return fmt::format("{} is {}{} {}", names_of(threshold, 1),
                       found.answer == BreakEven::Answer::always ? "" : "never ", better(answer.in), range);
  }
  const LeadChange& last = found.changes.back();
  std::string said = fmt::format(
      "{} is {} from {} on ({}), as far as was measured, to {}", name_of(last.above, threshold),
      last.above == Lead::neither ? "ahead" : better(answer.in), last.from, interval_text(last), *found.last);
  for (std::size_t i = found.changes.size(); i-- > 0;) {
    said += fmt::format("; below that {} is", name_of(found.changes[i].below, threshold));
    if (i > 0)
      said +=
          fmt::format(", from {} on ({})", found.changes[i - 1].from, interval_text(found.changes[i - 1]));
  }
  return said;
}

int exit_status(const Threshold& threshold) {
  const auto any = [&](const auto& holds) {
    return std::any_of(threshold.answers.begin(), threshold.answers.end(), holds);
  };
  if (any([](const ThresholdAnswer& a) {
        return std::any_of(a.points.begin(), a.points.end(), [](const ThresholdPoint& p) { return p.wrong; });
      }))
    return 1;
  if (any([](const ThresholdAnswer& a) { return !a.found.last; })) return 4;
  if (any([&](const ThresholdAnswer& a) {
        return a.found.answer == BreakEven::Answer::unclear || a.found.answer == BreakEven::Answer::neither ||
               std::any_of(a.found.changes.begin(), a.found.changes.end(),
                           [&](const LeadChange& c) { return is_wide(c, threshold.width); });
      }))
    return 3;
  return 0;
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
  for (const ThresholdAnswer& answer : t.answers) made["answers"].push_back(to_json(answer, t));
  return text_of(made);
}

}  // namespace breakeven
