#include "reports/words/notes.h"

#include <gmock/gmock.h>

#include <set>

namespace breakeven::note_words_test {
namespace {

std::string several(const std::vector<std::string>& algorithms) {
  return note_text({.kind = NoteKind::several_algorithms, .about = algorithms});
}

TEST(SeveralAlgorithms, AreQuotedBecauseTheirTextsHaveSemicolons) {
  EXPECT_EQ(
      several({"64 bytes a thread; tuned", "winograd, 4x4 tiles"}),
      "its samples are of several algorithms: \"64 bytes a thread; tuned\" and \"winograd, 4x4 tiles\"");
}

TEST(SeveralAlgorithms, LeaveOutTheStartThatTheirTextsShare) {
  EXPECT_EQ(several({"layers on images: each thread alone, channels last; dense layers: by gemm (2)",
                     "layers on images: each thread alone, channels last; dense layers: by gemm (1)"}),
            "its samples are of several algorithms: \"... dense layers: by gemm (2)\" and "
            "\"... dense layers: by gemm (1)\"");
  EXPECT_EQ(several({"im2col, tuned", "im2col, tuned, shared by threads", "im2col, alone"}),
            "its samples are of several algorithms: \"... tuned\" and \"... tuned, shared by threads\" and "
            "\"... alone\"");
}

TEST(NoteText, IsOfItsSource) {
  EXPECT_EQ(note_text(with_source("openblas", with_source("head", quoted_note("slow kernels")))),
            "openblas: head: slow kernels");
  EXPECT_EQ(note_text({.source = "host", .kind = NoteKind::without_time, .figures = {1}}),
            "host: 1 result was left out, without a time");
}

TEST(NoteText, IsKnownForEachKindAndItsOwn) {
  std::set<std::string> texts;
  for (std::size_t kind = 1; kind < names_of(NoteKind{}).size(); ++kind) {
    Note note{.kind = static_cast<NoteKind>(kind)};
    note.figures.assign(figure_names(note.kind).size(), 1e300);  // those of a file may be any
    const std::string text = note_text(note);
    EXPECT_FALSE(text.empty()) << name(note.kind);
    EXPECT_TRUE(texts.insert(text).second) << name(note.kind);
  }
}

TEST(IsWorse, ComparesFiguresAndNotTheirSigns) {
  const auto drift = [](double change) { return Note{.kind = NoteKind::drift, .figures = {change}}; };
  EXPECT_TRUE(is_worse(drift(-0.3), drift(0.1)));
  EXPECT_FALSE(is_worse(drift(0.1), drift(-0.3)));
  EXPECT_FALSE(is_worse(drift(0.1), drift(0.1)));
  const auto few = [](double samples) {
    return Note{.kind = NoteKind::few_samples, .figures = {samples, 3}};
  };
  EXPECT_TRUE(is_worse(few(2), few(5)));
  EXPECT_FALSE(is_worse(quoted_note("b"), quoted_note("a")));
}

}  // namespace
}  // namespace breakeven::note_words_test
