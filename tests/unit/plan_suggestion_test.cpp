#include <gtest/gtest.h>

#include "plan/suggestion.h"

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

}  // namespace
}  // namespace breakeven
