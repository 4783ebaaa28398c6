#include "rank/rank.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <span>

#include "reports/exports/ranking_json.h"
#include "unit/hostile_sample.h"
#include "unit/rankings.h"
#include "unit/reports_sample.h"
#include "unit/texts_of_files.h"

namespace breakeven {
namespace {

using sample::product;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pointee;
using testing::SizeIs;

Result machine(const std::string& host, std::vector<CaseResult> cases) {
  Result run = sample::on_machine(host, sample::result(std::move(cases)));
  run.backends = {sample::backend("onednn", true)};
  return run;
}

/// A machine with a GPU on which all of this was measured.
Result gpu_machine(const std::string& host, std::vector<CaseResult> cases, const std::string& gpu = "A GPU") {
  for (CaseResult& c : cases) {
    c.device = "gpu";
    c.backend = "cuda";
  }
  Result run = machine(host, std::move(cases));
  BackendRecord backend = sample::backend("cuda", true);
  backend.device = "gpu";
  backend.device_name = gpu;
  backend.device_id = "GPU-" + host;
  run.backends.push_back(backend);
  return run;
}

CaseResult with_energy(CaseResult c, double joules) {
  c.joules = joules;
  return c;
}

Mix mix_of(const std::vector<std::pair<std::int64_t, double>>& weights) {
  Mix mix{.title = "Our week", .entries = {}};
  for (const auto& [m, weight] : weights)
    mix.entries.push_back({.id = product("", m, 1).id, .title = "product", .weight = weight, .instead = {}});
  return mix;
}

Offer rent(const std::string& device, double per_hour) {
  return {.name = "offer",
          .device = device,
          .host = {},
          .cpus = {},
          .per_hour = per_hour,
          .purchase = {},
          .from = {.currency = "USD", .source = "a page", .date = "2026-10-01"}};
}
Offer buy(const std::string& device, double purchase) {
  Offer offer = rent(device, 1);
  offer.per_hour.reset();
  offer.purchase = purchase;
  return offer;
}
Prices prices_of(std::vector<Offer> offers) {
  return {.currency = "USD", .offers = std::move(offers), .electricity = {}};
}

Ranking ranked(std::span<const Result> results, const std::optional<Mix>& mix = {},
               const std::optional<Prices>& prices = {}, Metric by = Metric::time) {
  RankOptions options;
  options.mix = mix;
  options.prices = prices;
  options.by = by;
  return rank_results(results, options);
}

std::vector<std::string> names(const Ranking& ranking) {
  std::vector<std::string> all;
  for (const Ranked& one : ranking.ranked) all.push_back(one.candidate.name);
  return all;
}

TEST(Rank, IsByTheGeometricMeanOfWhatAllHave) {
  const std::vector<Result> results{
      machine("slow", {product("onednn", 64, 1), product("onednn", 128, 8)}),
      machine("fast", {product("onednn", 64, 0.5), product("onednn", 128, 1), product("onednn", 256, 99)})};
  const Ranking ranking = ranked(results);
  EXPECT_THAT(names(ranking), ElementsAre("CPU of fast, 2 cores", "CPU of slow, 2 cores"));
  EXPECT_THAT(ranking.entries, SizeIs(2)) << "the third was measured on one of them";
  EXPECT_EQ(ranking.ranked[0].place, 1);
  EXPECT_EQ(ranking.ranked[1].place, 2);
  EXPECT_NEAR(ranking.ranked[1].behind->value, 4, 1e-9) << "2 and 8 times";
  ASSERT_TRUE(ranking.ranked[1].behind->interval);
  EXPECT_EQ(exit_status(alone(ranking)), 0);
}

TEST(Rank, SaysWhichCasesOthersLack) {
  const auto uncounted = [](const std::vector<Result>& runs, const RankOptions& options = {}) {
    return rank_results(runs, options).uncounted;
  };
  const Result one =
      machine("n1", {product("onednn", 64, 1), product("onednn", 128, 1), product("onednn", 256, 1)});
  const Result other = machine("n2", {product("onednn", 64, 1)});
  EXPECT_THAT(uncounted({one, other}),
              ElementsAre(Uncounted{
                  .candidate = "CPU of n1, 2 cores", .cases = 2, .lacking = {"CPU of n2, 2 cores"}}));
  EXPECT_THAT(uncounted({one, one}), IsEmpty());
  RankOptions with_mix;
  with_mix.mix = mix_of({{64, 1}});
  EXPECT_THAT(uncounted({one, other}, with_mix), IsEmpty()) << "the mix says what counts";
}

TEST(Rank, IsByTheSumWithAMix) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1), product("onednn", 128, 8)}),
                                    machine("b", {product("onednn", 64, 2), product("onednn", 128, 5)})};
  const Ranking seldom = ranked(results, mix_of({{64, 10}, {128, 1}}));
  EXPECT_THAT(names(seldom), ElementsAre("CPU of a, 2 cores", "CPU of b, 2 cores"));
  EXPECT_NEAR(seldom.ranked[0].seconds->value, 18, 1e-9);
  const Ranking often = ranked(results, mix_of({{64, 1}, {128, 1}}));
  EXPECT_THAT(names(often), ElementsAre("CPU of b, 2 cores", "CPU of a, 2 cores"));
  EXPECT_NEAR(often.ranked[0].seconds->value, 7, 1e-9);
}

TEST(Rank, CallsTiesTies) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1.005)}),
                                    machine("b", {product("onednn", 64, 1)}),
                                    machine("c", {product("onednn", 64, 1.5)})};
  const Ranking ranking = ranked(results);
  EXPECT_EQ(ranking.ranked[0].place, 1);
  EXPECT_EQ(ranking.ranked[1].place, 1);
  EXPECT_EQ(ranking.ranked[2].place, 3);
}

/// Samples of two speeds: the median is close to the lower end of its interval.
/// Its runs differ by more than the samples of one, and noise makes the best of many backends look faster.
TEST(Rank, MachinesThatARunCannotTellApartShareAPlace) {
  std::vector<CaseResult> one_backend;
  std::vector<CaseResult> many_backends;
  for (const std::int64_t m : {64, 128, 256, 512}) {
    one_backend.push_back(product("a", m, 1.02, 0.001));
    for (const char* name : {"a", "b", "c", "d", "e", "f"})
      many_backends.push_back(product(name, m, 1, 0.001));
  }
  const std::vector<Result> results{machine("many", many_backends), machine("one", one_backend)};
  const Ranking ranking = rank_results(results, {});
  EXPECT_EQ(ranking.ranked[1].candidate.host.name, "one");
  EXPECT_EQ(ranking.ranked[1].place, 1);
  EXPECT_NEAR(ranking.ranked[0].seconds->value, 1 + 1.267 * 0.013, 1e-3)
      << "of six equal values, what noise of 1.3 % takes from the smallest";
  EXPECT_EQ(ranking.ranked[0].parts[0].seconds->value, 1) << "as it was measured";
}

TEST(Rank, MachineInsideTheSkewedIntervalOfTheFirstSharesItsPlace) {
  CaseResult skewed = product("onednn", 64, 10.04);
  skewed.seconds->ci_low = 10.0;
  skewed.seconds->ci_high = 12.48;
  const std::vector<Result> results{machine("a", {skewed}), machine("b", {product("onednn", 64, 11.4)})};
  const Ranking ranking = ranked(results);
  EXPECT_THAT(names(ranking), ElementsAre("CPU of a, 2 cores", "CPU of b, 2 cores"));
  EXPECT_EQ(ranking.ranked[1].place, 1);
}

TEST(Rank, RanksWithoutIntervalsOnlyWhatIsPlainlyDifferent) {
  const auto without_interval = [](const std::string& name, double seconds) {
    return machine(name, {product("onednn", 64, seconds, std::nullopt)});
  };
  const std::vector<Result> results{without_interval("a", 1.08), without_interval("b", 1),
                                    without_interval("c", 1.3)};
  const Ranking ranking = ranked(results);
  EXPECT_EQ(ranking.ranked[0].place, 1);
  EXPECT_EQ(ranking.ranked[1].place, 1) << "8 % may be noise";
  EXPECT_EQ(ranking.ranked[2].place, 3);
}

TEST(Rank, TakesTheFastestBackendThatIsRight) {
  CaseResult wrong = sample::refused(product("openblas", 64, 0.1), Status::wrong, "element 3 is 0");
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1), product("blis", 64, 0.7), wrong}),
                                    machine("b", {product("onednn", 64, 0.9)})};
  const Ranking ranking = ranked(results);
  EXPECT_EQ(ranking.ranked[0].candidate.host.name, "a");
  EXPECT_EQ(ranking.ranked[0].parts[0].backend, "blis");
}

TEST(Rank, CountsTheResultsOfTheWorkThatWereInterrupted) {
  const auto interrupted = [](const std::string& backend, std::int64_t m) {
    return sample::refused(product(backend, m, 1), Status::interrupted, "not measured yet");
  };
  const std::vector<Result> results{
      machine("a", {product("onednn", 64, 1), interrupted("blis", 64), interrupted("onednn", 128)}),
      machine("b", {product("onednn", 64, 2)})};
  EXPECT_EQ(ranked(results).ranked[0].interrupted, 2U);
  EXPECT_EQ(ranked(results, mix_of({{64, 1}})).ranked[0].interrupted, 1U) << "128 is not in the mix";
  EXPECT_EQ(ranked(results).ranked[1].interrupted, 0U);
}

TEST(Rank, WhatIsUnknownStaysUnknown) {
  const CaseResult oom =
      sample::refused(product("onednn", 128, 1), Status::out_of_memory, "4 GiB were asked for");
  const std::vector<Result> results{machine("small", {product("onednn", 64, 0.1), oom}),
                                    machine("large", {product("onednn", 64, 1), product("onednn", 128, 8)}),
                                    machine("other", {product("onednn", 64, 2), product("onednn", 128, 9)})};
  const Ranking ranking = ranked(results, mix_of({{64, 1}, {128, 1}}));
  const Ranked& last = ranking.ranked.back();
  EXPECT_EQ(last.candidate.host.name, "small");
  EXPECT_EQ(last.place, 0);
  EXPECT_FALSE(last.seconds);
  EXPECT_THAT(last.parts[1].without_time,
              ElementsAre(Pointee(Field(&CaseResult::reason, "4 GiB were asked for"))));
  EXPECT_FALSE(last.joules);
  EXPECT_EQ(exit_status(alone(ranking)), 0);
}

TEST(Rank, ACaseThatNobodyMeasuredIsNamed) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1)}),
                                    machine("b", {product("onednn", 64, 1)})};
  const Ranking ranking = ranked(results, mix_of({{64, 1}, {4096, 1}}));
  EXPECT_THAT(ranking.nobody, ElementsAre("product"));
  EXPECT_EQ(exit_status(alone(ranking)), 4);
}

TEST(Rank, OneMachineIsNoRanking) {
  const std::vector<Result> one{machine("a", {product("onednn", 64, 1)})};
  const Ranking ranking = ranked(one);
  EXPECT_EQ(exit_status(alone(ranking)), 4);
  const std::vector<Result> none{machine("a", {})};
  EXPECT_EQ(exit_status(alone(ranked(none))), 4);
  EXPECT_EQ(exit_status(alone(ranked({}))), 4);
}

TEST(Rank, OtherDtypesStandInWhereAskedForAndAreNamed) {
  CaseResult bf16 = product("onednn", 64, 0.1);
  bf16.id = "matmul/m=64/bf16";
  bf16.dtype = "bf16";
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1), bf16}),
                                    machine("b", {product("onednn", 64, 0.5)})};
  Mix mix = mix_of({{64, 1}});
  EXPECT_EQ(ranked(results, mix).ranked[0].candidate.host.name, "b");
  mix.entries[0].instead = {bf16.id};
  const Ranking asked = ranked(results, mix);
  EXPECT_EQ(asked.ranked[0].candidate.host.name, "a");
}

TEST(Rank, CostsAreTimesPricesByTheirExactName) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 10)}),
                                    gpu_machine("g", {product("cuda", 64, 1)}),
                                    gpu_machine("h", {product("cuda", 64, 0.5)}, "A GPU Ti")};
  const Prices prices = prices_of({rent("CPU of a", 0.1), rent("A GPU", 4), rent("A GPU", 2)});
  const Ranking ranking = ranked(results, {}, prices, Metric::cost);
  EXPECT_THAT(names(ranking), ElementsAre("CPU of a, 2 cores", "A GPU", "A GPU Ti"));
  EXPECT_NEAR(ranking.ranked[1].cost->value, 2.0 / 3600, 1e-12) << "the cheaper of two offers";
  EXPECT_FALSE(ranking.ranked[2].cost) << "no guess";
  EXPECT_EQ(ranking.ranked[2].no_cost, NoCost::no_price);
  // Rented, a GPU ten times as fast at twenty times the price is twice as dear however busy it is.
  ASSERT_THAT(ranking.paybacks, SizeIs(1));
  EXPECT_NEAR(ranking.paybacks[0].busy->value, 2, 1e-9);
}

/// The reason why a candidate has no cost.
std::string why_no_cost(const Ranked& one) {
  return one.no_cost == NoCost::ambiguous_price ? "ambiguous" : one.no_cost == NoCost::no_price ? "none" : "";
}

constexpr const char* zen5 = "AuthenticAMD family 26 model 2 stepping 1";
constexpr const char* zen4 = "AuthenticAMD family 25 model 17 stepping 1";

/// The costs per hour, with these offers, of two machines whose processors have the same name in the kernel.
/// The first, of Zen 5, works for an hour, the second for two.
std::vector<std::string> priced(const std::vector<Offer>& offers) {
  std::vector<Result> results{machine("vm", {product("onednn", 64, 3600)}),
                              machine("vm", {product("onednn", 64, 7200)})};
  results[0].host.cpu_identity = zen5;
  results[1].host.cpu_identity = zen4;
  std::vector<std::string> said;
  for (const Ranked& one : ranked(results, {}, prices_of(offers)).ranked)
    said.push_back(fmt::format("{}: {}", one.candidate.name,
                               one.offer
                                   ? fmt::format("{}, {:g} in all", *one.offer->per_hour, one.cost->value)
                                   : why_no_cost(one)));
  return said;
}

TEST(Rank, TheOfferThatNamesAProcessorIsItsOwn) {
  Offer precise = rent("CPU of vm", 3);
  precise.name = "c8a.large";
  precise.cpu_identity = zen5;
  Offer other = rent("CPU of vm", 1);
  other.name = "c7a.large";
  const auto each_its_own =
      ElementsAre(HasSubstr("Zen 5, 2 cores: 3, 3 in all"), HasSubstr("Zen 4, 2 cores: 1, 2 in all"));
  EXPECT_THAT(priced({other, precise}), each_its_own) << "the cheaper one is the other's";
  other.cpu_identity = zen4;
  EXPECT_THAT(priced({other, precise}), each_its_own);
  precise.cpu_identity = "AuthenticAMD family 99 model 2 stepping 1";
  EXPECT_THAT(priced({precise}), Each(HasSubstr(": none")));
}

TEST(Rank, ANameOfSeveralProcessorsPricesNone) {
  EXPECT_THAT(priced({rent("CPU of vm", 1)}), Each(HasSubstr(": ambiguous")));
}

/// A size is no detail: the larger machine would do the work at the price of the smaller one.
TEST(Rank, ANameOfMachinesOfSeveralSizesPricesNone) {
  std::vector<Result> results{machine("vm", {product("onednn", 64, 3600)}),
                              machine("vm", {product("onednn", 64, 7200)})};
  for (Result& run : results) run.host.cpu_identity = zen5;
  results[1].host.cpus = 8;
  const auto costs = [&](const std::vector<Offer>& offers) {
    std::vector<std::string> all;
    for (const Ranked& one : ranked(results, {}, prices_of(offers)).ranked)
      all.push_back(one.cost ? fmt::format("{:.6g}", one.cost->value) : why_no_cost(one));
    return all;
  };
  const auto of_size = [](int cpus, double per_hour) {
    Offer offer = rent("CPU of vm", per_hour);
    offer.cpus = cpus;
    return offer;
  };
  Offer offer = rent("CPU of vm", 1);
  EXPECT_THAT(costs({offer}), Each("ambiguous"));
  offer.cpu_identity = zen5;
  EXPECT_THAT(costs({offer}), Each("ambiguous"));
  EXPECT_THAT(costs({of_size(2, 1), of_size(8, 3)}), ElementsAre("1", "6"));
  offer = rent("CPU of vm", 5);
  EXPECT_THAT(costs({of_size(2, 1), offer}), ElementsAre("1", "10")) << "it is of the other one alone";
}

/// The same case as ranks on these hosts compute it.
CaseResult by_ranks(CaseResult c, const std::vector<std::string>& hosts) {
  c.parameters.set("ranks", static_cast<std::int64_t>(hosts.size()));
  for (const std::string& host : hosts) c.conditions.ranks.push_back({.host = host, .threads = 1});
  return c;
}

TEST(Rank, ACaseOfSeveralGpusHasNoPriceOfOne) {
  CaseResult of_four = by_ranks(product("cuda", 64, 36), {"g", "g", "h", "h"});
  const auto with_gpu = [&] {
    return std::vector<Result>{machine("a", {product("onednn", 64, 3600)}), gpu_machine("g", {of_four})};
  };
  const Prices prices = prices_of({rent("CPU of a", 0.5), rent("A GPU", 2), buy("A GPU", 1000)});
  for (const bool has_places : {true, false}) {
    if (!has_places) of_four.conditions.ranks.clear();  // as in older files
    const std::vector<Result> results = with_gpu();
    const Ranking ranking = ranked(results, {}, prices);
    EXPECT_THAT(names(ranking), ElementsAre("A GPU", "CPU of a, 2 cores"));
    EXPECT_FALSE(ranking.ranked[0].cost);
    EXPECT_EQ(ranking.ranked[0].no_cost, NoCost::several_devices);
    EXPECT_EQ(ranking.ranked[0].of_several_devices()->devices, 4U);
    EXPECT_TRUE(ranking.ranked[1].cost);
    EXPECT_THAT(ranking.paybacks, IsEmpty());
  }
  of_four = product("cuda", 64, 36);
  const std::vector<Result> single = with_gpu();
  EXPECT_THAT(ranked(single, {}, prices).paybacks, SizeIs(2));
  EXPECT_FALSE(ranked(single, {}, prices).ranked[0].no_cost);
}

TEST(Rank, ACaseOfSeveralHostsHasNoPriceOfOne) {
  const Prices prices = prices_of({rent("CPU of a", 1), rent("CPU of b", 1)});
  const auto cost_of = [&](const std::vector<std::string>& hosts) {
    const std::vector<Result> results{machine("a", {by_ranks(product("onednn", 64, 1), hosts)}),
                                      machine("b", {by_ranks(product("onednn", 64, 2), {"b", "b"})})};
    const Ranking ranking = ranked(results, {}, prices);
    return std::pair(ranking.ranked[0].no_cost, ranking.ranked[0].parts[0].devices);
  };
  EXPECT_EQ(cost_of({"a", "c"}), std::pair(std::optional(NoCost::several_devices), std::size_t{2}));
  EXPECT_EQ(cost_of({"a", "a"}), std::pair(std::optional<NoCost>(), std::size_t{1}))
      << "two ranks on one host";
}

TEST(Rank, TheOfferOfAGpuIsNotThatOfItsHost) {
  Result both = gpu_machine("g", {product("cuda", 64, 3600)});
  both.cases.push_back(product("onednn", 64, 7200));
  const std::vector<Result> results{both};
  Offer of_host = rent("", 0.2);
  of_host.host = "g";
  const Ranking priced = ranked(results, {}, prices_of({rent("A GPU", 2.95), of_host}));
  EXPECT_FALSE(priced.ranked[0].candidate.is_cpu);
  EXPECT_NEAR(priced.ranked[0].cost.value().value, 2.95, 1e-9);
  EXPECT_NEAR(priced.ranked[1].cost.value().value, 0.4, 1e-9);
  const Ranking alone = ranked(results, {}, prices_of({of_host}));
  EXPECT_EQ(alone.ranked[0].no_cost, NoCost::price_of_host_only);
  Offer of_gpu_there = rent("A GPU", 4);
  of_gpu_there.host = "g";
  const Ranking whole = ranked(results, {}, prices_of({rent("A GPU", 2.95), of_host, of_gpu_there}));
  EXPECT_NEAR(whole.ranked[0].cost.value().value, 4, 1e-9) << "the more specific one";
}

TEST(Rank, ColdCachesAreNotRankedBesideWarmOnes) {
  std::vector<Result> results{machine("a", {product("onednn", 64, 1)}),
                              machine("b", {product("onednn", 64, 2)})};
  EXPECT_FALSE(mixed_caches(results));
  results[1].config = R"({"title": "Which is faster?", "measure": {"cache": "cold"}})";
  const MixedCaches mixed = mixed_caches(results).value();
  EXPECT_EQ(mixed.warm, "a");
  EXPECT_EQ(mixed.cold, "b");
  results[0].config = results[1].config;
  EXPECT_FALSE(mixed_caches(results));
}

TEST(Rank, AMachineWithoutAnyTimeTakesNoWorkAway) {
  const CaseResult failed = sample::refused(product("onednn", 64, 1), Status::failed, "crashed");
  const std::vector<Result> results{
      machine("a", {product("onednn", 64, 1), product("onednn", 128, 1)}),
      machine("b",
              {product("onednn", 64, 2), sample::refused(product("onednn", 128, 1), Status::timed_out, "")}),
      machine("broken", {failed})};
  const Ranking ranking = ranked(results);
  ASSERT_THAT(ranking.entries, SizeIs(1));
  EXPECT_EQ(ranking.entries[0].id, "matmul/m=64/n=64/k=64/f32");
  EXPECT_EQ(ranking.entries[0].title, "matmul 64 x 64 x 64 f32");
  EXPECT_THAT(names(ranking),
              ElementsAre("CPU of a, 2 cores", "CPU of b, 2 cores", "CPU of broken, 2 cores"));
  EXPECT_EQ(ranking.ranked[2].place, 0);
  EXPECT_THAT(ranking.ranked[2].parts[0].without_time,
              ElementsAre(Pointee(Field(&CaseResult::reason, "crashed"))));
  EXPECT_EQ(exit_status(alone(ranking)), 0);
}

TEST(Rank, LeavesOutAMachineOfOtherWork) {
  const std::vector<Result> results{machine("other", {product("onednn", 4, 1), product("onednn", 5, 1)}),
                                    machine("a", {product("onednn", 64, 1), product("onednn", 128, 1)}),
                                    machine("few", {product("onednn", 128, 1), product("onednn", 5, 1)}),
                                    machine("b", {product("onednn", 64, 2), product("onednn", 128, 2)})};
  const Ranking ranking = ranked(results);
  ASSERT_THAT(ranking.entries, SizeIs(1)) << "what is left after \"other\" alone";
  EXPECT_EQ(ranking.entries[0].id, "matmul/m=128/n=128/k=128/f32");
  EXPECT_THAT(ranking.left_out, ElementsAre("CPU of other, 2 cores"));
  EXPECT_EQ(ranking.ranked[3].place, 0);
  EXPECT_THAT(ranking.ranked[3].parts[0].without_time, IsEmpty());
  EXPECT_EQ(exit_status(alone(ranking)), 0);
}

TEST(Rank, LeavesOutTheLastOfThoseThatShareEquallyLittle) {
  const std::vector<Result> results{
      machine("a", {product("onednn", 1, 1)}), machine("b", {product("onednn", 1, 2)}),
      machine("c", {product("onednn", 2, 1)}), machine("d", {product("onednn", 2, 2)})};
  const Ranking ranking = ranked(results);
  ASSERT_THAT(ranking.entries, SizeIs(1));
  EXPECT_EQ(ranking.entries[0].id, "matmul/m=1/n=1/k=1/f32");
}

TEST(Rank, MachinesWithoutACommonCaseAreNotRanked) {
  const std::vector<Result> apart{machine("a", {product("onednn", 64, 1)}),
                                  machine("b", {product("onednn", 128, 1)})};
  const Ranking ranking = ranked(apart);
  EXPECT_THAT(ranking.entries, IsEmpty());
  EXPECT_FALSE(ranking.ranked[0].seconds);
  EXPECT_FALSE(ranking.can_rank());
  EXPECT_EQ(exit_status(alone(ranking)), 4);
}

TEST(Rank, EnergyIsThatOfTheMostEconomicalBackend) {
  CaseResult fast = with_energy(product("onednn", 64, 1), 9);
  CaseResult slow = with_energy(product("blis", 64, 2), 4);
  CaseResult unknown = with_energy(product("openblas", 64, 3), 0);
  const std::vector<Result> results{machine("a", {fast, slow, unknown}),
                                    machine("b", {product("onednn", 64, 3)})};
  const Ranking ranking = ranked(results, {}, {}, Metric::energy);
  EXPECT_EQ(ranking.ranked[0].parts[0].backend, "onednn");
  EXPECT_EQ(ranking.ranked[0].joules->value, 4);
  EXPECT_EQ(ranking.ranked[0].place, 1);
  EXPECT_EQ(ranking.ranked[1].place, 0);
  EXPECT_FALSE(ranking.ranked[1].joules);
  EXPECT_EQ(exit_status(alone(ranking)), 4) << "one of two has a place";
}

TEST(Rank, ByEnergyTheDtypeOfTheMostEconomicalBackendCounts) {
  const CaseResult bf16 = with_energy(sample::in_dtype(product("blis", 64, 2), "bf16"), 4);
  const std::vector<Result> results{machine("a", {with_energy(product("onednn", 64, 1), 9), bf16})};
  Mix mix = mix_of({{64, 1}});
  mix.entries[0].instead = {bf16.id};
  const Ranking ranking = ranked(results, mix, {}, Metric::energy);
  const RankedPart& part = ranking.ranked[0].parts[0];
  EXPECT_EQ(part.joules->value, 4);
  EXPECT_EQ(part.counted(Metric::energy).backend, "blis");
  EXPECT_EQ(part.counted(Metric::energy).dtype, "bf16");
  EXPECT_TRUE(part.counted(Metric::energy).in_place);
  EXPECT_EQ(part.counted(Metric::time).backend, "onednn");
  EXPECT_FALSE(part.counted(Metric::time).in_place);
  EXPECT_THAT(to_json_text(alone(ranking)), HasSubstr("\"other_dtype\":true"));
}

TEST(Rank, SaysWhichPricesAreOfNothingHere) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1)}),
                                    machine("b", {product("onednn", 64, 2)})};
  std::vector<Offer> offers{rent("CPU of a", 1), rent("Z80", 1), rent("Z80", 2)};
  Offer of_host = rent("", 1);
  of_host.host = "elsewhere";
  offers.push_back(of_host);
  const auto unused = [&] {
    RankOptions options;
    options.prices = prices_of(offers);
    return rank_by_work(results, options).unused_prices;
  };
  EXPECT_THAT(unused(), ElementsAre("Z80", "elsewhere"));
  for (const char* name : {"A", "B", "C", "D"}) offers.push_back(rent(name, 1));
  EXPECT_THAT(unused(), IsEmpty()) << "a whole list of prices";
}

TEST(Rank, SaysWhyThereIsNoCost) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1)}),
                                    gpu_machine("g", {product("cuda", 128, 1)})};
  const auto why = [&](const std::optional<Prices>& prices) {
    std::vector<std::optional<NoCost>> all;
    for (const Ranked& one : ranked(results, mix_of({{64, 1}}), prices).ranked) all.push_back(one.no_cost);
    return all;
  };
  EXPECT_THAT(why({}), Each(NoCost::no_prices));
  EXPECT_THAT(why(prices_of({buy("CPU of a", 100), rent("A GPU", 1)})),
              ElementsAre(NoCost::purchase_price_only, NoCost::no_time));
  EXPECT_THAT(why(prices_of({rent("CPU of a", 1)})), ElementsAre(std::nullopt, NoCost::no_price));
}

TEST(Rank, AnOfferMayBeOfAHostOrOfSomeCpus) {
  std::vector<Result> results{machine("vm", {product("onednn", 64, 3600)}),
                              machine("vm", {product("onednn", 64, 7200)})};
  results[1].host.cpus = 8;
  results[1].host.cpu_features = {"avx2"};
  const auto costs = [&](const std::vector<Offer>& offers) {
    std::vector<double> all;
    for (const Ranked& one : ranked(results, {}, prices_of(offers)).ranked)
      all.push_back(one.cost ? std::round(one.cost->value * 1e6) / 1e6 : 0);
    return all;
  };
  Offer small = rent("CPU of vm", 1);
  small.cpus = 2;
  Offer large = rent("CPU of vm", 3);
  large.cpus = 8;
  EXPECT_THAT(costs({small, large}), ElementsAre(1, 6));
  Offer host = rent("CPU of vm", 5);
  host.host = "vm";
  EXPECT_THAT(costs({host}), ElementsAre(5, 10)) << "both are called so";
  host.cpus = 8;
  EXPECT_THAT(costs({small, host}), ElementsAre(1, 10));
  host.host = "another";
  EXPECT_THAT(costs({host}), ElementsAre(0, 0));
  EXPECT_THAT(costs({rent("CPU of vm", 1)}), ElementsAre(0, 0))
      << "unlike instruction sets are two processors";
}

TEST(Rank, AMachinesNameIsItsMostPreciseCondition) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 3600)}),
                                    gpu_machine("g", {product("cuda", 64, 3600)})};
  const auto of_machine = [](const std::string& name, double per_hour) {
    Offer offer = rent("", per_hour);
    offer.machine = name;
    return offer;
  };
  const auto costs = [&](const std::vector<Offer>& offers) {
    std::map<std::string, double> all;
    for (const Ranked& one : ranked(results, {}, prices_of(offers)).ranked)
      all[one.candidate.name] = one.cost ? std::round(one.cost->value * 1e6) / 1e6 : 0;
    return std::vector{all["CPU of a, 2 cores"], all["A GPU"]};
  };
  Offer precise = rent("CPU of a", 1);
  precise.host = "a";
  precise.cpus = results[0].host.cpus;
  EXPECT_THAT(costs({precise, of_machine("CPU of a, 2 cores", 3)}), ElementsAre(3, 0));
  EXPECT_THAT(costs({of_machine("A GPU", 4)}), ElementsAre(0, 4));

  RankOptions options;
  options.prices = prices_of({of_machine("A GPU", 4)});
  EXPECT_FALSE(rank_by_work(results, options).unknown_machine);
  options.prices = prices_of({of_machine("A GPU", 4), of_machine("A CPU", 4)});
  const auto unknown = rank_by_work(results, options).unknown_machine;
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->name, "A CPU");
  EXPECT_THAT(unknown->known, ElementsAre("CPU of a, 2 cores", "A GPU"));
}

TEST(Rank, MachinesThatAreUsedLessCostMore) {
  const std::vector<Result> results{machine("a", {product("onednn", 64, 3600)})};
  RankOptions options;
  options.prices = prices_of({rent("CPU of a", 1)});
  options.use = 0.25;
  const Ranking ranking = rank_results(results, options);
  EXPECT_NEAR(ranking.ranked[0].cost->value, 4, 1e-9);
  Ranking by_cost = ranking;
  by_cost.by = Metric::cost;
  EXPECT_NEAR(*amount_of_part(by_cost, by_cost.ranked[0], 0), 4, 1e-9);
}

/// A machine that lacks one case is compared over the others: the first may owe its place to what it lacks.
TEST(Rank, TheFirstIsComparedWithMachinesThatLackACase) {
  const std::vector<Result> results{machine("whole", {product("onednn", 64, 8), product("onednn", 128, 4)}),
                                    machine("slow", {product("onednn", 64, 9), product("onednn", 128, 9)}),
                                    machine("part", {product("onednn", 64, 2)}),
                                    machine("none", {product("onednn", 256, 2)})};
  const Ranking ranking = ranked(results, mix_of({{64, 3}, {128, 1}}));
  ASSERT_THAT(ranking.ranked, SizeIs(4));
  EXPECT_EQ(ranking.ranked[0].candidate.host.name, "whole");
  EXPECT_FALSE(ranking.ranked[0].behind_in_part);
  EXPECT_EQ(ranking.ranked[2].candidate.host.name, "part");
  EXPECT_EQ(ranking.ranked[2].known, 1U);
  EXPECT_NEAR(ranking.ranked[2].behind_in_part.value().value, 0.25, 0.01);
  EXPECT_FALSE(ranking.ranked[3].behind_in_part) << "nothing in common";
  EXPECT_FALSE(ranked(results).ranked.back().behind_in_part) << "without a mix, all have what counts";
}

TEST(Rank, EachKindOfWorkHasARankingOfItsOwn) {
  const auto reading = [](double seconds) {
    CaseResult c = product("onednn", 64, seconds);
    c.id = "read/bytes=64/f32";
    c.op = "read";
    return c;
  };
  CaseResult alone_case = product("onednn", 64, 1);
  alone_case.id = "copy/bytes=64/f32";
  alone_case.op = "copy";
  const std::vector<Result> results{machine("a", {product("onednn", 64, 1), reading(2), alone_case}),
                                    machine("b", {product("onednn", 64, 2), reading(1)}),
                                    machine("c", {reading(3)})};
  const Rankings rankings = rank_by_work(results, {});
  ASSERT_THAT(rankings.all, SizeIs(2));
  EXPECT_EQ(rankings.all[0].op, "read") << "more machines have it";
  EXPECT_THAT(names(rankings.all[0]),
              ElementsAre("CPU of b, 2 cores", "CPU of a, 2 cores", "CPU of c, 2 cores"));
  EXPECT_EQ(rankings.all[1].op, "matmul");
  EXPECT_THAT(names(rankings.all[1]), ElementsAre("CPU of a, 2 cores", "CPU of b, 2 cores"));
  EXPECT_THAT(rankings.not_ranked, ElementsAre("copy"));
  EXPECT_EQ(exit_status(rankings), 0);
  RankOptions options;
  options.mix = mix_of({{64, 1}});
  EXPECT_THAT(rank_by_work(results, options).all, SizeIs(1));
}

TEST(Rank, TheFrontHasAllThatNobodyBeats) {
  const auto front = [](const std::vector<std::pair<double, double>>& seconds_and_joules,
                        const std::optional<Prices>& prices = {}) {
    std::vector<Result> results;
    for (const auto& [seconds, joules] : seconds_and_joules) {
      CaseResult c = product("cuda", 64, seconds, 0.0001);
      if (joules > 0) c.joules = joules;
      const std::string name = fmt::format("gpu {}", results.size());
      results.push_back(gpu_machine(name, {c}, name));
    }
    std::vector<std::string> on;
    for (const Ranked& one : ranked(results, {}, prices).ranked) {
      if (one.on_front) on.push_back(one.candidate.name);
    }
    return on;
  };
  EXPECT_THAT(front({{1, 5}, {2, 4}, {3, 6}}), testing::UnorderedElementsAre("gpu 0", "gpu 1"));
  EXPECT_THAT(front({{1, 5}, {2, 0}}), ElementsAre("gpu 0")) << "energy that is not known is left out";
  EXPECT_THAT(front({{1, 5}, {2, 0}}, prices_of({rent("gpu 0", 9), rent("gpu 1", 1)})),
              testing::UnorderedElementsAre("gpu 0", "gpu 1"))
      << "the second costs less";
  EXPECT_THAT(front({{1, 5}, {2, 0}}, prices_of({rent("gpu 1", 1)})), ElementsAre("gpu 0"));
  EXPECT_THAT(front({{1, 5}, {2, 5}}), ElementsAre("gpu 0"));
}

TEST(Rank, FitsAreTheLargestOfTheBackendsOfEach) {
  const auto fit = [](const std::string& backend, std::int64_t largest, Status status = Status::ok) {
    CaseResult c = product(backend, 64, 1);
    c.seconds.reset();
    c.status = status;
    c.fit = Fit{.largest = largest, .refused = largest + 1, .limit = "memory"};
    return c;
  };
  const std::vector<Result> results{
      machine("a",
              {fit("onednn", 100), fit("blis", 300), fit("openblas", 200), fit("mkl", 900, Status::wrong)}),
      machine("b", {fit("onednn", 50)}), machine("c", {product("onednn", 64, 1)})};
  const Rankings ranking = rank_by_work(results, {});
  ASSERT_THAT(ranking.fits, SizeIs(1));
  EXPECT_EQ(ranking.fits[0].title, "matmul 64 x 64 x 64 f32");
  ASSERT_THAT(ranking.fits[0].largest, SizeIs(2));
  EXPECT_EQ(ranking.fits[0].largest.at("CPU of a, 2 cores").largest, 300);
  EXPECT_EQ(ranking.fits[0].largest.at("CPU of b, 2 cores").largest, 50);
}

TEST(Rank, WorkOfAnotherVersionHasItsIdForATitle) {
  CaseResult other = product("onednn", 64, 1);
  other.parameters = {};
  CaseResult foreign = product("onednn", 128, 1);
  foreign.op = "of another program";
  const std::vector<Result> results{machine("a", {other, foreign}), machine("b", {other, foreign})};
  const Ranking ranking = ranked(results);
  ASSERT_THAT(ranking.entries, SizeIs(2));
  EXPECT_EQ(ranking.entries[0].title, "matmul/m=64/n=64/k=64/f32");
  EXPECT_EQ(ranking.entries[1].title, "matmul/m=128/n=128/k=128/f32");
}

TEST(Rank, CasesAreInTheOrderOfTheirNumbers) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {512, 64, 8, 1}) cases.push_back(product("onednn", m, 1));
  const std::vector<Result> results{machine("a", cases), machine("b", cases)};
  std::vector<std::string> ids;
  for (const MixEntry& entry : ranked(results).entries) ids.push_back(entry.id);
  EXPECT_THAT(ids, ElementsAre("matmul/m=1/n=1/k=1/f32", "matmul/m=8/n=8/k=8/f32",
                               "matmul/m=64/n=64/k=64/f32", "matmul/m=512/n=512/k=512/f32"));
}

TEST(Rank, LabelsAreNames) {
  std::vector<Result> results{machine("a", {product("onednn", 64, 1)}),
                              machine("b", {product("onednn", 64, 2)})};
  results[0].host.own_name = results[0].host.name;
  results[0].host.name = "the cheap one";
  results[0].host.is_labelled = true;
  Offer offer = rent("", 1);
  offer.host = "a";
  const Ranking ranking = ranked(results, {}, prices_of({offer}));
  EXPECT_THAT(names(ranking), ElementsAre("the cheap one", "CPU of b, 2 cores"));
  EXPECT_TRUE(ranking.ranked[0].offer) << "by the name that the file has";
}

TEST(Rank, SaysWhenAGpuPays) {
  const std::vector<Result> results{machine("a", {with_energy(product("onednn", 64, 3600), 1)}),
                                    gpu_machine("g", {with_energy(product("cuda", 64, 36), 3.6e6)})};
  Prices prices = prices_of({rent("CPU of a", 0.5), rent("A GPU", 2), buy("A GPU", 1000)});
  const Ranking without = ranked(results, {}, prices);
  ASSERT_THAT(without.paybacks, SizeIs(2));
  EXPECT_NEAR(without.paybacks[0].busy->value, 0.04, 1e-9) << "4 times the price, 100 times the speed";
  // 36 s save half a dollar: 2,000 of them, 20 hours.
  EXPECT_TRUE(without.paybacks[1].bought);
  EXPECT_NEAR(*without.paybacks[1].hours, 20, 1e-9);

  prices.electricity = Electricity{.per_kwh = 0.25, .from = {.currency = "USD", .source = "", .date = ""}};
  const Ranking with = ranked(results, {}, prices);
  EXPECT_NEAR(*with.paybacks[1].hours, 40, 1e-9) << "a kWh each takes half of what is saved";
  prices.electricity->per_kwh = 0.6;
  EXPECT_FALSE(ranked(results, {}, prices).paybacks[1].hours);
}

/// The hours are those of the fastest backend, and so is the electricity.
TEST(Rank, ABoughtGpuPaysForTheElectricityOfItsFastestBackend) {
  Result gpu = gpu_machine("g", {with_energy(product("cuda", 64, 36), 3.6e6)});
  gpu.backends.push_back(gpu.backends.back());
  gpu.backends.back().name = "pytorch";
  gpu.cases.push_back(with_energy(sample::on_gpu(product("pytorch", 64, 72)), 1));
  std::vector<Result> results{machine("a", {product("onednn", 64, 3600)}), gpu};
  Prices prices = prices_of({rent("CPU of a", 0.5), buy("A GPU", 1000)});
  prices.electricity = Electricity{.per_kwh = 0.25, .from = {.currency = "USD", .source = "", .date = ""}};
  const Ranking ranking = ranked(results, {}, prices);
  EXPECT_EQ(ranking.ranked[0].joules->value, 1);
  ASSERT_THAT(ranking.paybacks, SizeIs(1));
  EXPECT_NEAR(*ranking.paybacks[0].hours, 40, 1e-9) << "a kWh each, not a joule";
  results[1].cases[0].joules.reset();
  const Ranking unknown = ranked(results, {}, prices);
  EXPECT_FALSE(unknown.paybacks.at(0).with_electricity);
  EXPECT_NEAR(*unknown.paybacks[0].hours, 20, 1e-9);
}

TEST(Rank, PaybacksAreOfWhatIsKnown) {
  const std::vector<Result> results{
      machine("a", {product("onednn", 64, 3600)}), machine("dear", {product("onednn", 64, 3600)}),
      gpu_machine("g", {product("cuda", 64, 36)}),
      gpu_machine("h", {sample::refused(product("cuda", 64, 1), Status::failed, "")}, "B GPU")};
  Prices prices = prices_of({rent("CPU of a", 0.5), rent("CPU of dear", 5), rent("A GPU", 2),
                             buy("A GPU", 1000), rent("B GPU", 2), buy("B GPU", 1000)});
  prices.electricity = Electricity{.per_kwh = 0.25, .from = {.currency = "USD", .source = "", .date = ""}};
  const Ranking ranking = ranked(results, mix_of({{64, 1}}), prices);
  ASSERT_THAT(ranking.paybacks, SizeIs(2)) << "the other GPU has no time";
  for (const Payback& payback : ranking.paybacks) {
    EXPECT_EQ(payback.gpu, "A GPU");
    EXPECT_FALSE(payback.with_electricity) << "its energy is not known";
  }
  EXPECT_FALSE(ranking.paybacks[0].bought);
  EXPECT_FALSE(ranking.paybacks[0].hours);
  EXPECT_NEAR(ranking.paybacks[0].busy->value, 0.04, 1e-9) << "against the cheaper processor";
  EXPECT_NEAR(ranking.paybacks[1].hours.value(), 20, 1e-9);
  EXPECT_FALSE(ranking.paybacks[1].busy);
  prices.offers.erase(prices.offers.begin(), prices.offers.begin() + 2);
  EXPECT_THAT(ranked(results, mix_of({{64, 1}}), prices).paybacks, IsEmpty());
}

TEST(Rank, ShowsTheParetoFront) {
  const std::vector<Result> results{gpu_machine("fast", {product("cuda", 64, 1)}, "fast"),
                                    gpu_machine("cheap", {product("cuda", 64, 2)}, "cheap"),
                                    gpu_machine("neither", {product("cuda", 64, 3)}, "neither")};
  const Prices prices = prices_of({rent("fast", 9), rent("cheap", 1), rent("neither", 2)});
  const Ranking ranking = ranked(results, {}, prices);
  EXPECT_TRUE(ranking.ranked[0].on_front);
  EXPECT_TRUE(ranking.ranked[1].on_front);
  EXPECT_FALSE(ranking.ranked[2].on_front);
}

TEST(Rank, TrainingToATargetCountsUpToThere) {
  CaseResult reached = sample::training("onednn");
  reached.joules = 0.5;
  reached.seconds->samples.assign(10, reached.seconds->median);
  reached.seconds->own_speed.assign(10, 0.5);
  CaseResult later = reached;
  *later.training->seconds_to_accuracy *= 1.05;
  CaseResult missed = sample::training("onednn");
  missed.training->seconds_to_accuracy.reset();
  const std::vector<Result> results{machine("a", {reached}), machine("b", {missed}), machine("c", {later})};
  Mix mix{.title = "", .entries = {{.id = reached.id, .title = "train", .weight = 1, .instead = {}}}};
  const Ranking ranking = ranked(results, mix);
  EXPECT_NEAR(ranking.ranked[0].seconds->value, 34.25, 1e-9);
  EXPECT_FALSE(ranking.ranked[0].seconds->interval) << "the interval of a step is not that of a training";
  EXPECT_FALSE(ranking.ranked[0].parts[0].own_speed) << "nor is its speed";
  EXPECT_NEAR(ranking.ranked[0].joules->value, 0.5 * 34.25 / 0.002, 1e-6) << "of all of its steps";
  EXPECT_EQ(ranking.ranked[1].candidate.host.name, "c");
  EXPECT_EQ(ranking.ranked[1].place, 1) << "5 % may be noise";
  EXPECT_THAT(ranking.ranked[2].parts[0].without_time, SizeIs(1)) << "it did not reach its target";
}

TEST(Rank, TrainingToATargetDoesNotHideHowPreciselyTheRestIsKnown) {
  CaseResult training = sample::training("onednn");
  training.training->seconds_to_accuracy = 1;
  const auto results_of = [&](double seconds) {
    return std::vector<Result>{machine("a", {training, product("onednn", 64, 100)}),
                               machine("b", {training, product("onednn", 64, seconds)})};
  };
  Mix mix = mix_of({{64, 1}});
  mix.entries.push_back({.id = training.id, .title = "train", .weight = 1, .instead = {}});
  const Ranking tenth = ranked(results_of(110), mix);
  EXPECT_EQ(tenth.ranked[1].place, 2) << "though 10 % may be noise where nobody measured it";
  ASSERT_TRUE(tenth.ranked[1].seconds->interval);
  // 1.2 s for the training, and what launches and runs differ by.
  const double sum = 111 + std::hypot(110 * std::hypot(0.01, 1.96 * 0.013), 0.2);
  EXPECT_NEAR(tenth.ranked[1].seconds->interval->high,
              111 * std::exp(std::hypot(std::log(sum / 111), 1.96 * 0.01)), 0.1);
  mix.entries[1].weight = 100;
  EXPECT_EQ(ranked(results_of(110), mix).ranked[1].place, 1) << "half of the work is the training";
}

TEST(Rank, TheNewestOfTwoFilesCounts) {
  Result before = machine("a", {product("onednn", 64, 1)});
  Result after = machine("a", {product("onednn", 64, 3)});
  after.created = "2026-11-02T12:00:00Z";
  const std::vector<Result> results{after, before, machine("b", {product("onednn", 64, 2)})};
  const Ranking ranking = ranked(results);
  EXPECT_THAT(names(ranking), ElementsAre("CPU of b, 2 cores", "CPU of a, 2 cores"));
}

/// A GPU with this many GFLOP/s and GB/s in its vendor's specification.
DeviceEntry stated(const std::string& name, double gflops, double gbps) {
  DeviceEntry entry;
  entry.name = name;
  entry.memory_gib = 16;
  entry.bytes_per_second = gbps * 1e9;
  entry.peaks["f32"] = {.flop_per_second = gflops * 1e9, .sparse_flop_per_second = {}, .accumulate = "f32"};
  return entry;
}

/// Results of a device whose products reach this fraction of their roofline.
Result at_efficiency(const DeviceEntry& device, double efficiency) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 1024}) {
    CaseResult c = product("cuda", m, 1);
    c.seconds->median = *stated_least_seconds(device, c) / efficiency;
    c.seconds->ci_low = 0.99 * c.seconds->median;
    c.seconds->ci_high = 1.01 * c.seconds->median;
    cases.push_back(c);
  }
  Result run = gpu_machine("host of " + device.name, cases, device.name);
  Gpu& gpu = run.host.gpus.emplace_back();
  gpu.id = run.backends.back().device_id;
  gpu.memory_bytes = std::int64_t{16} << 30U;
  return run;
}

Ranking with_wanted_predicted(std::span<const Result> results, const DeviceCatalogue& catalogue,
                              const std::optional<Mix>& mix = {}) {
  RankOptions options;
  options.mix = mix;
  options.catalogue = catalogue;
  options.predicted = {"wanted"};
  return rank_results(results, options);
}

TEST(Rank, PredictsWhatNobodyMeasuredFromWhatOthersReach) {
  const DeviceCatalogue catalogue{stated("one", 1000, 100), stated("two", 4000, 300),
                                  stated("wanted", 8000, 1000)};
  const std::vector<Result> results{at_efficiency(catalogue[0], 0.5), at_efficiency(catalogue[1], 0.6)};
  const Ranking ranking = with_wanted_predicted(results, catalogue);
  const Ranked& first = ranking.ranked.front();
  EXPECT_TRUE(first.predicted);
  EXPECT_EQ(first.candidate.name, "predicted: wanted, 16 GiB");
  const CaseResult large = product("", 1024, 1);
  EXPECT_NEAR(first.parts.back().seconds->value,
              *stated_least_seconds(catalogue[2], large) / std::sqrt(0.5 * 0.6), 1e-9)
      << ranking.entries.back().title;
  const PredictionError error = ranking.prediction_errors.at({RooflineOf::datasheets, DeviceKind::gpus});
  EXPECT_EQ(error.devices, 2U);
  EXPECT_EQ(error.cases, 2U);
  EXPECT_NEAR(error.typical, 1.2, 1e-6);
  EXPECT_NEAR(error.most, 1.2, 1e-6) << "0.6 of the roofline was taken for 0.5";
  EXPECT_NEAR(first.parts[0].seconds->interval->high / first.parts[0].seconds->value, 1.2, 1e-6);
  const PredictedBy by_datasheets{RooflineOf::datasheets, DeviceKind::gpus};
  EXPECT_THAT(ranking.predictions, ElementsAre(by_datasheets));
  EXPECT_FALSE(first.candidate.is_cpu);
  EXPECT_EQ(first.candidate.device, "wanted");
  EXPECT_EQ(first.parts[0].backend, "predicted");
  EXPECT_EQ(first.parts[0].dtype, "f32");
  EXPECT_FALSE(first.parts[0].in_place);
  EXPECT_NEAR(first.parts[0].seconds->value / first.parts[0].seconds->interval->low, 1.2, 1e-6);

  const std::vector<Result> alone{results[0]};
  const Ranking unsure = with_wanted_predicted(alone, catalogue);
  EXPECT_THAT(unsure.prediction_errors, testing::IsEmpty());
  EXPECT_FALSE(unsure.ranked.front().parts[0].seconds->interval);
  EXPECT_THAT(unsure.predictions, ElementsAre(by_datasheets));
}

/// The same card in another machine.
Result twin_of(Result run) {
  run.host.name += " too";
  run.backends.back().device_id += " too";
  run.host.gpus.at(0).id = run.backends.back().device_id;
  return run;
}

TEST(Rank, TwinsSayNothingOfOthers) {
  const DeviceCatalogue catalogue{stated("one", 1000, 100), stated("two", 4000, 300),
                                  stated("wanted", 8000, 1000)};
  const Result one = at_efficiency(catalogue[0], 0.5);
  std::vector<Result> results{one, twin_of(one)};
  results[1].host.gpus[0].memory_bytes = std::int64_t{15} << 30U;  // by another driver
  const auto predicted = [&](const Ranking& ranking) {
    return *std::ranges::find(ranking.ranked, true, &Ranked::predicted);
  };
  const Ranking unsure = with_wanted_predicted(results, catalogue);
  EXPECT_THAT(unsure.prediction_errors, IsEmpty());
  EXPECT_FALSE(predicted(unsure).parts[0].seconds->interval);

  results.push_back(at_efficiency(catalogue[1], 0.6));
  const Ranking ranking = with_wanted_predicted(results, catalogue);
  const PredictionError error = ranking.prediction_errors.at({RooflineOf::datasheets, DeviceKind::gpus});
  EXPECT_EQ(error.devices, 2U);
  EXPECT_NEAR(error.typical, 1.2, 1e-6);
  EXPECT_NEAR(error.most, 1.2, 1e-6);
}

DeviceEntry stated_processors(const std::string& name, int cores, double gflops, double gbps) {
  DeviceEntry entry = stated(name, gflops, gbps);
  entry.memory_gib = 0;
  entry.cores = cores;
  return entry;
}

/// A machine with all of these cores, whose products reach this fraction of their roofline.
Result processors_at(const DeviceEntry& device, double efficiency) {
  Result run = at_efficiency(device, efficiency);
  for (CaseResult& c : run.cases) {
    c.device = "cpu";
    c.backend = "onednn";
  }
  run.host.cpu = device.name;
  run.host.cores = run.host.cpus = run.host.threads = device.cores;
  run.host.gpus.clear();
  run.backends = {sample::backend("onednn", true)};
  return run;
}

TEST(Rank, PredictsProcessorsFromProcessorsAlone) {
  const DeviceCatalogue catalogue{stated("gpu", 9000, 900), stated_processors("cpu", 8, 1000, 100),
                                  stated_processors("wanted", 16, 3000, 200)};
  const auto predict = [&](const std::vector<Result>& results) {
    return with_wanted_predicted(results, catalogue);
  };
  const std::vector<Result> results{at_efficiency(catalogue[0], 0.1), processors_at(catalogue[1], 0.5)};
  const Ranking ranking = predict(results);
  const auto found = std::find_if(ranking.ranked.begin(), ranking.ranked.end(),
                                  [](const Ranked& one) { return one.predicted; });
  ASSERT_NE(found, ranking.ranked.end());
  EXPECT_EQ(found->candidate.name, "predicted: wanted, 16 cores");
  EXPECT_TRUE(found->candidate.is_cpu);
  const CaseResult large = product("", 1024, 1);
  EXPECT_NEAR(found->parts.back().seconds->value, *stated_least_seconds(catalogue[2], large) / 0.5, 1e-9);
  EXPECT_FALSE(found->parts[0].seconds->interval) << "of one processor there is no error";

  std::vector<Result> fewer{results[0], results[1]};
  fewer[1].host.threads = 4;
  const Ranking unknown = predict(fewer);
  for (const Ranked& one : unknown.ranked) {
    EXPECT_TRUE(!one.predicted || !one.parts[0].seconds) << "half of its cores computed";
  }
}

TEST(Rank, PredictsFromGpusOfTheVeryNameAndMemoryAlone) {
  const DeviceCatalogue catalogue{stated("one", 1000, 100), stated("wanted", 8000, 1000)};
  Result other = at_efficiency(catalogue[0], 0.5);
  other.host.gpus[0].memory_bytes = std::int64_t{12} << 30U;
  const std::vector<Result> results{other};
  const Ranking ranking = with_wanted_predicted(results, catalogue);
  EXPECT_FALSE(ranking.ranked.back().seconds);
  EXPECT_EQ(ranking.ranked.back().parts[0].unpredicted, RooflineOf::datasheets);
}

/// A device that was measured is predicted from the others: from itself, the prediction would be its own
/// time.
TEST(Rank, PredictsNoDeviceFromItself) {
  const DeviceCatalogue catalogue{stated("one", 1000, 100), stated("wanted", 8000, 1000)};
  const auto predicted = [&](const std::vector<Result>& results) {
    const std::vector<Ranked> all = with_wanted_predicted(results, catalogue).ranked;
    return std::ranges::find(all, true, &Ranked::predicted)->parts.back();
  };
  const RankedPart from_one = predicted({at_efficiency(catalogue[0], 0.5), at_efficiency(catalogue[1], 0.9)});
  EXPECT_NEAR(from_one.seconds->value, *stated_least_seconds(catalogue[1], product("", 1024, 1)) / 0.5, 1e-9);
  const RankedPart unknown = predicted({at_efficiency(catalogue[1], 0.9)});
  EXPECT_FALSE(unknown.seconds);
  EXPECT_EQ(unknown.unpredicted, RooflineOf::datasheets);
}

CaseResult square(std::int64_t side, double seconds) {
  return sample::measured_case("matmul", {{"m", side}, {"n", side}, {"k", side}, {"dtype", "f32"}}, seconds);
}

/// Results of a machine with this many GFLOP/s in f32, and 100 GB/s.
std::vector<CaseResult> ceilings_of(double gflops) {
  const Parameters f32{{"dtype", "f32"}};
  const double flop = sample::measured_case("peak", f32, 1).flop;
  constexpr std::int64_t bytes = 1 << 14;
  return {sample::measured_case("peak", f32, flop / (gflops * 1e9)),
          sample::measured_case("read", {{"bytes", bytes}, {"dtype", "f32"}}, bytes / 100e9)};
}

/// A machine whose products of these sizes take `over` times what its ceilings allow.
Result machine_with_ceilings(const std::string& host, double gflops, double over,
                             const std::vector<std::int64_t>& sides) {
  std::vector<CaseResult> cases = ceilings_of(gflops);
  for (const std::int64_t side : sides)
    cases.push_back(square(side, over * square(side, 1).flop / (gflops * 1e9) / 1.1));
  return machine(host, cases);
}

Ranking with_missing_predicted(std::span<const Result> results, const Mix& mix) {
  RankOptions options;
  options.mix = mix;
  options.predict_missing = true;
  return rank_results(results, options);
}

Mix mix_of_squares(const std::vector<std::int64_t>& sides) {
  Mix mix{.title = "Our week", .entries = {}};
  for (const std::int64_t side : sides)
    mix.entries.push_back({.id = square(side, 1).id, .title = "product", .weight = 10, .instead = {}});
  return mix;
}

TEST(Rank, PredictsWhatAMachineLacksFromItsCeilings) {
  const std::vector<Result> results{machine_with_ceilings("one", 100, 1.2, {512, 1024}),
                                    machine_with_ceilings("two", 400, 1.5, {512, 1024}),
                                    machine_with_ceilings("new", 1000, 1, {})};
  const Ranking ranking = with_missing_predicted(results, mix_of_squares({512, 1024}));
  const Ranked& first = ranking.ranked.front();
  EXPECT_EQ(first.candidate.host.name, "new");
  EXPECT_FALSE(first.predicted) << "it is a machine that was measured, in part";
  ASSERT_THAT(first.parts, SizeIs(2));
  EXPECT_TRUE(first.parts[0].predicted);
  const double least = square(512, 1).flop / 1000e9;
  // All ceilings are from the best samples, and the medians are 1.1 times those.
  EXPECT_NEAR(first.parts[0].seconds->value / least, std::sqrt(1.2 * 1.5), 0.01);
  const PredictionError error = ranking.prediction_errors.at({RooflineOf::ceilings, DeviceKind::processors});
  EXPECT_EQ(error.devices, 2U);
  EXPECT_EQ(error.cases, 2U);
  EXPECT_NEAR(error.most, 1.25, 1e-6) << "1.5 was taken for 1.2";
  ASSERT_TRUE(first.seconds && first.seconds->interval);
  EXPECT_NEAR(first.seconds->interval->high / first.seconds->value, 1.25, 1e-6)
      << "errors of one model do not average out";
  const PredictedBy by_ceilings{RooflineOf::ceilings, DeviceKind::processors};
  EXPECT_THAT(ranking.predictions, ElementsAre(by_ceilings));
  const std::vector<Result> few{results[0], results[2]};
  const Ranking unsure = with_missing_predicted(few, mix_of_squares({512, 1024}));
  EXPECT_THAT(unsure.predictions, ElementsAre(by_ceilings));
  EXPECT_THAT(unsure.prediction_errors, IsEmpty());
  EXPECT_THAT(to_json_text(alone(ranking)), HasSubstr("\"predicted\":true"));
}

TEST(Rank, OtherThreadsMakeNoOtherProcessors) {
  std::vector<Result> results{machine_with_ceilings("one", 100, 1.2, {512, 1024}),
                              machine_with_ceilings("one", 100, 1.5, {512, 1024})};
  results[1].host.threads = 1;
  const auto errors = [&] {
    return with_missing_predicted(results, mix_of_squares({512, 1024})).prediction_errors;
  };
  EXPECT_THAT(errors(), IsEmpty());
  results[1].host.cores = 1;
  EXPECT_THAT(errors(), SizeIs(1)) << "half of the processor";
}

TEST(Rank, PredictsWhatAnInterruptedRunDidNotMeasure) {
  const CaseResult interrupted = sample::refused(square(1024, 1), Status::interrupted, "not measured yet");
  std::vector<Result> results{machine_with_ceilings("one", 100, 1.2, {512, 1024}),
                              machine_with_ceilings("cut", 400, 1.5, {512}),
                              machine("bare", {square(512, 1), interrupted})};
  results[1].cases.push_back(interrupted);
  const auto by_host = [](const Ranking& ranking, const std::string& host) {
    return *std::ranges::find(ranking.ranked, host, [](const Ranked& r) { return r.candidate.host.name; });
  };
  const Mix mix = mix_of_squares({512, 1024});
  const Ranking ranking = with_missing_predicted(results, mix);
  EXPECT_TRUE(by_host(ranking, "cut").parts[1].predicted);
  EXPECT_GT(by_host(ranking, "cut").place, 0);
  EXPECT_THAT(by_host(ranking, "bare").parts[1].without_time,
              ElementsAre(Pointee(Field(&CaseResult::status, Status::interrupted))));
  EXPECT_EQ(by_host(ranking, "bare").parts[1].unpredicted, RooflineOf::ceilings);
  EXPECT_FALSE(by_host(ranked(results, mix), "cut").parts[1].unpredicted);
}

/// Predicts in the accepted dtype that is predicted to be faster.
TEST(Rank, PredictsTheFasterOfTheAcceptedDtypes) {
  DeviceCatalogue catalogue{stated("one", 1000, 1e6), stated("wanted", 8000, 1e6)};
  for (DeviceEntry& entry : catalogue) entry.peaks["bf16"] = entry.peaks["f32"];
  catalogue[1].peaks["bf16"].flop_per_second *= 4;
  Result measured = at_efficiency(catalogue[0], 0.5);
  measured.cases.push_back(sample::in_dtype(measured.cases.back(), "bf16"));
  const std::vector<Result> results{measured};
  const CaseResult& f32 = measured.cases[1];
  const auto predicted = [&](const std::string& wanted, const std::string& other) {
    Mix mix{.title = "", .entries = {{.id = wanted, .title = "p", .weight = 1, .instead = {other}}}};
    return with_wanted_predicted(results, catalogue, mix).ranked.front().parts.at(0);
  };
  const std::string bf16 = "matmul/m=1024/n=1024/k=1024/bf16";
  for (const auto& [wanted, other] : {std::pair(f32.id, bf16), std::pair(bf16, f32.id)}) {
    const RankedPart part = predicted(wanted, other);
    EXPECT_EQ(part.dtype, "bf16");
    EXPECT_EQ(part.in_place, wanted == f32.id);
    EXPECT_NEAR(part.seconds->value, f32.seconds->median / 8 / 4, f32.seconds->median / 1e6);
  }
}

TEST(Rank, SaysNothingOfPredictionsThatItDidNotMake) {
  const std::vector<Result> results{machine_with_ceilings("one", 100, 1.2, {512, 1024}),
                                    machine_with_ceilings("two", 400, 1.5, {512, 1024})};
  const Ranking ranking = with_missing_predicted(results, mix_of_squares({512, 1024}));
  EXPECT_THAT(ranking.predictions, IsEmpty());
  EXPECT_THAT(ranking.prediction_errors, SizeIs(1)) << "the file has them";
}

TEST(Rank, PredictsNothingThatWasMeasuredOrHasNoCeilings) {
  std::vector<Result> results{machine_with_ceilings("one", 100, 1.2, {512, 1024}),
                              machine_with_ceilings("wrong", 400, 1.5, {512}),
                              machine("bare", {square(512, 1)})};
  results[1].cases.push_back(sample::refused(square(1024, 1), Status::wrong, "element 3 is 0"));
  const Ranking ranking = with_missing_predicted(results, mix_of_squares({512, 1024}));
  std::map<std::string, const Ranked*> by_host;
  for (const Ranked& one : ranking.ranked) by_host[one.candidate.host.name] = &one;
  EXPECT_FALSE(by_host["one"]->parts[1].predicted);
  EXPECT_THAT(by_host["wrong"]->parts[1].without_time,
              ElementsAre(Pointee(Field(&CaseResult::reason, "element 3 is 0"))));
  EXPECT_FALSE(by_host["wrong"]->parts[1].unpredicted);
  EXPECT_EQ(by_host["bare"]->parts[1].unpredicted, RooflineOf::ceilings);
}

TEST(Rank, HostileNamesBreakNothing) {
  const std::vector<Result> results{sample::hostile(), machine("b", {product("onednn", 64, 1)})};
  const Ranking ranking = ranked(results, {}, prices_of({rent("<b>|`", 1)}));
  EXPECT_THAT(to_json_text(alone(ranking)), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace breakeven
