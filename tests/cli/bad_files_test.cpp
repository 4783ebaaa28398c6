// Tests invalid files, end to end. The unit tests cover all ways in which a config can be wrong.
#include <fstream>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

using BadFiles = DriverTest;

struct Bad {
  std::string name, text, message;
};

class BadConfig : public DriverTest, public testing::WithParamInterface<Bad> {};

TEST_P(BadConfig, IsRefusedNamingPlaceAndRemedy) {
  const auto path = write("bad.json", GetParam().text);
  for (const char* command : {"list", "run"}) {
    const Outcome outcome = with_status(2, breakeven({command, path}));
    EXPECT_THAT(outcome.err, HasSubstr(path.string()));
    EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
    EXPECT_EQ(outcome.out, "");
  }
}

const std::string a_product = R"({"op": "matmul", "m": 8, "n": "m", "k": "m", "dtype": "f32"})";

INSTANTIATE_TEST_SUITE_P(
    Configs, BadConfig,
    testing::Values(Bad{"Empty", "", "empty"}, Bad{"Truncated", R"({"workloads": [{"op": "mat)", "bad.json"},
                    Bad{"Binary",
                        std::string("\x7f"
                                    "ELF\x02\x01\x01\0\0\0\xff\xfe",
                                    12),
                        "bad.json"},
                    Bad{"UnknownKey", R"({"worklods": [], "workloads": [)" + a_product + "]}", "workloads"},
                    Bad{"UnknownParameter",
                        R"({"workloads": [{"op": "matmul", "m": 8, "n": 8, "k": 8, "dtyp": "f32"}]})",
                        "dtype"},
                    Bad{"UnknownOp", R"({"workloads": [{"op": "matmull", "m": 8}]})", "matmul"},
                    Bad{"Negative",
                        R"({"workloads": [{"op": "matmul", "m": -8, "n": 8, "k": 8, "dtype": "f32"}]})",
                        "/workloads/0/m"},
                    Bad{"NoWorkloads", R"({"workloads": []})", "/workloads"}),
    [](const auto& bad) { return bad.param.name; });

TEST_F(BadFiles, MissingConfig) {
  EXPECT_THAT(with_status(2, breakeven({"list", file("nosuch.json")})).err,
              HasSubstr("there is no such file"));
}

TEST_F(BadFiles, AFolderIsNoConfig) {
  EXPECT_EQ(breakeven({"list", folder_.path()}).status, 2);
}

TEST_F(BadFiles, AGigabyteIsNoConfig) {
  const auto path = write("huge.json", "");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30U);
  Process process(launch({"list", path}));
  const Outcome outcome = process.wait(std::chrono::seconds(20));
  EXPECT_TRUE(outcome.in_time);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(": is 1024.0 MiB large, and at most 16 MiB are read"));
}

/// Results with parts missing, changed or cut off are refused by name, without a crash.
class BadResult : public DriverTest {
 protected:
  Json good() { return result_of_run(products({8, 16})); }
  void expect_refused(const std::string& text, const std::string& message) {
    const auto path = write("bad.json", text);
    const Outcome outcome = breakeven({"report", path});
    EXPECT_EQ(outcome.status, 2) << text.substr(0, 300);
    EXPECT_THAT(outcome.err, HasSubstr(path.string()));
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
};

TEST_F(BadResult, IsRefused) {
  const Json result = good();
  const std::string text = result.dump();
  expect_refused("", "is empty; is it the right file?");
  expect_refused("\x1f\x8b\x08", "bad.json: is gzip-compressed; gunzip it first");
  for (std::size_t part = 1; part < 10; ++part)
    expect_refused(text.substr(0, text.size() * part / 10), "not valid JSON, perhaps truncated");
  for (const char* other : {"{}", "[]"})
    expect_refused(other, "is JSON of an unknown kind; give a result of");
  expect_refused(std::string(200'000, '['), "nested");
  const std::vector<std::pair<std::string, Json>> changes{
      {"/cases", 1},
      {"/cases/0", "x"},
      {"/cases/0/id", nullptr},
      {"/cases/0/params", Json::array({1})},
      {"/cases/0/status", "splendid"},
      {"/cases/0/seconds/median", 0},
      {"/cases/0/seconds/median", -1},
      {"/cases/0/seconds/median", "fast"},
      {"/cases/0/seconds", nullptr},
      {"/cases/0/seconds/samples", Json::array({"x"})},
      {"/cases/1", result.at("cases")[0]},
      {"/backends", Json::object()},
      {"/host", Json::array()},
      {"/complete", "yes"},
      {"/schema", "breakeven.result/999"},
  };
  for (const auto& [pointer, value] : changes) {
    Json changed = result;
    changed[Json::json_pointer(pointer)] = value;
    SCOPED_TRACE(pointer);
    expect_refused(changed.dump(), pointer == "/schema" ? "is of schema 'breakeven.result/999'" : "/");
  }
}

/// Control characters of a result must not reach the terminal.
TEST_F(BadResult, EscapesInTextAreNotHandedOn) {
  Json result = good();
  result["cases"][0]["status"] = "failed";
  result["cases"][0]["reason"] = "\x1b]0;owned\x07 \x1b[2J";
  const Outcome outcome = breakeven({"report", write("hostile.json", result.dump())});
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace breakeven::cli_tests
