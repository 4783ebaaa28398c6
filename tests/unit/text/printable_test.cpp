#include "text/printable.h"

#include <gmock/gmock.h>

#include "json/text.h"

namespace breakeven {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(MessageLine, SpellsOutWhatATerminalWouldObey) {
  EXPECT_EQ(message_line("a\x1b[2Jb\x7f"), "a\\x1b[2Jb\\x7f");
  EXPECT_EQ(message_line("one\ntwo\r"), "one\\ntwo\\x0d");
  EXPECT_EQ(message_line("\xc2\x9b[2J"), "\\x9b[2J") << "the control sequence of C1, as UTF-8";
  EXPECT_EQ(message_line("\x9b[2J"), "\\x9b[2J") << "and as a bare byte";
  EXPECT_EQ(message_line("\xe2\x80\xae"
                         "abc"),
            "\\u202eabc")
      << "right to left";
  EXPECT_EQ(message_line("Größe: 3 µs"), "Größe: 3 µs");
}

TEST(MessageLine, LosesTheMiddleOfALongText) {
  const std::string line = message_line("file.json: " + std::string(100'000, 'x') + "; remove it");
  EXPECT_THAT(line, StartsWith("file.json: xxx"));
  EXPECT_THAT(line, HasSubstr("x ... x"));
  EXPECT_THAT(line, EndsWith("; remove it"));
  EXPECT_THAT(line, SizeIs(500));
  std::string umlauts;
  for (int i = 0; i < 400; ++i) umlauts += "ü";
  for (std::size_t most = 100; most < 110; ++most) {
    EXPECT_LE(message_line(umlauts, most).size(), most);
    EXPECT_EQ(message_line(umlauts, most).find('\\'), std::string::npos) << "no character is cut in half";
  }
}

TEST(CiCommands, AreTakenOutOfLines) {
  EXPECT_EQ(without_ci_commands("::error::x"), ": :error::x");
  EXPECT_EQ(without_ci_commands("a\n \t::error::x\n"), "a\n \t: :error::x\n");
  EXPECT_EQ(without_ci_commands("a ##[error]b"), "a # #[error]b");
  EXPECT_EQ(without_ci_commands("##vso[task.x] ##teamcity[y]"), "# #vso[task.x] # #teamcity[y]");
  for (const char* harmless : {"std::sort", "a: b", "# heading", "## [link]", "###", ""})
    EXPECT_EQ(without_ci_commands(harmless), harmless);
}

TEST(PrintableLines, KeepTheirLayout) {
  EXPECT_EQ(printable_lines("a   b\n  c\x1b[2J\n::d"), "a   b\n  c[2J\n: :d");
}

TEST(JsonErrorText, IsWithoutTheLibrarysPrefixes) {
  EXPECT_EQ(
      json_error_text(
          "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing "
          "object key - unexpected end of input; expected string literal"),
      "line 1, column 2: unexpected end of input; expected string literal");
  EXPECT_EQ(json_error_text("[json.exception.out_of_range.406] number overflow parsing '1e999'"),
            "number overflow parsing '1e999'");
}

}  // namespace
}  // namespace breakeven
