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

std::string interval_text(const LeadChange& change) {
  if (!change.interval) return "no interval: the launches do not tell";
  return change.earliest == change.latest ? "95 %: no other value"
                                          : fmt::format("95 %: {} to {}", change.earliest, change.latest);
}

bool is_wide(const LeadChange& change, double width) {
  return !change.interval ||
         (change.earliest != change.latest && change.interval->high / change.interval->low > 1 + width);
}

Json to_json(const LeadChange& change) {
  Json made{{"to", change.to_challenger ? "challenger" : "baseline"},
            {"from", change.from},
            {"crossing", number_or_null(change.crossing)}};
  made["earliest"] = change.interval ? Json(change.earliest) : Json(nullptr);
  made["latest"] = change.interval ? Json(change.latest) : Json(nullptr);
  made["ci_low"] = change.interval ? number_or_null(change.interval->low) : Json(nullptr);
  made["ci_high"] = change.interval ? number_or_null(change.interval->high) : Json(nullptr);
  return made;
}

Json to_json(const ThresholdStand& side) {
  return {
      {"backend", side.backend}, {"seconds", number_or_null(side.seconds)}, {"algorithm", side.algorithm}};
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
  Json made{{"wanted", side.wanted}, {"threads", side.threads}, {"backends", Json::array()}};
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
    case BreakEven::Answer::unclear:
      break;
  }
  return "unclear";
}

std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  const std::string baseline = names_of(threshold, 0);
  const std::string challenger = names_of(threshold, 1);
  if (!found.last) return fmt::format("no value of {} could be measured on both sides", threshold.parameter);
  const std::string range =
      fmt::format("from {} to {}, which is all that was measured", *found.first, *found.last);
  std::string said;
  switch (found.answer) {
    case BreakEven::Answer::always:
      return fmt::format("{} is faster {}", challenger, range);
    case BreakEven::Answer::never:
      return fmt::format("{} is never faster {}", challenger, range);
    case BreakEven::Answer::from_value:
    case BreakEven::Answer::until_value: {
      const LeadChange& last = found.changes.back();
      said = fmt::format("{} is faster from {} on ({}), as far as was measured, to {}",
                         last.to_challenger ? challenger : baseline, last.from, interval_text(last),
                         *found.last);
      break;
    }
    case BreakEven::Answer::unclear:
      said = found.changes.empty()
                 ? fmt::format("not clear: at some values from {} to {} neither is ahead", *found.first,
                               *found.last)
                 : fmt::format("neither is ahead at {}, the largest value measured", *found.last);
      break;
  }
  for (std::size_t i = found.changes.size(); i-- > 0;) {
    if (i + 1 == found.changes.size() && found.answer != BreakEven::Answer::unclear) continue;
    const LeadChange& change = found.changes[i];
    said += fmt::format("; before that {} is from {} on ({})", change.to_challenger ? challenger : baseline,
                        change.from, interval_text(change));
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
        return a.found.answer == BreakEven::Answer::unclear ||
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
            {"config", t.config},
            {"answers", Json::array()}};
  for (const ThresholdAnswer& answer : t.answers) made["answers"].push_back(to_json(answer, t));
  return text_of(made);
}

}  // namespace breakeven
