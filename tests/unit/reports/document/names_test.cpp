#include "reports/document/names.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven::names_test {
namespace {

TEST(Names, OfBackendsAreAsTheirMakersWriteThem) {
  EXPECT_EQ(backend_title("onednn"), "oneDNN");
  EXPECT_EQ(backend_title("pytorch-cuda-compiled"), "PyTorch (cuda, compiled)");
  EXPECT_EQ(backend_title("my-kernel"), "my-kernel");
  EXPECT_EQ(backend_title("cuda-\x1b[2J"), "CUDA ([2J)");
}

TEST(Names, OfWorkAreForSentences) {
  EXPECT_EQ(plural_of("matmul"), "matrix products");
  EXPECT_EQ(plural_of("future"), "problems");
  CaseResult c = sample::inference("a", 1, 1);
  EXPECT_EQ(activity_of(c), "Inference by the MLP");
  c.op = "train";
  EXPECT_EQ(activity_of(c), "Training the MLP");
  c.parameters = {};
  EXPECT_EQ(activity_of(c), "Training steps") << "a file of another version";
}

TEST(Names, AreJoinedAndCounted) {
  EXPECT_EQ(joined_text({}), "");
  EXPECT_EQ(joined_text({"a"}), "a");
  EXPECT_EQ(joined_text({"a", "b"}), "a and b");
  EXPECT_EQ(joined_text({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(counted_text(1, "case", "cases"), "1 case");
  EXPECT_EQ(counted_text(12'000, "case", "cases"), "12,000 cases");
}

TEST(Names, BeginSentencesUnlessTheyAreWrittenOtherwise) {
  EXPECT_EQ(capitalised("matrix products"), "Matrix products");
  EXPECT_EQ(capitalised("oneDNN is"), "oneDNN is");
  EXPECT_EQ(capitalised("b is faster"), "B is faster");
  EXPECT_EQ(capitalised(""), "");
}

TEST(Names, AsSlugsAreLettersDigitsAndDashes) {
  EXPECT_EQ(slug_of("Which is faster? (b)"), "which-is-faster-b");
  EXPECT_EQ(slug_of("\xff<b>\n"), "b");
  EXPECT_EQ(slug_of("?"), "");
}

}  // namespace
}  // namespace breakeven::names_test
