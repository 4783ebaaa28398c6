// Cases that differ in whether they move their data.
#include "verdicts/transfers.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<std::string> ids_of(const Result& result) {
  std::vector<std::string> ids;
  for (const CaseResult& c : result.cases) ids.push_back(c.backend + " " + c.id);
  return ids;
}

CaseResult product_on(const char* backend) {
  CaseResult c = sample::product(backend, 64, 1);
  c.parameters.set("transfer", std::string("resident"));
  return c;
}

CaseResult moved(CaseResult c) {
  c.parameters.set("transfer", std::string("each"));
  c.id = "matmul/m=64/n=64/k=64/transfer=each/f32";
  return c;
}

TEST(Transfers, AProcessorStandsForWhatAGpuMoves) {
  const CaseResult resident = product_on("onednn");
  std::vector<Result> results{
      sample::result({resident, sample::refused(product_on("blis"), Status::failed, "")}),
      sample::result({sample::on_gpu(moved(product_on("cuda")))})};
  const auto wanted = ids_on_gpus(results);
  EXPECT_THAT(wanted, ElementsAre("matmul/m=64/n=64/k=64/transfer=each/f32"));
  add_cases_of_processors(results, wanted);
  EXPECT_THAT(ids_of(results[0]), ElementsAre("onednn " + resident.id, "blis " + resident.id,
                                              "onednn matmul/m=64/n=64/k=64/transfer=each/f32"));
  EXPECT_EQ(results[0].cases[2].parameters.text("transfer"), "each");
  EXPECT_THAT(results[1].cases, SizeIs(1)) << "a GPU stands for nothing but what it measured";
  add_cases_of_processors(results, wanted);
  EXPECT_THAT(results[0].cases, SizeIs(3)) << "it is there already";
}

TEST(Transfers, NothingIsAddedThatIsNotWanted) {
  std::vector<Result> results{sample::result({product_on("onednn")})};
  add_cases_of_processors(results, {"matmul/m=65/n=64/k=64/transfer=each/f32"});
  EXPECT_THAT(results[0].cases, SizeIs(1));
  results[0].cases[0] = moved(results[0].cases[0]);
  add_cases_of_processors(results, {"matmul/m=64/n=64/k=64/f32"});
  EXPECT_THAT(ids_of(results[0]), ElementsAre("onednn matmul/m=64/n=64/k=64/transfer=each/f32",
                                              "onednn matmul/m=64/n=64/k=64/f32"));
}

}  // namespace
}  // namespace breakeven
