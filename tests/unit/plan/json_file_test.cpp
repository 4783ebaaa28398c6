#include "plan/json_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>
#include <thread>

#include "unit/messages.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

std::string error_of(const std::filesystem::path& path) {
  return message_of<ConfigError>([&] { (void)read_json(path); });
}

TEST(JsonFile, KeepsTextAndOrder) {
  const TemporaryFolder folder;
  const std::string text = R"({"b": 1, "a": [9007199254740993, 18446744073709551615, -1]})";
  const JsonFile file = read_json(folder.write("a.json", text));
  EXPECT_EQ(file.text, text);
  EXPECT_EQ(file.document.begin().key(), "b");
  EXPECT_EQ(file.document["a"].dump(), "[9007199254740993,18446744073709551615,-1]");
}

TEST(JsonFile, TakesAByteOrderMark) {
  const TemporaryFolder folder;
  const JsonFile file = read_json(folder.write("a.json", "\xEF\xBB\xBF{\"a\": \"\xC3\xA9\"}"));
  EXPECT_EQ(file.text, "{\"a\": \"\xC3\xA9\"}");
}

TEST(JsonFile, ReadsAPipe) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { write_file(path, "[1]"); });
  EXPECT_EQ(read_json(path).text, "[1]");
  writer.join();
}

TEST(JsonFile, SaysWhatIsWrongWithTheFile) {
  const TemporaryFolder folder;
  const auto missing = folder.path() / "missing.json";
  EXPECT_EQ(error_of(missing), missing.string() + ": there is no such file; check the path");
  EXPECT_THAT(error_of(folder.write("file", "") / "inside.json"), HasSubstr("there is no such file"));
  EXPECT_THAT(error_of(folder.path()), HasSubstr(": is a directory; name a file in it"));
  EXPECT_THAT(error_of(folder.write("empty.json", "")), HasSubstr(": is empty; it must be a config, which"));
  EXPECT_THAT(
      message_of<ConfigError>([&] { (void)read_json(folder.path() / "empty.json", FileKind::shapes); }),
      HasSubstr(": is empty; it must be a list of shapes"));
  EXPECT_THAT(error_of(folder.write("mark.json", "\xEF\xBB\xBF")), HasSubstr(": is empty"));
}

TEST(JsonFile, RefusesWhatIsNotText) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.write("a.json", "\x1f\x8b\x08")),
              HasSubstr("a.json: is gzip-compressed; gunzip it first"));
  for (const std::string& bytes : {std::string("{\"a\": \"\xFF\"}"), std::string("{\"a\": \"\xC3\"}")})
    EXPECT_THAT(error_of(folder.write("a.json", bytes)), HasSubstr("is not UTF-8 text"));
}

TEST(JsonFile, SaysThatJsonHasNoNaN) {
  const TemporaryFolder folder;
  for (const char* number : {"NaN", "nan", "Infinity", "inf", "-Infinity"})
    EXPECT_THAT(error_of(folder.write("a.json", fmt::format(R"({{"a": {}}})", number))),
                HasSubstr("; JSON has neither NaN nor infinity"))
        << number;
}

TEST(JsonFile, RefusesAnEndlessFile) {
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: is larger than 16 MiB; is it the right file?");
}

TEST(JsonFile, SaysWhatAFileOfAnotherKindIs) {
  const TemporaryFolder folder;
  const auto refusal = [&](const char* schema, FileKind wanted) {
    const auto path = folder.write("a.json", fmt::format(R"({{"schema": "{}"}})", schema));
    return message_of<ConfigError>([&] { (void)read_json(path, wanted); });
  };
  EXPECT_THAT(refusal("breakeven.result/1", FileKind::config),
              HasSubstr("a.json: is a result of `breakeven run`, not a config; `breakeven list` shows"));
  EXPECT_THAT(refusal("breakeven.verdict/1", FileKind::config),
              HasSubstr("is a verdict of `breakeven gate` or `compare`, not a config"));
  EXPECT_THAT(refusal("breakeven.rank/1", FileKind::prices),
              HasSubstr("is a ranking of machines, not a list of prices"));
  EXPECT_EQ(refusal("https://example.org/other", FileKind::config), "was accepted");
}

TEST(JsonFile, FindsAKeyThatIsThereTwice) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.write("a.json", R"([{"a": 1}, {"b": [0, {"a": 1, "c": {"a": 2}, "a": 3}]}])")),
              HasSubstr(": /1/b/1/a: is there twice; remove one"));
  EXPECT_EQ(error_of(folder.write("b.json", R"([{"a": {"a": 1}, "b": 2}, {"a": 1, "b": 2}])")),
            "was accepted");
}

TEST(JsonFile, CountsLinesAndColumns) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.write("a.json", "{\n  \"a\": 1,\n}")), HasSubstr(": line 3, column 1: "));
  EXPECT_THAT(error_of(folder.write("b.json", "]")), HasSubstr(": line 1, column 1: "));
  EXPECT_THAT(error_of(folder.write("c.json", "{\"a\": ")),
              testing::AllOf(HasSubstr(": line 1, column 7: "), HasSubstr("is it cut off?")));
}

TEST(JsonFile, HostileFilesCostLittle) {
  const TemporaryFolder folder;
  const std::size_t size = largest_json_file;
  EXPECT_THAT(error_of(folder.write("deep.json", std::string(size, '['))), HasSubstr("nested more than 64"));
  std::string keys = "{";
  for (int i = 0; keys.size() < size - 20; ++i) keys += fmt::format("\"{}\":0,", i);
  EXPECT_THAT(error_of(folder.write("keys.json", keys)), HasSubstr("has more than 4096 keys"));
  const std::string message = error_of(folder.write("text.json", "\"" + std::string(size - 1, 'x')));
  EXPECT_THAT(message, HasSubstr("missing closing quote"));
  EXPECT_LT(message.size(), 1000U);
}

TEST(JsonFile, MayBeAsDeepAndAsWideAsItsLimits) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder.write("a.json", std::string(64, '[') + std::string(64, ']'))), "was accepted");
  EXPECT_THAT(error_of(folder.write("a.json", "[1, " + std::string(64, '[') + std::string(64, ']') + "]")),
              HasSubstr(": /1/0/0/"));
  const auto keys = [](int count) {
    std::string text = "[0, {";
    for (int i = 0; i < count; ++i) text += fmt::format("{}\"{}\": 0", i == 0 ? "" : ", ", i);
    return text + "}]";
  };
  EXPECT_EQ(error_of(folder.write("a.json", keys(4096))), "was accepted");
  EXPECT_THAT(error_of(folder.write("a.json", keys(4097))),
              HasSubstr(": /1: has more than 4096 keys; is it the right file?"));
  EXPECT_EQ(error_of(folder.write("a.json", "[{\"a\": 1}, {\"a\": [{\"a\": {}}]}]")), "was accepted");
}

TEST(JsonFile, SaysWhereANumberIsTooLarge) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.write("a.json", "{\"a\": [1, {}, [], 1e999]}")), HasSubstr(": /a/3: "));
}

TEST(JsonFile, SaysHowToMendWhatIsNoJson) {
  const TemporaryFolder folder;
  const auto error = [&](const char* text) { return error_of(folder.write("a.json", text)); };
  using testing::EndsWith;
  EXPECT_THAT(error("[1,\n ]"), EndsWith("; remove the comma before it"));
  EXPECT_THAT(error("{\"a\": 1 , }"), EndsWith("; remove the comma before it"));
  EXPECT_THAT(error("[1 }"), testing::Not(HasSubstr("comma before")));
  EXPECT_THAT(error("[1, // one\n 2]"), EndsWith("; JSON has no comments"));
  EXPECT_THAT(error("[1, 2"), EndsWith("; the file ends too early: is it cut off?"));
  EXPECT_THAT(error("[1, x]"),
              testing::AllOf(HasSubstr(": line 1, column 5: "), testing::Not(HasSubstr(";  "))));
  EXPECT_THAT(error("[1,\n  2 3]"), HasSubstr(": line 2, column 5: "));
  EXPECT_THAT(error(("[" + std::string(500, 'x')).c_str()), testing::Not(HasSubstr(std::string(201, 'x'))));
}

TEST(JsonFile, ShowsTheBeginningOfALongValue) {
  EXPECT_EQ(shown(Json(std::string(58, 'x'))), "\"" + std::string(58, 'x') + "\"");
  EXPECT_EQ(shown(Json(std::string(59, 'x'))), "\"" + std::string(59, 'x') + "...");
  EXPECT_EQ(shown(Json(std::string(58, 'x') + "\u00e9")), "\"" + std::string(58, 'x') + "...")
      << "and no part of a character";
}

TEST(JsonFile, HasValuesOfTheTypesThatAreAskedFor) {
  const Place place("f");
  const auto number = [&](const char* text) {
    return message_of<ConfigError>(
        [&] { (void)require_above_zero(Json::parse(text), place / "a", "; mend it"); });
  };
  EXPECT_EQ(number("0.001"), "was accepted");
  for (const char* bad : {"0", "-1", "\"1\"", "null", "true"})
    EXPECT_EQ(number(bad), std::string("f: /a: is ") + bad + "; it must be a number above 0; mend it");
  EXPECT_EQ(require_above_zero(Json(2.5), place, ""), 2.5);
  EXPECT_THAT(message_of<ConfigError>([&] { (void)require_above_zero(Json(INFINITY), place, ""); }),
              HasSubstr("above 0"));

  const auto whole = [&](const char* text) {
    return message_of<ConfigError>([&] { (void)require_whole(Json::parse(text), place / "a", 7); });
  };
  EXPECT_EQ(whole("1"), "was accepted");
  EXPECT_EQ(whole("7"), "was accepted");
  for (const char* bad : {"0", "8", "-1", "1.0", "\"1\""})
    EXPECT_EQ(whole(bad), std::string("f: /a: is ") + bad + "; it must be a whole number from 1 to 7");

  const auto text = [&](const char* object) {
    return message_of<ConfigError>([&] { (void)require_text(Json::parse(object), place, "a"); });
  };
  EXPECT_EQ(text(R"({"a": "b"})"), "was accepted");
  EXPECT_EQ(text(R"({"b": "b"})"), "f: 'a' is missing; add it");
  EXPECT_EQ(text(R"({"a": ""})"), "f: /a: is \"\"; it must be a string that is not empty");
  EXPECT_EQ(text(R"({"a": 1})"), "f: /a: is 1; it must be a string that is not empty");

  const auto object = [&](const char* json) {
    return message_of<ConfigError>([&] { require_object(Json::parse(json), place, {"width", "height"}); });
  };
  EXPECT_EQ(object(R"({"width": 1})"), "was accepted");
  EXPECT_EQ(object("[]"), "f: is []; it must be an object, {...}");
  EXPECT_EQ(object(R"({"height": 1, "wdith": 1})"),
            "f: /wdith: unknown key 'wdith'; known are width, height; did you mean 'width'?");
}

TEST(JsonFile, MessagesCannotSteerATerminal) {
  const TemporaryFolder folder;
  const std::string message = error_of(folder.write("a.json", R"({"\u001b[2J": 1, "\u001b[2J": 2})"));
  EXPECT_THAT(message, HasSubstr(R"(/\x1b[2J: is there twice)"));
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(Place, IsAJsonPointer) {
  const Place place = Place("f.json") / "a/b" / 3 / "c~d";
  EXPECT_EQ(place.pointer(), "/a~1b/3/c~0d");
  EXPECT_THROW(place.fail("no"), ConfigError);
}

}  // namespace
}  // namespace breakeven
