// Tests the document of results: a card per question, whatever was measured.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <set>

#include "reports/document/builders.h"
#include "unit/document_texts.h"
#include "unit/reports_sample.h"
#include "unit/thresholds_sample.h"

namespace breakeven::results_document_test {
namespace {

using sample::product;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Document document(std::vector<Result> results, std::vector<Threshold> thresholds = {}) {
  return document_of(Measured{.results = std::move(results), .thresholds = std::move(thresholds)});
}

Result asking(const std::string& question, Result run) {
  run.config = R"({"title": ")" + question + "\"}";
  return run;
}

std::vector<CaseResult> products(double onednn, double blis,
                                 const std::vector<std::int64_t>& sizes = {64, 128}) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : sizes) {
    cases.push_back(product("onednn", m, onednn));
    cases.push_back(product("blis", m, blis));
  }
  return cases;
}

std::vector<std::string> questions(const Document& document) {
  std::vector<std::string> all;
  for (const Card& card : document.cards) all.push_back(card.question);
  return all;
}

/// Enough problems to call a machine the fastest.
const std::vector<std::int64_t> six_sizes{64, 128, 256, 512, 1024, 2048};

/// A machine on which products of these sizes take as long in f32 and in bf16.
Result in_two_dtypes(const std::string& machine, double f32, double bf16,
                     const std::vector<std::int64_t>& sizes = six_sizes) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : sizes) {
    cases.push_back(product("onednn", m, f32));
    cases.push_back(sample::in_dtype(product("onednn", m, bf16), "bf16"));
  }
  return sample::on_machine(machine, sample::result(std::move(cases)));
}

Card machines_card_of(std::vector<Result> results) {
  return document(std::move(results)).cards.at(1);
}

/// The cells of a column of the first table of all results.
std::vector<std::string> column(const Document& document, const std::string& name) {
  return column_texts(document.cards.at(0).details.at(0), name);
}

// ---- one machine

TEST(ResultsDocument, AnswersTheQuestionOfTheConfig) {
  const Document made = document({sample::result(products(1, 2))});
  EXPECT_EQ(made.title, "Which is faster?");
  EXPECT_THAT(questions(made), ElementsAre("Which is faster?", "Where does a GPU win?"));
  const Card& card = made.cards[0];
  EXPECT_THAT(texts(card.answer), ElementsAre("oneDNN is the fastest for all 2 matrix products.",
                                              "On average BLIS takes 2.0x as long as the fastest."));
  EXPECT_EQ(card.short_answer, "oneDNN, 2 of 2");
  EXPECT_EQ(card.figures.at(0).value, "2.0x");
  ASSERT_TRUE(card.picture);
  EXPECT_EQ(card.picture->kind, Chart::Kind::bars);
  EXPECT_THAT(column_texts(card.tables.at(0), "library"), ElementsAre("oneDNN", "BLIS"));
  EXPECT_THAT(column_texts(card.tables.at(0), "fastest in"), ElementsAre("2 of 2", "0 of 2"));
  EXPECT_THAT(all_text(card), HasSubstr("Largest gap: BLIS"));
}

TEST(ResultsDocument, TheAnswerSaysWhichLibraryCouldBeFaster) {
  Result run = sample::result(products(1, 2));
  run.backends = {sample::backend("onednn", true), sample::backend("blis", true),
                  sample::backend("mkl", true)};
  run.backends[1].warnings = {"its kernels leave AVX-512 unused; BLIS_ARCH_TYPE=0 has it take others"};
  run.backends[2].warnings = {"is not among those compared"};
  EXPECT_THAT(
      texts(document({run}).cards.at(0).answer),
      ElementsAre("oneDNN is the fastest for all 2 matrix products.",
                  "On average BLIS takes 2.0x as long as the fastest.",
                  "BLIS could be faster here: its kernels leave AVX-512 unused; BLIS_ARCH_TYPE=0 has it "
                  "take others."));
}

TEST(ResultsDocument, EveryResultIsARowUnderItsProblem) {
  const Document made =
      document({sample::result({product("openblas", 1024, 12e-3, 0.012), product("onednn", 1024, 6e-3),
                                sample::refused(product("blis", 1024, 1), Status::out_of_memory, "")})});
  const Table& table = made.cards[0].details.at(0);
  EXPECT_EQ(table.title, "Matrix products");
  EXPECT_EQ(table.rows.at(0).group, "1024 x 1024 x 1024 f32");
  EXPECT_THAT(column(made, "backend"), ElementsAre("oneDNN", "OpenBLAS", "BLIS"));
  EXPECT_THAT(column(made, "time"), ElementsAre("6.00", "12.0", ""));
  EXPECT_THAT(column(made, "95 %"), ElementsAre("±1.0 %", "±1.2 %", ""));
  EXPECT_THAT(column(made, "GFLOP/s"), ElementsAre("358", "179", ""));
  EXPECT_THAT(column(made, "compared"),
              ElementsAre("fastest", "2.0x slower (1.9x to 2.1x)", "out of memory: no reason was given"));
  EXPECT_THAT(column(made, "machine"), IsEmpty()) << "there is one";
}

TEST(ResultsDocument, TrainingIsComparedAtTheLastStepThatAllHave) {
  CaseResult longer = sample::training("onednn");
  longer.training->loss = {2.3456, 1.1, 0.3, 0.2, 0.1};
  longer.training->seconds_to_accuracy.reset();
  CaseResult diverged = sample::training("blis");
  diverged.training->loss.back() = std::numeric_limits<double>::quiet_NaN();
  const Document made = document({sample::result({sample::training("openblas"), longer, diverged})});
  EXPECT_THAT(column(made, "loss"), ElementsAre("2.35 → 0.412 in 3 steps", "2.35 → 0.300 in 3 steps",
                                                "2.35 → diverged in 3 steps"));
  EXPECT_THAT(column(made, "to target"), ElementsAre("34.2", "not reached", "34.2"));
  EXPECT_THAT(column(made, "accuracy"), ElementsAre("90 %", "90 %", "90 %"));
  EXPECT_THAT(column(made, "images/s"), ElementsAre("64,000", "64,000", "64,000"));
  EXPECT_THAT(column(made, "GFLOP/s"), IsEmpty()) << "people know the images a second";
}

TEST(ResultsDocument, LossesOfUnlikeStridesAreComparedAtOneStep) {
  CaseResult coarse = sample::training("cuda");
  coarse.training->loss = {2.3, 0.9, 0.4};
  coarse.training->loss_stride = 4;
  CaseResult coarser = sample::training("blis");
  coarser.training->loss = {1.7, 0.2};
  coarser.training->loss_stride = 64;
  CaseResult fine = sample::training("openblas");
  fine.training->loss = {2.3, 1.9, 1.5, 1.2, 1.1, 1.05, 1.0, 0.95, 0.92, 0.91};
  EXPECT_THAT(column(document({sample::result({coarse, fine})}), "loss"),
              ElementsAre("2.30 → 0.900 in 8 steps", "2.30 → 0.910 in 10 steps"))
      << "the last entries at or before the 10 steps that both have taken";
  EXPECT_THAT(column(document({sample::result({fine, coarser})}), "loss"),
              ElementsAre("2.30 → 0.910 in 10 steps", "1.70 → 1.70 in 64 steps"))
      << "a curve whose first entry is of more steps shows that one";
}

TEST(ResultsDocument, UnknownIsNeverZero) {
  CaseResult unknown = product("a", 64, std::numeric_limits<double>::quiet_NaN());
  unknown.joules = std::numeric_limits<double>::infinity();
  const Document made = document({sample::result({unknown})});
  EXPECT_THAT(column(made, "time"), IsEmpty());
  EXPECT_THAT(column(made, "energy"), IsEmpty());
}

TEST(ResultsDocument, OfBatchesTellsWhatTheyBring) {
  std::vector<CaseResult> cases;
  for (const std::int64_t batch : {1, 4, 16, 64, 256})
    cases.push_back(sample::inference("onednn", batch, 1e-5 * static_cast<double>(batch + 9)));
  const Document made = document({sample::result(cases)});
  const Card& card = made.cards[0];
  EXPECT_THAT(texts(card.answer),
              ElementsAre(HasSubstr("Inference by the MLP: 10,000 images/s at batch 1, ")));
  EXPECT_EQ(card.picture->name, "infer-batch-network-mlp");
  EXPECT_THAT(column_texts(card.tables.at(0), "256"), ElementsAre("96,600"));
}

// ---- a GPU

TEST(ResultsDocument, WithAGpuTheBreakEvenIsTheAnswer) {
  const Document made = document({sample::result(sample::with_gpu(2e-4))});
  EXPECT_THAT(questions(made), ElementsAre("Which is faster?")) << "where a GPU wins is no open question";
  EXPECT_THAT(texts(made.cards[0].answer), ElementsAre(HasSubstr("the GPU (CUDA) wins from m = 256 up")));
  EXPECT_EQ(made.cards[0].short_answer, "from m = 256");
  EXPECT_THAT(made.cards[0].picture->name, testing::EndsWith("-speedup"));
  EXPECT_THAT(column(made, "device"), Contains("gpu"));
}

TEST(ResultsDocument, OneWorkOnAGpuDoesNotStandForOthers) {
  std::vector<CaseResult> cases = sample::with_gpu(2e-4);
  for (const char* dtype : {"bf16", "f16"}) {
    for (const CaseResult& c : sample::with_gpu(0)) cases.push_back(sample::in_dtype(c, dtype));
  }
  const Card card = document({sample::result(cases)}).cards.at(0);
  EXPECT_EQ(card.short_answer, "differs (3 answers)");
  EXPECT_THAT(card.answer, SizeIs(2));
  EXPECT_THAT(card.more_answers, SizeIs(1)) << "--answers has all of them";
}

TEST(ResultsDocument, WithoutAGpuThatIsNotMeasuredYet) {
  const Card card = document({sample::result(products(1, 2))}).cards.at(1);
  EXPECT_EQ(card.short_answer, "not measured yet");
  EXPECT_THAT(
      texts(card.answer),
      ElementsAre(
          "No GPU took part. To compare one, run this config on a machine with a GPU, without --backends."));
  EXPECT_THAT(questions(document({sample::recorded_result({product("a", 64, 1)})})),
              ElementsAre("Which is faster?"))
      << "one backend was asked for";
  EXPECT_THAT(
      questions(document({sample::result({sample::refused(product("a", 64, 1), Status::failed, "no")})})),
      ElementsAre("Which is faster?"))
      << "where there is no work, nothing is to be done there";
}

// ---- several machines and questions

TEST(ResultsDocument, EachMachineHasItsSentenceAndItsRow) {
  const Document made =
      document({sample::result(products(1, 2)), sample::on_machine("other", sample::result(products(4, 2)))});
  EXPECT_THAT(questions(made),
              ElementsAre("Which is faster?", "Which machine is the fastest?", "Where does a GPU win?"));
  const Card& card = made.cards[0];
  EXPECT_THAT(texts(card.answer), ElementsAre("host: oneDNN is the fastest for all 2 matrix products.",
                                              "other: BLIS is the fastest for all 2 matrix products."));
  EXPECT_EQ(card.short_answer, "differs by machine");
  EXPECT_THAT(column_texts(card.tables.at(0), "machine"), ElementsAre("host", "other"));
  EXPECT_THAT(column_texts(card.tables.at(0), "fastest library"), ElementsAre("oneDNN", "BLIS"));
  EXPECT_THAT(column(made, "machine"),
              ElementsAre("host", "host", "other", "other", "host", "host", "other", "other"))
      << "rows of a problem stand together";
  EXPECT_THAT(column(made, "compared"), Not(Contains(HasSubstr("4.0x"))))
      << "nothing is ranked across machines";
  EXPECT_THAT(all_text(card),
              AllOf(HasSubstr("host: Largest gap: BLIS"), HasSubstr("other: Largest gap: oneDNN"),
                    HasSubstr("other: On average oneDNN takes 2.0x")));
}

TEST(ResultsDocument, OfManyMachinesKeepsEveryAnswer) {
  std::vector<Result> results;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
    results.push_back(sample::on_machine(name, sample::result(products(1, 2))));
  const Document made = document(results);
  EXPECT_THAT(made.cards.at(0).answer, SizeIs(4));
  EXPECT_THAT(texts(made.cards.at(0).more_answers),
              ElementsAre(HasSubstr("e: oneDNN is"), HasSubstr("f: oneDNN is"), HasSubstr("g: oneDNN is")));
  const Chart& chart = made.cards.at(1).picture.value();
  EXPECT_TRUE(chart.less_is_better);
  EXPECT_THAT(chart.series, SizeIs(6));
  EXPECT_EQ(chart.note, "1 more machine is in the table.");
}

TEST(ResultsDocument, WithNothingToCompareSaysSoInShort) {
  const Document made = document({sample::result({product("a", 64, 1)}),
                                  sample::on_machine("other", sample::result({product("a", 64, 1)}))});
  EXPECT_EQ(made.cards.at(0).short_answer, "nothing to compare, on both");
}

TEST(ResultsDocument, MachinesThatMayBeAsFastShareTheFirstPlace) {
  const auto run = [](const std::string& name, double seconds) {
    return sample::on_machine(name, sample::result(products(seconds, 3, six_sizes)));
  };
  const Card two = machines_card_of({run("x", 1), run("y", 1.003)});
  EXPECT_THAT(texts(two.answer),
              ElementsAre("x and y share the first place of 2 machines, each with its fastest library: over "
                          "the 6 matrix products measured on each, y is not distinguishable from x."));
  EXPECT_EQ(two.short_answer, "x and y are not distinguishable");
  EXPECT_THAT(texts(machines_card_of({run("x", 1), run("y", 1.003), run("z", 2)}).answer),
              Contains("On average, z takes 2.0x as long as x."));
}

TEST(ResultsDocument, AHandfulOfProblemsNamesNoFastestMachine) {
  const auto run = [](const std::string& name, double seconds, std::size_t problems) {
    return sample::on_machine(
        name, sample::result(products(seconds, 3, {six_sizes.begin(), six_sizes.begin() + problems})));
  };
  const Card five = machines_card_of({run("x", 1, 5), run("y", 2, 5)});
  EXPECT_THAT(texts(five.answer),
              ElementsAre("Only 5 problems were measured on both machines: too few to name the fastest.",
                          "On average over them, y takes 2.0x as long as x."));
  EXPECT_EQ(five.short_answer, "not answered: only 5 problems in common");
  EXPECT_THAT(texts(machines_card_of({run("x", 1, 1), run("y", 2, 1)}).answer),
              ElementsAre("Only 1 problem was measured on both machines: too few to name the fastest.",
                          "For it, y takes 2.0x as long as x."));
  EXPECT_THAT(texts(machines_card_of({run("x", 1, 1), run("y", 1, 1)}).answer),
              Contains("For it, they are not distinguishable."));
  const Card two = machines_card_of({in_two_dtypes("x", 1, 2, {64}), in_two_dtypes("y", 1.5, 1, {64})});
  EXPECT_EQ(two.short_answer, "not answered: only 2 problems in common") << "one in each dtype";
}

TEST(ResultsDocument, MachinesThatWinInAnotherDtypeAreNotRankedByTheirMean) {
  const Card card = machines_card_of({in_two_dtypes("x", 1, 2), in_two_dtypes("y", 1.5, 1)});
  EXPECT_THAT(texts(card.answer),
              ElementsAre("The fastest of 2 machines, each with its fastest library, depends on the dtype.",
                          "y is ahead in bf16 (6 problems): x takes 2.0x as long.",
                          "x is ahead in f32 (6 problems): y takes 1.5x as long."));
  EXPECT_EQ(card.short_answer, "depends on the dtype");
  EXPECT_THAT(column_texts(card.tables.at(0), "machine"), ElementsAre("y", "x"));
  EXPECT_THAT(column_texts(card.tables.at(0), "f32"), ElementsAre("1.00x", "0.67x"));
  EXPECT_THAT(card.picture.value().categories, ElementsAre("bf16", "f32"));
  EXPECT_EQ(machines_card_of({in_two_dtypes("x", 1, 1), in_two_dtypes("y", 2, 3)}).short_answer, "x");
}

TEST(ResultsDocument, MachinesThatWinInAnotherOperationAreNotRankedByTheirMean) {
  const auto run = [](const std::string& name, double product, double batch) {
    std::vector<CaseResult> cases = products(product, 9, six_sizes);
    for (const std::int64_t size : {1, 8, 64}) cases.push_back(sample::inference("onednn", size, batch));
    return sample::on_machine(name, sample::result(std::move(cases)));
  };
  EXPECT_THAT(
      texts(machines_card_of({run("x", 1, 2), run("y", 3, 1)}).answer),
      ElementsAre("The fastest of 2 machines, each with its fastest library, depends on the operation.",
                  "x is ahead for matrix products (6 problems): y takes 3.0x as long.",
                  "y is ahead for inference batches (3 problems): x takes 2.0x as long."));
}

TEST(ResultsDocument, TheFastestMachineIsNamedWithItsGpu) {
  Result fast = sample::on_machine("vm", sample::result(products(1, 3, six_sizes)));
  for (CaseResult& c : fast.cases) {
    if (c.backend == "onednn" && c.id != fast.cases.front().id) c = sample::on_gpu(c);
  }
  fast.backends = {sample::backend("onednn", true)};
  fast.backends[0].device = "gpu";
  fast.backends[0].device_name = "NVIDIA H200";
  const Card card =
      machines_card_of({fast, sample::on_machine("other", sample::result(products(2, 3, six_sizes)))});
  EXPECT_EQ(card.short_answer, "vm with H200");
  EXPECT_THAT(column_texts(card.tables.at(0), "machine"), ElementsAre("vm with H200", "other"));
  EXPECT_EQ(texts(card.answer).back(),
            "The times of vm with H200 are its GPU's for 5 of the 6 problems and its CPU's for the "
            "others.");
}

TEST(ResultsDocument, MachinesAreSideBySideOverWhatAllHave) {
  std::vector<CaseResult> more = products(4, 2, six_sizes);
  more.push_back(product("onednn", 4096, 1));
  std::vector<CaseResult> less = products(1, 3, six_sizes);
  const auto card_of = [&] {
    return machines_card_of(
        {sample::on_machine("slow", sample::result(more)), sample::on_machine("fast", sample::result(less))});
  };
  const Card card = card_of();
  EXPECT_THAT(texts(card.answer), ElementsAre("fast is the fastest of 2 machines, each with its fastest "
                                              "library, for all 6 matrix products measured on each.",
                                              "On average, slow takes 2.0x as long as fast."));
  EXPECT_EQ(card.short_answer, "fast");
  EXPECT_THAT(column_texts(card.tables.at(0), "machine"), ElementsAre("fast", "slow"));
  EXPECT_THAT(column_texts(card.tables.at(0), "all"), ElementsAre("1.00x", "2.0x"));
  for (CaseResult& c : more) {
    if (c.parameters.integer("m") == 64) c.seconds = product("onednn", 64, 0.5).seconds;
  }
  EXPECT_THAT(texts(card_of().answer),
              ElementsAre("fast is the fastest of 2 machines, each with its fastest library, on average over "
                          "the 6 matrix products measured on each.",
                          "The intervals show it to be the fastest for 5 of them.",
                          HasSubstr("On average, slow takes")));
  const Document apart = document({sample::result({product("a", 64, 1)}),
                                   sample::on_machine("other", sample::result({product("a", 128, 1)}))});
  EXPECT_THAT(questions(apart), Not(Contains("Which machine is the fastest?")))
      << "they have no problem in common";
}

TEST(ResultsDocument, AMachineMayBeTheFastestOnAverageAlone) {
  const auto run = [](const std::string& name, double seconds) {
    std::vector<CaseResult> cases;
    for (const std::int64_t m : six_sizes) cases.push_back(product("onednn", m, seconds, 0.04));
    return sample::on_machine(name, sample::result(std::move(cases)));
  };
  EXPECT_THAT(texts(machines_card_of({run("slow", 1.05), run("fast", 1)}).answer),
              ElementsAre("fast is the fastest of 2 machines, each with its fastest library, on average over "
                          "the 6 matrix products measured on each.",
                          "On average, slow takes 1.05x as long as fast."))
      << "each ratio's interval contains 1, the mean's does not";
}

TEST(ResultsDocument, AComparisonOfMachinesSaysWhichRanBelowItsOwnSpeed) {
  Result slow = sample::on_machine("slow", sample::result(products(2, 3, six_sizes)));
  for (CaseResult& c : slow.cases) {
    c.seconds->samples.assign(10, c.seconds->median);
    c.seconds->own_speed.assign(10, 0.5);
  }
  const Card card =
      machines_card_of({slow, sample::on_machine("fast", sample::result(products(1, 3, six_sizes)))});
  EXPECT_THAT(texts(card.answer).back(),
              AllOf(HasSubstr("slow ran at 50 %"), HasSubstr("its times may be as short as 50 % of these.")));
  EXPECT_EQ(card.answer.back().tone, Tone::warning);
}

TEST(ResultsDocument, AMeanOverMachinesIsRoughIfManyRatiosAre) {
  const auto mean = [](std::size_t rough) {
    std::vector<CaseResult> slow;
    std::vector<CaseResult> fast;
    for (std::size_t i = 1; i <= 10; ++i) {
      const auto m = static_cast<std::int64_t>(i);
      slow.push_back(product("onednn", m, 2, i <= rough ? std::nullopt : std::optional(0.01)));
      fast.push_back(product("onednn", m, 1));
    }
    return texts(machines_card_of({sample::on_machine("slow", sample::result(slow)),
                                   sample::on_machine("fast", sample::result(fast))})
                     .answer)
        .back();
  };
  EXPECT_EQ(mean(1), "On average, slow takes 2.0x as long as fast.");
  EXPECT_EQ(mean(2), "On average, slow takes ~2.0x as long as fast.");
}

TEST(ResultsDocument, EachQuestionHasACardWithAnIdOfItsOwn) {
  const Document made =
      document({asking("Q", sample::result(products(1, 2))), asking("q?", sample::result(products(1, 2))),
                asking("R", sample::on_machine("other", sample::result(products(1, 2)))),
                asking("Q", sample::result({product("onednn", 256, 1)}))},
               {sample::threshold()});
  EXPECT_EQ(made.title, "What these machines can do");
  EXPECT_THAT(questions(made),
              ElementsAre("Q (host)", "q? (host)", "R (other)", "Which machine is the fastest?",
                          "From which size on?", "Where does a GPU win?"));
  EXPECT_THAT(made.cards[0].details.at(0).rows, SizeIs(5)) << "runs of one question are together";
  std::set<std::string> ids;
  for (const Card& card : made.cards) EXPECT_TRUE(ids.insert(card.id).second) << card.id;
  EXPECT_EQ(made.cards[1].id, "q-host-2");
}

TEST(ResultsDocument, IdsOfCardsAreNotThoseOfThePage) {
  const auto id = [](const std::string& question) {
    return document({asking(question, sample::result(products(1, 2)))}).cards.at(0).id;
  };
  EXPECT_EQ(id("Data"), "data-2");
  EXPECT_EQ(id("Notes"), "notes-2");
  EXPECT_EQ(id("誰が速い？"), "question");
}

TEST(ResultsDocument, BetweenMachinesTheBreakEvenIsACardWhereAGpuTakesPart) {
  std::vector<CaseResult> cpu;
  std::vector<CaseResult> other;
  for (const std::int64_t m : {16, 64, 256, 1024}) {
    const auto size = static_cast<double>(m);
    cpu.push_back(product("onednn", m, 1e-6 * size));
    other.push_back(product("onednn", m, 1e-4 + 1e-7 * size));
  }
  const auto run = [](const std::string& machine, std::vector<CaseResult> cases) {
    Result made = sample::on_machine(machine, sample::result(std::move(cases)));
    made.backends = {sample::backend("onednn", true)};
    return made;
  };
  const Document without = document({run("a", cpu), run("b", other)});
  EXPECT_THAT(questions(without),
              ElementsAre("Which is faster?", "Which machine is the fastest?", "Where does a GPU win?"));
  ASSERT_THAT(without.cards[1].folds, SizeIs(1));
  EXPECT_THAT(column_texts(without.cards[1].folds[0].tables.at(0), "answer"),
              ElementsAre(HasSubstr("CPU of b, 2 cores is faster than CPU of a, 2 cores from m = 1")));
  EXPECT_THAT(texts(without.cards[1].folds[0].sentences), Contains(HasSubstr("not in turn")));
  for (CaseResult& c : other) {
    c = sample::on_gpu(c);
    c.backend = "cuda";
  }
  Result gpu = run("g", other);
  gpu.backends = {sample::backend("cuda", true)};
  gpu.backends[0].device = "gpu";
  gpu.backends[0].device_name = "A GPU";
  const Document with = document({run("a", cpu), gpu});
  ASSERT_THAT(with.cards, SizeIs(3));
  EXPECT_THAT(texts(with.cards[2].answer),
              ElementsAre(HasSubstr("A GPU is faster than CPU of a, 2 cores from m = 1")));
  EXPECT_TRUE(with.cards[2].picture);
  EXPECT_THAT(texts(with.notes), Contains(HasSubstr("Break-even: compared from results measured on two")));
}

// ---- results that are wrong or missing

TEST(ResultsDocument, WrongResultsComeBeforeTheAnswer) {
  std::vector<CaseResult> cases = products(1, 2, six_sizes);
  for (const std::size_t wrong : {0, 2})
    cases[wrong] = sample::refused(cases[wrong], Status::wrong, "0 is 1");
  cases[5] = sample::refused(cases[5], Status::failed, "killed");
  const Result run = sample::result(cases);
  const Card card = document({run}).cards.at(0);
  EXPECT_THAT(texts(card.answer), ElementsAre("oneDNN computes wrong results for 2 of 6 matrix products.",
                                              "BLIS failed for 1 of 6 matrix products.",
                                              "oneDNN is the fastest for all 3 matrix products.",
                                              "On average BLIS takes 2.0x as long as the fastest."));
  EXPECT_EQ(card.answer.at(0).tone, Tone::bad);
  EXPECT_EQ(card.short_answer, "wrong results: oneDNN; oneDNN, 3 of 3");
  const TableCell& leader = card.tables.at(0).rows.at(0).cells.at(0);
  EXPECT_EQ(leader.tone, Tone::bad);
  EXPECT_EQ(leader.note, "wrong for 2 of 6");

  cases[0].status = cases[2].status = Status::implausible;
  EXPECT_EQ(document({sample::result(cases)}).cards.at(0).short_answer,
            "impossibly short times: oneDNN; oneDNN, 3 of 3");

  const Document several =
      document({sample::on_machine("right", sample::result(products(1, 2, six_sizes))), run});
  EXPECT_THAT(texts(several.cards.at(0).answer),
              ElementsAre("host: oneDNN computes wrong results for 2 of 6 matrix products.",
                          "host: BLIS failed for 1 of 6 matrix products.",
                          "right: oneDNN is the fastest for all 6 matrix products.",
                          "host: oneDNN is the fastest for all 3 matrix products."));
  EXPECT_EQ(several.cards.at(0).short_answer, "wrong results: oneDNN; oneDNN, on both");
}

TEST(ResultsDocument, AnInterruptedRunSaysWhatIsMissing) {
  std::vector<CaseResult> cases = products(1, 2, six_sizes);
  for (std::size_t i = 4; i < cases.size(); ++i)
    cases[i] = sample::refused(cases[i], Status::interrupted, "interrupted");
  const Card libraries = document({sample::result(cases)}).cards.at(0);
  EXPECT_EQ(texts(libraries.answer).at(0),
            "oneDNN is the fastest for all 2 matrix products that were measured (of 6).");
  EXPECT_EQ(libraries.short_answer, "oneDNN, 2 of 2; 4 not measured");
  std::vector<CaseResult> with_gpu = sample::with_gpu(2e-4);
  with_gpu.push_back(sample::refused(product("onednn", 1024, 1), Status::interrupted, "interrupted"));
  EXPECT_THAT(texts(document({sample::result(with_gpu)}).cards.at(0).answer),
              ElementsAre(HasSubstr("the GPU (CUDA) wins from m = 256 up"),
                          "1 of 13 results was not measured: the run was interrupted."));
}

TEST(ResultsDocument, NamesTheAlgorithmThatBreakevenAddsToALibrary) {
  std::vector<CaseResult> cases{product("openblas", 64, 1), product("onednn", 64, 2)};
  for (CaseResult& c : cases) c.op = "conv2d";
  cases[0].algorithm = "Winograd, tiles of 2 x 2, blocks of 88";
  const Document made = document({sample::result(cases)});
  EXPECT_THAT(column_texts(made.cards[0].details.at(0), "backend"),
              ElementsAre("Winograd on OpenBLAS", "oneDNN"));
  EXPECT_THAT(texts(made.cards[0].answer), Contains(HasSubstr("Winograd on OpenBLAS is the fastest.")));
  EXPECT_THAT(
      texts(made.notes),
      Contains("OpenBLAS has no convolutions: breakeven computes them from its products. Winograd needs less "
               "than half of the multiplications that GFLOP/s count, so they can exceed the ceiling."));
}

TEST(ResultsDocument, CasesThatAreNotMeasuredYetAreOneRow) {
  std::vector<CaseResult> cases{product("a", 64, 1), product("b", 64, 2)};
  for (const std::int64_t m : {128, 256}) {
    for (const char* backend : {"a", "b"})
      cases.push_back(sample::refused(product(backend, m, 1), Status::interrupted, "not measured yet"));
  }
  for (CaseResult& c : cases) {
    if (c.status == Status::interrupted) c.seconds.reset();
  }
  const Table table = document({sample::result(cases)}).cards.at(0).details.at(0);
  EXPECT_THAT(column_texts(table, "backend"), ElementsAre("a", "b", "4 results"));
  EXPECT_THAT(column_texts(table, "compared"), testing::Contains("not measured yet"));
  EXPECT_EQ(table.rows.back().group, "2 of 3 problems");
}

// ---- other information for the reader

TEST(ResultsDocument, NotesAreTheWorstFirst) {
  Result run =
      sample::result({sample::refused(product("a", 64, 1), Status::unsupported, "no f8"), product("b", 64, 1),
                      sample::refused(product("c", 64, 1), Status::wrong, "element 0 is 1")});
  run.cases[1].warnings = {quoted_note("throttled")};
  run.complete = false;
  run.config = R"({"title": "Which is faster?", "backends": ["b", "cuda", "jax", "tensorflow"]})";
  run.backends = {sample::backend("cuda", false, "no driver"), sample::backend("jax", false, "not installed"),
                  sample::backend("tensorflow", false, "not installed"),
                  sample::backend("pytorch", false, "not installed"), sample::backend("b", true)};
  Threshold threshold = sample::threshold();
  const Document made = document({run, run}, {threshold});
  EXPECT_THAT(texts(made.notes),
              ElementsAre("wrong: element 0 is 1 (2 cases: c)", HasSubstr("continue it with --resume"),
                          "throttled (2 cases: b)", "unsupported: no f8 (2 cases: a)",
                          "Matrix products, m = n = k, f32: a note", HasSubstr("\"width\" requests 4 %"),
                          "the governor is powersave", "b at 2.5 USD an hour (an offer, 2026-10-01)",
                          "Not here: cuda (no driver); jax, tensorflow (not installed)."));
  EXPECT_EQ(made.notes[0].tone, Tone::bad);
  EXPECT_EQ(made.notes[2].tone, Tone::warning);
  EXPECT_EQ(made.notes[3].tone, Tone::quiet);
}

TEST(ResultsDocument, IsAboutMachinesDatesVersionsAndVerification) {
  Result run = sample::result(products(1, 2));
  for (CaseResult& c : run.cases) {
    c.verification = Verification{};
    c.verification->correct = true;
  }
  EXPECT_EQ(document({run}).about,
            "host, A CPU, 2 cores, 2 threads, no GPU measured · 1 November 2026 · breakeven 0.1.0 · 4 "
            "results, all verified "
            "against float64");
  Result later = sample::on_machine("other", run);
  later.created = "2026-11-03T00:00:00Z";
  later.tool_version = "0.2.0";
  later.host.gpus.emplace_back().name = "A GPU";
  later.cases[0] = sample::refused(later.cases[0], Status::timed_out, "");
  later.cases[1].verification.reset();
  EXPECT_EQ(
      document({later, run}).about,
      "2 machines (2 cores each, A GPU) · 1 November 2026 to 3 November 2026 · breakeven 0.1.0, 0.2.0 · "
      "8 results: 1 timed out; 6 of 7 timed ones verified");
  EXPECT_THAT(texts(document({later}).folds.at(0).sentences), Contains("CPU of other, 2 cores, 2 threads"));
}

TEST(ResultsDocument, HardwareAndSoftwareAreThoseOfAllFilesOfAMachine) {
  Result cpu = sample::result(products(1, 2));
  cpu.host.is_labelled = true;
  Result gpu = cpu;
  gpu.host.gpus.emplace_back().name = "A GPU";
  cpu.backends = {sample::backend("onednn", true), sample::backend("cuda", false, "not asked for")};
  gpu.backends = {sample::backend("onednn", true), sample::backend("cuda", true),
                  sample::backend("jax", false, "not installed")};
  for (const auto& files : {std::vector{cpu, gpu}, std::vector{gpu, cpu}}) {
    const Document made = document(files);
    EXPECT_THAT(made.about, HasSubstr("2 threads, A GPU · "));
    ASSERT_THAT(made.folds, SizeIs(1));
    EXPECT_THAT(texts(made.folds[0].sentences),
                testing::UnorderedElementsAre("A CPU, 2 cores, 2 threads", HasSubstr("A GPU"), "onednn 0.1.0",
                                              "cuda 0.1.0", "not here: jax: not installed"));
  }
}

TEST(ResultsDocument, OfNothingSaysSo) {
  const Document made = document({sample::result({})});
  EXPECT_THAT(texts(made.cards.at(0).answer), ElementsAre(HasSubstr("No problem was measured in two ways")));
  EXPECT_THAT(document({}).cards, IsEmpty());
}

}  // namespace
}  // namespace breakeven::results_document_test
