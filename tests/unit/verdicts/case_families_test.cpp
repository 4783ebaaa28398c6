// Cases that are points of one curve.
#include "verdicts/case_families.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "unit/reports_sample.h"

namespace breakeven::verdicts_case_families_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

CaseResult product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  CaseResult c = sample::product("a", m, 1);
  c.parameters.set("n", n);
  c.parameters.set("k", k);
  c.parameters.set("batch", batch);
  return c;
}

/// "m: 1 2 4": each family's parameter, and its values in the order of the cases.
std::vector<std::string> families(const std::vector<CaseResult>& cases, const std::string& parameter = "") {
  std::vector<const CaseResult*> all;
  all.reserve(cases.size());
  for (const CaseResult& c : cases) all.push_back(&c);
  std::vector<std::string> texts;
  for (const CaseFamily& family : case_families(all, parameter)) {
    std::string text = family.op + " " + family.parameter + ":";
    for (const auto& [value, index] : family.members) text += fmt::format(" {}@{}", value, index);
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(CaseFamilies, TakeThreeValuesOfOneParameter) {
  EXPECT_THAT(families({product(1, 7, 9), product(4, 7, 9), product(2, 7, 9)}),
              ElementsAre("matmul m: 1@0 4@1 2@2"));
  EXPECT_THAT(families({product(1, 7, 9), product(4, 7, 9), product(4, 7, 9)}), IsEmpty())
      << "two values, though there are three cases";
}

TEST(CaseFamilies, MoveTogetherWithWhatIsAlwaysTheSame) {
  EXPECT_THAT(families({product(8, 8, 8), product(16, 16, 16), product(32, 32, 32)}),
              ElementsAre("matmul m: 8@0 16@1 32@2"))
      << "by m, not by n and by k again";
}

TEST(CaseFamilies, OfAParameterThatIsNamedAreItsOwn) {
  EXPECT_THAT(families({product(8, 8, 8), product(16, 16, 16), product(32, 32, 32)}, "k"),
              ElementsAre("matmul k: 8@0 16@1 32@2"));
  EXPECT_THAT(families({product(8, 8, 8), product(16, 16, 16), product(32, 32, 32)}, "batch"), IsEmpty());
  EXPECT_THAT(families({product(1, 7, 9), product(4, 7, 9)}, "m"), ElementsAre("matmul m: 1@0 4@1"))
      << "two values are enough";
  EXPECT_THAT(families({product(4, 7, 9), product(4, 7, 9)}, "m"), IsEmpty());
}

TEST(CaseFamilies, MayShareCases) {
  EXPECT_THAT(
      families({product(2, 3, 5), product(4, 3, 5), product(6, 3, 5), product(2, 7, 5), product(2, 9, 5)}),
      UnorderedElementsAre("matmul m: 2@0 4@1 6@2", "matmul n: 3@0 7@3 9@4"));
}

TEST(CaseFamilies, ThatAreWhollyInLargerOnesAreLeftOut) {
  // By m with n = m, and by m with n fixed: the latter has cases of its own and stays.
  EXPECT_THAT(
      families({product(2, 2, 5), product(4, 4, 5), product(8, 8, 5), product(16, 8, 5), product(32, 8, 5)}),
      UnorderedElementsAre("matmul m: 2@0 4@1 8@2", "matmul m: 8@2 16@3 32@4"));
}

TEST(CaseFamilies, AreOfOneOperationAndWholeNumbersAbove0) {
  CaseResult other = product(4, 7, 9);
  other.op = "another";
  EXPECT_THAT(families({product(1, 7, 9), other, product(2, 7, 9)}), IsEmpty());
  EXPECT_THAT(families({product(0, 7, 9), product(4, 7, 9), product(2, 7, 9)}), IsEmpty());
  std::vector<CaseResult> rates(3, product(1, 7, 9));
  for (std::size_t i = 0; i < 3; ++i) rates[i].parameters.set("rate", static_cast<double>(i + 1));
  EXPECT_THAT(families(rates), IsEmpty());
}

/// The dtype is no part of a family: two curves of one picture.
TEST(CaseFamilies, HaveCasesOfAllDtypes) {
  EXPECT_THAT(families({product(1, 7, 9), sample::in_dtype(product(2, 7, 9), "f64"), product(4, 7, 9)}),
              ElementsAre("matmul m: 1@0 2@1 4@2"));
}

TEST(CaseFamilies, SayWhatElseIsFixed) {
  EXPECT_THAT(fixed_parameters(product(8, 8, 64, 4), "m"), ElementsAre(Pair("k", "64"), Pair("batch", "4")))
      << "n moves along";
  EXPECT_THAT(fixed_parameters(product(8, 9, 64), "m"), ElementsAre(Pair("n", "9"), Pair("k", "64")))
      << "a batch of 1 is the default";
  CaseResult unknown = product(8, 9, 64);
  unknown.op = "of another program";
  EXPECT_THAT(fixed_parameters(unknown, "m"), IsEmpty());
}

TEST(CaseFamilies, HaveAKeyOfWhatDoesNotMove) {
  const Parameters parameters = product(8, 8, 64).parameters;
  EXPECT_EQ(rest_of(parameters, "m", true), "n=*;k=64;batch=1;transpose_a=false;transpose_b=false;");
  EXPECT_EQ(rest_of(parameters, "m", false), "n=8;k=64;batch=1;transpose_a=false;transpose_b=false;");
}

}  // namespace
}  // namespace breakeven::verdicts_case_families_test
