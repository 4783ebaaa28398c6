#include "json/fields.h"

#include <gmock/gmock.h>

#include <cmath>

#include "unit/messages.h"

namespace breakeven::json_fields_test {

using testing::ElementsAre;

enum class Colour { red, dark_blue };
constexpr std::array<std::string_view, 2> names_of(Colour) {
  return {"red", "dark_blue"};
}

struct Wheel {
  double inches = 26;
  std::vector<double> pressures = {};
};
void fields(Fields& f, Wheel& wheel) {
  f.number("inches", wheel.inches);
  f.if_set("pressures", wheel.pressures);
}

struct Bicycle {
  std::string name;
  Colour colour = Colour::red;
  int gears = 1;
  std::size_t locks = 0;
  std::optional<double> price = {};
  std::vector<std::pair<std::string, std::string>> parts = {};
  std::optional<Wheel> spare = {};
  std::vector<Wheel> wheels = {};
};
void fields(Fields& f, Bicycle& bicycle) {
  f.required("name", bicycle.name);
  f.required("colour", bicycle.colour);
  f.optional("gears", bicycle.gears);
  f.if_set("locks", bicycle.locks);
  f.optional("price", bicycle.price);
  f.object("built", [&](Fields& built) { built.optional("parts", bicycle.parts); });
  f.derived("wheel_count", bicycle.wheels.size());
  f.if_set("spare", bicycle.spare);
  f.required("wheels", bicycle.wheels);
  f.expect(bicycle.gears > 0, "has no gear");
}

namespace {

Bicycle read(const std::string& text) {
  const Json json = Json::parse(text);
  return read_fields<Bicycle>(JsonReader(json));
}

std::string why_refused(const std::string& text) {
  return message_of<JsonError>([&] { read(text); });
}

/// The least that is read, with one member more.
std::string with(const std::string& member) {
  return R"({"name": "b", "colour": "red", "built": {}, "wheels": [])" + member + "}";
}

TEST(Fields, AreWrittenInTheirOrder) {
  const Bicycle plain{.name = "a", .wheels = {}};
  EXPECT_EQ(
      text_of(json_of(plain)),
      R"({"name":"a","colour":"red","gears":1,"price":null,"built":{"parts":{}},"wheel_count":0,"wheels":[]})");
  const Bicycle full{.name = "a",
                     .colour = Colour::dark_blue,
                     .gears = 3,
                     .locks = 2,
                     .price = 1.5,
                     .parts = {{"z", "1"}, {"y", "2"}},
                     .spare = Wheel{.inches = std::nan("")},
                     .wheels = {{.inches = 28, .pressures = {4, std::nan("")}}}};
  EXPECT_EQ(text_of(json_of(full)),
            R"({"name":"a","colour":"dark_blue","gears":3,"locks":2,"price":1.5,)"
            R"("built":{"parts":{"z":"1","y":"2"}},"wheel_count":1,"spare":{"inches":null},)"
            R"("wheels":[{"inches":28.0,"pressures":[4.0,null]}]})");
}

TEST(Fields, AreReadAsTheyAreWritten) {
  const std::string text =
      R"({"name":"a","colour":"dark_blue","gears":3,"locks":2,"price":1.5,"built":{"parts":{"z":"1","y":"2"}},)"
      R"("wheel_count":1,"spare":{"inches":null},"wheels":[{"inches":28.0,"pressures":[4.0,null]}]})";
  EXPECT_EQ(text_of(json_of(read(text))), text);
}

TEST(Fields, OfEarlierVersionsMayLackWhatIsOptional) {
  const Bicycle bicycle = read(with(R"(, "gears": null, "unknown": 1)"));
  EXPECT_EQ(bicycle.gears, 1);
  EXPECT_EQ(bicycle.locks, 0U);
  EXPECT_FALSE(bicycle.price);
  EXPECT_FALSE(bicycle.spare);
  EXPECT_TRUE(std::isnan(read(with(R"(, "spare": {})")).spare->inches));
}

TEST(Fields, SayWhereSomethingIsWrong) {
  EXPECT_EQ(why_refused(with("")), "was accepted");
  EXPECT_EQ(why_refused("{}"), "/name is missing");
  EXPECT_EQ(why_refused("[]"), "/ must be an object");
  EXPECT_EQ(why_refused(R"({"name": null})"), "/name is of the wrong type");
  EXPECT_EQ(why_refused(R"({"name": "b", "colour": "green"})"), "/ has the unknown colour 'green'");
  EXPECT_EQ(why_refused(with(R"(, "gears": 2.5)")), "/gears is of the wrong type");
  EXPECT_EQ(why_refused(with(R"(, "gears": 0)")), "/ has no gear");
  EXPECT_EQ(why_refused(with(R"(, "locks": -1)")), "/locks is below 0");
  EXPECT_EQ(why_refused(with(R"(, "spare": {"pressures": 1})")), "/spare/pressures must be a list");
  EXPECT_EQ(why_refused(with(R"(, "spare": {"pressures": ["1"]})")), "/spare/pressures must hold numbers");
  const auto built = [](const std::string& parts, const std::string& wheels) {
    return why_refused(R"({"name": "b", "colour": "red", "built": {"parts": )" + parts + R"(}, "wheels": )" +
                       wheels + "}");
  };
  EXPECT_EQ(built(R"({"a/b": 1})", "[]"), "/built/parts/a~1b must be a string");
  EXPECT_EQ(built("[]", "[]"), "/built/parts must be an object");
  EXPECT_EQ(built("{}", "null"), "/wheels must be a list");
  EXPECT_EQ(built("{}", R"([{}, {"inches": "28"}])"), "/wheels/1/inches is of the wrong type");
  EXPECT_EQ(built("{}", "[{}, 3]"), "/wheels/1 must be an object");
}

TEST(Names, AreReadAsTheyAreWritten) {
  EXPECT_EQ(name(Colour::dark_blue), "dark_blue");
  EXPECT_EQ(parse_name<Colour>("dark_blue"), Colour::dark_blue);
  EXPECT_EQ(parse_name<Colour>("blue"), std::nullopt);
  EXPECT_THAT(all_names<Colour>(), ElementsAre("red", "dark_blue"));
}

TEST(TextInLines, HasALineForEachMemberAndEachEntry) {
  const std::vector<std::string> none;
  const std::vector<std::string> two{"1", "2"};
  EXPECT_EQ(text_in_lines(Json{{"a", 1}, {"b", Json::array()}},
                          {lines_of_texts("c", none), lines_of_texts("d", two)}),
            "{\n\"a\": 1,\n\"b\": [],\n\"c\": [\n],\n\"d\": [\n1,\n2\n]\n}\n");
}

}  // namespace
}  // namespace breakeven::json_fields_test
