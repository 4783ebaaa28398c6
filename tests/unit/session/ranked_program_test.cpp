// The driver's conversation with ranks that keep to no rule: a shell script in place of a launcher and of all
// ranks.
#include "session/ranked_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using namespace std::chrono_literals;

using testing::AllOf;
using testing::HasSubstr;

/// The beginning of every script: `rank R [MORE]` introduces rank R over connection R, `get R` waits for a
/// request, `say R TEXT` answers it, and `serve R` answers all that follows.
constexpr const char* beginning = R"(#!/bin/bash
IFS=: read -r port token _ <<<"$5"
open() { eval "exec $(($1 + 10))<>/dev/tcp/127.0.0.1/$port"; }
say() { printf '%s\n' "$2" >&$(($1 + 10)); }
rank() { open $1; say $1 "{\"token\":\"$token\",\"rank\":$1,\"host\":\"h$1\",\"pid\":$$${2:-}}"; }
get() { read -r line <&$(($1 + 10)); }
serve() { while get $1; do say $1 '{"ok":true}'; [[ $line == *quit* ]] && break; done; }
)";

class RankedProgramTest : public testing::Test {
 protected:
  RankedProgram& start(const std::string& script) {
    const auto launcher = folder_.write("launcher", beginning + script + "\n");
    std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
    program_ = std::make_unique<RankedProgram>("program",
                                               WorkerOptions{.ranks = 2, .launcher = {launcher.string()}});
    return *program_;
  }

  /// The answer of all to `release`.
  static std::string answer(RankedProgram& program) {
    const auto answered = program.exchange(R"({"request":"release"})", 60s);
    const auto* line = std::get_if<std::string>(&answered);
    return line != nullptr ? *line : "lost: " + std::get<WorkerLost>(answered).reason;
  }
  std::string answer_of(const std::string& script) { return answer(start(script)); }

  TemporaryFolder folder_;
  std::unique_ptr<RankedProgram> program_;
};

TEST_F(RankedProgramTest, AsksAllRanksAndEndsThem) {
  RankedProgram& program =
      start("rank 1; rank 0; serve 1 & serve 0; wait; touch " + (folder_.path() / "ended").string());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(answer(program), R"({"ok":true})");
  EXPECT_TRUE(program.notes().empty());
  program_.reset();
  EXPECT_TRUE(exists(folder_.path() / "ended"));
}

TEST_F(RankedProgramTest, TellsRanksWhereTheyAre) {
  const std::string file = (folder_.path() / "hello").string();
  RankedProgram& program = start("rank 0 ',\"port\":4711'; rank 1; get 0; echo \"$line\" >" + file +
                                 "; get 1\n"
                                 "hello='{\"ok\":true,\"protocol\":1,\"name\":\"n\",\"supports\":{}}'; say 0 "
                                 "\"$hello\"; say 1 \"$hello\"; wait; sleep 100");
  program.exchange(to_line(Request{request::Hello{}}), 20s);
  EXPECT_THAT(folder_.read("hello"),
              AllOf(HasSubstr(R"("hosts":["h0","h1"])"), HasSubstr(R"("leader":"127.0.0.1")"),
                    HasSubstr(R"("leader_port":4711)")));
}

TEST_F(RankedProgramTest, StrangersAreSentAwayAndNotWaitedFor) {
  EXPECT_EQ(answer_of("open 2; say 2 'GET / HTTP/1.1'\n"
                      "open 3; say 3 '{\"token\":\"other\",\"rank\":1}'\n"
                      "open 4; say 4 \"{\\\"token\\\":\\\"$token\\\",\\\"rank\\\":2}\"\n"
                      "open 5; printf '{\"token\"' >&15\n"
                      "open 6\n"
                      "rank 0; rank 1; open 7; say 7 \"{\\\"token\\\":\\\"$token\\\",\\\"rank\\\":1}\"\n"
                      "serve 0 & serve 1"),
            R"({"ok":true})");
}

TEST_F(RankedProgramTest, ARankThatCannotBeOneSaysWhy) {
  EXPECT_EQ(answer_of(R"(open 0; say 0 "{\"token\":\"$token\",\"fault\":\"built without MPI\"}"; sleep 100)"),
            "lost: built without MPI");
}

TEST_F(RankedProgramTest, ALauncherThatEndsFirstSaysWhy) {
  EXPECT_EQ(answer_of("rank 0; echo =====; sleep 0.05; echo BAD TERMINATION; exit 9"),
            "lost: ended with exit status 9: BAD TERMINATION");
  EXPECT_THAT(answer_of("exit 0"), HasSubstr("it knows no ranks"));
}

TEST_F(RankedProgramTest, AnotherBuildIsRefused) {
  EXPECT_EQ(answer_of("rank 0 ',\"program\":1'; rank 1 ',\"program\":2'; sleep 100"),
            "lost: rank 1 on h1 runs another build of this program than rank 0 on h0: install the same one "
            "on both");
}

TEST_F(RankedProgramTest, ARankThatEndsIsNamedWithItsLastWords) {
  EXPECT_EQ(answer_of("rank 0; rank 1; get 1; exec 11>&-; sleep 100"), "lost: rank 1 on h1 has ended");
  RankedProgram& program = start(
      "rank 0; rank 1; get 1\n"
      "say 1 '{\"ok\":false,\"reason\":\"no NCCL\",\"last\":true,\"in_every_case\":true}'; exec 11>&-; sleep "
      "100");
  const auto lost = std::get<WorkerLost>(program.exchange(R"({"request":"release"})", 20s));
  EXPECT_EQ(lost.reason, "rank 1 on h1: no NCCL");
  EXPECT_TRUE(lost.in_every_case);
  EXPECT_EQ(answer(program), "lost: rank 1 on h1: no NCCL") << "ever after";
}

/// All may say the same: NCCL connects none of them.
TEST_F(RankedProgramTest, LastWordsOfAllAreThoseOfTheFirst) {
  EXPECT_EQ(
      answer_of("rank 0; rank 1; get 0; get 1; last='{\"ok\":false,\"reason\":\"no NCCL\",\"last\":true}'\n"
                "say 1 \"$last\"; say 0 \"$last\"; sleep 100"),
      "lost: rank 0 on h0: no NCCL");
}

TEST_F(RankedProgramTest, LinesThatNobodyAskedForAreRefused) {
  EXPECT_THAT(answer_of("rank 0; say 0 early; rank 1; sleep 100"),
              HasSubstr("rank 0 on h0: broke the protocol: sent a line without a request"));
}

TEST_F(RankedProgramTest, WhatOthersHavePreparedIsReleasedIfOneRefuses) {
  const std::string file = (folder_.path() / "then").string();
  RankedProgram& program = start(
      "rank 0; rank 1; get 0; get 1; say 0 '{\"ok\":true}'; say 1 '{\"ok\":false,\"reason\":\"no room\"}'\n"
      "get 0; echo \"$line\" >" +
      file + "; get 1; say 0 '{\"ok\":true}'; say 1 '{\"ok\":true}'; sleep 100");
  EXPECT_EQ(answer(program), R"({"ok":false,"status":"failed","reason":"rank 1 on h1: no room"})");
  EXPECT_EQ(folder_.read("then"), "{\"request\":\"release\"}\n");
}

/// mpirun ends the others at once.
TEST_F(RankedProgramTest, LastWordsCountMoreThanTheEndOfAnother) {
  EXPECT_EQ(answer_of("rank 0; rank 1; get 0; get 1; exec 10>&-; sleep 0.02\n"
                      "say 1 '{\"ok\":false,\"reason\":\"no NCCL\",\"last\":true}'; sleep 100"),
            "lost: rank 1 on h1: no NCCL");
}

TEST_F(RankedProgramTest, AnAnswerCountsThoughItsRankHasEnded) {
  EXPECT_EQ(answer_of("rank 0; rank 1; get 0; say 0 '{\"ok\":true}'; exec 10>&-; sleep 0.3\n"
                      "get 1; say 1 '{\"ok\":true}'; sleep 100"),
            R"({"ok":true})");
}

TEST_F(RankedProgramTest, WordsLongAfterAnEndFollowFromIt) {
  EXPECT_EQ(answer_of("rank 0; rank 1; get 0; get 1; exec 10>&-; sleep 1\n"
                      "say 1 '{\"ok\":false,\"reason\":\"connection reset\",\"last\":true}'; sleep 100"),
            "lost: rank 0 on h0 has ended");
}

TEST_F(RankedProgramTest, SignsOfLifeAreNoAnswers) {
  RankedProgram& program = start(
      "rank 0; rank 1; for i in 1 2 3; do get 0; get 1; say 0 ''; say 0 '{\"ok\":true}'; say 0 ''; sleep "
      "0.1\n"
      "say 1 ''; say 1 '{\"ok\":true}'; say 1 ''; done; sleep 100");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(answer(program), R"({"ok":true})");
}

class SlowRankedProgramTest : public RankedProgramTest {};

/// Both have said that they show signs of life, and rank 1 does.
TEST_F(SlowRankedProgramTest, ARankWithoutASignOfLifeIsNamed) {
  const std::string alive = R"(while sleep 1; do say 1 ''; done &)";
  EXPECT_THAT(answer_of("rank 0 ',\"beats\":true'; rank 1 ',\"beats\":true'; " + alive + " sleep 100"),
              HasSubstr("rank 0 on h0 has shown no sign of life for 20 s: it is stopped, or its host"));
}

/// The others may wait for the rank that refuses.
TEST_F(SlowRankedProgramTest, ARefusalIsToldThoughOthersDoNotAnswer) {
  EXPECT_EQ(
      answer_of("rank 0; rank 1; get 0; get 1; say 0 '{\"ok\":false,\"reason\":\"no torch\"}'; sleep 100"),
      "lost: rank 0 on h0: no torch");
}

}  // namespace
}  // namespace breakeven
