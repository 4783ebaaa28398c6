#include "reports/render/markdown.h"

#include <gmock/gmock.h>

#include "reports/document/builders.h"
#include "unit/reports_sample.h"
#include "unit/verdicts_sample.h"

namespace breakeven::markdown_test {
namespace {

using sample::product;
using testing::HasSubstr;

Document of(const Result& result) {
  return document_of(Measured{.results = {result}});
}

TEST(Markdown, IsTheAnswersAndFoldedResults) {
  Result run = sample::result({product("openblas", 1024, 12e-3), product("onednn", 1024, 6e-3)});
  run.backends = {sample::backend("openblas", true)};
  EXPECT_EQ(
      render_markdown(of(run)),
      "# Which is faster?\n"
      "\n"
      "host, A CPU, 2 cores, 2 threads, no GPU measured · 1 November 2026 · breakeven 0.1.0 · 2 "
      "results; 0 of 2 "
      "timed ones "
      "verified\n"
      "\n"
      "## Which is faster?\n"
      "\n"
      "**oneDNN is the fastest.**\n"
      "**On average OpenBLAS takes 2.0x as long as the fastest.**\n"
      "\n"
      "**Time over the fastest's, on average**\n"
      "\n"
      "| library | fastest in | all | largest gap |\n"
      "| --- | --- | ---: | ---: |\n"
      "| **oneDNN** | 1 of 1 | 1.00x |  |\n"
      "| OpenBLAS | 0 of 1 | 2.0x | 2.0x |\n"
      "\n"
      "## Where does a GPU win?\n"
      "\n"
      "**No GPU took part. To compare one, run this config on a machine with a GPU, without --backends.**\n"
      "\n"
      "<details><summary>What else the results say: Which is faster?</summary>\n"
      "\n"
      "- Largest gap: OpenBLAS, 1024 x 1024 x 1024 f32, 2.0x.\n"
      "\n"
      "</details>\n"
      "\n"
      "<details><summary>All results: Which is faster?</summary>\n"
      "\n"
      "**Matrix products**\n"
      "\n"
      "| problem | backend | time, ms | 95 % | GFLOP/s | compared |\n"
      "| --- | --- | ---: | ---: | ---: | --- |\n"
      "| 1024 x 1024 x 1024 f32 | oneDNN | 6.00 | ±1.0 % | 358 | **fastest** |\n"
      "|  | OpenBLAS | 12.0 | ±1.0 % | 179 | 2.0x slower (1.9x to 2.1x) |\n"
      "\n"
      "</details>\n"
      "\n"
      "<details><summary>Hardware and software of host</summary>\n"
      "\n"
      "- A CPU, 2 cores, 2 threads\n"
      "- openblas 0.1.0\n"
      "\n"
      "</details>\n");
}

TEST(Markdown, StressesWhatIsNotOk) {
  const std::string text = render_markdown(of(sample::result(
      {product("a", 64, 1), sample::refused(product("b", 64, 1), Status::timed_out, "no answer")})));
  EXPECT_THAT(text, HasSubstr("| b |  |  |  | **timed out: no answer** |"));
  EXPECT_THAT(text, HasSubstr("- **timed out: no answer (b, matmul 64 x 64 x 64 f32)**"));
}

TEST(Markdown, TitlesOfFoldsAreHtml) {
  const Document document{.title = "T",
                          .folds = {{.title = "my_host's [CPU] <b> & @me", .sentences = {{.text = "a_b"}}}}};
  EXPECT_THAT(
      render_markdown(document),
      HasSubstr("<summary>my&#95;host's &#91;CPU&#93; &lt;b&gt; &amp; @<!-- -->me</summary>\n\n- a\\_b\n"));
}

TEST(Markdown, FitsIntoAJobSummaryWhateverIsInIt) {
  Verdicts verdicts = sample::one_of_each_verdict();
  CaseVerdict c = sample::verdict_of(Verdict::slower, 64, 1.1);
  c.reasons = {quoted_note(std::string(10'000, '<'))};
  for (int i = 0; i < 2000; ++i) {
    c.id = std::to_string(i);
    verdicts.cases.push_back(c);
  }
  verdicts.warnings.assign(1000, quoted_note(std::string(10'000, '<')));
  const std::string text = render_markdown(document_of(verdicts));
  EXPECT_LT(text.size(), std::size_t{1} << 20U);
  EXPECT_GT(text.size(), std::size_t{1} << 19U) << "what fits is there";
  EXPECT_THAT(text, HasSubstr("more rows did not fit: the file that `--out` writes has all."));
  EXPECT_THAT(text, HasSubstr("FAIL: 1 of 2,010 cases"));
  EXPECT_THAT(text, HasSubstr("Hardware and software of the head"))
      << "what stands behind a table is there, too";
}

TEST(Answers, AreASentenceALineWithWarningsOnce) {
  Result run = sample::result({product("a", 64, 1), product("b", 64, 2)});
  run.warnings = {quoted_note("b: its kernels are for another processor")};
  run.backends = {sample::backend("cuda", false, "no driver")};
  EXPECT_EQ(render_answers(document_of(Measured{.results = {run, run}})),
            "a is the fastest.\n"
            "On average b takes 2.0x as long as the fastest.\n"
            "No GPU took part. To compare one, run this config on a machine with a GPU, without --backends.\n"
            "warning: b: its kernels are for another processor\n");
}

}  // namespace
}  // namespace breakeven::markdown_test
