#include "plan/suggestion.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(Suggestion, DistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("f23", "f32"), 1U);  // neighbours swapped
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);   // optimal string alignment, not Damerau-Levenshtein's 2
}

TEST(Suggestion, NamesTheNearestAndNothingFarOff) {
  const std::vector<std::string> known{"stride", "stride_w", "pad", "n"};
  EXPECT_EQ(did_you_mean("stirde", known), "; did you mean 'stride'?");
  EXPECT_EQ(did_you_mean("stride_v", known), "; did you mean 'stride_w'?");
  EXPECT_EQ(did_you_mean("m", known), "");
  EXPECT_EQ(did_you_mean("momentum", known), "");
  EXPECT_EQ(nearest("transp", {"transpose_a", "pad"}), "transpose_a");
  EXPECT_EQ(nearest("transp", {"transpose_a", "transpose_b"}), std::nullopt) << "it begins both";
  EXPECT_EQ(did_you_mean(std::string(1U << 20U, 'x'), known), "");
  EXPECT_EQ(did_you_mean("pad", {}), "");
}

TEST(Suggestion, IsWithinAThirdOfTheLongerWord) {
  EXPECT_EQ(nearest("abcdef", {"abcdXY"}), "abcdXY") << "2 of 6";
  EXPECT_EQ(nearest("abcde", {"abcXY"}), std::nullopt) << "2 of 5";
  EXPECT_EQ(nearest("abcd", {"abcdXY"}), "abcdXY") << "the longer one has 6";
  EXPECT_EQ(nearest("abc", {"abd", "abe"}), "abd") << "the first of equals";
  EXPECT_EQ(nearest("abx", {"abd", "abx"}), "abx");
}

TEST(Suggestion, MayBeTheWordThatIsBegun) {
  EXPECT_EQ(nearest("tra", {"transpose"}), "transpose");
  EXPECT_EQ(nearest("tr", {"transpose"}), std::nullopt) << "too short to say anything";
  EXPECT_EQ(nearest("pose", {"transpose"}), std::nullopt);
}

TEST(Suggestion, IsForWordsOfSensibleLength) {
  const std::string longest(64, 'x');
  EXPECT_EQ(nearest(longest, {longest}), longest);
  EXPECT_EQ(nearest(longest + "x", {longest}), std::nullopt);
}

}  // namespace
}  // namespace breakeven
