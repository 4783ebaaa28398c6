// Tests cases on several ranks: real programs, started by the real mpirun.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Json training(int batch, int ranks, const Json& more = Json::object()) {
  Json workload{{"op", "train"}, {"network", "mlp"}, {"width", 64}, {"batch", batch}, {"ranks", ranks}};
  workload.update(more);
  return workload;
}

class RanksTest : public DriverTest {
 protected:
  void SetUp() override {
    if (std::system("mpirun --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no mpirun (Debian: openmpi-bin)";
    for (const auto* backend : {"native", "openblas"}) {
      if (const auto reason = why_unavailable(backend); !reason.empty()) GTEST_SKIP() << reason;
    }
    prepare_for_mpirun();
  }

  /// The result of a run that may fail.
  Json result_of(const Json& workloads, const std::vector<std::string>& backends,
                 const std::vector<std::string>& options = {}, int status = 0,
                 const Json& measure = Json::object()) {
    std::vector<std::string> arguments{"run", config(workloads, backends, measure).string(), "--out",
                                       file("result.json").string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = breakeven(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    std::ifstream in(file("result.json"));
    return Json::parse(in);
  }

  /// The reason of the only case of a run that fails.
  std::string reason_of(const Json& workload, const std::string& backend,
                        const std::vector<std::string>& options = {}) {
    const Json result = result_of(Json::array({workload}), {backend}, options, 4);
    return result.at("cases")[0].at("reason");
  }

  std::filesystem::path script(const std::string& name, const std::string& text) const {
    const auto path = write(name, "#!/bin/bash\n" + text + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  /// A program that starts ranks as mpirun does, and does something more.
  std::filesystem::path launcher(const std::string& text) const { return script("launch", text); }

  /// A program that a launcher starts in place of each rank, and that becomes it: each leaves its pid in a
  /// file, `pid-RANK`.
  std::filesystem::path rank_with_pid_file() const {
    return script("rank", fmt::format("echo $$ >{}-${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\nexec \"$@\"",
                                      file("pid").string()));
  }

  /// The options of a run in which this signal reaches a rank during the first epoch: after three seconds of
  /// its CPU time.
  std::vector<std::string> with_signal(const std::string& signal, int rank = 1) const {
    const auto sending =
        launcher(fmt::format("pid={1}-{2}\n(until [ \"$(awk '{{print $14 + $15}}' /proc/$(cat $pid)/stat)\" "
                             "-gt 300 ]; do sleep 0.1; "
                             "done; kill -{0} $(cat $pid)) 2>/dev/null &\nexec mpirun \"$@\"",
                             signal, file("pid").string(), rank));
    return {"--launcher", fmt::format("{} -np {{ranks}} --bind-to none {}", sending.string(),
                                      rank_with_pid_file().string())};
  }

  /// The ranks of a run with rank_with_pid_file() that still exist, whatever else runs on this machine.
  std::vector<std::string> ranks_left(int ranks) const {
    std::vector<std::string> found;
    for (int rank = 0; rank < ranks; ++rank) {
      std::string pid = text_of(file(fmt::format("pid-{}", rank)));
      pid.erase(pid.find_last_not_of('\n') + 1);
      // Another process may have the number by now. A process that has ended and is not waited for has no
      // command.
      std::ifstream in(fmt::format("/proc/{}/cmdline", pid));
      std::string command;
      std::getline(in, command, '\0');
      if (command.find("breakeven-backend-") != std::string::npos) found.push_back(pid);
    }
    return found;
  }
};

std::vector<double> losses_of(const Json& result, std::size_t index) {
  return result.at("cases")[index].at("training").at("loss").get<std::vector<double>>();
}

TEST_F(RanksTest, LearnAsOneDoes) {
  // An epoch of 117 steps: the loss curve is kept step by step.
  const Json goal{{"epochs", 1}};
  const Json result = result_of({training(512, 1, goal), training(512, 2, goal)}, {"openblas"});
  const auto one = losses_of(result, 0), two = losses_of(result, 1);
  ASSERT_GE(one.size(), 100U);
  for (std::size_t step = 0; step < 100; ++step) EXPECT_NEAR(two[step] / one[step], 1, 1e-5) << step;
  const Json& ranks = result.at("cases")[1].at("conditions").at("ranks");
  EXPECT_THAT(ranks, SizeIs(2));
  EXPECT_GT(result.at("cases")[1].at("communication_seconds"), 0);
  EXPECT_FALSE(result.at("cases")[0].contains("communication_seconds"));
}

TEST_F(RanksTest, OfEveryBackendComputeRightResults) {
  Json networks = Json::array();
  for (const auto* network : {"lenet", "cnn", "transformer"})
    networks.push_back({{"op", "train"}, {"network", network}, {"batch", 6}, {"ranks", 3}});
  networks.push_back(training(8, 2, {{"overlap", false}, {"optimizer", "adam"}}));
  networks.push_back(training(8, 2, {{"deterministic", true}}));
  std::vector<std::string> backends;
  for (const auto* backend : {"openblas", "onednn", "blis"}) {
    if (why_unavailable(backend).empty()) backends.emplace_back(backend);
  }
  const Json result = result_of(networks, backends, {"--seconds", "0.05"});
  for (const Json& row : result.at("cases"))
    EXPECT_EQ(row.at("status"), "ok") << row.at("id") << row.at("reason");
}

TEST_F(RanksTest, ThatAreDeterministicRepeatTheirLossesBitForBit) {
  const Json workload = training(66, 3, {{"deterministic", true}, {"epochs", 1}, {"optimizer", "adam"}});
  const auto losses = [&] {
    return losses_of(result_of(Json::array({workload}), {"openblas"}, {"--seconds", "0.05"}), 0);
  };
  EXPECT_EQ(losses(), losses());
}

TEST_F(RanksTest, ExchangeDataRightly) {
  Json workloads = Json::array();
  for (const auto* op : {"all_reduce", "all_gather", "broadcast"}) {
    for (const int ranks : {2, 3}) workloads.push_back({{"op", op}, {"bytes", 192 * 1024}, {"ranks", ranks}});
  }
  const Json result = result_of(workloads, {"native"}, {"--seconds", "0.05"});
  for (const Json& row : result.at("cases"))
    EXPECT_EQ(row.at("status"), "ok") << row.at("id") << row.at("reason");
  // Bus bandwidth as nccl-tests define it: 2 (n - 1) / n of an all-reduce's bytes.
  EXPECT_EQ(result.at("cases")[0].at("bytes"), 192 * 1024);
  EXPECT_DOUBLE_EQ(result.at("cases")[1].at("bytes"), 192 * 1024 * 4.0 / 3);
}

TEST_F(RanksTest, ThatDieEndTheirCaseAlone) {
  const Json result =
      result_of({training(64, 2, {{"epochs", 1000}}), {{"op", "matmul"}, {"m", 64}, {"n", 64}, {"k", 64}}},
                {"openblas"}, with_signal("KILL"), 4);
  EXPECT_EQ(result.at("cases")[0].at("status"), "failed");
  EXPECT_THAT(result.at("cases")[0].at("reason"), HasSubstr("rank 1"));
  EXPECT_EQ(result.at("cases")[1].at("status"), "ok");
  EXPECT_THAT(ranks_left(2), IsEmpty());
}

TEST_F(RanksTest, WhoseFirstDiesEndTheirCaseAlone) {
  const Json result =
      result_of({training(64, 2, {{"epochs", 1000}}), {{"op", "matmul"}, {"m", 64}, {"n", 64}, {"k", 64}}},
                {"openblas"}, with_signal("KILL", 0), 4);
  EXPECT_EQ(result.at("cases")[0].at("status"), "failed");
  EXPECT_THAT(result.at("cases")[0].at("reason"), HasSubstr("rank 0 on "));
  EXPECT_EQ(result.at("cases")[1].at("status"), "ok");
  EXPECT_THAT(ranks_left(2), IsEmpty());
}

TEST_F(RanksTest, ThatStopAreNamed) {
  EXPECT_THAT(reason_of(training(64, 2, {{"epochs", 1000}}), "openblas", with_signal("STOP")),
              HasSubstr("has shown no sign of life for 20 s: it is stopped, or its host cannot be reached"));
}

TEST_F(RanksTest, OfAnotherBuildAreRefused) {
  const auto other = file("breakeven-backend-openblas");
  std::filesystem::copy_file(
      std::filesystem::path(BREAKEVEN_DRIVER).parent_path() / "breakeven-backend-openblas", other);
  std::ofstream(other, std::ios::app) << "another build";
  const auto mixed =
      launcher("shift; first=(\"$@\"); second=(\"${@/%*\\/breakeven-backend-openblas/" + other.string() +
               "}\")\nexec mpirun -np 1 \"${first[@]}\" : -np 1 \"${second[@]}\"");
  EXPECT_THAT(reason_of(training(64, 2), "openblas", {"--launcher", mixed.string() + " {ranks}"}),
              HasSubstr("runs another build of this program than rank 0"));
}

TEST_F(RanksTest, OfAnotherNumberAreRefused) {
  const auto more = launcher("shift\nexec mpirun -np 3 \"$@\"");
  EXPECT_THAT(reason_of(training(64, 2), "openblas", {"--launcher", more.string() + " {ranks}"}),
              HasSubstr("the launcher started 3 ranks, and 2 are needed"));
}

/// srun without a plugin for MPI, or the mpirun of another one.
TEST_F(RanksTest, WhoseMpiDoesNotKnowTheLauncherSayWhatHelps) {
  const auto other = launcher("shift\nPMI_RANK=0 exec \"$@\"");
  EXPECT_THAT(reason_of(training(64, 2), "openblas", {"--launcher", other.string() + " {ranks}"}),
              AllOf(HasSubstr(" does not know the launcher"), HasSubstr("--mpi=pmix")));
}

TEST_F(RanksTest, WhoseLibraryPrintsAreUnderstood) {
  setenv("BREAKEVEN_PLANTED", "prints", 1);
  result_of(
      Json::array({training(64, 2)}), {"openblas"},
      {"--seconds", "0.05", "--launcher",
       fmt::format("mpirun -np {{ranks}} --bind-to none -x LD_PRELOAD={}", planted("planted-mpi").string())});
}

TEST_F(RanksTest, WithAWrongSumOnOneOfThemAreWrong) {
  setenv("BREAKEVEN_PLANTED", "wrong sum", 1);
  EXPECT_THAT(reason_of({{"op", "all_reduce"}, {"bytes", 64 * 1024}}, "native",
                        {"--launcher", fmt::format("mpirun -np {{ranks}} -x LD_PRELOAD={}",
                                                   planted("planted-mpi").string())}),
              HasSubstr("rank 1 on"));
}

/// MPICH's mpirun tells so on standard output.
TEST_F(RanksTest, WhoseLauncherPrintsWhyItEndsAreTold) {
  const auto printing = launcher("echo '====='; sleep 0.3; echo 'BAD TERMINATION OF ONE OF THEM'; exit 9");
  EXPECT_THAT(reason_of(training(64, 2), "openblas", {"--launcher", printing.string() + " {ranks}"}),
              HasSubstr("ended with exit status 9: BAD TERMINATION OF ONE OF THEM"));
}

TEST_F(RanksTest, NeedALauncher) {
  EXPECT_THAT(reason_of(training(64, 2), "openblas", {"--launcher", "no-such-launcher {ranks}"}),
              HasSubstr("no-such-launcher"));
  const Outcome refused = breakeven(
      {"run", config(Json::array({training(64, 2)}), {"openblas"}).string(), "--launcher", "mpirun -np 2"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("must contain {ranks}"));
}

TEST_F(RanksTest, OfHostsThatCannotBeReachedSayWhy) {
  EXPECT_THAT(reason_of(training(64, 2), "openblas",
                        {"--launcher", "mpirun --host no.such.host.invalid:{ranks} -np {ranks}"}),
              HasSubstr("ended with exit status "));
  const auto failing = launcher(
      "echo 'ssh: Could not resolve hostname no.such.host.invalid: Name or service not known' >&2; exit 255");
  EXPECT_THAT(reason_of(training(64, 2), "openblas", {"--launcher", failing.string() + " {ranks}"}),
              HasSubstr("ended with exit status 255: ssh: Could not resolve hostname no.such.host.invalid"));
}

TEST_F(RanksTest, NeedSlots) {
  prepare_for_mpirun(false);
  EXPECT_THAT(reason_of(training(4096, 4096), "openblas"), HasSubstr("There are not enough slots available"));
}

TEST_F(RanksTest, AreRefusedByProgramsThatDoNotKnowThem) {
  EXPECT_THAT(result_of(Json::array({training(64, 2)}), {"a"}, {}, 0).at("cases")[0].at("status"),
              "unsupported");
}

TEST_F(RanksTest, DivideTheBatchEqually) {
  const Outcome refused = breakeven({"run", config(Json::array({training(65, 2)}), {"openblas"}).string()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("batch is 65 and must be a multiple of the 2 ranks"));
}

TEST_F(RanksTest, LeaveNoProcess) {
  result_of(Json::array({training(65, 5)}), {"openblas"},
            {"--seconds", "0.05", "--launcher",
             "mpirun -np {ranks} --bind-to none " + rank_with_pid_file().string()});
  EXPECT_THAT(ranks_left(5), IsEmpty());
}

}  // namespace
}  // namespace breakeven::cli_tests
