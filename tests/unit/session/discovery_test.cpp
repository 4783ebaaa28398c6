// Programs that have answered hello, and go on in a session.
#include "session/discovery.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "session/worker_process.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using namespace std::chrono_literals;

class StartedProgramsTest : public testing::Test {
 protected:
  /// A program that answers each request with its process id. It is kept as one that has said hello.
  std::filesystem::path kept(const std::string& name, const WorkerOptions& options = {}) {
    const auto program = folder_.write(name, "#!/bin/bash\nwhile read line; do echo \"{$$}\"; done\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    auto worker = std::make_unique<WorkerProcess>(program, options);
    pid_ = worker->pid();
    started_.keep(program, options.environment, std::move(worker), "{hello}");
    return program;
  }

  std::unique_ptr<Worker> start(const std::filesystem::path& program, const WorkerOptions& options = {}) {
    return started_.handing_over([](const auto& path, const auto& given) {
      return std::make_unique<WorkerProcess>(path, given);
    })(program, options);
  }

  static std::string answer(Worker& worker) {
    const auto answered = worker.exchange("{}", 20s);
    const auto* line = std::get_if<std::string>(&answered);
    return line != nullptr ? *line : "lost: " + std::get<WorkerLost>(answered).reason;
  }

  TemporaryFolder folder_;
  StartedPrograms started_;
  int pid_ = 0;  // of the program that was kept last
};

TEST_F(StartedProgramsTest, TheFirstStartIsThatOfTheKeptProgramAndRepeatsItsHello) {
  const auto program = kept("program");
  const auto first = start(program);
  EXPECT_EQ(answer(*first), "{hello}");
  EXPECT_EQ(answer(*first), fmt::format("{{{}}}", pid_));
  EXPECT_EQ(first->pid(), pid_);
  const auto second = start(program);
  EXPECT_NE(second->pid(), pid_);
  EXPECT_EQ(answer(*second), fmt::format("{{{}}}", second->pid()));
}

TEST_F(StartedProgramsTest, AnotherEnvironmentOrALauncherStartsAnew) {
  const auto program = kept("program");
  EXPECT_NE(start(program, {.environment = {{"OMP_NUM_THREADS", "1"}}})->pid(), pid_);
  kept("program");
  EXPECT_NE(start(program, {.launcher = {"env"}})->pid(), pid_);
}

TEST_F(StartedProgramsTest, AProgramThatHasEndedStartsAnew) {
  const auto program = kept("program");
  kill(pid_, SIGKILL);
  std::this_thread::sleep_for(200ms);
  const auto worker = start(program);
  EXPECT_NE(worker->pid(), pid_);
  EXPECT_EQ(answer(*worker), fmt::format("{{{}}}", worker->pid()));
}

TEST_F(StartedProgramsTest, ProgramsThatAreNotNeededEnd) {
  const auto program = kept("program");
  const int ended = pid_;
  kept("other");
  started_.keep_only([&](const std::filesystem::path& path) { return path != program; });
  EXPECT_EQ(kill(ended, 0), -1);
  EXPECT_EQ(kill(pid_, 0), 0);
}

}  // namespace
}  // namespace breakeven
