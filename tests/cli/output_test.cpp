// Tests where results are written, and what users see.
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <future>
#include <set>
#include <sstream>

#include "cli/driver.h"
#include "unit/variable_for_now.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using OutputTest = DriverTest;

TEST_F(OutputTest, DashIsStrictJsonOnStandardOutputAlone) {
  const Outcome outcome = with_status(0, breakeven({"run", products({8}), "--out", "-"}));
  EXPECT_THAT(not_ok(parse(outcome.out)), IsEmpty());
  EXPECT_EQ(parse(outcome.out).at("schema"), "breakeven.result/1");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(OutputTest, AResultHasTheCommitThatTheVersionShows) {
  const Json tool = parse(breakeven({"run", products({8}), "--out", "-"}).out).at("tool");
  const std::string commit = tool.value("commit", "unknown: no git checkout");
  EXPECT_THAT(breakeven({"--version"}).out, HasSubstr("\ncommit: " + commit + "\n"));
}

TEST_F(OutputTest, ANumberThatIsNoneIsNull) {
  const Outcome outcome = breakeven({"run", products({8}), "--out", "-"}, "fault=nan,at=verify,backend=a");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(find_case(parse(outcome.out), product_id(8), "a").at("verify").at("error").is_null());
}

TEST_F(OutputTest, DefaultIsAFolderOfThisHost) {
  EXPECT_EQ(breakeven({"run", products({8})}).status, 0);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  EXPECT_EQ(parse_file(file("results") / host.data() / "config.json").at("complete"), true);
}

TEST_F(OutputTest, ShardsHaveFilesOfTheirOwn) {
  const auto config = products({8, 16});
  for (const char* shard : {"1/2", "2/2"})
    with_status(0, breakeven({"run", config, "--shard", shard, "--quiet"}));
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::filesystem::path folder = file("results") / host.data();
  EXPECT_EQ(parse_file(folder / "config.shard-1-of-2.json").at("shard"), "1/2");
  EXPECT_EQ(parse_file(folder / "config.shard-2-of-2.json").at("shard"), "2/2");
  EXPECT_FALSE(exists(folder / "config.json"));
  EXPECT_FALSE(exists(folder / "config.shard-1-of-2.previous.json"));
  const int started = processes("a");
  with_status(0, breakeven({"run", config, "--shard", "1/2", "--resume", "config.shard-1-of-2", "--quiet"}));
  EXPECT_EQ(processes("a"), started + 1) << "it is asked what it is, and nothing is measured";
}

TEST_F(OutputTest, AnEarlierFileIsKept) {
  write("out.json", "earlier");
  EXPECT_EQ(breakeven({"run", products({8}), "--out", file("out.json")}).status, 0);
  EXPECT_EQ(text_of(file("out.previous.json")), "earlier");
}

/// The previous file that is kept beside it is not replaced either, if a second attempt fails, too.
TEST_F(OutputTest, AnEarlierFileStaysWhereNothingIsMeasured) {
  const auto config = products({8}, {"a"});
  const auto attempt = [&](const std::string& backend, const std::string& simulated = "") {
    write("out.json", "earlier");
    write("out.previous.json", "backup");
    const Outcome outcome =
        breakeven({"run", config, "--backends", backend, "--out", file("out.json")}, simulated);
    EXPECT_EQ(text_of(file("out.json")), "earlier") << backend;
    EXPECT_EQ(text_of(file("out.previous.json")), "backup") << backend;
    return outcome.status;
  };
  EXPECT_EQ(attempt("openbals"), 2);
  EXPECT_EQ(attempt("a", "fault=exit,at=hello"), 4);
}

TEST_F(OutputTest, AnEarlierFileStaysWhereARunIsInterruptedAtOnce) {
  write("out.json", "earlier");
  write("out.previous.json", "backup");
  Process running(
      launch({"run", products({8}, {"a"}), "--out", file("out.json")}, "fault=hang,at=prepare,backend=a"));
  ASSERT_TRUE(eventually([&] { return requested("prepare") > 0; }));
  running.send(SIGINT);
  EXPECT_THAT(with_status(130, running.wait()).err, HasSubstr("interrupted before anything was measured"));
  EXPECT_EQ(text_of(file("out.json")), "earlier");
  EXPECT_EQ(text_of(file("out.previous.json")), "backup");
}

/// It names the program as it was called, and quotes words that a shell would interpret.
TEST_F(OutputTest, TheClosingLineIsACommandToPaste) {
  std::filesystem::create_directories(file("bin"));
  std::filesystem::create_symlink(BREAKEVEN_DRIVER, file("bin") / "breakeven");
  Launch called = launch({"run", products({8}, {"a"}), "--out", "my results/it's $1.json"});
  called.program = "bin/breakeven";
  const Outcome outcome = with_status(0, run(called));
  const std::string marker = "   See it: ";
  ASSERT_THAT(outcome.err, HasSubstr("Saved: my results/it's $1.json" + marker + "bin/breakeven report "));
  std::string command = outcome.err.substr(outcome.err.find(marker) + marker.size());
  EXPECT_EQ(std::system(fmt::format("cd '{}' && {}", folder_.path().string(), command).c_str()), 0);
  EXPECT_TRUE(std::filesystem::exists(file("it's $1.html")));
}

TEST_F(OutputTest, MissingFoldersAreMade) {
  EXPECT_EQ(breakeven({"run", products({8}), "--out", file("new/of run/out.json")}).status, 0);
  const auto result = file("new/of run/out.json").string();
  const std::string base = file("backends").string() + ":a";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"compare", result, result, "--out", file("new/1/verdicts.json").string()},
        {"report", result, "--html", file("new/2/page.html").string()},
        {"rank", result, result, "--html", file("new/3/page.html").string()},
        {"gate", products({8}), "--base", base, "--head", base, "--out",
         file("new/4/verdicts.json").string()},
        {"history", "add", file("new/5/store").string(), result, "--commit", "c"}}) {
    const Outcome outcome = breakeven(command, "noise=0.01");
    if (command[0] == "report" || command[0] == "history") {
      with_status(0, outcome);
    } else {
      EXPECT_NE(outcome.status, 2) << command[0] << ": " << outcome.err;
    }
  }
  for (const char* made : {"1/verdicts.json", "2/page.html", "3/page.html", "4/verdicts.json", "5/store"})
    EXPECT_TRUE(std::filesystem::exists(file("new") / made)) << made;
}

TEST_F(OutputTest, NoFolderIsMadeByACommandThatFails) {
  with_status(2, breakeven({"report", file("nosuch.json"), "--html", file("new/page.html")}));
  EXPECT_FALSE(std::filesystem::exists(file("new")));
}

TEST_F(OutputTest, EveryWrittenFileIsNamedOnOneLine) {
  const auto result = file("out.json").string(), page = file("page.html").string();
  const auto saved = [](const std::string& path) { return "Saved: " + path + "\n"; };
  EXPECT_THAT(breakeven({"run", products({8}), "--out", result}).err,
              HasSubstr("Saved: " + result + "   See"));
  EXPECT_EQ(breakeven({"report", result, "--html", page}).err, saved(page));
  EXPECT_EQ(breakeven({"rank", result, result, "--html", page}).err, saved(page));
  const std::vector<std::string> compare{"compare", result, result, "--out", file("v.json").string()};
  EXPECT_EQ(breakeven(compare).err, saved(file("v.json")));
  std::vector<std::string> quiet = compare;
  quiet.emplace_back("--quiet");
  EXPECT_EQ(breakeven(quiet).err, "");
  EXPECT_EQ(breakeven({"report", result, "--html", "-"}).err, "");
  const std::string base = file("backends").string() + ":a";
  EXPECT_THAT(breakeven({"gate", products({8}), "--base", base, "--head", base, "--out", page}).err,
              AllOf(testing::StartsWith("breakeven: 1 case: about 1 minute if nothing changed"),
                    testing::EndsWith(" is the limit\n" + saved(page))));
}

TEST_F(OutputTest, ALinkIsFollowed) {
  write("real.json", "earlier");
  std::filesystem::create_symlink("real.json", file("link.json"));
  EXPECT_EQ(breakeven({"run", products({8}), "--out", file("link.json")}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(file("link.json")));
  EXPECT_EQ(parse_file(file("real.json")).at("complete"), true);
}

TEST_F(OutputTest, WhatIsNoFileIsWrittenToAndNotReplaced) {
  // Root can replace a device by a file, and once breakeven did.
  const auto pipe = file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::future<std::string> read = std::async(std::launch::async, [&] { return text_of(pipe); });
  EXPECT_EQ(breakeven({"run", products({8}), "--out", pipe}).status, 0);
  EXPECT_EQ(parse(read.get()).at("complete"), true);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

/// Opening a pipe for writing waits for a reader, by itself for ever.
TEST_F(OutputTest, APipeWithoutAReaderIsNotWaitedForLong) {
  const auto pipe = file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string command : {"run", "gate"}) {
    SCOPED_TRACE(command);
    std::vector<std::string> words{command, products({8}), "--out", pipe};
    if (command == "gate")
      words.insert(words.end(), {"--base", file("backends"), "--head", file("backends")});
    Process process(launch(words));
    const Outcome outcome = process.wait(std::chrono::seconds(60));
    EXPECT_TRUE(outcome.in_time);
    EXPECT_THAT(with_status(2, outcome).err, AllOf(HasSubstr("nothing reads what is written there"),
                                                   HasSubstr("what was measured is in")));
  }
  const std::string result = write("r.json", result_of_run(products({8})).dump());
  EXPECT_THAT(with_status(2, breakeven({"report", result, "--csv", pipe})).err, HasSubstr("nothing reads"));
}

/// A hostile program, or a person, replaces the file meanwhile.
TEST_F(OutputTest, APipeThatAppearsDuringTheRunDoesNotStopIt) {
  const auto out = file("out.json");
  Process process(launch({"run", products({8, 16, 24}), "--out", out}, "spin=1,fixed=1e-3"));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(out); }));
  std::filesystem::remove(out);
  ASSERT_EQ(mkfifo(out.c_str(), 0600), 0);
  const Outcome outcome = process.wait(std::chrono::seconds(60));
  EXPECT_TRUE(outcome.in_time);
  const std::string error = with_status(2, outcome).err;
  const std::string before = "what was measured is in ";
  ASSERT_THAT(error, HasSubstr(before));
  const std::size_t begin = error.find(before) + before.size();
  EXPECT_EQ(parse_file(error.substr(begin, error.find('\n', begin) - begin)).at("complete"), true);
  EXPECT_TRUE(std::filesystem::is_fifo(out));
}

TEST_F(OutputTest, ASocketIsNoFile) {
  const auto path = file("s");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(path.string().size(), sizeof address.sun_path);
  path.string().copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(with_status(2, breakeven({"run", products({8}), "--out", path})).err,
              HasSubstr("what was measured is in"));
  close(socket);
}

/// What the steps of a job write there is shown together.
TEST_F(OutputTest, TheSummaryOfACiJobIsAddedTo) {
  const std::string result = write("r.json", result_of_run(products({8})).dump());
  const auto summary = write("summary", "# Another step");  // without the end of its line
  std::filesystem::create_symlink("summary", file("link"));
  const VariableForNow collected("GITHUB_STEP_SUMMARY", summary.c_str());
  std::string expected = "# Another step\n";
  const std::string report = with_status(0, breakeven({"compare", result, result, "--markdown", "-"})).out;
  ASSERT_THAT(report, HasSubstr("PASS"));
  for (const std::string& path : {summary.string(), file("link").string()}) {
    with_status(0, breakeven({"compare", result, result, "--markdown", path}));
    expected += report;
    EXPECT_EQ(text_of(summary), expected) << path;
  }
  const auto other = write("other", "earlier");
  with_status(0, breakeven({"compare", result, result, "--markdown", other}));
  EXPECT_EQ(text_of(other), report) << "any other file is replaced";
}

TEST_F(OutputTest, AFolderIsRefusedBeforeAnythingIsMeasured) {
  EXPECT_THAT(with_status(2, breakeven({"run", products({8}), "--out", folder_.path()})).err,
              HasSubstr("is a folder; --out names a file"));
  EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(OutputTest, AFolderThatCannotBeWrittenToIsRefusedBeforeAnythingIsMeasured) {
  // A file cannot contain a folder, not even for root.
  const Outcome outcome = breakeven({"run", products({8}), "--out", file("config.json") / "out.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot be written"));
  EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(OutputTest, AReadOnlyFolderIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::create_directories(file("closed"));
  std::filesystem::permissions(file("closed"), std::filesystem::perms::owner_read);
  EXPECT_THAT(with_status(2, breakeven({"run", products({8}), "--out", file("closed") / "out.json"})).err,
              HasSubstr("Permission denied"));
}

/// A file system of 16 KiB, which the first results fill.
class TinyDisk {
 public:
  explicit TinyDisk(std::filesystem::path at) : path_(std::move(at)) {
    std::filesystem::create_directories(path_);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=16k") == 0;
  }
  ~TinyDisk() {
    if (mounted_) umount(path_.c_str());
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  TinyDisk(TinyDisk&&) = delete;
  TinyDisk& operator=(TinyDisk&&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path path_;
  bool mounted_ = false;
};

TEST_F(OutputTest, AFullDiskLosesNothing) {
  const TinyDisk disk(file("tiny"));
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a small file system here";
  const Outcome outcome = with_status(
      2, breakeven({"run", products({8, 16, 24, 32, 40, 48, 56, 64}), "--out", file("tiny") / "out.json"}));
  EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
  const std::string marker = "what was measured is in ";
  const auto at = outcome.err.find(marker);
  ASSERT_NE(at, std::string::npos) << outcome.err;
  std::string rescued = outcome.err.substr(at + marker.size());
  rescued.erase(rescued.find_first_of("\n"));
  const Json result = parse_file(rescued);
  EXPECT_EQ(result.at("cases").size(), 16U);
  EXPECT_THAT(not_ok(result), IsEmpty()) << "the run went on to its end";
}

/// The length of the longest run of equal items.
std::size_t longest_run(const std::vector<std::string>& items) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    run = i > 0 && items[i] == items[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST_F(OutputTest, BackendsOfAProblemTakeTurns) {
  with_status(
      0, breakeven({"run", products({8, 16}), "--out", "-", "--precision", "0.001"}, "noise=0.5,seed=3"));
  for (const int size : {8, 16}) {
    std::vector<std::string> order;
    for (const auto& entry : logged()) {
      if (entry.request == "sample" && entry.case_id == product_id(size)) order.push_back(entry.backend);
    }
    // Each backend warms up alone, and on a busy machine one may finish long before the other.
    constexpr std::ptrdiff_t together = 40;
    bool took_turns = false;
    for (auto at = order.begin(); order.end() - at >= together && !took_turns; at += together) {
      const std::vector<std::string> rounds(at, at + together);
      const auto of_a = std::count(rounds.begin(), rounds.end(), "a");
      took_turns = longest_run(rounds) == 2 && std::abs(of_a - together / 2) <= 1;
    }
    EXPECT_TRUE(took_turns) << "each once a round, and not always the same one first";
  }
}

TEST_F(OutputTest, PipedOutputHasNoEscapesAndNoProgress) {
  const Outcome outcome = breakeven({"run", products({8}), "--out", file("out.json")});
  EXPECT_THAT(outcome.out, HasSubstr("Matrix products"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(OutputTest, ProgressGoesToATerminalAlone) {
  Launch shown = launch({"run", products({8, 16}), "--out", file("out.json"), "--seconds", "0.3"},
                        "noise=1,spin=1,seed=1");
  shown.terminal = true;
  const Outcome outcome = with_status(0, run(shown));
  EXPECT_THAT(outcome.err, HasSubstr("left"));
  EXPECT_THAT(outcome.err, HasSubstr("[0/4]"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("[0/4]")));

  Launch quiet = shown;
  quiet.arguments.emplace_back("--quiet");
  EXPECT_EQ(run(quiet).err, "");
  Launch dumb = shown;
  dumb.environment.emplace_back("TERM", "dumb");
  EXPECT_THAT(run(dumb).err, testing::StartsWith("Saved: "));
}

TEST_F(OutputTest, NoColorIsHonoured) {
  Launch coloured = launch({"run", products({8}), "--out", file("out.json")});
  coloured.all_terminal = true;
  EXPECT_THAT(run(coloured).out, HasSubstr("\x1b["));
  Launch plain = coloured;
  plain.environment.emplace_back("NO_COLOR", "1");
  EXPECT_THAT(run(plain).out, Not(HasSubstr("\x1b[")));
}

/// CLI11 2.5 and later would wrap the lines again, at 80 columns.
TEST_F(OutputTest, HelpFillsTheLinesOfATerminal) {
  Launch help = launch({"fleet", "--help"});
  help.all_terminal = true;  // of 100 columns
  std::string text = run(help).out;
  std::erase(text, '\r');
  std::istringstream lines(text.substr(text.find("Exit status: ")));
  std::string line;
  std::getline(lines, line);
  int checked = 0;
  for (std::string next; std::getline(lines, next); line = next, ++checked) {
    const std::size_t used = line.find_last_not_of(' ') + 1;
    EXPECT_LE(used, 100U) << line;
    EXPECT_GT(used + 1 + next.substr(0, next.find(' ')).size(), 100U) << line << "\n" << next;
  }
  EXPECT_GE(checked, 2);
}

TEST_F(OutputTest, QuietSaysNothing) {
  const Outcome outcome = breakeven({"run", products({8}), "--out", file("out.json"), "--quiet"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

}  // namespace
}  // namespace breakeven::cli_tests
