// Tests the ranking file, field by field: docs/result-file.md.
#include "reports/exports/ranking_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "unit/rankings.h"
#include "unit/reports_sample.h"
#include "unit/texts_of_files.h"

namespace breakeven::rank_json_test {
namespace {

using Json = nlohmann::ordered_json;

PriceSource page() {
  return {.currency = "EUR", .source = "a page", .date = "2026-10-01"};
}

/// A ranking with every field set, and no two alike.
Rankings full_ranking(const std::vector<BackendRecord>& backends, const CaseResult& refused) {
  Rankings rankings;
  rankings.created = "2026-11-01T12:00:00Z";
  rankings.tool_version = "0.1.0";
  rankings.not_ranked = {"copy"};
  Ranking& ranking = rankings.all.emplace_back();
  ranking.op = "matmul";
  ranking.use = 0.5;
  ranking.title = "Our week";
  ranking.by = Metric::cost;
  ranking.weighted = true;
  ranking.entries = {{.id = "a/f32", .title = "a", .weight = 2.5, .instead = {}},
                     {.id = "b/f32", .title = "b", .weight = 1, .instead = {}}};
  ranking.nobody = {"nobody's"};
  ranking.prices = Prices{.currency = "EUR", .offers = {}, .electricity = {}};
  ranking.uncounted = {{.candidate = "n1", .cases = 2, .lacking = {"n2"}}};
  ranking.left_out = {"n3"};
  ranking.prediction_errors[{RooflineOf::ceilings, DeviceKind::processors}] = {
      .devices = 2, .cases = 3, .typical = 1.25, .most = 1.5};
  Ranked& one = ranking.ranked.emplace_back();
  one.candidate.name = "GPU of host";
  one.candidate.device = "A GPU";
  one.candidate.is_cpu = false;
  one.candidate.host.name = "host";
  one.candidate.backends = {&backends[0]};
  one.candidate.lacking = {&backends[1]};
  one.place = 1;
  one.behind = Estimate{.value = 1};
  one.seconds = Estimate{.value = 2, .interval = Interval{.low = 1.75, .high = 2.25}};
  one.joules = Estimate{.value = 3};
  one.cost = Estimate{.value = 0.5, .interval = Interval{.low = 0.25, .high = 0.75}};
  one.on_front = true;
  one.interrupted = 7;
  one.offer = Offer{.name = "an offer",
                    .device = "A GPU",
                    .host = {},
                    .cpus = {},
                    .per_hour = 2.5,
                    .purchase = {},
                    .from = page()};
  one.to_buy = Offer{.name = "a shop",
                     .device = "A GPU",
                     .host = {},
                     .cpus = {},
                     .per_hour = {},
                     .purchase = 999,
                     .from = page()};
  one.parts = {{.seconds = Estimate{.value = 4, .interval = Interval{.low = 3, .high = 5}},
                .joules = Estimate{.value = 6},
                .backend = "cuda",
                .dtype = "bf16",
                .in_place = true,
                .predicted = true,
                .own_speed = 0.75},
               {.seconds = {}, .joules = {}, .backend = "", .dtype = "", .without_time = {&refused}}};
  Ranked& other = ranking.ranked.emplace_back();
  other.predicted = true;
  other.candidate.is_cpu = true;
  other.parts.resize(2);
  other.behind_in_part = Estimate{.value = 0.75};
  other.no_cost = NoCost::no_time;
  ranking.paybacks = {{.gpu = "GPU of host",
                       .cpu = "CPU of host",
                       .busy = Estimate{.value = 0.5},
                       .hours = {},
                       .bought = false,
                       .with_electricity = true},
                      {.gpu = "GPU of host",
                       .cpu = "CPU of host",
                       .busy = {},
                       .hours = 20,
                       .bought = true,
                       .with_electricity = false}};
  rankings.fits = {{.title = "mlp",
                    .largest = {{"GPU of host", Fit{.largest = 4096, .refused = 4097, .limit = "memory"}}}}};
  return rankings;
}

TEST(RankJson, HasEveryField) {
  const std::vector<BackendRecord> backends{sample::backend("cuda", true),
                                            sample::backend("jax", false, "No module named 'jax'")};
  const CaseResult refused = sample::refused(sample::product("cuda", 64, 1), Status::out_of_memory, "4 GiB");
  Json found = Json::parse(to_json_text(full_ranking(backends, refused)));
  for (Json& one : found["rankings"][0]["ranking"]) {
    EXPECT_EQ(one.at("host").at("name"), one["is_cpu"] == true ? "" : "host");
    one.erase("host");  // as every file has it: docs/result-file.md
  }
  EXPECT_EQ(found, Json::parse(R"({
    "schema": "breakeven.rank/2", "created": "2026-11-01T12:00:00Z",
    "tool": {"name": "breakeven", "version": "0.1.0"},
    "notes": ["left out, because the others have cases in common without it: n3; --mix CONFIG names the work instead", "no two machines have cases of copies in common"],
    "rankings": [{
    "title": "Our week", "op": "matmul", "by": "cost", "weighted": true,
    "currency": "EUR", "use": 0.5, "uncounted": [{"name": "n1", "cases": 2, "lacking": ["n2"]}],
    "prediction_errors": [{"roofline": "ceilings", "of": "processors", "devices": 2, "cases": 3,
                           "median_factor": 1.25, "p95_factor": 1.5}],
    "not_measured": ["nobody's"],
    "ranking": [
      {"name": "GPU of host", "device": "A GPU", "is_cpu": false, "predicted": false, "place": 1,
       "behind": {"value": 1.0, "ci_low": null, "ci_high": null}, "behind_in_part": null,
       "seconds": {"value": 2.0, "ci_low": 1.75, "ci_high": 2.25},
       "joules": {"value": 3.0, "ci_low": null, "ci_high": null},
       "cost": {"value": 0.5, "ci_low": 0.25, "ci_high": 0.75}, "on_front": true,
       "interrupted": 7,
       "rent": {"name": "an offer", "per_hour": 2.5, "purchase": null, "currency": "EUR", "source": "a page",
                "date": "2026-10-01"},
       "purchase": {"name": "a shop", "per_hour": null, "purchase": 999.0, "currency": "EUR",
                    "source": "a page", "date": "2026-10-01"},
       "unknown": {}, "backends": ["cuda"], "lacking": {"jax": "No module named 'jax'"},
       "cases": [
         {"id": "a/f32", "weight": 2.5, "seconds": {"value": 4.0, "ci_low": 3.0, "ci_high": 5.0},
          "joules": {"value": 6.0, "ci_low": null, "ci_high": null}, "backend": "cuda", "dtype": "bf16",
          "other_dtype": true, "predicted": true, "own_speed": 0.75, "unknown": ""},
         {"id": "b/f32", "weight": 1.0, "seconds": null, "joules": null, "backend": "", "dtype": "",
          "other_dtype": false, "predicted": false, "own_speed": null, "unknown": "cuda: out of memory: 4 GiB"}]},
      {"name": "", "device": "", "is_cpu": true, "predicted": true, "place": null, "behind": null,
       "behind_in_part": {"value": 0.75, "ci_low": null, "ci_high": null},
       "seconds": null, "joules": null, "cost": null, "on_front": false, "interrupted": 0, "rent": null, "purchase": null,
       "unknown": {"time": "none of these cases was measured on it",
                   "energy": "none of these cases was measured on it", "cost": "none of these cases was measured on it"}, "backends": [], "lacking": {},
       "cases": [
         {"id": "a/f32", "weight": 2.5, "seconds": null, "joules": null, "backend": "", "dtype": "",
          "other_dtype": false, "predicted": false, "own_speed": null, "unknown": "not measured"},
         {"id": "b/f32", "weight": 1.0, "seconds": null, "joules": null, "backend": "", "dtype": "",
          "other_dtype": false, "predicted": false, "own_speed": null, "unknown": "not measured"}]}],
    "payback": [
      {"gpu": "GPU of host", "cpu": "CPU of host", "bought": false,
       "busy": {"value": 0.5, "ci_low": null, "ci_high": null}, "hours": null, "with_electricity": true},
      {"gpu": "GPU of host", "cpu": "CPU of host", "bought": true, "busy": null, "hours": 20.0,
       "with_electricity": false}]}],
    "not_ranked": ["copy"], "fits": [{"title": "mlp", "largest": {"GPU of host": 4096}}]})"));
}

TEST(RankJson, ByEnergyHasTheBackendWhoseEnergyCounts) {
  const std::vector<BackendRecord> backends{sample::backend("cuda", true), sample::backend("jax", true)};
  const CaseResult refused;
  Rankings rankings = full_ranking(backends, refused);
  Ranking& ranking = rankings.all.front();
  ranking.ranked[0].parts[0].most_economical = ComputedBy{.backend = "jax", .dtype = "f16"};
  const auto counted = [&](Metric by) {
    ranking.by = by;
    const Json one = Json::parse(to_json_text(rankings))["rankings"][0]["ranking"][0]["cases"][0];
    return fmt::format("{} {} {}", one["backend"].get<std::string>(), one["dtype"].get<std::string>(),
                       one["other_dtype"].get<bool>());
  };
  EXPECT_EQ(counted(Metric::energy), "jax f16 false");
  EXPECT_EQ(counted(Metric::time), "cuda bf16 true");
  EXPECT_EQ(counted(Metric::cost), "cuda bf16 true");
}

TEST(RankJson, HasNoCurrencyWithoutPrices) {
  const Json found = Json::parse(to_json_text(alone({})))["rankings"][0];
  EXPECT_TRUE(found.at("currency").is_null());
  EXPECT_EQ(found.at("by"), "time");
  EXPECT_EQ(found.at("weighted"), false);
}

}  // namespace
}  // namespace breakeven::rank_json_test
