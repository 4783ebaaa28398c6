// Tests the document of a ranking, and its sentences.
#include <gmock/gmock.h>

#include "reports/document/builders.h"
#include "reports/render/markdown.h"
#include "unit/document_texts.h"
#include "unit/rankings.h"
#include "unit/reports_sample.h"

namespace breakeven::ranking_document_test {
namespace {

using sample::product;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

Result machine(const std::string& name, std::vector<CaseResult> cases) {
  Result run = sample::on_machine(name, sample::result(std::move(cases)));
  run.backends = {sample::backend("onednn", true), sample::backend("cuda", false, "no driver")};
  return run;
}

/// "fast" takes 1 s and 2 s, "slow" three times as long, and "tied" as long as "fast" within the intervals.
std::vector<Result> machines(bool tie = false) {
  std::vector<Result> all{machine("slow", {product("onednn", 64, 3), product("onednn", 128, 6)}),
                          machine("fast", {product("onednn", 64, 1), product("onednn", 128, 2)})};
  if (tie) all.push_back(machine("tied", {product("onednn", 64, 1.001), product("onednn", 128, 2)}));
  return all;
}

TEST(RankingDocument, HasTheOrderTheCasesAndTheMachines) {
  const std::vector<Result> results = machines(true);
  const Document made = document_of(alone(rank_results(results, {})));
  ASSERT_THAT(made.cards, SizeIs(1));
  const Card& card = made.cards[0];
  EXPECT_EQ(card.question, "Which machine takes the least time?");
  EXPECT_THAT(
      texts(card.answer),
      ElementsAre("CPU of fast, 2 cores and CPU of tied, 2 cores share the first place: by time they are not "
                  "distinguishable.",
                  "CPU of slow, 2 cores takes 3.0x as much."));
  EXPECT_EQ(card.short_answer, "CPU of fast, 2 cores and CPU of tied, 2 cores");
  const Table& order = card.tables.at(0);
  EXPECT_EQ(order.title, "Ranked by time: the geometric mean of the 2 cases that all machines have");
  EXPECT_THAT(column_texts(order, "place"), ElementsAre("=1", "=1", "3"));
  EXPECT_THAT(column_texts(order, "over the first's"), ElementsAre("1.00x", "1.00x", "3.0x"));
  const Table& cases = card.tables.at(1);
  EXPECT_THAT(column_texts(cases, "least time"), ElementsAre("1.00 s", "2.00 s"));
  EXPECT_THAT(column_texts(cases, "CPU of slow, 2 cores"), ElementsAre("3.0x", "3.0x"));
  EXPECT_EQ(card.picture.value().name, "ranking-time");
  EXPECT_THAT(made.folds, SizeIs(3));
  EXPECT_THAT(texts(made.folds[0].sentences), Contains("not here: cuda: no driver"));
  EXPECT_THAT(all_text(card), Not(HasSubstr("Prices")));
}

TEST(RankingDocument, NamesTheFirst) {
  const std::vector<Result> results = machines();
  const Document made = document_of(alone(rank_results(results, {})));
  EXPECT_EQ(made.cards[0].short_answer, "CPU of fast, 2 cores");
  EXPECT_THAT(texts(made.cards[0].answer), ElementsAre("CPU of fast, 2 cores takes the least time.",
                                                       "CPU of slow, 2 cores takes 3.0x as much."));
}

TEST(RankingDocument, MarksARatioWithoutAnInterval) {
  std::vector<Result> results;
  for (const double seconds : {1.0, 1.08, 3.0})
    results.push_back(
        machine("m" + std::to_string(results.size()), {product("onednn", 64, seconds, std::nullopt)}));
  const Card card = document_of(alone(rank_results(results, {}))).cards.at(0);
  EXPECT_THAT(column_texts(card.tables.at(0), "over the first's"), ElementsAre("1.00x", "~1.08x", "~3.0x"));
  EXPECT_THAT(texts(card.answer).at(0), HasSubstr("share the first place"));
}

TEST(RankingDocument, SaysWhatMayChangeTheOrder) {
  std::vector<Result> results = machines();
  const std::vector<double> shares{0.58, 0.16};
  for (std::size_t i = 0; i < 2; ++i) {
    Timing& seconds = *results[0].cases[i].seconds;
    seconds.samples.assign(10, seconds.median);
    seconds.own_speed.assign(10, shares[i]);
  }
  results[0].cases.push_back(
      sample::refused(product("blis", 64, 1), Status::interrupted, "not measured yet"));
  const Document made = document_of(alone(rank_results(results, {})));
  EXPECT_THAT(
      texts(made.cards[0].answer),
      ElementsAre("CPU of fast, 2 cores takes the least time.", "CPU of slow, 2 cores takes 3.0x as much.",
                  "CPU of slow, 2 cores ran at 16 to 58 % of its own speed: on a quiet machine its times "
                  "may be as short as 16 % of these.",
                  "Interrupted runs did not measure 1 result of CPU of slow, 2 cores."));
}

TEST(RankingDocument, OfOneMachineIsNone) {
  std::vector<Result> results = machines();
  results.pop_back();
  const Document made = document_of(alone(rank_results(results, {})));
  EXPECT_THAT(texts(made.cards[0].answer), ElementsAre("No two machines can be compared for this work."));
  EXPECT_EQ(made.cards[0].short_answer, "not known");
  EXPECT_THAT(texts(made.notes), ElementsAre(HasSubstr("nothing to rank it against")));
}

TEST(RankingDocument, WhatIsUnknownHasItsReason) {
  std::vector<Result> results = machines(true);
  results[0].cases[1] = sample::refused(results[0].cases[1], Status::out_of_memory, "4 GiB were asked for");
  Mix mix{.title = "Our week", .entries = {}};
  for (const std::int64_t m : {64, 128, 4096})
    mix.entries.push_back(
        {.id = product("", m, 1).id, .title = "product " + std::to_string(m), .weight = 1, .instead = {}});
  RankOptions options;
  options.mix = mix;
  const Document made = document_of(alone(rank_results(results, options)));
  EXPECT_THAT(render_markdown(made), HasSubstr("4 GiB were asked for"));
  EXPECT_THAT(texts(made.cards[0].answer), Contains("Not measured on any machine: product 4096."));
}

TEST(RankingDocument, SaysHowManyMachinesATableLeavesOut) {
  std::vector<Result> results;
  for (int i = 0; i < 10; ++i)
    results.push_back(machine("m" + std::to_string(i), {product("onednn", 64, 1 + i)}));
  const Document made = document_of(alone(rank_results(results, {})));
  EXPECT_EQ(made.cards[0].tables.at(1).title,
            "Case by case, as multiples of the least; 2 more machines are left out");
}

/// The first machine may owe its place to a case that a faster one lacks.
TEST(RankingDocument, SaysOfHowManyMachinesTheFirstIs) {
  std::vector<Result> results = machines();
  results.push_back(machine("part", {product("onednn", 64, 0.25)}));
  RankOptions options;
  options.mix = Mix{.title = "Our week", .entries = {}};
  for (const std::int64_t m : {64, 128})
    options.mix->entries.push_back({.id = product("", m, 1).id, .title = "p" + std::to_string(m)});
  const Card card = document_of(rank_by_work(results, options)).cards.at(0);
  EXPECT_THAT(
      texts(card.answer),
      ElementsAre(
          "Of the 2 machines whose time is known for all 2 cases, CPU of fast, 2 cores takes the least "
          "time.",
          "CPU of slow, 2 cores takes 3.0x as much.",
          "CPU of part, 2 cores is not ranked, because it lacks 1 of 2 cases. For the 1 that it has, "
          "CPU of fast, 2 cores takes 4.0x as much."));
  EXPECT_EQ(card.tables.at(1).title, "Not ranked");
  EXPECT_THAT(column_texts(card.tables.at(1), "cases"), ElementsAre("1 of 2"));
  EXPECT_THAT(column_texts(card.tables.at(1), "why"),
              ElementsAre("not known for 1 of 2 cases: p128: not measured"));
}

TEST(RankingDocument, AnswersForEachKindOfWork) {
  std::vector<Result> results = machines();
  for (std::size_t i = 0; i < results.size(); ++i) {
    CaseResult reading = product("onednn", 64, i == 0 ? 1 : 2);
    reading.op = "read";
    reading.id = "read/bytes=64/f32";
    results[i].cases.push_back(reading);
  }
  const Document made = document_of(rank_by_work(results, {}));
  ASSERT_THAT(made.cards, SizeIs(3));
  EXPECT_EQ(made.title, "Which machine for which work?");
  EXPECT_THAT(
      texts(made.cards[0].answer),
      ElementsAre("Matrix products: CPU of fast, 2 cores takes the least time of 2 machines, over 2 cases.",
                  "Sums of an array: CPU of slow, 2 cores takes the least time of 2 machines, over 1 case."));
  EXPECT_THAT(column_texts(made.cards[0].tables.at(0), "CPU of fast, 2 cores"), ElementsAre("1.00x", "2.0x"));
  EXPECT_EQ(made.cards[2].id, "order-read");
  EXPECT_EQ(made.cards[2].question, "Sums of an array: which machine takes the least time?");
  EXPECT_EQ(made.cards[1].picture.value().name, "ranking-matmul-time");
}

TEST(RankingDocument, HasPricesAndWhenAGpuPays) {
  std::vector<Result> results{machine("a", {product("onednn", 64, 10)})};
  Result gpu = machine("g", {sample::on_gpu(product("cuda", 64, 1))});
  BackendRecord cuda = sample::backend("cuda", true);
  cuda.device = "gpu";
  cuda.device_name = "A GPU";
  gpu.backends = {cuda};
  results.push_back(gpu);
  const auto offer = [](const std::string& device, double per_hour) {
    Offer made;
    made.name = "offer";
    made.device = device;
    made.per_hour = per_hour;
    made.from = {.currency = "USD", .source = "a page", .date = "2026-10-01"};
    return made;
  };
  RankOptions options;
  options.by = Metric::cost;
  options.prices =
      Prices{.currency = "USD", .offers = {offer("CPU of a", 0.1), offer("A GPU", 2)}, .electricity = {}};
  const Document made = document_of(alone(rank_results(results, options)));
  const Card& card = made.cards[0];
  EXPECT_EQ(card.question, "Which machine takes the least cost?");
  EXPECT_THAT(texts(card.answer), Contains(HasSubstr("2.00x as dear")));
  EXPECT_THAT(column_texts(card.tables.at(0), "USD an hour"), ElementsAre("0.10", "2.00"));
  EXPECT_THAT(column_texts(card.tables.at(0), "cases for 1 USD"), ElementsAre("3,600", "1,800"));
  EXPECT_EQ(card.picture.value().name, "ranking-cost") << "it shows the answer";
  ASSERT_EQ(card.folds.back().title, "Prices");
  EXPECT_THAT(column_texts(card.folds.back().tables.at(0), "source"), ElementsAre("a page", "a page"));
}

TEST(RankingDocument, HasWhatFitsAndWhatStandsInOrIsPredicted) {
  std::vector<Result> results = machines();
  CaseResult fit = product("onednn", 64, 1);
  fit.id = "fits/of=train/f32";
  fit.op = "fits";
  fit.seconds.reset();
  fit.fit = Fit{.largest = 4096, .refused = 4097, .limit = "memory"};
  results[0].cases.push_back(fit);
  Rankings rankings = rank_by_work(results, {});
  const Fold fold = document_of(rankings).folds.front();
  EXPECT_EQ(fold.title, "What fits into memory");
  EXPECT_THAT(column_texts(fold.tables.at(0), "that fits"), ElementsAre("4,096"));

  Ranked& one = rankings.all.at(0).ranked[0];
  one.parts[0].in_place = true;
  one.parts[0].dtype = "bf16";
  one.parts[1].predicted = true;
  EXPECT_EQ(column_texts(document_of(rankings).cards[0].tables.at(0), "notes").at(0),
            "1 of 2 cases in bf16; 1 of 2 cases predicted");
}

TEST(RankingDocument, ByEnergyShowsTheMostEconomicalBackend) {
  CaseResult fast = product("onednn", 64, 1);
  fast.joules = 9;
  CaseResult economical = sample::in_dtype(product("blis", 64, 2), "bf16");
  economical.joules = 4;
  const std::vector<Result> results{machine("a", {fast, economical}),
                                    machine("b", {product("onednn", 64, 3)})};
  RankOptions options;
  options.by = Metric::energy;
  options.mix =
      Mix{.title = "", .entries = {{.id = fast.id, .title = "p", .weight = 1, .instead = {economical.id}}}};
  const Card by_energy = document_of(alone(rank_results(results, options))).cards.at(0);
  EXPECT_EQ(column_texts(by_energy.tables.at(0), "notes").at(0), "1 of 1 case in bf16");
  const Table& not_ranked = by_energy.tables.at(1);
  EXPECT_THAT(column_texts(not_ranked, "why"), ElementsAre("not known for 1 of 1 case: p: energy not known"));
  const TableRow& energies = by_energy.tables.at(2).rows.at(0);
  EXPECT_EQ(std::get<std::string>(energies.cells.at(1).value), "4.00 J");
  EXPECT_EQ(std::get<double>(energies.cells.at(4).value), 1);
  EXPECT_EQ(std::get<std::string>(energies.cells.at(2).value), "BLIS");
  EXPECT_EQ(energies.cells.at(4).note, "bf16");
  EXPECT_EQ(std::get<std::string>(energies.cells.at(5).value), "not known");

  options.by = Metric::time;
  const Card by_time = document_of(alone(rank_results(results, options))).cards.at(0);
  EXPECT_THAT(column_texts(by_time.tables.at(0), "notes"), testing::Each(""));
  EXPECT_EQ(std::get<std::string>(by_time.tables.at(1).rows.at(0).cells.at(2).value), "oneDNN");
}

TEST(RankingDocument, SaysWhatTheFrontLeavesOut) {
  std::vector<Result> results;
  for (const auto& [seconds, joules] : {std::pair(1.0, 9.0), std::pair(2.0, 4.0), std::pair(3.0, 0.0)}) {
    CaseResult c = product("onednn", 64, seconds);
    if (joules > 0) c.joules = joules;
    results.push_back(machine("m" + std::to_string(results.size()), {c}));
  }
  const auto answer = [&] { return texts(document_of(alone(rank_results(results, {}))).cards.at(0).answer); };
  EXPECT_THAT(answer(),
              Contains("For each of these, no other machine is better in time and energy at once: CPU of "
                       "m0, 2 cores and CPU of m1, 2 cores."));
  EXPECT_THAT(answer(), Contains("This leaves out the energy of CPU of m2, 2 cores, which is not known."));
  results.pop_back();
  EXPECT_THAT(answer(), Not(Contains(HasSubstr("leaves out"))));
}

std::string payback_text(const Payback& payback) {
  Ranking ranking;
  ranking.paybacks = {payback};
  return texts(document_of(alone(ranking)).cards[0].answer).back();
}

TEST(RankingDocument, SaysWhenAGpuPays) {
  Payback rented{.gpu = "g", .cpu = "c", .busy = Estimate{.value = 0.04}, .hours = {}};
  EXPECT_EQ(payback_text(rented), "g, rented, is cheaper than c if it works for more than 58 minutes a day.");
  rented.busy = Estimate{.value = 0.61, .interval = Interval{.low = 0.58, .high = 0.64}};
  EXPECT_EQ(payback_text(rented),
            "g, rented, is cheaper than c if it works for more than 15 hours a day (14 hours to 15 hours).");
  rented.busy = Estimate{.value = 2};
  EXPECT_EQ(payback_text(rented), "g, rented, is 2.00x as dear for this work as c, however busy it is.");
  rented.busy = Estimate{.value = 1.001, .interval = Interval{.low = 0.98, .high = 1.02}};
  EXPECT_EQ(payback_text(rented),
            "g, rented and always busy, is not distinguishable from c by the cost of this work.");
  Payback bought{.gpu = "g", .cpu = "c", .busy = {}, .hours = 20, .bought = true};
  EXPECT_THAT(payback_text(bought),
              HasSubstr("after 20.0 hours of this work, against the price of c, its electricity not"));
  bought.hours.reset();
  EXPECT_THAT(payback_text(bought), HasSubstr("never pays for itself"));
}

}  // namespace
}  // namespace breakeven::ranking_document_test
