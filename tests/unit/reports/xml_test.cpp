#include "reports/exports/xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

namespace breakeven {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

boost::property_tree::ptree read_xml_text(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  return tree;
}

TEST(Xml, IsTheTreeThatWasGiven) {
  const std::string text =
      xml_document({.name = "a",
                    .attributes = {{"one", "1"}, {"two", "2"}},
                    .children = {{.name = "b", .text = "first"}, {.name = "b", .text = "second\nline"}}});
  const auto tree = read_xml_text(text);
  EXPECT_EQ(tree.get<std::string>("a.<xmlattr>.one"), "1");
  EXPECT_EQ(tree.get<std::string>("a.<xmlattr>.two"), "2");
  EXPECT_EQ(tree.get<std::string>("a.b"), "first");
  EXPECT_EQ(tree.get_child("a").count("b"), 2U);
  EXPECT_THAT(text, HasSubstr("<b>second\nline</b>"));
}

TEST(Xml, MarkupIsText) {
  const std::string hostile = R"(</a><!-- ]]> " ' & &amp; <![CDATA[ <?php)";
  const auto tree =
      read_xml_text(xml_document({.name = "a", .attributes = {{"v", hostile}}, .text = hostile}));
  EXPECT_EQ(tree.get<std::string>("a.<xmlattr>.v"), hostile);
  EXPECT_EQ(tree.get<std::string>("a"), hostile);
  EXPECT_EQ(tree.size(), 1U);
}

TEST(Xml, HoldsOnlyWhatXmlMay) {
  using namespace std::string_literals;
  const std::string hostile = "a\0b\x1b[2J\x7f\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xff \xc3\xa9"s;
  const std::string text = xml_document({.name = "a", .attributes = {{"v", hostile}}, .text = hostile});
  for (const char* illegal : {"\x1b", "\x7f", "\xef\xbf\xbe", "\xef\xbf\xbf", "\xed\xa0\x80", "\xff", "&#"})
    EXPECT_THAT(text, Not(HasSubstr(illegal)));
  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("ab[2J"));
  EXPECT_THAT(text, HasSubstr("\xc3\xa9"));
}

TEST(Xml, AnAttributeIsOneLine) {
  const auto tree =
      read_xml_text(xml_document({.name = "a", .attributes = {{"v", " one\r\n\ttwo\u2028three "}}}));
  EXPECT_EQ(tree.get<std::string>("a.<xmlattr>.v"), "one two three");
}

}  // namespace
}  // namespace breakeven
