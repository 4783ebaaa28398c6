// The conversation with programs that keep to no rule: shell scripts in place of backends.
#include "session/worker_process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "unit/temporary_folder.h"
#include "unit/variable_for_now.h"

namespace breakeven {
namespace {

using namespace std::chrono_literals;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WorkerProcessTest : public testing::Test {
 protected:
  /// Starts a script. `read line` waits for the next request.
  WorkerProcess& start(const std::string& script, const WorkerOptions& options = {}) {
    const auto program = folder_.write(fmt::format("program-{}", ++programs_), "#!/bin/bash\n" + script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    worker_ = std::make_unique<WorkerProcess>(program, options);
    return *worker_;
  }

  static std::string answer(WorkerProcess& worker, std::chrono::duration<double> timeout = 20s) {
    const auto answered = worker.exchange(R"({"request":"release"})", timeout);
    const auto* line = std::get_if<std::string>(&answered);
    return line != nullptr ? *line : "lost: " + std::get<WorkerLost>(answered).reason;
  }

  /// The answer to the request after one that was answered well, if the program says this between the two.
  std::string answer_after_saying(const std::string& text) {
    const std::string folder = folder_.path().string();
    folder_.write("text", text);
    auto& worker =
        start(fmt::format("read line; echo '{{1}}'\nuntil [ -e {0}/go ]; do sleep 0.01; done\ncat {0}/text\n"
                          "echo $$ > {0}/said\nread line; echo '{{3}}'; sleep 100",
                          folder));
    EXPECT_EQ(answer(worker), "{1}");
    folder_.write("go", "");
    EXPECT_GT(process_in("said"), 0);
    return answer(worker);
  }

  /// A process that the script has written to this file.
  pid_t process_in(const std::string& name) const {
    pid_t process = 0;
    for (int i = 0; i < 2000 && process == 0; ++i) {
      std::ifstream(folder_.path() / name) >> process;
      std::this_thread::sleep_for(5ms);
    }
    return process;
  }
  /// The process of a launcher that does this on SIGTERM, after it was lost.
  pid_t process_of_launcher_with(const std::string& trap) {
    const auto launcher =
        folder_.write("launcher", fmt::format("#!/bin/bash\ntrap '{}' TERM\necho $$ > {}/launched\n"
                                              "while :; do sleep 0.05; done",
                                              trap, folder_.path().string()));
    std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
    auto& worker = start("", {.launcher = {launcher.string()}});
    const pid_t process = process_in("launched");
    worker.lose(Status::timed_out, "");
    return process;
  }
  static bool is_alive(pid_t process) {
    std::ifstream stat(fmt::format("/proc/{}/stat", process));
    // Uses getline, because reading the status of a process that ends meanwhile fails, and an iterator would
    // throw.
    std::string text;
    std::getline(stat, text, '\0');
    const auto name_end = text.rfind(')');
    return name_end != std::string::npos && text.substr(name_end, 4).find('Z') == std::string::npos;
  }

  TemporaryFolder folder_;
  int programs_ = 0;
  std::unique_ptr<WorkerProcess> worker_;
};

constexpr const char* echo = "while read line; do echo \"{$((++n))}\"; done\n";

TEST_F(WorkerProcessTest, ATimeoutNamesItsLimit) {
  auto& worker = start("sleep 100", {.time_limit = "measure.timeout_seconds is 0.2"});
  EXPECT_EQ(answer(worker, 200ms), "lost: no answer within 0.2 s (measure.timeout_seconds is 0.2)");
  EXPECT_EQ(answer(start("sleep 100"), 200ms), "lost: no answer within 0.2 s");
}

TEST_F(WorkerProcessTest, AnswersInOrder) {
  auto& worker = start(echo);
  for (int i = 1; i <= 100; ++i) EXPECT_EQ(answer(worker), fmt::format("{{{}}}", i));
  EXPECT_EQ(worker.end_input(20s), 0);
}

TEST_F(WorkerProcessTest, ASecondAnswerAtOnceIsUnasked) {
  auto& worker = start("read line; /usr/bin/printf '{1}\\n{2}\\n'; read line; sleep 100");
  EXPECT_EQ(answer(worker), R"(lost: broke the protocol: sent a line that nobody asked for: "{2}")");
  EXPECT_EQ(answer(worker), R"(lost: broke the protocol: sent a line that nobody asked for: "{2}")")
      << "ever after";
  EXPECT_EQ(worker.cpu_seconds(), std::nullopt) << "it has been killed";
}

/// Tests lines that come too late to be seen with the answer.
TEST_F(WorkerProcessTest, ALaterLineIsNotTheNextAnswer) {
  EXPECT_EQ(answer_after_saying("{2}\n"),
            R"(lost: broke the protocol: sent a line that nobody asked for: "{2}")");
}

TEST_F(WorkerProcessTest, PartOfALineIsUnaskedToo) {
  EXPECT_THAT(answer_after_saying("loading"), HasSubstr(R"(nobody asked for: "loading")"));
}

TEST_F(WorkerProcessTest, ALineBeforeTheFirstRequestIsUnasked) {
  auto& worker = start(fmt::format(
      "echo 'Library 1.0'; echo $$ > {}/said; read line; echo '{{1}}'; sleep 100", folder_.path().string()));
  EXPECT_GT(process_in("said"), 0);
  EXPECT_THAT(answer(worker), HasSubstr(R"(sent a line that nobody asked for: "Library 1.0")"));
}

TEST_F(WorkerProcessTest, AnEmptyLineIsUnasked) {
  auto& worker = start("read line; /usr/bin/printf '{1}\\n\\n'; read line; echo '{2}'");
  EXPECT_EQ(answer(worker), R"(lost: broke the protocol: sent a line that nobody asked for: " ")");
}

TEST_F(WorkerProcessTest, AnAnswerAfterTheLimitIsNotTaken) {
  auto& worker = start("read line; sleep 1; echo '{1}'; read line; echo '{2}'");
  EXPECT_THAT(answer(worker, 200ms), HasSubstr("no answer within 0.2 s"));
  std::this_thread::sleep_for(1200ms);
  EXPECT_THAT(answer(worker), HasSubstr("no answer within 0.2 s"));
}

TEST_F(WorkerProcessTest, DrippingOutputDoesNotExtendTheLimit) {
  auto& worker = start("read line; while true; do printf x; sleep 0.05; done");
  EXPECT_THAT(answer(worker, 500ms), HasSubstr("no answer within 0.5 s"));
}

TEST_F(WorkerProcessTest, EndlessOutputIsNotReadToItsEnd) {
  EXPECT_THAT(answer(start("read line; exec yes | tr -d '\\n'")),
              HasSubstr("sent a line of more than 1 MiB"));
  EXPECT_THAT(answer(start("read line; yes >&2"), 500ms), HasSubstr("no answer within 0.5 s"));
}

TEST_F(WorkerProcessTest, LastWordsAreOneLineOfText) {
  auto& worker = start("read line; printf 'first\\n\\033[31mred\\377\\n\\n' >&2; exit 3");
  EXPECT_EQ(answer(worker), "lost: ended with exit status 3: ?[31mred\xef\xbf\xbd");
}

TEST_F(WorkerProcessTest, EndsAreTold) {
  EXPECT_THAT(answer(start("exit 7")), HasSubstr("ended with exit status 7"));
  EXPECT_THAT(answer(start("ulimit -c 0; kill -SEGV $$")),
              HasSubstr("was killed by signal 11 (Segmentation fault)"));
  EXPECT_THAT(answer(start("kill -KILL $$")), HasSubstr("was killed by signal 9"));
  const VariableForNow kernels("OPENBLAS_CORETYPE", "SkylakeX");
  EXPECT_THAT(answer(start("ulimit -c 0; kill -ILL $$")),
              AllOf(HasSubstr("was killed by signal 4"), HasSubstr("OPENBLAS_CORETYPE=SkylakeX is set")));
  EXPECT_THAT(answer(start("ulimit -c 0; kill -ABRT $$")), Not(HasSubstr("OPENBLAS_CORETYPE")));
  EXPECT_THAT(answer(start("exec >&-; sleep 100")), HasSubstr("closed its output without ending"));
  EXPECT_EQ(start("read line; echo '{1}'; exit 5").quit(std::chrono::seconds(1)), 5);
  EXPECT_EQ(start("while read line; do :; done; exit 6").end_input(20s), 6);
}

/// Under compute-sanitizer a GPU's context takes seconds to go.
TEST_F(WorkerProcessTest, ASlowEndIsWaitedForAsLongAsTheProgramMayTake) {
  const std::string slow = "read line; echo '{1}'; sleep 1.5; touch " + (folder_.path() / "ended").string();
  EXPECT_EQ(start(slow).quit(std::chrono::seconds(1)), std::nullopt);
  EXPECT_FALSE(exists(folder_.path() / "ended"));
  start(slow, {.environment = {}, .time_to_quit = time_to_quit("gpu")});
  worker_.reset();
  EXPECT_TRUE(exists(folder_.path() / "ended"));
}

TEST_F(WorkerProcessTest, WhatCannotBeStartedIsTold) {
  WorkerProcess missing(folder_.path() / "nosuch");
  EXPECT_THAT(answer(missing), HasSubstr("nosuch cannot be started: No such file or directory"));
  WorkerProcess text(folder_.write("text", "words"));
  EXPECT_THAT(answer(text), HasSubstr("text cannot be started: Permission denied"));
}

TEST_F(WorkerProcessTest, ItsNumbersAreTheProgramsOwn) {
  auto& worker =
      start("echo $$ > " + (folder_.path() / "self").string() + "\nread line; echo '{1}'; read line");
  EXPECT_EQ(answer(worker), "{1}");
  EXPECT_EQ(worker.pid(), process_in("self"));
  EXPECT_GT(worker.cpu_seconds().value_or(0), 0);
  EXPECT_TRUE(worker.wait_until_quiet());
}

TEST_F(WorkerProcessTest, AProgramThatComputesAfterItsAnswerIsWaitedFor) {
  auto& worker =
      start("exec 3> " + (folder_.path() / "done").string() +
            "; read line; echo '{1}'; for ((i = 0; i < 500; ++i)); do :; done; echo done >&3; read line");
  EXPECT_EQ(answer(worker), "{1}");
  // On a busy machine the program may compute for longer than it is waited for.
  bool quiet = false;
  for (int i = 0; i < 200 && !quiet; ++i) quiet = worker.wait_until_quiet();
  EXPECT_TRUE(quiet);
  EXPECT_FALSE(std::filesystem::is_empty(folder_.path() / "done"));
}

TEST_F(WorkerProcessTest, AProgramThatSpinsAfterItsAnswerIsNotQuiet) {
  auto& worker = start("read line; echo '{1}'; while :; do :; done");
  EXPECT_EQ(answer(worker), "{1}");
  for (int i = 0; i < 3; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(worker.wait_until_quiet());
    EXPECT_GT(std::chrono::steady_clock::now() - begun, 50ms) << "it is given time to fall asleep";
  }
}

/// Its threads are runnable, as those of a program that spins, and use hardly any CPU time.
TEST_F(WorkerProcessTest, AProgramThatWaitsForACpuIsNotBusy) {
  auto& worker = start("read line; echo '{1}'; while :; do :; done");
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  const sched_param lowest{};
  ASSERT_EQ(sched_setaffinity(worker.pid(), sizeof one, &one), 0);
  ASSERT_EQ(sched_setscheduler(worker.pid(), SCHED_IDLE, &lowest), 0);
  std::atomic<bool> ends = false;
  std::thread neighbour([&] {
    sched_setaffinity(0, sizeof one, &one);
    while (!ends) continue;
  });
  EXPECT_EQ(answer(worker), "{1}");
  EXPECT_TRUE(worker.wait_until_quiet());
  ends = true;
  neighbour.join();
}

/// srun's ranks are children of Slurm's daemons: only srun can end them.
TEST_F(WorkerProcessTest, ALauncherIsAskedToEndBeforeItIsKilled) {
  const pid_t launcher =
      process_of_launcher_with(fmt::format("touch {}/asked; exit", folder_.path().string()));
  EXPECT_TRUE(exists(folder_.path() / "asked"));
  EXPECT_FALSE(is_alive(launcher));
}

class SlowWorkerProcessTest : public WorkerProcessTest {};

TEST_F(SlowWorkerProcessTest, ALauncherThatDoesNotEndIsKilled) {
  EXPECT_FALSE(is_alive(process_of_launcher_with("")));
}

// ---- what the program starts

TEST_F(WorkerProcessTest, AChainOfProcessesEndsWithIt) {
  const std::string file = (folder_.path() / "chain").string();
  auto& worker =
      start(fmt::format("chain() {{ if [ $1 -gt 0 ]; then setsid bash -c \"$(declare -f chain); chain $(($1 "
                        "- 1))\"; else echo $$ > "
                        "{0}.new; mv {0}.new {0}; sleep 100; fi; }}\nchain 5 &\nread line; exit 4",
                        file));
  const pid_t last = process_in("chain");
  EXPECT_TRUE(is_alive(last));
  EXPECT_THAT(answer(worker), HasSubstr("exit status 4"));
  EXPECT_FALSE(is_alive(last));
}

}  // namespace
}  // namespace breakeven
