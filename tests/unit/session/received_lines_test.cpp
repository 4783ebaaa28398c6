// Lines are put together from whatever pieces they come in.
#include "session/received_lines.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(ReceivedLines, AreTakenInOrder) {
  ReceivedLines lines;
  lines.append("one\ntwo\nth");
  EXPECT_EQ(lines.take_line(), "one");
  EXPECT_EQ(lines.take_line(), "two");
  EXPECT_EQ(lines.take_line(), std::nullopt);
  EXPECT_EQ(lines.rest(), "th");
  lines.append("ree\n");
  EXPECT_TRUE(lines.has_line());
  EXPECT_EQ(lines.take_line(), "three");
  EXPECT_TRUE(lines.empty());
}

TEST(ReceivedLines, HoldAnyBytes) {
  ReceivedLines lines;
  lines.append(std::string_view("\0\xff\r\n\n", 5));
  EXPECT_EQ(lines.take_line(), std::string("\0\xff\r", 3));
  EXPECT_EQ(lines.take_line(), "");
  EXPECT_EQ(lines.take_line(), std::nullopt);
}

TEST(ReceivedLines, KnowTheSizeOfALineThatIsNotWhole) {
  ReceivedLines lines;
  EXPECT_EQ(lines.line_size(), 0U);
  for (int i = 0; i < 1000; ++i) lines.append("0123456789");
  EXPECT_FALSE(lines.has_line());
  EXPECT_EQ(lines.line_size(), 10'000U);
  lines.append("\n0123");
  EXPECT_EQ(lines.line_size(), 10'000U);
}

}  // namespace
}  // namespace breakeven
