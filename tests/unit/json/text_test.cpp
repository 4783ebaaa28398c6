#include "json/text.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "unit/messages.h"

namespace breakeven::json_text_test {
namespace {

using testing::HasSubstr;

std::string why_refused(const std::string& text) {
  return message_of<JsonError>([&] { parse_strictly(text); });
}

TEST(StrictJson, GivesWhatTheLibraryGives) {
  for (const char* text :
       {R"({"b": [1, -2, 3.5, true, null, "x", {}, []], "a": {"c": {"d": [[1], [2, {"e": 0}]]}}})", "3",
        "\"text\"", "[]", "{}", "null", "[[[]]]"})
    EXPECT_EQ(parse_strictly(text), nlohmann::ordered_json::parse(text)) << text;
}

TEST(StrictJson, RefusesAKeyThatIsThereTwice) {
  EXPECT_THAT(why_refused(R"({"a": 1, "a": 2})"), HasSubstr("/a is there twice"));
  EXPECT_THAT(why_refused(R"({"x": [0, {"a": {"b": 1, "c": {}, "b": 2}}]})"),
              HasSubstr("/x/1/a/b is there twice"));
}

TEST(StrictJson, TakesTheFirstOfARepeatedKeyWhereAsked) {
  EXPECT_EQ(parse_strictly(R"({"a": 1, "a": {"b": [2]}, "c": 3})", RepeatedKey::first_counts),
            nlohmann::ordered_json::parse(R"({"a": 1, "c": 3})"));
}

/// The value that does not count may have repeated keys itself, and is as bounded as any other.
TEST(StrictJson, LeavesOutAllOfWhatDoesNotCount) {
  EXPECT_EQ(
      parse_strictly(R"({"a": 1, "a": {"b": {"b": 1, "b": [{"c": 1, "c": {}}], "d": 2}, "b": 3}, "c": 4})",
                     RepeatedKey::first_counts),
      nlohmann::ordered_json::parse(R"({"a": 1, "c": 4})"));
  EXPECT_EQ(parse_strictly(R"([{"a": [], "a": [{"b": []}, []], "b": [5]}, 6])", RepeatedKey::first_counts),
            nlohmann::ordered_json::parse(R"([{"a": [], "b": [5]}, 6])"));
  EXPECT_THROW(parse_strictly(R"({"a": 1, "a": )" + std::string(100, '[') + std::string(100, ']') + "}",
                              RepeatedKey::first_counts),
               JsonError);
}

TEST(StrictJson, RefusesWhatWouldCostTooMuch) {
  EXPECT_THAT(why_refused(std::string(200'000, '[')), HasSubstr("nested more than 64 levels"));
  std::string text = "{";
  for (int i = 0; i < 5000; ++i) text += "\"" + std::to_string(i) + "\": 1, ";
  EXPECT_THAT(why_refused(text + "\"a\": 1}"), HasSubstr("more than 4096 keys"));
  EXPECT_NO_THROW(parse_strictly("[1, [2]]", RepeatedKey::refused, 4));
  EXPECT_THROW(parse_strictly("[1, [2, 3]]", RepeatedKey::refused, 4), JsonError);
}

TEST(StrictJson, RefusesWhatIsNoJson) {
  for (const char* text : {"{", "[1,]", "{\"a\": NaN}", "[1] 2", "{\"a\" 1}"})
    EXPECT_THAT(why_refused(text), HasSubstr("not valid JSON")) << text;
  EXPECT_THAT(why_refused("\"\xff\""), HasSubstr("is not UTF-8 text"));
  EXPECT_THAT(why_refused(R"({"a/b": [0, 1e999]})"), HasSubstr("/a~1b/1 number overflow parsing '1e999'"));
}

/// Receives the elements of the list "long".
class Received : public ElementReceiver {
 public:
  std::vector<std::string> elements, befores;
  std::size_t asked = 0;

 private:
  bool wants(const Json& before, const std::string& key) override {
    ++asked;
    if (key == "long") befores.push_back(text_of(before));
    return key == "long";
  }
  void receive(const Json& element) override { elements.push_back(text_of(element)); }
};

TEST(StrictJson, HandsOverTheElementsOfALongList) {
  Received received;
  const Json rest = parse_strictly(
      parts_of(R"({"a": [1, {"long": [2]}], "long": [{"x": [3, {}]}, 4, [], [[5]]], "b": [6]})"),
      RepeatedKey::refused, &received);
  EXPECT_EQ(text_of(rest), R"({"a":[1,{"long":[2]}],"long":[],"b":[6]})");
  EXPECT_THAT(received.elements, testing::ElementsAre(R"({"x":[3,{}]})", "4", "[]", "[[5]]"));
  EXPECT_THAT(received.befores, testing::ElementsAre(R"({"a":[1,{"long":[2]}],"long":null})"));
  EXPECT_EQ(received.asked, 3U) << "only for lists of the outermost object";
}

TEST(StrictJson, ReadsATextInParts) {
  const std::string text = R"({"a": ["\u00e4\n", 1.25e-7, true], "b": {"c": null}})";
  for (std::size_t size = 1; size < text.size(); ++size) {
    std::size_t read = 0;
    const auto next = [&] {
      const std::string_view part = std::string_view(text).substr(read, size);
      read += part.size();
      return part;
    };
    EXPECT_EQ(parse_strictly(next, RepeatedKey::refused), parse_strictly(text)) << size;
  }
}

/// Errors name the same places whether or not the elements are still in memory.
TEST(StrictJson, NamesPlacesInAListThatIsHandedOver) {
  for (const char* text :
       {R"({"long": [{}, 1, {"a": 1, "a": 2}]})", R"({"long": [{}, 1, [0, 1e999]]})",
        R"({"long": [{}, 1e999]})", R"({"long": [1, 2], "b": [0, 1e999]})", R"({"long": [{}, )"}) {
    Received received;
    EXPECT_EQ(message_of<JsonError>([&] { parse_strictly(parts_of(text), RepeatedKey::refused, &received); }),
              why_refused(text));
  }
}

}  // namespace
}  // namespace breakeven::json_text_test
