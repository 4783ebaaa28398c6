// Tests that reports begin with what the config asks.
#include <gmock/gmock.h>

#include <algorithm>

#include "reports/document/builders.h"
#include "unit/document_texts.h"
#include "unit/reports_sample.h"

namespace breakeven::asked_document_test {
namespace {

using sample::product;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Result asking(const std::string& topic, std::vector<CaseResult> cases) {
  Result run = sample::result(std::move(cases));
  run.config = R"({"title": "What is asked?", "asks": ")" + topic + "\"}";
  return run;
}

Card first_card(std::vector<Result> results, std::optional<Focus> asks = {}) {
  return document_of(Measured{.results = std::move(results), .asks = asks}).cards.at(0);
}

std::vector<CaseResult> with_framework() {
  return {product("onednn", 64, 1e-6), product("openblas", 64, 2e-6), product("pytorch", 64, 3e-6)};
}

TEST(AskedDocument, BeginsWithTheTopic) {
  const Card card = first_card({asking("frameworks", with_framework())});
  EXPECT_THAT(
      texts(card.answer),
      ElementsAre("On average PyTorch takes 3.0x as long as the fastest library without a framework."));
  EXPECT_EQ(card.short_answer, "PyTorch 3.0x");
  EXPECT_EQ(card.picture.value().name, "frameworks");
  EXPECT_THAT(all_text(card), HasSubstr("oneDNN is the fastest.")) << "the rest is not lost";
}

TEST(AskedDocument, OfAnOlderConfigBeginsWithWhatMostResultsShow) {
  const Card card = first_card({sample::result(with_framework())});
  EXPECT_THAT(texts(card.answer), Contains("oneDNN is the fastest."));
}

TEST(AskedDocument, SaysWhatIsMissing) {
  const Card card = first_card({asking("operands", with_framework())});
  EXPECT_EQ(texts(card.answer).at(0),
            "Not answered: no problem was measured both with reused and with rotating operands.");
  EXPECT_THAT(texts(card.answer), Contains("oneDNN is the fastest.")) << "and what is known";
  EXPECT_EQ(card.short_answer, "not answered");
}

TEST(AskedDocument, NamesTheFastestLibraryEvenWithAGpu) {
  const Card card = first_card({asking("libraries", sample::with_gpu(2e-4))});
  EXPECT_THAT(texts(card.answer).at(0), HasSubstr("is the fastest for"));
  EXPECT_THAT(all_text(card), HasSubstr("the GPU (CUDA) wins from m = 256 up"));
}

TEST(AskedDocument, BeginsWithTheTopicOfTheReaderInsteadOfTheConfigs) {
  const Card card = first_card({asking("libraries", with_framework())}, Focus::frameworks);
  EXPECT_EQ(card.short_answer, "PyTorch 3.0x");
}

TEST(AskedDocument, AnswersForEachMachine) {
  const Card card = first_card({sample::on_machine("x", asking("frameworks", with_framework())),
                                sample::on_machine("y", asking("frameworks", with_framework()))});
  EXPECT_THAT(texts(card.answer), ElementsAre(HasSubstr("x: On average PyTorch takes 3.0x"),
                                              HasSubstr("y: On average PyTorch takes 3.0x")));
  EXPECT_EQ(card.short_answer, "PyTorch 3.0x, on both");
}

TEST(AskedDocument, ShowsTheLibrariesThatLeadOverAllWorkAndNotOnePart) {
  std::vector<CaseResult> cases;
  for (const std::int64_t batch : {1, 8, 64}) {
    cases.push_back(sample::inference("onednn", batch, 2e-3));
    cases.push_back(sample::inference("blis", batch, 1e-3));
  }
  const Card one_part = first_card({asking("libraries", cases)});
  EXPECT_EQ(one_part.picture.value().kind, Chart::Kind::lines);
  for (const std::int64_t m : {64, 128, 256, 512}) {
    cases.push_back(product("onednn", m, 1e-6));
    cases.push_back(product("blis", m, 2e-6));
  }
  const Card card = first_card({asking("libraries", cases)});
  EXPECT_THAT(texts(card.answer).at(0), HasSubstr("oneDNN is the fastest for 4 of 7 problems"));
  EXPECT_EQ(card.picture.value().name, "libraries") << "BLIS is ahead in the curves of inference";
}

// ---- machines

/// Products of two sizes; the small one counts a thousand times.
Result mix_on(const std::string& machine, double small, double large) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128}) {
    cases.push_back(sample::measured_case(
        "matmul", {{"m", m}, {"n", m}, {"k", m}, {"dtype", std::string("f32")}}, m == 64 ? small : large));
  }
  Result run = sample::on_machine(machine, sample::result(cases));
  run.config = R"({"title": "Which is best?", "asks": "machines", "workloads": [
      {"op": "matmul", "m": 64, "n": "m", "k": "m", "dtype": "f32", "weight": 1000},
      {"op": "matmul", "m": 128, "n": "m", "k": "m", "dtype": "f32"}]})";
  return run;
}

TEST(AskedDocument, RanksMachinesByTheWeightsOfTheMix) {
  const Document made = document_of(Measured{.results = {mix_on("x", 1e-6, 1e-3), mix_on("y", 4e-6, 1e-4)}});
  const Card& card = made.cards.at(0);
  EXPECT_THAT(texts(card.answer).at(0), AllOf(HasSubstr("CPU of x"), HasSubstr("takes the least time")))
      << "where both cases count alike, y is ahead";
  EXPECT_THAT(card.short_answer, HasSubstr("CPU of x"));
  EXPECT_EQ(card.picture.value().name, "ranking-time");
  for (const Card& other : made.cards) EXPECT_NE(other.question, "Which machine is the fastest?");
}

TEST(AskedDocument, OfOneMachineSaysHowLongItsMixTakes) {
  const Card card = first_card({mix_on("x", 1e-6, 1e-3)});
  EXPECT_THAT(
      texts(card.answer),
      ElementsAre(
          "CPU of x, 2 cores takes 2.20 ms for the whole mix, once, each case with its fastest library.",
          "To compare machines, report the files of all of them together."));
  EXPECT_EQ(card.short_answer, "one machine: 2.20 ms");
}

TEST(AskedDocument, OfAMixThatNobodyFinishedComparesWhatThereIs) {
  Result cut = mix_on("x", 1e-6, 1e-3);
  cut.cases.pop_back();
  const Card card = first_card({cut});
  EXPECT_EQ(texts(card.answer).at(0), "Not answered: no machine has a time for every case.");
  EXPECT_EQ(card.answer.at(0).tone, Tone::warning);
  EXPECT_EQ(card.short_answer, "not answered");
  Result other = mix_on("y", 1e-6, 1e-3);
  other.cases.erase(other.cases.begin());
  const Card of_two = first_card({cut, other});
  EXPECT_EQ(texts(of_two.answer).at(0), texts(card.answer).at(0)) << "once, not for each machine";
  EXPECT_EQ(of_two.short_answer, "not answered");
}

TEST(AskedDocument, OfAMixThatOneMachineFinishedSaysWhatTheOtherLacks) {
  Result cut = mix_on("y", 4e-6, 1e-4);
  cut.cases.pop_back();
  const auto document = [&] {
    return document_of(Measured{.results = {mix_on("x", 1e-6, 1e-3), cut}, .asks = std::nullopt});
  };
  const std::string lacks =
      "No other machine has a time for every case: CPU of y, 2 cores lacks 1 of 2 cases. ";
  EXPECT_EQ(texts(document().cards.at(0).answer).at(1), lacks + "`breakeven rank` says which, and why.");
  EXPECT_EQ(document().cards.at(1).question, "Which machine is the fastest?")
      << "the machines are compared over what both have";
  cut.complete = false;
  EXPECT_EQ(texts(document().cards.at(0).answer).at(1), lacks + "Continue interrupted runs with --resume.");
}

TEST(AskedDocument, OfAMixThatTwoMachinesFinishedSaysWhoIsNotRanked) {
  Result cut = mix_on("z", 1e-7, 1e-5);
  cut.cases.pop_back();
  const Document made = document_of(
      Measured{.results = {mix_on("x", 1e-6, 1e-3), mix_on("y", 4e-6, 1e-4), cut}, .asks = std::nullopt});
  EXPECT_THAT(
      texts(made.cards.at(0).answer),
      Contains("Not ranked: CPU of z, 2 cores lacks 1 of 2 cases. `breakeven rank` says which, and why."));
  EXPECT_EQ(made.cards.at(1).question, "Which machine is the fastest?") << "z may be the fastest";
}

TEST(AskedDocument, OfAMixKeepsTheBreakEvensBetweenMachines) {
  const auto run = [](const std::string& machine, double fixed, double factor) {
    std::vector<CaseResult> cases;
    for (const std::int64_t m : {16, 64, 256, 1024})
      cases.push_back(product("onednn", m, fixed + factor * static_cast<double>(m)));
    Result made = sample::on_machine(machine, asking("machines", std::move(cases)));
    made.backends = {sample::backend("onednn", true)};
    return made;
  };
  const auto has_break_evens = [](const Document& made) {
    return std::ranges::any_of(made.cards, [](const Card& card) {
      return std::ranges::any_of(card.folds, [](const Fold& fold) {
        return std::ranges::any_of(fold.tables, [](const Table& table) {
          return std::ranges::any_of(column_texts(table, "answer"), [](const std::string& answer) {
            return answer.find("is faster than CPU of a, 2 cores from m = 1") != std::string::npos;
          });
        });
      });
    });
  };
  std::vector<Result> results{run("a", 0, 1e-6), run("b", 1e-4, 1e-7)};
  ASSERT_TRUE(has_break_evens(document_of(Measured{.results = results, .asks = std::nullopt})));
  for (Result& one : results) {
    one.config = R"({"title": "Which is best?", "asks": "machines", "workloads": [
        {"op": "matmul", "m": [16, 64, 256, 1024], "n": "m", "k": "m", "dtype": "f32"}]})";
    for (CaseResult& c : one.cases)
      c.id = make_case(*find_workload("matmul"), {{"m", c.parameters.integer("m")},
                                                  {"n", c.parameters.integer("m")},
                                                  {"k", c.parameters.integer("m")},
                                                  {"dtype", std::string("f32")}})
                 .id();
  }
  const Document made = document_of(Measured{.results = results, .asks = std::nullopt});
  for (const Card& card : made.cards) EXPECT_NE(card.question, "Which machine is the fastest?");
  EXPECT_TRUE(has_break_evens(made));
}

}  // namespace
}  // namespace breakeven::asked_document_test
