// Tests that every message is unchanged after being written and read, and that anything else is refused with
// its name.
#include "protocol/messages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "unit/messages.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAreArray;

Case product() {
  return make_case(*find_workload("matmul"),
                   {{"m", 3}, {"n", 4}, {"k", 5}, {"transpose_b", true}, {"dtype", "bf16"}});
}

template <typename T>
T round_trip(const T& request) {
  const std::string line = to_line(Request{request});
  EXPECT_EQ(line.find('\n'), std::string::npos) << "one message, one line";
  return std::get<T>(parse_request(line));
}

template <typename T>
T answered(const T& answer) {
  const std::string line = to_line(Answer{answer});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return std::get<T>(parse_answer<T>(line));
}

TEST(Requests, AreReadAsTheyWereWritten) {
  EXPECT_EQ(round_trip(request::Hello{.protocol = 1, .threads = 7}).threads, 7);
  const auto prepare = round_trip(request::Prepare{
      .problem = product(), .seed = std::numeric_limits<std::uint64_t>::max(), .cold = true});
  EXPECT_EQ(prepare.problem.id(), product().id());
  EXPECT_EQ(prepare.problem.parameters, product().parameters);
  EXPECT_EQ(prepare.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(prepare.cold);
  EXPECT_EQ(prepare.threads, 0);
  EXPECT_EQ(round_trip(request::Prepare{.problem = product(), .threads = 3}).threads, 3);
  const auto expect = round_trip(request::Expect{.problem = product(), .seed = 9, .elements = {0, 11}});
  EXPECT_EQ(expect.problem.parameters, product().parameters);
  EXPECT_EQ(expect.seed, 9U);
  EXPECT_THAT(expect.elements, ElementsAre(0, 11));
  EXPECT_THAT(round_trip(request::Verify{.elements = {5, 1LL << 40U}}).elements, ElementsAre(5, 1LL << 40U));
  EXPECT_EQ(round_trip(request::Sample{.iterations = 1'000'000'000}).iterations, 1'000'000'000);
  EXPECT_TRUE(round_trip(request::Sample{.iterations = 1}).device_seconds);
  EXPECT_FALSE(round_trip(request::Sample{.iterations = 1, .device_seconds = false}).device_seconds);
  round_trip(request::Epoch{});
  round_trip(request::Release{});
  round_trip(request::Quit{});
}

nlohmann::json prepare_of(const char* op, Parameters parameters) {
  const Case problem = make_case(*find_workload(op), std::move(parameters));
  return nlohmann::json::parse(to_line(Request{request::Prepare{.problem = problem}}));
}

TEST(Requests, TellWhatProgramsWouldDerive) {
  Parameters sizes;
  for (const auto& [name, value] : {std::pair{"m", 2}, {"n", 3}, {"k", 5}})
    sizes.set(name, std::int64_t{value});
  const auto product = prepare_of("matmul", sizes);
  EXPECT_EQ(product.at("memory_bytes"), 4 * (2 * 5 + 5 * 3 + 2 * 3));
  EXPECT_FALSE(product.contains("measures_latency"));
  EXPECT_FALSE(product.contains("resolved"));

  Parameters network;
  network.set("network", "mlp");
  network.set("batch", std::int64_t{8});
  EXPECT_EQ(prepare_of("infer", network).at("measures_latency"), true);
  EXPECT_EQ(prepare_of("train", network).at("resolved"), (nlohmann::json{{"learning_rate", 0.01}}));
  network.set("optimizer", "adam");
  EXPECT_EQ(prepare_of("train", network).at("resolved"), (nlohmann::json{{"learning_rate", 0.001}}));
  network.set("learning_rate", 0.5);
  EXPECT_FALSE(prepare_of("train", network).contains("resolved"));
}

/// The names of a product's parameters that are sent to a program.
std::vector<std::string> told(Parameters parameters) {
  for (const char* size : {"m", "n", "k"}) parameters.set(size, std::int64_t{1});
  const auto problem = make_case(*find_workload("matmul"), parameters);
  const auto request =
      nlohmann::json::parse(to_line(Request{request::Prepare{.problem = problem, .seed = 1, .cold = false}}));
  std::vector<std::string> names;
  for (const auto& [name, value] : request.at("parameters").items()) names.push_back(name);
  return names;
}

TEST(Requests, AreSilentOnWhatOlderProgramsDoNotKnow) {
  const std::vector<std::string> always{"batch", "dtype", "k", "m", "n", "transpose_a", "transpose_b"};
  EXPECT_THAT(told({}), UnorderedElementsAreArray(always));
  EXPECT_THAT(told({{"tuned", true}, {"transfer", "resident"}, {"repetitions", 3}}),
              UnorderedElementsAreArray(always));
  const auto and_also = [&](std::vector<std::string> names) {
    names.insert(names.end(), always.begin(), always.end());
    return names;
  };
  EXPECT_THAT(told({{"tuned", false}}), UnorderedElementsAreArray(and_also({"tuned"})));
  EXPECT_THAT(told({{"transfer", "once"}}), UnorderedElementsAreArray(and_also({"transfer", "repetitions"})))
      << "also where the repetitions are the usual ones";
}

TEST(Answers, AreReadAsTheyWereWritten) {
  const auto hello = answered(answer::Hello{.protocol = 1,
                                            .name = "n",
                                            .version = "v",
                                            .role = "arbiter",
                                            .device = "gpu",
                                            .device_name = "G \"quoted\"\n",
                                            .device_id = "GPU-1",
                                            .libraries = {{"lib", "1.2"}},
                                            .library_files = {{"lib", "/usr/lib/lib.so"}},
                                            .supports = {{"matmul", {"f32", "s8"}}},
                                            .unreadable = {{"joules", "why"}},
                                            .warnings = {"slow"},
                                            .notes = {"other"}});
  EXPECT_EQ(hello.name + hello.version + hello.role + hello.device, "nvarbitergpu");
  EXPECT_EQ(hello.device_name, "G \"quoted\"\n");
  EXPECT_EQ(hello.device_id, "GPU-1");
  EXPECT_THAT(hello.libraries, ElementsAre(Pair("lib", "1.2")));
  EXPECT_THAT(hello.library_files, ElementsAre(Pair("lib", "/usr/lib/lib.so")));
  EXPECT_THAT(hello.supports, ElementsAre(Pair("matmul", ElementsAre("f32", "s8"))));
  EXPECT_THAT(hello.unreadable, ElementsAre(Pair("joules", "why")));
  EXPECT_THAT(hello.warnings, ElementsAre("slow"));
  EXPECT_THAT(hello.notes, ElementsAre("other"));
  const auto ready = answered(answer::Ready{.algorithm = "a", .transfer = "once"});
  EXPECT_EQ(ready.algorithm + ready.transfer, "aonce");
  EXPECT_EQ(ready.operand_sets, 1);
  EXPECT_EQ(answered(answer::Ready{.algorithm = "", .operand_sets = 663}).operand_sets, 663);
  const auto fit = answered(Fit{.largest = 5, .refused = 6, .limit = "l"});
  EXPECT_EQ(fit.largest * 10 + fit.refused, 56);
  EXPECT_EQ(fit.limit, "l");
  const auto sample = answered(answer::Sample{.iterations = 3,
                                              .seconds = 0.1,
                                              .cpu_seconds = 0.2,
                                              .device_seconds = {},
                                              .joules = 4,
                                              .latencies = {0.1, 0.3},
                                              .losses = {2.5},
                                              .warnings = {"w"}});
  EXPECT_EQ(sample.iterations, 3);
  EXPECT_EQ(sample.seconds, 0.1) << "every bit";
  EXPECT_EQ(sample.cpu_seconds, 0.2);
  EXPECT_EQ(sample.device_seconds, std::nullopt);
  EXPECT_EQ(sample.joules, 4);
  EXPECT_THAT(sample.latencies, ElementsAre(0.1, 0.3));
  EXPECT_THAT(sample.losses, ElementsAre(2.5));
  EXPECT_THAT(sample.warnings, ElementsAre("w"));
  const auto epoch =
      answered(answer::Epoch{.seconds = 1.5, .evaluation_seconds = 0.25, .accuracy = 0.9, .losses = {3, 1}});
  EXPECT_EQ(epoch.seconds, 1.5);
  EXPECT_EQ(epoch.evaluation_seconds, 0.25);
  EXPECT_EQ(epoch.accuracy, 0.9);
  EXPECT_THAT(epoch.losses, ElementsAre(3, 1));
  answered(answer::Done{});
}

TEST(Answers, EvidenceKeepsWhatIsNoNumber) {
  const auto shown =
      answered(Evidence{.elements = {1.25, std::nan(""), std::numeric_limits<double>::infinity()},
                        .projections = {-2},
                        .losses = {}});
  ASSERT_EQ(shown.elements.size(), 3U);
  EXPECT_EQ(shown.elements[0], 1.25);
  EXPECT_TRUE(std::isnan(shown.elements[1]));
  EXPECT_FALSE(std::isfinite(shown.elements[2])) << "an infinity may become NaN, but no number";
  EXPECT_THAT(shown.projections, ElementsAre(-2));
  EXPECT_THAT(shown.losses, IsEmpty());
}

TEST(Answers, EvidenceKeepsItsAlternatives) {
  const Evidence other{.elements = {3}, .projections = {4}, .losses = {5}};
  const auto truth =
      answered(Evidence{.elements = {1}, .projections = {2}, .losses = {}, .alternatives = {other}});
  EXPECT_THAT(truth.elements, ElementsAre(1));
  ASSERT_EQ(truth.alternatives.size(), 1U);
  EXPECT_THAT(truth.alternatives[0].elements, ElementsAre(3));
  EXPECT_THAT(truth.alternatives[0].projections, ElementsAre(4));
  EXPECT_THAT(truth.alternatives[0].losses, ElementsAre(5));
  const auto refused = [](const std::string& alternatives) {
    return [alternatives] {
      return parse_answer<Evidence>(R"({"ok": true, "elements": [1], "projections": [], "losses": [],)"
                                    R"( "alternatives": )" +
                                    alternatives + "}");
    };
  };
  for (const char* odd : {"1", "[1]", R"([{"alternatives": []}])", "[{}, {}, {}, {}, {}]"})
    EXPECT_THROW(refused(odd)(), ProtocolError) << odd;
}

TEST(Answers, RefusalsAreAnAnswerToAnything) {
  const std::string line = to_line(Answer{answer::Refusal{.status = "out_of_memory", .reason = "\xff no"}});
  const auto refusal = std::get<answer::Refusal>(parse_answer<answer::Sample>(line));
  EXPECT_EQ(refusal.status, "out_of_memory");
  EXPECT_THAT(refusal.reason, HasSubstr("no")) << "bytes that are not UTF-8 are replaced";
}

TEST(Requests, RubbishIsRefused) {
  for (const char* line :
       {"", "x", "null", "[]", "1", R"({"request": 1})", R"({"request": "dance"})", "{}", "\xff\xfe",
        R"({"request": "sample"})", R"({"request": "sample", "iterations": "2"})",
        R"({"request": "sample", "iterations": 0})", R"({"request": "sample", "iterations": -1})",
        R"({"request": "verify", "elements": 3})", R"({"request": "prepare", "op": "nosuch", "seed": 1})",
        // Values from which get() would make integers: undefined, wrapped around, truncated, or of another
        // type.
        R"({"request": "hello", "protocol": 1e11})", R"({"request": "hello", "protocol": 99999999999})",
        R"({"request": "hello", "protocol": true})", R"({"request": "sample", "iterations": 2.5})",
        R"({"request": "sample", "iterations": 1e30})",
        R"({"request": "verify", "elements": [18446744073709551615]})",
        R"({"request": "verify", "elements": [1e40]})",
        R"({"request": "prepare", "op": "matmul", "parameters": {"m": 1, "n": 1, "k": 1}, "seed": -1})",
        R"({"request": "prepare", "op": "matmul", "parameters": {"m": 1, "n": 1, "k": 1}, "seed": 1e300})",
        R"({"request": "prepare", "op": "matmul", "parameters": [], "seed": 1})",
        R"({"request": "prepare", "op": "matmul", "parameters": {"m": [1]}, "seed": 1})"})
    EXPECT_THROW(parse_request(line), ProtocolError) << line;
  EXPECT_THROW(parse_request(R"({"request": "prepare", "op": "matmul", "parameters": {"m": 0}, "seed": 1})"),
               InvalidCase);
  EXPECT_THROW(parse_request(R"({"request": "prepare", "op": "conv2d", "seed": 1, "parameters":
                   {"n": 1, "c": 1, "h": 3, "w": 3, "k": 1, "r": 1, "s": 1, "stride_w": 18446744073709551615}})"),
               InvalidCase)
      << "-1, modulo 2^64, is a stride that means something";
}

template <typename T>
std::string why_refused(const std::string& line) {
  return message_of<ProtocolError>([&] { parse_answer<T>(line); });
}

TEST(Requests, WhatIsUnknownIsNamedInShort) {
  const std::string name = "\"" + std::string(5000, 'x') + "\"";
  for (const std::string& line :
       {R"({"request": )" + name + "}",
        R"({"request": "prepare", "op": )" + name + R"(, "parameters": {}, "seed": 1})",
        R"({"request": "prepare", "op": "matmul", "parameters": {)" + name + R"(: []}, "seed": 1})"}) {
    const std::string why = message_of<ProtocolError>([&] { parse_request(line); });
    EXPECT_EQ(fault_of_message(why), "") << why;
    EXPECT_THAT(why, HasSubstr("xxx..."));
  }
}

TEST(Answers, RubbishIsRefusedSayingWhat) {
  for (const char* line : {"", "x", "[]", "true", "{\"ok\": true", "\xff"})
    EXPECT_THAT(why_refused<answer::Done>(line), HasSubstr("not a JSON object"));
  EXPECT_THAT(why_refused<answer::Done>("{}"), HasSubstr("'ok' is missing"));
  EXPECT_THAT(why_refused<answer::Done>(R"({"ok": "yes"})"), HasSubstr("'ok' is of the wrong type"));
  EXPECT_THAT(why_refused<answer::Hello>(R"({"ok": true, "protocol": 2, "name": "n", "supports": {}})"),
              HasSubstr("speaks protocol 2, and this driver 1; use a driver that is at least as new"));
  EXPECT_THAT(why_refused<answer::Sample>(R"({"ok": true, "seconds": 1})"), HasSubstr("'iterations'"));
  for (const char* seconds : {"0", "-1", "-0.0"}) {
    EXPECT_THAT(
        why_refused<answer::Epoch>(fmt::format(R"({{"ok":true,"accuracy":1,"seconds":{}}})", seconds)),
        HasSubstr("must be from 1e-10"));
  }
  EXPECT_THAT(why_refused<Evidence>(R"({"ok": true, "elements": ["1"]})"),
              HasSubstr("'elements' must hold numbers"));
  EXPECT_THAT(why_refused<Evidence>(R"({"ok": true, "elements": 1})"),
              HasSubstr("'elements' must be a list"));
  EXPECT_THAT(why_refused<answer::Done>(R"({"ok": false, "status": "tired"})"), HasSubstr("'tired'"));
}

TEST(Answers, TimesOfABadClockAreRead) {
  const auto read = parse_answer<answer::Sample>(
      R"({"ok":true,"iterations":2,"seconds":-0.5,"latencies":[0,-1],"communication_seconds":-2})");
  EXPECT_EQ(std::get<answer::Sample>(read).seconds, -0.5);
  EXPECT_EQ(std::get<answer::Sample>(read).latencies.back(), -1);
}

TEST(Answers, ImpossibleNumbersAreRefused) {
  const std::string sample = R"({"ok":true,"iterations":2,"seconds":1,)";
  EXPECT_THAT(why_refused<answer::Sample>(sample + R"("cpu_seconds":-0.1})"),
              HasSubstr("'cpu_seconds' is -0.1 and must not be below 0"));
  EXPECT_THAT(why_refused<answer::Sample>(sample + R"("device_seconds":-1})"), HasSubstr("'device_seconds'"));
  EXPECT_THAT(why_refused<answer::Sample>(sample + R"("joules":-1})"), HasSubstr("'joules'"));
  EXPECT_THAT(why_refused<answer::Sample>(sample + R"("latencies":[0.5,null]})"),
              HasSubstr("which is no time"));
  for (const char* accuracy : {"-0.1", "1.1", "50"}) {
    EXPECT_THAT(
        why_refused<answer::Epoch>(fmt::format(R"({{"ok":true,"seconds":1,"accuracy":{}}})", accuracy)),
        HasSubstr("must be from 0 to 1"));
  }
}

/// nlohmann_json treats a NUL as the end of a text.
TEST(Answers, ALineWithANulIsNone) {
  EXPECT_THAT(why_refused<answer::Done>(std::string("{\"ok\":true}\0", 12)), HasSubstr("not a JSON object"));
  EXPECT_THROW(parse_request(std::string("{\"request\":\"quit\"}\0rest", 23)), ProtocolError);
}

/// Each would take minutes, gigabytes or the whole stack.
TEST(Answers, WhatNoMessageComesNearIsRefused) {
  std::string keys = R"({"ok":true)";
  for (int i = 0; i < 100'000; ++i) keys += fmt::format(",\"{}\":0", i);
  EXPECT_THAT(why_refused<answer::Done>(keys + "}"), HasSubstr("more than 4096 keys in \"{\"ok\":true"));
  EXPECT_THAT(why_refused<answer::Hello>(R"({"ok":true,"protocol":)" + std::string(1'000'000, '[')),
              HasSubstr("more than 32 levels of lists and objects"));
  EXPECT_THROW(parse_request(std::string(1'000'000, '[')), ProtocolError);
  std::string values = R"({"ok":true,"x":[0)";
  for (int i = 0; i < 9'000'000; ++i) values += ",0";
  EXPECT_THAT(why_refused<answer::Done>(values + "]}"), HasSubstr("more than 8388608 values"));
}

/// The contents of a string are neither keys nor levels.
TEST(Answers, ATextMayHoldAnything) {
  const std::string text = std::string(10'000, '[') + std::string(10'000, ':') + R"(\")";
  EXPECT_EQ(why_refused<answer::Done>(fmt::format(R"({{"ok":true,"comment":"{}"}})", text)), "was accepted");
}

TEST(Answers, AReasonIsShort) {
  const std::string line =
      to_line(Answer{answer::Refusal{.status = "failed", .reason = std::string(10'000, 'x')}});
  EXPECT_EQ(std::get<answer::Refusal>(parse_answer<answer::Done>(line)).reason.size(), 2000U);
}

TEST(Answers, AreAsLongAsTheRequestLets) {
  constexpr std::size_t text = 1U << 20U, most = 64U << 20U;
  const auto limit = [](const Request& request) { return longest_answer(to_line(request)); };
  EXPECT_EQ(limit(request::Hello{}), text);
  EXPECT_EQ(limit(request::Prepare{.problem = product()}), text);
  EXPECT_EQ(limit(request::Verify{.elements = std::vector<std::int64_t>(1000)}), text + 32'000);
  EXPECT_EQ(limit(request::Expect{.problem = product(), .elements = {1, 2}}), text + 64);
  EXPECT_EQ(limit(request::Sample{.iterations = 1}), text + 64);
  EXPECT_EQ(limit(request::Sample{.iterations = 1'000'000'000'000}), most);
  EXPECT_EQ(limit(request::Epoch{}), most);
  for (const char* line : {"", "x", "[1]", "{}", R"({"request":1})", R"({"elements":1,"iterations":"1"})"})
    EXPECT_LE(longest_answer(line), text + 32) << line;
}

TEST(Answers, AQuotedLineIsShortAndWithoutControlCharacters) {
  const std::string reason = why_refused<answer::Done>("\x1b[2J" + std::string(100'000, 'x'));
  EXPECT_LT(reason.size(), 300U);
  EXPECT_EQ(reason.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace breakeven
