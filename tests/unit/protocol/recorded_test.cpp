// Tests that recorded answers of programs of earlier commits (tests/recorded), and the requests to them, can
// still be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "protocol/messages.h"

namespace breakeven {
namespace {

using RecordedJson = nlohmann::ordered_json;

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(BREAKEVEN_SOURCE_DIR "/tests/recorded")) {
    if (entry.path().extension() == ".jsonl") all.push_back(entry.path());
  }
  return all;
}

template <typename T>
bool reads(const std::string& answer, bool ok) {
  return std::holds_alternative<T>(parse_answer<T>(answer)) == ok;
}

/// True if an answer is read as an answer to the request, or as a refusal.
bool reads_answer(const std::string& kind, const std::string& answer, bool ok) {
  if (kind == "hello") return reads<answer::Hello>(answer, ok);
  if (kind == "prepare") return reads<answer::Ready>(answer, ok);
  if (kind == "verify") return reads<Evidence>(answer, ok);
  if (kind == "sample") return reads<answer::Sample>(answer, ok);
  if (kind == "fit") return reads<Fit>(answer, ok);
  return reads<answer::Done>(answer, ok);
}

class RecordedSession : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RecordedSession, IsRead) {
  std::ifstream in(GetParam());
  std::string line;
  std::getline(in, line);
  EXPECT_TRUE(RecordedJson::parse(line).contains("commit")) << line;
  std::size_t verified = 0;
  while (std::getline(in, line)) {
    const auto exchange = RecordedJson::parse(line);
    const auto& request = exchange.at("request");
    const auto kind = request.is_object() ? request.at("request").get<std::string>() : "";
    const bool ok = exchange.at("answer").at("ok").get<bool>();
    EXPECT_TRUE(reads_answer(kind, exchange.at("answer").dump(), ok)) << line;
    verified += kind == "verify" && ok ? 1 : 0;
  }
  EXPECT_GE(verified, 2U) << "a recording without a case says little";
}

/// Parameters that are not sent to older programs have the values that a current program assumes without
/// them.
TEST_P(RecordedSession, AsksForTheCasesThatTheDriverMeans) {
  std::ifstream in(GetParam());
  std::size_t prepared = 0;
  for (std::string line; std::getline(in, line);) {
    const auto exchange = RecordedJson::parse(line);
    const auto request = exchange.value("request", RecordedJson());
    if (!request.is_object() || request.at("request") != "prepare" || line.find("unheard_of") != line.npos)
      continue;
    const auto prepare = std::get<request::Prepare>(parse_request(request.dump()));
    auto sent = RecordedJson::parse(to_line(Request{prepare}));
    // The recordings show that programs ignore members that they do not know ("unheard_of").
    for (const char* newer : {"memory_bytes", "measures_latency", "resolved"}) sent.erase(newer);
    EXPECT_EQ(sent, request);
    ++prepared;
  }
  EXPECT_GE(prepared, 2U);
}

INSTANTIATE_TEST_SUITE_P(OfCommits, RecordedSession, testing::ValuesIn(recordings()), [](const auto& of) {
  std::string name = of.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace breakeven
