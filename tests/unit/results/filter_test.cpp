#include "results/filter.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "text/printable.h"
#include "unit/messages.h"

namespace breakeven {
namespace {

std::string why_not(const std::string& pattern) {
  return message_of<FilterError>([&] { const Filter filter(pattern); });
}

TEST(Filter, FindsPartsOfATextAsPerlDoes) {
  const std::string id = "matmul/m=256/n=8/k=8/f32";
  for (const char* found :
       {"", "m=256", "f32$", "^matmul/", "m=2(5|6)+/", "n=\\d/", "infer|matmul", "[[:digit:]]"})
    EXPECT_TRUE(Filter(found).finds(id)) << found;
  for (const char* missed : {"conv2d", "^m=", "f32/", "m=\\d/", "M=256"})
    EXPECT_FALSE(Filter(missed).finds(id)) << missed;
}

TEST(Filter, SearchesInLinearTime) {
  const std::string text(100'000, 'a');
  for (const char* pattern :
       {"(.+)+$b", "(a*)*b", "(a|a)*b", "(a|aa)+b", "(?:a?){300}a{300}b", "^(([a-z])+.)+[A-Z]"})
    EXPECT_FALSE(Filter(pattern).finds(text)) << pattern;
}

TEST(Filter, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"m=(8", "has an opening ( without a closing ); add it, or write \\( for a bracket"},
      {"m=8)", "has a closing ) without an opening (; add it, or write \\) for a bracket"},
      {"m=[8", "'[8' has no closing ]; add it, or write \\[ for a bracket"},
      {"[z-a]",
       "'z-a' is not a class or range of characters, as in [a-z]; correct it, or write \\[ for a bracket"},
      {"[[:x:]]",
       "'[:x:]' is not a class or range of characters, as in [a-z]; correct it, or write \\[ for a bracket"},
      {"*", "repeats nothing; write what is repeated before it, as in .*"},
      {"a**", "'**' repeats a repetition; leave one out"},
      {"a{1001}", "'{1001}' must be from 0 to 1000 repetitions in all, with the smaller number first"},
      {"a{2,1}", "'{2,1}' must be from 0 to 1000 repetitions in all, with the smaller number first"},
      {"(?:a{100}){100}", "'{100}' must be from 0 to 1000 repetitions in all, with the smaller number first"},
      {"a\\", "ends with a single backslash; write \\\\ for a backslash"},
      {"\\u1234", "'\\u' is not an escape sequence; write \\\\ for a backslash"},
      {"(?>a)", "'(?>' is not a kind of group; write (?: for a group, or \\( for a bracket"},
      {"m\xe9", "is not UTF-8"},
  };
  for (const auto& [pattern, problem] : wrong)
    EXPECT_EQ(why_not(pattern), "--filter " + printable(pattern) + ": " + problem);
}

TEST(Filter, SaysThatItNeitherRefersBackNorLooksAround) {
  const std::string refers =
      "refers back to a group, which is not supported, because a search could take for ever; write out what "
      "is "
      "repeated";
  EXPECT_EQ(why_not("(a)\\1"), "--filter (a)\\1: '\\1' " + refers);
  EXPECT_EQ(why_not("\\k<a>"), "--filter \\k<a>: '\\k' " + refers);
  const std::string looks =
      "looks ahead or behind, which is not supported, because a search could take for ever; write it without";
  EXPECT_EQ(why_not("a(?=b)"), "--filter a(?=b): '(?=' " + looks);
  EXPECT_EQ(why_not("a(?!b)"), "--filter a(?!b): '(?!' " + looks);
  EXPECT_EQ(why_not("(?<=a)b"), "--filter (?<=a)b: '(?<' " + looks);
  EXPECT_EQ(why_not("(?<!a)b"), "--filter (?<!a)b: '(?<' " + looks);
}

}  // namespace
}  // namespace breakeven
