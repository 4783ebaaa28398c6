#include "reports/exports/ranking_json.h"

#include <string>
#include <vector>

#include "json/text.h"
#include "reports/words/rank_words.h"
#include "results/json.h"

namespace breakeven {

void fields(Fields& f, Estimate& estimate) {
  const auto& interval = estimate.interval;
  f.derived("value", estimate.value);
  f.derived("ci_low", interval ? std::optional(interval->low) : std::nullopt);
  f.derived("ci_high", interval ? std::optional(interval->high) : std::nullopt);
}

void fields(Fields& f, Offer& offer) {
  f.derived("name", offer.name);
  f.derived("per_hour", offer.per_hour);
  f.derived("purchase", offer.purchase);
  f.derived("currency", offer.from.currency);
  f.derived("source", offer.from.source);
  f.derived("date", offer.from.date);
}

void fields(Fields& f, Payback& payback) {
  f.derived("gpu", payback.gpu);
  f.derived("cpu", payback.cpu);
  f.derived("bought", payback.bought);
  f.derived("busy", payback.busy);
  f.derived("hours", payback.hours);
  f.derived("with_electricity", payback.with_electricity);
}

namespace {

constexpr const char* rank_schema = "breakeven.rank/2";

Json to_json(const RankedPart& part, const MixEntry& entry, Metric by) {
  const ComputedBy counted = part.counted(by);
  return {{"id", entry.id},
          {"weight", entry.weight},
          {"seconds", json_of(part.seconds)},
          {"joules", json_of(part.joules)},
          {"backend", counted.backend},
          {"dtype", counted.dtype},
          {"other_dtype", counted.in_place},
          {"predicted", part.predicted},
          {"own_speed", json_of(part.own_speed)},
          {"unknown", unknown_text(part, Metric::time)}};
}

Json names_of(const std::vector<const BackendRecord*>& backends) {
  Json names = Json::array();
  for (const BackendRecord* backend : backends) names.push_back(backend->name);
  return names;
}

Json to_json(const Ranked& one, const Ranking& ranking) {
  Json made{{"name", one.candidate.name},
            {"device", one.candidate.device},
            {"is_cpu", one.candidate.is_cpu},
            {"predicted", one.predicted},
            {"host", json_of(one.candidate.host)},
            {"place", one.place == 0 ? Json(nullptr) : Json(one.place)},
            {"behind", json_of(one.behind)},
            {"behind_in_part", json_of(one.behind_in_part)},
            {"seconds", json_of(one.seconds)},
            {"joules", json_of(one.joules)},
            {"cost", json_of(one.cost)},
            {"on_front", one.on_front},
            {"interrupted", one.interrupted},
            {"rent", json_of(one.offer)},
            {"purchase", json_of(one.to_buy)},
            {"unknown", Json::object()},
            {"backends", names_of(one.candidate.backends)},
            {"lacking", Json::object()},
            {"cases", Json::array()}};
  for (const Metric metric : all_metrics) {
    const std::string why = unknown_text(ranking, one, metric);
    if (!why.empty()) made["unknown"][std::string(name(metric))] = why;
  }
  for (const BackendRecord* backend : one.candidate.lacking) made["lacking"][backend->name] = backend->reason;
  for (std::size_t i = 0; i < one.parts.size(); ++i)
    made["cases"].push_back(to_json(one.parts[i], ranking.entries[i], ranking.by));
  return made;
}

Json to_json(const Uncounted& one) {
  return {{"name", one.candidate}, {"cases", one.cases}, {"lacking", one.lacking}};
}

Json to_json(const Ranking& ranking) {
  Json made{{"title", ranking.title},
            {"op", ranking.op},
            {"by", name(ranking.by)},
            {"weighted", ranking.weighted},
            {"currency", ranking.prices ? Json(ranking.prices->currency) : Json(nullptr)},
            {"use", ranking.use},
            {"uncounted", Json::array()},
            {"prediction_errors", Json::array()},
            {"not_measured", ranking.nobody},
            {"ranking", Json::array()},
            {"payback", json_of(ranking.paybacks)}};
  for (const Uncounted& one : ranking.uncounted) made["uncounted"].push_back(to_json(one));
  for (const auto& [by, error] : ranking.prediction_errors)
    made["prediction_errors"].push_back({{"roofline", name(by.roofline)},
                                         {"of", name(by.kind)},
                                         {"devices", error.devices},
                                         {"cases", error.cases},
                                         {"median_factor", error.typical},
                                         {"p95_factor", error.most}});
  for (const Ranked& one : ranking.ranked) made["ranking"].push_back(to_json(one, ranking));
  return made;
}

}  // namespace

std::string to_json_text(const Rankings& rankings) {
  Json made{{"schema", rank_schema},
            {"created", rankings.created},
            {"tool", {{"name", "breakeven"}, {"version", rankings.tool_version}}},
            {"notes", ranking_notes(rankings)},
            {"rankings", Json::array()},
            {"not_ranked", rankings.not_ranked},
            {"fits", Json::array()}};
  for (const Ranking& ranking : rankings.all) made["rankings"].push_back(to_json(ranking));
  for (const RankedFit& fit : rankings.fits) {
    Json largest = Json::object();
    for (const auto& [candidate, of] : fit.largest) largest[candidate] = of.largest;
    made["fits"].push_back({{"title", fit.title}, {"largest", largest}});
  }
  return text_of(made);
}

}  // namespace breakeven
