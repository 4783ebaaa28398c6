#include "reports/document/names.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven::names_test {
namespace {

TEST(Names, OfBackendsAreAsTheirMakersWriteThem) {
  EXPECT_EQ(backend_title("onednn"), "oneDNN");
  EXPECT_EQ(backend_title("pytorch-cuda-compiled"), "PyTorch (cuda, compiled)");
  EXPECT_EQ(backend_title("openblas-0.3.30"), "OpenBLAS 0.3.30");
  EXPECT_EQ(backend_title("mine-2"), "mine-2");
  EXPECT_EQ(backend_title("my-kernel"), "my-kernel");
  EXPECT_EQ(backend_title("cuda-\x1b[2J\n"), "CUDA ([2J )");
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

TEST(Names, OfThresholdsAreForPeople) {
  EXPECT_EQ(work_title("matmul, m = n = k, tuned false, f32"), "Matrix products, m = n = k, not tuned, f32");
  EXPECT_EQ(work_title("matmul, batch 4, transpose_b true, f32"),
            "Matrix products, batch 4, transpose_b, f32");
  EXPECT_EQ(work_title("infer, network cnn, f32"), "Inference by the CNN, f32");
  EXPECT_EQ(work_title("matmul, m = n = k, transfer each, f32"),
            "Matrix products, m = n = k, operands moved each time, f32");
  EXPECT_EQ(work_title("copy, direction within, f32"), "Copies, within one memory, f32");
  EXPECT_EQ(plain_parameter("transfer", "once"), "operands moved once");
  EXPECT_EQ(plain_parameter("repetitions", "4"), "repetitions 4");
  EXPECT_EQ(plain_parameter("tuned", "false"), "not tuned");
  EXPECT_EQ(work_title("train, batch = width, network mlp, f32"), "Training the MLP, batch = width, f32");
  EXPECT_EQ(work_title("train"), "Training steps");
  EXPECT_EQ(work_title("a title, of its own"), "a title, of its own");
  EXPECT_EQ(work_title("future, network \x1b[2J"), "future, network [2J");
  EXPECT_EQ(work_title(""), "");
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

TEST(Names, OfSeveralConfigsAreJoined) {
  Result run = sample::result({});
  EXPECT_EQ(config_title(run), "Which is faster?");
  run.config = R"([{"title": "A"}, {"title": "B"}, {"title": "A"}, {}, 1])";
  EXPECT_EQ(config_title(run), "A and B");
  for (const char* config : {"", "[]", "{}", "1", R"({"title": 1})"}) {
    run.config = config;
    EXPECT_EQ(config_title(run), "") << config;
  }
}

TEST(Names, AsSlugsAreLettersDigitsAndDashes) {
  EXPECT_EQ(slug_of("Which is faster? (b)"), "which-is-faster-b");
  EXPECT_EQ(slug_of("\xff<b>\n"), "b");
  EXPECT_EQ(slug_of("?"), "");
}

}  // namespace
}  // namespace breakeven::names_test
