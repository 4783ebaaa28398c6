// Tests Ctrl-C, SIGTERM, SIGHUP and SIGKILL in the middle of a run, a driver that is stopped, and continuing
// from saved results.
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class InterruptionTest : public DriverTest {
 protected:
  const std::vector<int> sizes_{8, 16, 24, 32};
  /// Noise makes every case use its whole time.
  const std::string unsteady_ = "noise=1,seed=5,spin=1,fixed=1e-3";

  /// True if one of the processes in the log is still running.
  bool workers_left() const {
    for (const auto& entry : logged()) {
      if (is_alive(entry.process)) return true;
    }
    return false;
  }
  static bool is_alive(pid_t process) {
    // A zombie has ended: its new parent may take a while to collect it.
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    // Uses getline, because reading the status of a process that ends meanwhile fails, and an iterator would
    // throw.
    std::string text;
    std::getline(stat, text, '\0');
    const auto name_end = text.rfind(')');
    return name_end != std::string::npos && text.substr(name_end, 4).find('Z') == std::string::npos;
  }
};

class Signalled : public InterruptionTest, public testing::WithParamInterface<int> {};

TEST_P(Signalled, RunIsSavedAndResumed) {
  const auto path = products(sizes_, {"a", "b"}, {{"max_seconds", 1}});
  Process run_process(launch({"run", path, "--out", file("out.json"), "--precision", "0.001"}, unsteady_));
  // The third problem has begun: two are complete.
  ASSERT_TRUE(eventually([&] {
    for (const auto& entry : logged()) {
      if (entry.request == "sample" && entry.case_id == product_id(24)) return true;
    }
    return false;
  }));
  run_process.send(GetParam());
  EXPECT_THAT(with_status(130, run_process.wait()).err, HasSubstr("interrupted; continue with --resume"));
  EXPECT_FALSE(workers_left());
  const Json first = parse_file(file("out.json"));
  EXPECT_EQ(first.at("complete"), false);
  ASSERT_EQ(first.at("cases").size(), 8U) << "what is missing is in the file, too";
  for (const int size : {8, 16}) EXPECT_EQ(find_case(first, product_id(size), "a").at("status"), "ok");
  EXPECT_EQ(find_case(first, product_id(32), "a").at("status"), "interrupted");

  std::filesystem::remove(file("log"));
  with_status(0, breakeven({"run", path, "--resume", file("out.json")}));
  const Json second = parse_file(file("out.json"));
  EXPECT_EQ(second.at("complete"), true);
  EXPECT_THAT(not_ok(second), IsEmpty());
  for (const int size : {8, 16}) {
    for (const char* backend : {"a", "b"}) {
      EXPECT_EQ(find_case(second, product_id(size), backend), find_case(first, product_id(size), backend))
          << "what was measured is kept bit for bit";
    }
  }
  for (const auto& entry : logged())
    EXPECT_TRUE(entry.case_id != product_id(8) && entry.case_id != product_id(16)) << "measured again";
}

INSTANTIATE_TEST_SUITE_P(
    Signals, Signalled, testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& signal) {
      return std::string(signal.param == SIGINT ? "CtrlC" : signal.param == SIGTERM ? "Terminate" : "Hangup");
    });

/// `merge` refuses shards that were measured with other options.
TEST_F(InterruptionTest, OfAShardNamesTheOptionsOfAllShards) {
  const std::string out = file("out.json").string();
  Process run_process(launch({"run", products(sizes_), "--shard", "1/2", "--filter", "m=[0-9]*/", "--seconds",
                              "0.75", "--precision", "0.001", "--library-defaults", "--out", out},
                             unsteady_));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  run_process.send(SIGINT);
  EXPECT_THAT(with_status(130, run_process.wait()).err,
              HasSubstr("interrupted; continue with --shard 1/2 --resume " + out +
                        " --filter 'm=[0-9]*/' --seconds 0.75 --precision 0.001 --library-defaults\n"));
}

/// One is from the terminal, one from the shell.
TEST_F(InterruptionTest, TwoHangupsAreOne) {
  Process run_process(launch({"run", products({8, 16}), "--out", file("out.json"), "--precision", "0.001"},
                             unsteady_ + ",fault=hang,at=quit,backend=a"));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  run_process.send(SIGHUP);
  run_process.send(SIGHUP);
  run_process.send(SIGTERM);
  EXPECT_EQ(run_process.wait().status, 130);
  EXPECT_EQ(parse_file(file("out.json")).at("complete"), false);
}

TEST_F(InterruptionTest, UnderNohupAHangupIsIgnored) {
  auto nohup = launch({"run", products({8}), "--out", file("out.json")}, "spin=1,fixed=1e-3");
  nohup.arguments.insert(nohup.arguments.begin(), nohup.program.string());
  nohup.program = "/usr/bin/nohup";
  Process run_process(nohup);
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  run_process.send(SIGHUP);
  EXPECT_EQ(run_process.wait().status, 0);
  EXPECT_EQ(parse_file(file("out.json")).at("complete"), true);
}

/// A driver that is stopped for longer than a request may take continues normally.
class StoppedDriver : public InterruptionTest {
 protected:
  void stop_and_continue(int times) {
    // Long enough for starting a program on a busy machine.
    const auto path = products({8}, {"a", "b"}, {{"timeout_seconds", 1.5}, {"max_seconds", times / 2.0}});
    std::mt19937 generator(7);
    std::uniform_int_distribution<int> pause(1, 200);
    Process run_process(launch({"run", path, "--out", file("out.json"), "--precision", "0.0001"},
                               "noise=0.05,seed=5,spin=1,fixed=1e-3"));
    ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(pause(generator)));
      run_process.send(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(1600));
      run_process.send(SIGCONT);
    }
    with_status(0, run_process.wait(std::chrono::seconds(120 + 10 * times)));
    EXPECT_THAT(not_ok(parse_file(file("out.json"))), IsEmpty());
  }
};

TEST_F(StoppedDriver, TakesNoAnswerForLate) {
  stop_and_continue(4);
}

using SlowStoppedDriver = StoppedDriver;

TEST_F(SlowStoppedDriver, TakesNoAnswerForLateInFiftyStops) {
  stop_and_continue(50);
}

/// A worker that does not answer must not delay Ctrl-C.
TEST_F(InterruptionTest, EndsAHangingRequest) {
  Process run_process(
      launch({"run", products({8}), "--out", file("out.json")}, "fault=hang,at=sample,backend=a"));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  run_process.send(SIGINT);
  const Outcome outcome = run_process.wait(std::chrono::seconds(15));
  EXPECT_TRUE(outcome.in_time) << "the request's own limit is 20 s";
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(parse_file(file("out.json")).at("complete"), false);
}

/// Schedulers signal a job's group and its first process, shells pass on what the terminal has sent.
TEST_F(InterruptionTest, TwoSignalsWithinHalfASecondAreOne) {
  for (const int pause : {0, 10, 100, 200}) {
    for (const auto& [first, second] : {std::pair{SIGINT, SIGTERM}, {SIGTERM, SIGTERM}, {SIGINT, SIGINT}}) {
      SCOPED_TRACE(fmt::format("signals {} and {}, {} ms later", first, second, pause));
      for (const char* earlier : {"log", "out.json", "out.previous.json"})
        std::filesystem::remove(file(earlier));
      Process run_process(launch({"run", products({8}), "--out", file("out.json"), "--precision", "0.001"},
                                 unsteady_ + ",fault=hang,at=quit,backend=a"));
      ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
      run_process.send(first);
      std::this_thread::sleep_for(std::chrono::milliseconds(pause));
      run_process.send(second);
      EXPECT_THAT(with_status(130, run_process.wait()).err, HasSubstr("interrupted; continue with --resume"));
      EXPECT_EQ(parse_file(file("out.json")).at("complete"), false);
      EXPECT_FALSE(std::filesystem::exists(file(".out.json.lock")));
      EXPECT_FALSE(workers_left());
    }
  }
}

TEST_F(InterruptionTest, ASecondSignalLaterEndsAtOnce) {
  const auto pipe = file("pipe");  // whose reader it would wait for
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Process run_process(launch({"run", products({8}), "--out", pipe, "--precision", "0.001"}, unsteady_));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  run_process.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  run_process.send(SIGTERM);
  const Outcome outcome = run_process.wait(std::chrono::seconds(15));
  EXPECT_TRUE(outcome.in_time);
  EXPECT_TRUE(outcome.by_signal) << "it waits for a reader; status " << outcome.status;
  EXPECT_TRUE(eventually([&] { return !workers_left(); }, std::chrono::seconds(20)));
}

/// Before anything is measured, a file is left as it was.
TEST_F(InterruptionTest, EndsAHangingHello) {
  const std::string config = products({8}), out = file("out.json"), here = file("backends");
  const std::vector<std::vector<std::string>> commands{
      {"run", config, "--out", out},
      {"gate", config, "--base", here, "--head", here, "--out", out},
      {"selftest", config, "--out", out},
      {"devices"},
      {"conformance", here + "/breakeven-backend-a"}};
  for (const auto& command : commands) {
    SCOPED_TRACE(command.front());
    write("out.json", "earlier");
    std::filesystem::remove(file("log"));
    Process process(launch(command, "fault=hang,at=hello"));
    ASSERT_TRUE(eventually([&] { return requested("hello") > 0; }));
    process.send(SIGINT);
    process.send(SIGINT);
    EXPECT_THAT(with_status(130, process.wait(std::chrono::seconds(30))).err, HasSubstr("interrupted"));
    EXPECT_EQ(text_of(file("out.json")), "earlier");
    EXPECT_FALSE(std::filesystem::exists(file(".out.json.lock")));
    EXPECT_FALSE(workers_left());
  }
}

/// Processes that a program starts are ended with it, even in a session of their own and without a parent.
using DaemonTest = InterruptionTest;

TEST_F(DaemonTest, OfAProgramThatQuitsEndsWithIt) {
  EXPECT_EQ(breakeven({"run", products({8}), "--out", file("out.json")}, "daemon=1").status, 0);
  EXPECT_EQ(requested("daemon"), 2U) << "two programs are asked what they are, and measure";
  EXPECT_FALSE(workers_left());
}

TEST_F(DaemonTest, OfAProgramThatCrashesEndsWithItAndHidesNothing) {
  with_status(4, breakeven({"run", products({8, 16}), "--out", file("out.json")},
                           "daemon=1,backend=a,case=m=8/,at=sample,fault=signal,number=11"));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))),
              testing::ElementsAre(HasSubstr("was killed by signal 11")))
      << "though the daemon holds the program's output open";
  EXPECT_FALSE(workers_left());
}

TEST_F(DaemonTest, OfAProgramThatHangsEndsWithIt) {
  const auto path = products({8}, {"a"}, {{"timeout_seconds", 1}});
  EXPECT_EQ(breakeven({"run", path, "--out", file("out.json")}, "daemon=1,at=sample,fault=hang").status, 4);
  EXPECT_GT(requested("daemon"), 0U);
  EXPECT_FALSE(workers_left());
}

/// The driver cannot do anything any more.
TEST_F(DaemonTest, OfADriverThatIsKilledEnds) {
  Process run_process(launch({"run", products({8}), "--out", file("out.json")}, "daemon=1," + unsteady_));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  EXPECT_GT(requested("daemon"), 0U);
  run_process.send(SIGKILL);
  run_process.wait();
  EXPECT_TRUE(eventually([&] { return !workers_left(); }, std::chrono::seconds(20)));
}

/// When a program ends, the processes that another one started continue.
TEST_F(DaemonTest, OfAnotherProgramStays) {
  Process run_process(launch({"run", products({8, 16}), "--out", file("out.json"), "--seconds", "1.5"},
                             "daemon=1,backend=a,case=m=8/,at=sample,fault=exit," + unsteady_));
  const auto sampled_later = [&] {
    for (const auto& entry : logged()) {
      if (entry.request == "sample" && entry.case_id == product_id(16) && entry.backend == "b") return true;
    }
    return false;
  };
  ASSERT_TRUE(eventually(sampled_later));
  // The latest daemon of b, which kept measuring while a was lost.
  pid_t of_b = 0;
  for (const auto& entry : logged()) {
    if (entry.request == "daemon" && entry.backend == "b") of_b = entry.process;
  }
  EXPECT_TRUE(is_alive(of_b));
  EXPECT_EQ(run_process.wait().status, 4);
  EXPECT_FALSE(is_alive(of_b));
}

TEST_F(InterruptionTest, KilledAtAnyMomentLeavesAWholeFileAndNoWorkers) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> samples(1, 120);
  int files = 0;
  for (int round = 0; round < 8; ++round) {
    std::filesystem::remove(file("log"));
    Process run_process(
        launch({"run", products({8, 16, 24, 32, 40, 48}), "--out", file("out.json"), "--quiet"}));
    const auto moment = static_cast<std::size_t>(samples(generator));
    ASSERT_TRUE(eventually([&] { return requested("sample") >= moment; }));
    run_process.send(SIGKILL);
    EXPECT_EQ(run_process.wait().status, 128 + SIGKILL);
    EXPECT_TRUE(eventually([&] { return !workers_left(); }, std::chrono::seconds(20))) << "orphans";
    if (!std::filesystem::exists(file("out.json"))) continue;
    ++files;
    EXPECT_TRUE(parse_file(file("out.json")).contains("complete"));
  }
  EXPECT_GT(files, 0) << "none got as far as a file: this has tested nothing";
}

/// A run does not continue from results that were measured elsewhere, or in another way.
class ResumeTest : public DriverTest {
 protected:
  /// Runs once, changes the file, and continues from it.
  Outcome resume_changed(const std::function<void(Json&)>& change, const std::string& simulated = "",
                         const std::vector<std::string>& options = {}) {
    const auto path = products({8});
    EXPECT_EQ(breakeven({"run", path, "--out", file("out.json"), "--threads", "1"}).status, 0);
    Json earlier = parse_file(file("out.json"));
    change(earlier);
    write("changed.json", earlier.dump());
    std::vector<std::string> arguments{"run", path, "--resume", file("changed.json")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return breakeven(arguments, simulated);
  }
  const std::vector<std::string> one_thread_{"--threads", "1"};
};

TEST_F(ResumeTest, OfAWholeFileMeasuresNothing) {
  EXPECT_EQ(resume_changed([](Json&) {}, "", one_thread_).status, 0);
  EXPECT_EQ(processes("a"), 2) << "two runs ask it what it is, and in one it measures";
}

TEST_F(ResumeTest, RefusesAnotherMachine) {
  EXPECT_THAT(with_status(2, resume_changed([](Json& r) { r["host"]["cpu"] = "Z80"; }, "", one_thread_)).err,
              AllOf(HasSubstr("Z80"), HasSubstr("start again with --out")));
  const Outcome other = with_status(
      2, resume_changed([](Json& r) { r["host"]["cpu_identity"] = "Zilog family 80"; }, "", one_thread_));
  EXPECT_THAT(other.err, HasSubstr("a processor that calls itself Zilog family 80, this is "));
}

/// A container has a new name each time it starts.
TEST_F(ResumeTest, ContinuesUnderAnotherName) {
  with_status(0, resume_changed([](Json& r) { r["host"]["name"] = "elsewhere"; }, "", one_thread_));
  EXPECT_THAT(parse_file(file("changed.json")).at("warnings").dump(),
              HasSubstr("some cases are of an earlier run, when this host was called elsewhere"));
}

TEST_F(ResumeTest, RefusesOtherThreads) {
  const auto with_77 = [](Json& r) { r["host"]["cpus"] = r["host"]["threads"] = 77; };
  EXPECT_THAT(with_status(2, resume_changed(with_77, "", one_thread_)).err,
              HasSubstr("was measured with 77 threads, not 1"));
}

TEST_F(ResumeTest, RefusesOtherLibraries) {
  EXPECT_THAT(with_status(2, resume_changed([](Json&) {}, "version=2.0", one_thread_)).err,
              HasSubstr("different version of a: 1.0 → 2.0; start again with --out"));
}

TEST_F(ResumeTest, RefusesOtherSettings) {
  const auto refusal = [&](const std::function<void(Json&)>& change) {
    return with_status(2, resume_changed(change, "", one_thread_)).err;
  };
  EXPECT_THAT(refusal([](Json& r) { r["config"]["measure"]["cache"] = "cold"; }),
              HasSubstr("different state of the caches: cold → warm; start again with --out"));
  EXPECT_THAT(refusal([](Json& r) { r["host"]["environment"]["ONEDNN_MAX_CPU_ISA"] = "AVX2"; }),
              HasSubstr("different ONEDNN_MAX_CPU_ISA: AVX2 → none"));
}

TEST_F(ResumeTest, KeepsTheRecordOfABackendThatIsGone) {
  const auto path = products({8});
  ASSERT_EQ(breakeven({"run", path, "--out", file("out.json")}).status, 0);
  std::filesystem::remove(file("backends") / "breakeven-backend-b");
  write("breakeven-backend-b", "no program");
  std::filesystem::create_symlink(file("breakeven-backend-b"), file("backends") / "breakeven-backend-b");
  EXPECT_EQ(breakeven({"run", path, "--resume", file("out.json")}).status, 0);
  const Json result = parse_file(file("out.json"));
  EXPECT_EQ(find_case(result, product_id(8), "b").at("status"), "ok");
  EXPECT_TRUE(result.at("backends")[1].at("available"));
  EXPECT_THAT(result.at("warnings").dump(), HasSubstr("b is not available any more: "));
}

TEST_F(ResumeTest, RefusesWhatIsNoResultFile) {
  const auto path = products({8});
  EXPECT_EQ(breakeven({"run", path, "--resume", file("nosuch.json")}).status, 2);
  EXPECT_EQ(breakeven({"run", path, "--resume", path}).status, 2);
}

}  // namespace
}  // namespace breakeven::cli_tests
