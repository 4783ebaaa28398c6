// The reports of verdicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "reports/document/verdict_findings.h"
#include "reports/verdicts_markdown.h"
#include "reports/verdicts_terminal.h"
#include "verdicts_sample.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string evil =
    "a|b\n## <img src=x> [l](http://e) `c` @someone %0A \\ \x1b[31m \xff \xe2\x80\xae ::error::x ]]> \"q\" "
    "'r'\r\n| end";

CaseVerdict present(Presence presence, Status status, std::int64_t m) {
  CaseVerdict c = sample::incomparable(m, "");
  c.presence = presence;
  (presence == Presence::only_base ? c.base_status : c.head_status) = status;
  return c;
}

/// One of each kind, in an order that is not theirs.
Verdicts one_of_each() {
  CaseVerdict wrong = sample::incomparable(1, "3 is not 4");
  wrong.head_status = Status::wrong;
  CaseVerdict unsupported = sample::incomparable(2, "");
  unsupported.base_status = unsupported.head_status = Status::unsupported;
  CaseVerdict slower = sample::verdict_of(Verdict::slower, 4, 1.053);
  slower.ratio = Ratio{.value = 1.053, .low = 1.041, .high = 1.066};
  slower.base_algorithm = "avx2";
  slower.head_algorithm = "sse";
  slower.notes = {"a note"};
  return sample::verdicts(
      {sample::verdict_of(Verdict::same, 3, 1.001), unsupported, present(Presence::only_head, Status::ok, 9),
       sample::verdict_of(Verdict::faster, 5, 0.8), sample::verdict_of(Verdict::inconclusive, 6, 1.02),
       present(Presence::only_base, Status::ok, 7), sample::incomparable(8, "other threads"), wrong, slower,
       sample::verdict_of(Verdict::slower, 10, 2)});
}

std::vector<std::string_view> kinds(const Verdicts& verdicts) {
  std::vector<std::string_view> all;
  for (const CaseVerdict* c : worst_first(verdicts)) all.push_back(name(finding_kind(*c)));
  return all;
}

std::vector<std::string> report_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

// ---- what there is to say

TEST(VerdictFindings, AreWorstFirst) {
  const Verdicts verdicts = one_of_each();
  EXPECT_THAT(kinds(verdicts), ElementsAre("slower", "slower", "wrong", "incomparable", "missing",
                                           "inconclusive", "faster", "new"));
  EXPECT_EQ(worst_first(verdicts)[0]->ratio->value, 2);
  EXPECT_EQ(kinds(sample::verdicts({sample::verdict_of(Verdict::faster, 1, 0.9),
                                    sample::verdict_of(Verdict::faster, 2, 0.5)}))
                .size(),
            2U);
  const Verdicts faster = sample::verdicts(
      {sample::verdict_of(Verdict::faster, 1, 0.9), sample::verdict_of(Verdict::faster, 2, 0.5)});
  EXPECT_EQ(worst_first(faster)[0]->ratio->value, 0.5);
}

TEST(VerdictFindings, AreThoseThatTheExitStatusCounts) {
  for (const Presence presence : {Presence::both, Presence::only_base, Presence::only_head}) {
    for (int v = 0; v < 5; ++v) {
      for (int base = 0; base < 8; ++base) {
        for (int head = 0; head < 8; ++head) {
          CaseVerdict c;
          c.presence = presence;
          c.verdict = static_cast<Verdict>(v);
          c.base_status = static_cast<Status>(base);
          c.head_status = static_cast<Status>(head);
          const Verdicts verdicts = sample::verdicts({c});
          const bool said = finding_kind(c) <= FindingKind::inconclusive;
          EXPECT_EQ(said, exit_status(verdicts) != 0) << name(presence) << " " << name(c.verdict) << " "
                                                      << name(c.base_status) << " " << name(c.head_status);
        }
      }
    }
  }
}

TEST(VerdictFindings, AreCountedInWords) {
  EXPECT_EQ(headline(one_of_each()),
            "2 of 10 cases are slower, 1 is wrong, 1 is incomparable, 1 is missing, 1 is inconclusive, 1 is "
            "faster, "
            "1 is new, 1 is the same, 1 is unsupported");
  EXPECT_EQ(headline(sample::verdicts({sample::verdict_of(Verdict::same, 3, 1)})),
            "None of 1 case is slower, 1 is the same");
  EXPECT_EQ(headline(sample::verdicts({sample::verdict_of(Verdict::slower, 3, 2)})), "1 of 1 case is slower");
  EXPECT_EQ(headline(sample::verdicts({})), "No case was compared");
}

TEST(VerdictFindings, DescribeChanges) {
  CaseVerdict c = sample::verdict_of(Verdict::slower, 4, 1.053);
  c.ratio = Ratio{.value = 1.053, .low = 1.041, .high = 1.066};
  EXPECT_EQ(describe_change(c), "+5.3 % (+4.1 to +6.6)");
  c.ratio = Ratio{.value = 1.0004, .low = 0.9, .high = 3};
  EXPECT_EQ(describe_change(c), "0.0 % (-10.0 to +200.0)");
  c.ratio.reset();
  c.head_seconds = 0.02;
  EXPECT_EQ(describe_change(c), "+100.0 % by medians alone");
  EXPECT_EQ(describe_times(c), "10.0 ms → 20.0 ms");
  c.base_seconds.reset();
  EXPECT_EQ(describe_change(c), "");
  EXPECT_EQ(describe_times(c), "? → 20.0 ms");
}

TEST(VerdictFindings, DescribeWhyAndWhatElse) {
  CaseVerdict c = sample::verdict_of(Verdict::slower, 4, 1.053);
  EXPECT_EQ(describe_details(c), "");
  c.base_status = Status::out_of_memory;
  c.reason = "why";
  c.base_algorithm = "avx2";
  c.head_algorithm = "sse";
  c.notes = {"one", "two"};
  EXPECT_EQ(describe_details(c), "base out of memory; why; other algorithm: avx2 → sse; one; two");
  EXPECT_EQ(describe_case(c), "matmul 4 x 4 x 4 f32 on openblas");
  Side side;
  side.source = "build";
  EXPECT_EQ(describe_side(side), "build");
  side.environment = {{"A", "1"}, {"B", "2"}};
  EXPECT_EQ(describe_side(side), "build (A=1 B=2)");
}

// ---- the terminal

TEST(VerdictsTerminal, IsTheCountTheSidesAndAnItemForEachFinding) {
  Verdicts verdicts = one_of_each();
  verdicts.warnings = {"noisy"};
  verdicts.complete = false;
  const auto shown =
      report_lines(verdicts_terminal(verdicts, {.colour = false, .width = 200, .unicode = true}));
  ASSERT_EQ(shown.size(), 14U);
  EXPECT_THAT(shown[0], StartsWith("2 of 10 cases are slower, 1 is wrong"));
  EXPECT_EQ(shown[1], "base.json → head.json");
  EXPECT_EQ(shown[2], "host: A CPU");
  EXPECT_THAT(shown[3],
              StartsWith("  slower: +100.0 % (+98.0 to +102.0); matmul 10 x 10 x 10 f32 on openblas"));
  EXPECT_EQ(shown[4],
            "  slower: +5.3 % (+4.1 to +6.6); matmul 4 x 4 x 4 f32 on openblas; 10.0 ms → 10.5 ms; other "
            "algorithm: "
            "avx2 → sse; a note");
  EXPECT_EQ(shown[5], "  wrong: matmul 1 x 1 x 1 f32 on openblas; head wrong; 3 is not 4");
  EXPECT_EQ(shown[6], "  incomparable: matmul 8 x 8 x 8 f32 on openblas; other threads");
  EXPECT_EQ(shown[7], "  missing: matmul 7 x 7 x 7 f32 on openblas");
  EXPECT_EQ(shown[11], "  incomplete: it ended before every case was decided");
  EXPECT_EQ(shown[12], "  warning: noisy");
  EXPECT_EQ(shown[13], "A change of less than 3.0% does not matter here (--threshold). By the book.");
}

TEST(VerdictsTerminal, HasColourAndUnicodeOnlyWhereAsked) {
  EXPECT_THAT(verdicts_terminal(one_of_each(), {.colour = true}), HasSubstr("\x1b[31mslower:\x1b[0m"));
  const std::string plain = verdicts_terminal(one_of_each(), {.colour = false, .unicode = false});
  EXPECT_TRUE(
      std::all_of(plain.begin(), plain.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  EXPECT_THAT(plain, HasSubstr("10.0 ms -> 20.0 ms"));
}

TEST(VerdictsTerminal, ShowsTheWorstOfVeryMany) {
  std::vector<CaseVerdict> cases;
  for (int i = 1; i <= 300; ++i) cases.push_back(sample::verdict_of(Verdict::slower, i, 1 + i * 0.01));
  const std::string text = verdicts_terminal(sample::verdicts(cases), {.width = 200});
  EXPECT_THAT(text, HasSubstr("and 100 more, none of them worse"));
  EXPECT_THAT(text, HasSubstr("matmul 300 x 300 x 300"));
  EXPECT_THAT(text, Not(HasSubstr("matmul 100 x 100 x 100")));
}

// ---- hostile text, in every report

Verdicts hostile() {
  Verdicts verdicts = one_of_each();
  verdicts.base.source = verdicts.head.source = verdicts.host.name = verdicts.host.cpu = verdicts.method =
      evil;
  verdicts.kind = verdicts.created = evil;
  verdicts.warnings = {evil};
  verdicts.base.environment = {{evil, evil}};
  for (CaseVerdict& c : verdicts.cases) {
    c.label = c.op = c.backend = c.reason = c.base_algorithm = evil;
    c.head_algorithm = evil + "2";
    c.notes = {evil, evil};
  }
  return verdicts;
}

TEST(VerdictReports, TextFromElsewhereStaysInItsPlace) {
  const std::string terminal = verdicts_terminal(hostile(), {.width = 100});
  EXPECT_THAT(terminal, Not(HasSubstr("\x1b")));
  EXPECT_THAT(terminal, Not(HasSubstr("\xff")));
  EXPECT_THAT(terminal, Not(HasSubstr("\xe2\x80\xae"))) << "nothing that changes the direction of writing";
  const std::string markdown = verdicts_markdown(hostile());
  EXPECT_THAT(markdown, Not(HasSubstr("<img")));
  EXPECT_THAT(markdown, Not(HasSubstr("@someone")));
  EXPECT_THAT(markdown, Not(HasSubstr("\n## ")));
  EXPECT_THAT(markdown, Not(HasSubstr("\x1b")));
  for (const std::string& line : report_lines(markdown)) {
    if (!line.starts_with("| ")) continue;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1U : 0U;
    EXPECT_EQ(bars, 6U) << line;
  }
}

// ---- Markdown

TEST(VerdictsMarkdown, IsTheCountAndATableWorstFirst) {
  Verdicts verdicts = sample::verdicts({sample::verdict_of(Verdict::same, 3, 1.001), one_of_each().cases[8],
                                        sample::verdict_of(Verdict::inconclusive, 6, 1.02)});
  verdicts.warnings = {"noisy"};
  EXPECT_EQ(
      verdicts_markdown(verdicts),
      "# 1 of 3 cases is slower, 1 is inconclusive, 1 is the same\n"
      "\n"
      "base.json → head.json, host A CPU\n"
      "\n"
      "- **warning**: noisy\n"
      "\n"
      "| verdict | change | case | median time | |\n"
      "|---|---:|---|---|---|\n"
      "| **slower** | +5.3 % (+4.1 to +6.6) | matmul 4 x 4 x 4 f32 on openblas | 10.0 ms → 10.5 ms | other "
      "algorithm: avx2 → sse; a note |\n"
      "| inconclusive | +2.0 % (+1.0 to +3.0) | matmul 6 x 6 x 6 f32 on openblas | 10.0 ms → 10.2 ms |  |\n"
      "\n"
      "A change of less than 3.0% does not matter here (`--threshold`). By the book.\n");
}

TEST(VerdictsMarkdown, FitsIntoAJobSummaryWhateverIsInIt) {
  Verdicts verdicts = hostile();
  const std::string long_text(100'000, '<');
  verdicts.base.source = verdicts.host.cpu = verdicts.method = long_text;
  verdicts.warnings.assign(1000, long_text);
  CaseVerdict c = sample::verdict_of(Verdict::slower, 64, 1.1);
  c.label = c.op = c.backend = c.reason = long_text;
  for (int i = 0; i < 20'000; ++i) {
    c.id = std::to_string(i);
    if (i == 100) c.label = c.op = c.backend = c.reason = "short";
    verdicts.cases.push_back(c);
  }
  const std::string text = verdicts_markdown(verdicts);
  EXPECT_LT(text.size(), std::size_t{1} << 20U);
  EXPECT_GT(text.size(), std::size_t{1} << 19U) << "what fits is there";
  EXPECT_THAT(text, HasSubstr("more findings, none of them worse, did not fit"));
  EXPECT_THAT(text, HasSubstr("and 980 more warnings"));
}

}  // namespace
}  // namespace breakeven
