#include "results/json.h"

#include <string>
#include <vector>

#include "json/text.h"
#include "rank/rank.h"

namespace breakeven {
namespace {

constexpr const char* rank_schema = "breakeven.rank/1";

Json to_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json made{{"value", number_or_null(estimate->value)}, {"ci_low", nullptr}, {"ci_high", nullptr}};
  if (estimate->interval) {
    made["ci_low"] = number_or_null(estimate->interval->low);
    made["ci_high"] = number_or_null(estimate->interval->high);
  }
  return made;
}

Json to_json(const PriceSource& from) {
  return {{"currency", from.currency}, {"source", from.source}, {"date", from.date}};
}

Json to_json(const std::optional<Offer>& offer) {
  if (!offer) return nullptr;
  Json made{{"name", offer->name},
            {"per_hour", number_or_null(offer->per_hour)},
            {"purchase", number_or_null(offer->purchase)}};
  made.update(to_json(offer->from));
  return made;
}

Json to_json(const RankedPart& part, const MixEntry& entry) {
  return {{"id", entry.id},
          {"weight", entry.weight},
          {"seconds", to_json(part.seconds)},
          {"joules", to_json(part.joules)},
          {"backend", part.backend},
          {"dtype", part.dtype},
          {"other_dtype", part.in_place},
          {"predicted", part.predicted},
          {"unknown", part.unknown}};
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
            {"behind", to_json(one.behind)},
            {"seconds", to_json(one.seconds)},
            {"joules", to_json(one.joules)},
            {"cost", to_json(one.cost)},
            {"on_front", one.on_front},
            {"rent", to_json(one.offer)},
            {"purchase", to_json(one.to_buy)},
            {"unknown", Json::object()},
            {"backends", names_of(one.candidate.backends)},
            {"lacking", Json::object()},
            {"cases", Json::array()}};
  for (const auto& [quantity, why] : one.unknown) made["unknown"][std::string(name(quantity))] = why;
  for (const BackendRecord* backend : one.candidate.lacking) made["lacking"][backend->name] = backend->reason;
  for (std::size_t i = 0; i < one.parts.size(); ++i)
    made["cases"].push_back(to_json(one.parts[i], ranking.entries[i]));
  return made;
}

Json to_json(const Payback& payback) {
  return {{"gpu", payback.gpu},
          {"cpu", payback.cpu},
          {"bought", payback.bought},
          {"busy", to_json(payback.busy)},
          {"hours", number_or_null(payback.hours)},
          {"with_electricity", payback.with_electricity}};
}

}  // namespace

std::string to_json_text(const Ranking& ranking) {
  Json made{{"schema", rank_schema},
            {"created", ranking.created},
            {"tool", {{"name", "breakeven"}, {"version", ranking.tool_version}}},
            {"title", ranking.title},
            {"by", name(ranking.by)},
            {"weighted", ranking.weighted},
            {"currency", ranking.prices ? Json(ranking.prices->currency) : Json(nullptr)},
            {"notes", ranking.notes},
            {"prediction_errors", Json::array()},
            {"not_measured", ranking.nobody},
            {"ranking", Json::array()},
            {"payback", Json::array()},
            {"fits", Json::array()}};
  for (const auto& [by, error] : ranking.prediction_errors)
    made["prediction_errors"].push_back({{"roofline", name(by.roofline)},
                                         {"of", name(by.kind)},
                                         {"devices", error.devices},
                                         {"cases", error.cases},
                                         {"median_factor", error.typical},
                                         {"p95_factor", error.most}});
  for (const Ranked& one : ranking.ranked) made["ranking"].push_back(to_json(one, ranking));
  for (const Payback& payback : ranking.paybacks) made["payback"].push_back(to_json(payback));
  for (const RankedFit& fit : ranking.fits) {
    Json largest = Json::object();
    for (const auto& [candidate, of] : fit.largest) largest[candidate] = of.largest;
    made["fits"].push_back({{"title", fit.title}, {"largest", largest}});
  }
  return text_of(made);
}

}  // namespace breakeven
