// Tests that text from other programs becomes short lines of valid text in messages.
#include "protocol/foreign_text.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(ForeignText, StaysAsItIsWherePossible) {
  EXPECT_EQ(shorten_text("", 10), "");
  EXPECT_EQ(shorten_text("0123456789", 10), "0123456789");
  EXPECT_EQ(shorten_text("50 \xc2\xb5s", 10), "50 \xc2\xb5s");
}

TEST(ForeignText, IsCutBetweenCharacters) {
  EXPECT_EQ(shorten_text("0123456789a", 10), "0123456...");
  EXPECT_EQ(shorten_text("012345\xc2\xb5 789", 10), "012345...");
  EXPECT_EQ(shorten_text("01234\xc2\xb5 6789", 10), "01234\xc2\xb5...");
}

TEST(ForeignText, IsOneLineOfValidCharacters) {
  EXPECT_EQ(shorten_text("a\nb\tc\x1b[31m\x7f", 20), "a b c?[31m?");
  EXPECT_EQ(shorten_text(std::string("a\0b", 3), 20), "a?b");
  EXPECT_EQ(shorten_text("a\xff\xc2", 20), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_LE(shorten_text(std::string(1000, '\xff'), 100).size(), 100U);
}

TEST(ForeignText, IsQuoted) {
  EXPECT_EQ(quote_line("{}"), "\"{}\"");
  EXPECT_EQ(quote_line(std::string(1'000'000, 'x')).size(), 122U);
}

}  // namespace
}  // namespace breakeven
