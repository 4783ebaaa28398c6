#include "reports/text.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(ReportText, LeavesOutWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a[31mb");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "31m");  // CSI as one C1 character
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "ab");  // right-to-left override
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "ab");
}

TEST(ReportText, IsOneLine) {
  EXPECT_EQ(printable("  first\r\n\tsecond\xe2\x80\xa8third \n"), "first second third");
}

TEST(ReportText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(printable("\xc3"), "\xef\xbf\xbd");                          // cut short
  EXPECT_EQ(printable("\xed\xa0\x80").find('\xa0'), std::string::npos);  // a surrogate
  EXPECT_EQ(printable("µs 行列"), "µs 行列");
}

TEST(ReportText, ForXmlIsEscapedAndHasNoNoncharacters) {
  using namespace std::string_literals;
  EXPECT_EQ(xml_text("a\0b\x1b[2J\x7f\xef\xbf\xbe\xef\xbf\xbf<\xc3\xa9"s), "ab[2J&lt;\xc3\xa9");
  EXPECT_EQ(xml_text("&<>\"'"), "&amp;&lt;&gt;&quot;'");
}

TEST(ReportText, TellsNamesApart) {
  UniqueNames names("{}-{}");
  EXPECT_EQ(names.take("a-2").text, "a-2");
  EXPECT_EQ(names.take("a").text, "a");
  EXPECT_EQ(names.take("a").text, "a-3") << "the second has its name already";
  EXPECT_EQ(names.take("a-2").text, "a-2-2");
}

TEST(ReportText, MeasuresColumnsNotBytes) {
  EXPECT_EQ(display_width("±1.2%"), 5U);
  EXPECT_EQ(display_width("行列"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);  // e and a combining acute
  EXPECT_EQ(pad_left("µs", 4), "  µs");
  EXPECT_EQ(pad_right("行", 4), "行  ");
  EXPECT_EQ(pad_right("long", 2), "long");
}

TEST(ReportText, ShortensToColumns) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("行列計算", 4), "行…");  // half of a wide character cannot be shown
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(ReportText, WrapsAtSpacesAndBreaksLongWords) {
  EXPECT_EQ(wrap("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one two", 7), (std::vector<std::string>{"one two"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("行列計算", 3), (std::vector<std::string>{"行", "列", "計", "算"}));
  EXPECT_EQ(wrap("行列", 0), (std::vector<std::string>{"行", "列"}));
  EXPECT_TRUE(wrap("", 10).empty());
}

TEST(ReportText, SpellsItsSignsInAscii) {
  EXPECT_EQ(to_ascii("3 µs ±1% → 2 … 行"), "3 us +-1% -> 2 ... ?");
}

}  // namespace
}  // namespace breakeven
