#include "reports/render/terminal.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "reports/document/builders.h"
#include "reports/text.h"
#include "unit/document_texts.h"
#include "unit/reports_sample.h"
#include "unit/thresholds_sample.h"
#include "unit/verdicts_sample.h"

namespace breakeven::terminal_test {
namespace {

using sample::product;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t widest(const std::string& text) {
  std::size_t columns = 0;
  for (const std::string& line : lines_of(text)) columns = std::max(columns, display_width(line));
  return columns;
}

Document of(std::vector<CaseResult> cases) {
  return document_of(Measured{.results = {sample::result(std::move(cases))}});
}

Document everything() {
  Result result = sample::result(
      {product("onednn", 1024, 6.51e-3), product("openblas", 1024, 6.55e-3),
       product("a-backend-with-a-long-name", 1024, 1.2),
       sample::refused(
           product("cuda", 1024, 1), Status::failed,
           "the backend was killed by signal 11 (Segmentation fault) while it prepared this case, "
           "and its last words on standard error were these, which go on for quite a while"),
       sample::refused(product("blis", 1024, 1), Status::out_of_memory, ""), sample::training("openblas"),
       sample::training("onednn")});
  result.cases[0].warnings.push_back(quoted_note("the CPU was throttled"));
  result.backends = {sample::backend("openblas", true), sample::backend("cuda", false, "libcuda.so.1: no")};
  result.config = R"({"title": "Which is faster?", "backends": ["openblas", "cuda"]})";
  return document_of(Measured{.results = {result}});
}

std::string shown(const Document& document, int width = 80, bool answer_first = false) {
  return render_terminal(document, {.style = {.width = width}, .answer_first = answer_first});
}

TEST(Terminal, KeepsWithinItsWidthWhereTheLastTextBeginsLate) {
  const std::string many = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
  for (std::size_t first = 1; first < 44; ++first) {
    Table table{.columns = {essential("first"), essential("last")},
                .rows = {{.cells = {std::string(first, 'a'), many}}}};
    const Document document{.title = "Title", .cards = {{.question = "Question?", .tables = {table}}}};
    EXPECT_LE(widest(shown(document, 60)), 60U) << first;
  }
}

TEST(Terminal, EndsWithTheAnswer) {
  EXPECT_EQ(
      shown(of({product("openblas", 1024, 12e-3, 0.012), product("onednn", 1024, 6e-3)}), 100),
      "Which is faster?\n"
      "host, A CPU, 2 cores, 2 threads, no GPU measured · 1 November 2026 · breakeven 0.1.0 · 2 "
      "results;\n"
      "  0 of 2 timed ones verified\n"
      "\n"
      "Matrix products\n"
      "  backend   time, ms    95 %  GFLOP/s  compared\n"
      "1024 x 1024 x 1024 f32\n"
      "  oneDNN        6.00  ±1.0 %      358  fastest\n"
      "  OpenBLAS      12.0  ±1.2 %      179  2.0x slower (1.9x to 2.1x)\n"
      "\n"
      "oneDNN is the fastest.\n"
      "On average OpenBLAS takes 2.0x as long as the fastest.\n"
      "No GPU took part. To compare one, run this config on a machine with a GPU, without --backends.\n");
}

TEST(Terminal, OfManyQuestionsEndsWithAllOfThemInShort) {
  Result other = sample::on_machine("other", sample::result({product("a", 64, 1), product("b", 64, 2)}));
  const std::string text = shown(
      document_of(Measured{.results = {sample::result({product("a", 64, 1), product("b", 64, 2)}), other}}));
  EXPECT_THAT(text, EndsWith("\nIn short\n"
                             "Which is faster? a, on both\n"
                             "Which machine is the fastest? not answered: only 1 problem in common\n"
                             "Where does a GPU win? not measured yet\n"));
}

TEST(Terminal, ADecisionComesFirst) {
  const Document gate = document_of(sample::one_of_each_verdict());
  const auto all = lines_of(shown(gate, 200, true));
  EXPECT_THAT(all[0], StartsWith("FAIL: 1 of 10 cases computes wrong results, 2 are slower."));
  const auto row =
      std::find_if(all.begin(), all.end(), [](const std::string& l) { return l.starts_with("wrong "); });
  ASSERT_NE(row, all.end());
  EXPECT_THAT(*row, HasSubstr("matmul 1 x 1 x 1 f32 on openblas  "));
  EXPECT_THAT(*row, EndsWith("3 is not 4"));
  EXPECT_THAT(all, testing::Contains(AllOf(StartsWith("slower "), HasSubstr("+5.3 % (+4.1 to +6.6 %)"),
                                           HasSubstr("10.0 ms → 10.5 ms"),
                                           EndsWith("other algorithm: avx2 → sse  a note"))));
  EXPECT_THAT(shown(gate, 200, true), Not(HasSubstr("the same  "))) << "findings, not every case";
}

TEST(Terminal, ADecisionShowsTheWorstOfVeryMany) {
  std::vector<CaseVerdict> cases;
  for (int i = 1; i <= 300; ++i) cases.push_back(sample::verdict_of(Verdict::slower, i, 1 + i * 0.01));
  const std::string text = shown(document_of(sample::verdicts(cases)), 200, true);
  EXPECT_THAT(text, HasSubstr("and 100 more: --out, --html and --markdown have all"));
  EXPECT_THAT(text, HasSubstr("matmul 300 x 300 x 300"));
  EXPECT_THAT(text, Not(HasSubstr("matmul 100 x 100 x 100")));
}

TEST(Terminal, FitsItsWidthAndDropsNothing) {
  for (const int width : {0, 40, 60, 80, 100, 200}) {
    const std::string text = shown(everything(), width);
    EXPECT_LE(widest(text), static_cast<std::size_t>(std::max(width, 40))) << text;
    for (const char* part : {"6.51", "distinguishable", "64,000", "2.35 → 0.412", "90 %", "34.2",
                             "failed:", "Segmentation", "no reason", "throttled", "libcuda.so.1: no"})
      EXPECT_THAT(text, HasSubstr(part)) << width;
  }
}

TEST(Terminal, DecisionsFitTheirWidth) {
  for (const int width : {40, 60, 80, 120}) {
    const auto columns = static_cast<std::size_t>(width);
    const std::string gate = shown(document_of(sample::one_of_each_verdict()), width, true);
    EXPECT_LE(widest(gate), columns) << gate;
    for (const char* part : {"wrong", "3 is not 4", "+5.3 %", "10.0 ms"})
      EXPECT_THAT(gate, HasSubstr(part)) << width;
    const std::string threshold = shown(document_of(sample::threshold()), width);
    EXPECT_LE(widest(threshold), columns) << threshold;
    EXPECT_THAT(threshold, HasSubstr("b by ~3.7x"));
  }
}

TEST(Terminal, ColourChangesNothingElse) {
  const Document document = everything();
  std::string coloured = render_terminal(document, {.style = {.colour = true}});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;32mfastest"));
  for (std::size_t at = 0; (at = coloured.find('\x1b', at)) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  // Spaces at the end of a line are all that may differ: inside a colour they stay.
  EXPECT_EQ(lines_of(coloured).size(), lines_of(shown(document)).size());
  EXPECT_THAT(shown(document), Not(HasSubstr("\x1b")));
}

TEST(Terminal, PlainTerminalsGetAscii) {
  for (const Document& document : {everything(), document_of(sample::one_of_each_verdict())}) {
    const std::string text = render_terminal(document, {.style = {.width = 60, .unicode = false}});
    EXPECT_TRUE(
        std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    EXPECT_LE(widest(text), 60U) << text;
  }
  EXPECT_THAT(render_terminal(everything(), {.style = {.unicode = false}}), HasSubstr("+-1.0 %"));
}

TEST(Terminal, SaysWhereFurtherAnswersAre) {
  Threshold t = sample::threshold();
  t.answers.assign(6, t.answers[0]);
  EXPECT_THAT(shown(document_of(t)),
              HasSubstr("\nand 2 more answers: breakeven report FILE --answers - has all\n"));
}

TEST(Terminal, NotesAreTheFirstFew) {
  Result run = sample::result({product("a", 64, 1)});
  for (const char* warning : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
    run.warnings.push_back(quoted_note(warning));
  const std::string text = shown(document_of(Measured{.results = {run}}));
  EXPECT_THAT(text, HasSubstr("Worth knowing: h\n"));
  EXPECT_THAT(text, EndsWith("and 2 more notes: breakeven report FILE --html PAGE has all\n"));
}

TEST(Terminal, TenThousandCasesAreNoWait) {
  std::vector<CaseResult> cases;
  for (std::int64_t m = 1; m <= 2500; ++m) {
    for (const char* backend : {"openblas", "onednn", "cuda", "blis"}) {
      cases.push_back(product(backend, m, 1e-6 * static_cast<double>(m)));
      cases.back().warnings.push_back(quoted_note("throttled"));
    }
  }
  const Measured measured{.results = {sample::result(std::move(cases))}};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(shown(document_of(measured)), HasSubstr("10,000 results"));
  // A quadratic search takes minutes; what is allowed for here is a slow, busy, instrumented machine.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace breakeven::terminal_test
