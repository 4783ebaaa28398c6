// Tests cases that several ranks compute on a GPU each: real programs, started by the real mpirun. Needs two
// GPUs, some tests three, or the emulated device.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// The number of GPUs that programs see: of those that CUDA_VISIBLE_DEVICES names, or of all, without their
/// partitions.
int visible_gpus() {
  const char* const command =
      "if [ -n \"${CUDA_VISIBLE_DEVICES+set}\" ]; then\n"
      "  echo \"$CUDA_VISIBLE_DEVICES\" | tr ',' '\\n' | grep -c '[^[:space:]]'\n"
      "else\n"
      "  nvidia-smi -L | grep -c '^GPU '\n"
      "fi";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command, "r"), pclose);
  int count = 0;
  return pipe && std::fscanf(pipe.get(), "%d", &count) == 1 ? count : 0;
}

class GpuRanks : public DriverTest {
 protected:
  void SetUp() override {
    if (std::system("mpirun --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no mpirun (Debian: openmpi-bin)";
    if (is_emulated()) {
      setenv("EMULATED_CUDA_DEVICES", "3", 1);
      setenv("BREAKEVEN_NCCL",
             fmt::format("{}/nccl/libnccl.so.2", std::getenv("BREAKEVEN_EMULATED_CUDA")).c_str(), 1);
      gpus_ = 3;
    } else if (const auto reason = why_unavailable("cuda"); !reason.empty()) {
      GTEST_SKIP() << reason;
    } else {
      gpus_ = visible_gpus();
      if (gpus_ < 2) GTEST_SKIP() << "needs two GPUs";
    }
    prepare_for_mpirun();
  }

  void TearDown() override {
    for (const auto* variable : {"BREAKEVEN_NCCL", "BREAKEVEN_NCCL_SECONDS", "BREAKEVEN_CUDA_AWARE_MPI",
                                 "EMULATED_NCCL_FAULT", "EMULATED_CUDA_LATE_GATES"})
      unsetenv(variable);
  }

  static bool is_emulated() { return std::getenv("BREAKEVEN_EMULATED_CUDA") != nullptr; }

  Json result_of(const Json& workloads, int status = 0, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{
        "run", config(workloads, {"cuda"}, {{"max_seconds", 0.05}, {"timeout_seconds", 60}}), "--out",
        file("result.json").string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = breakeven(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    return parse_file(file("result.json"));
  }

  /// The options of a run whose two ranks are programs of different environments: "-x NAME=VALUE ...".
  std::vector<std::string> with_unlike_ranks(const std::string& first, const std::string& second) const {
    const auto launcher = write(
        "launch",
        fmt::format("#!/bin/bash\nshift\nexec mpirun -np 1 {} \"$@\" : -np 1 {} \"$@\"\n", first, second));
    std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
    return {"--launcher", launcher.string() + " {ranks}"};
  }

  int gpus_ = 0;
};

class SlowGpuRanks : public GpuRanks {};

Json training(int ranks, const Json& more = Json::object()) {
  Json workload{{"op", "train"}, {"network", "mlp"}, {"width", 16}, {"batch", 64}, {"ranks", ranks}};
  workload.update(more);
  return workload;
}

std::vector<double> losses_of(const Json& row) {
  return row.at("training").at("loss").get<std::vector<double>>();
}

/// A library that moves the data, chosen by a variable of the environment.
struct Route {
  const char* name;
  const char* variable;
  const char* value;
  const char* library;  // in the algorithm's name
};

class GpuRanksBy : public GpuRanks, public testing::WithParamInterface<Route> {
 protected:
  void SetUp() override {
    GpuRanks::SetUp();
    if (IsSkipped()) return;
    const std::string variable = GetParam().variable;
    if (variable.empty()) return;
    if (GetParam().value == std::string("1") && !is_emulated())
      GTEST_SKIP() << "few MPIs read a GPU's memory";
    setenv("BREAKEVEN_NCCL", "none", 1);
    setenv(variable.c_str(), GetParam().value, 1);
  }
};

/// Parameters fill several buckets. The first ones are added up while others are computed.
TEST_P(GpuRanksBy, LearnRightly) {
  Json trainings = Json::array();
  for (const bool overlap : {true, false})
    trainings.push_back(training(2, {{"overlap", overlap}, {"width", 512}, {"batch", 8}, {"tuned", false}}));
  const Json result = result_of(trainings);
  EXPECT_THAT(not_ok(result), IsEmpty());
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_THAT(
        result.at("cases")[i].at("algorithm"),
        AllOf(HasSubstr(GetParam().library), HasSubstr(i == 0 ? "in buckets" : "after the backward pass")));
  }
}

TEST_P(GpuRanksBy, ExchangeDataRightly) {
  Json workloads = Json::array();
  for (const auto* op : {"all_reduce", "all_gather", "broadcast"}) {
    for (int ranks = 2; ranks <= std::min(gpus_, 3); ++ranks)
      workloads.push_back({{"op", op}, {"bytes", 192 * 1024}, {"ranks", ranks}});
  }
  const Json result = result_of(workloads);
  EXPECT_THAT(not_ok(result), IsEmpty());
  for (const Json& row : result.at("cases")) EXPECT_THAT(row.at("algorithm"), HasSubstr(GetParam().library));
}

INSTANTIATE_TEST_SUITE_P(
    Routes, GpuRanksBy,
    testing::Values(Route{"Nccl", "", "", "NCCL"},
                    Route{"HostMemory", "BREAKEVEN_CUDA_AWARE_MPI", "0", "through host memory"},
                    Route{"DeviceMemory", "BREAKEVEN_CUDA_AWARE_MPI", "1", "from device memory"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(SlowGpuRanks, LearnAsOneDoes) {
  const Json epoch{{"epochs", 1}, {"batch", 2048}};
  const Json result = result_of(Json::array({training(1, epoch), training(2, epoch)}));
  ASSERT_THAT(not_ok(result), IsEmpty());
  const auto one = losses_of(result.at("cases")[0]), two = losses_of(result.at("cases")[1]);
  ASSERT_EQ(one.size(), 29U);
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t step = 0; step < one.size(); ++step) EXPECT_NEAR(two[step] / one[step], 1, 1e-5) << step;
}

/// Steps that are enqueued one after another, without a graph: each waits for its sums.
TEST_F(SlowGpuRanks, LearnAsOneDoesWithoutGraphs) {
  const Json epoch{{"epochs", 1}, {"batch", 2048}, {"width", 8}, {"graph", false}};
  const Json result = result_of(Json::array({training(1, epoch), training(2, epoch)}));
  ASSERT_THAT(not_ok(result), IsEmpty());
  EXPECT_NEAR(losses_of(result.at("cases")[1]).back() / losses_of(result.at("cases")[0]).back(), 1, 1e-5);
}

TEST_F(SlowGpuRanks, OfEveryNetworkComputeRightResults) {
  const auto network = [](const char* name, const char* dtype, int ranks) {
    return Json{{"op", "train"}, {"network", name}, {"batch", 6}, {"ranks", ranks}, {"dtype", dtype}};
  };
  const int most = gpus_ >= 3 ? 3 : 2;
  const Json result = result_of(Json::array({network("cnn", "f16", 2), network("transformer", "bf16", most),
                                             network("lenet", "f32", 2), training(2, {{"graph", false}})}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  for (const Json& row : result.at("cases"))
    EXPECT_EQ(row.at("conditions").at("ranks").size(), row.at("params").at("ranks"));
}

TEST_F(SlowGpuRanks, ThatAreDeterministicRepeatTheirLossesBitForBit) {
  const int ranks = gpus_ >= 3 ? 3 : 2;
  const Json workloads =
      Json::array({training(ranks, {{"batch", 683 * ranks}, {"deterministic", true}, {"epochs", 1}})});
  const auto losses = [&] {
    const Json row = result_of(workloads).at("cases")[0];
    EXPECT_THAT(row.at("algorithm"), HasSubstr("in the order of ranks"));
    return losses_of(row);
  };
  EXPECT_EQ(losses(), losses());
}

TEST_F(GpuRanks, WithoutNcclSayWhyTheyCommunicateByMpi) {
  setenv("BREAKEVEN_NCCL", "/no/such/libnccl.so.2", 1);
  const Json result = result_of(Json::array({training(2)}));
  EXPECT_THAT(not_ok(result), IsEmpty());
  const std::string cuda = result.at("backends")[0].at("libraries").at("cuda");
  EXPECT_THAT(
      result.at("cases")[0].at("warnings").dump(),
      AllOf(HasSubstr("NCCL cannot be used: /no/such/libnccl.so.2"), HasSubstr("ranks communicate by "),
            HasSubstr("nvidia-nccl-cu" + cuda.substr(0, cuda.find('.')) + ")")));
}

TEST_F(GpuRanks, EndWithTheMessageOfNccl) {
  if (!is_emulated()) GTEST_SKIP() << "only the emulated NCCL fails on demand";
  for (const auto* fault : {"init", "sum", "network"}) {
    setenv("EMULATED_NCCL_FAULT", fault, 1);
    const Json result = result_of(Json::array({training(2)}), 4);
    EXPECT_THAT(
        result.at("cases")[0].at("reason"),
        AllOf(HasSubstr("an emulated error (as EMULATED_NCCL_FAULT asked)"), HasSubstr("rank 1 on ")));
  }
}

TEST_F(GpuRanks, OfWhichOneRefusesSayWhichAndWhy) {
  if (!is_emulated()) GTEST_SKIP() << "needs GPUs of unlike memory";
  const Json result = result_of(Json::array({Json{{"op", "all_reduce"}, {"bytes", 16 << 20}, {"ranks", 2}}}),
                                4, with_unlike_ranks("", "-x EMULATED_CUDA_MEMORY=8388608"));
  const Json& row = result.at("cases")[0];
  EXPECT_EQ(row.at("status"), "out_of_memory");
  EXPECT_THAT(row.at("reason"), AllOf(HasSubstr("rank 1 on "), HasSubstr(" GiB")));
}

/// Ranks begin late for a moment, as when one loads a library: their later times are the device's still.
TEST_F(GpuRanks, WhoseGatesGiveUpKeepTheDevicesClockUntilTheThirdInARow) {
  if (!is_emulated()) GTEST_SKIP() << "only emulated gates give up on demand";
  const Json all_reduce = Json::array({Json{{"op", "all_reduce"}, {"bytes", 192 * 1024}, {"ranks", 2}}});
  const auto warnings_after = [&](const char* late_gates) {
    setenv("EMULATED_CUDA_LATE_GATES", late_gates, 1);
    const Json result =
        result_of(all_reduce, 0, {"--seconds", "3"});  // several samples on a busy machine, too
    EXPECT_THAT(not_ok(result), IsEmpty());
    return result.at("cases")[0].at("warnings").dump();
  };
  EXPECT_THAT(warnings_after("2"), testing::Not(HasSubstr("by the host's clock")));
  EXPECT_THAT(warnings_after("3"), AllOf(HasSubstr("by the host's clock"),
                                         HasSubstr("another rank began its work over a second later")));
}

TEST_F(GpuRanks, DoNotShareAGpu) {
  if (!is_emulated()) GTEST_SKIP() << "needs a machine with one GPU";
  setenv("EMULATED_CUDA_DEVICES", "1", 1);
  const Json result = result_of(Json::array({training(2)}), 4);
  EXPECT_THAT(result.at("cases")[0].at("reason"), HasSubstr("start one rank for each GPU"));
}

TEST_F(GpuRanks, ComputeOnGpusOfOneModel) {
  if (!is_emulated()) GTEST_SKIP() << "needs GPUs of different models";
  const Json result = result_of(Json::array({training(2)}), 4,
                                with_unlike_ranks("", "-x EMULATED_CUDA_NAME='emulated T400'"));
  EXPECT_THAT(result.at("cases")[0].at("reason"),
              AllOf(HasSubstr("rank 1 on "),
                    HasSubstr(": computes on emulated T400, and rank 0 on emulated Hopper")));
}

/// Slurm hides the GPUs of other ranks with --gpus-per-task.
TEST_F(GpuRanks, ThatSeeOneGpuEachSayWhatHelpsNccl) {
  if (!is_emulated()) GTEST_SKIP() << "only the emulated NCCL fails on demand";
  setenv("EMULATED_CUDA_DEVICES", "1", 1);
  setenv("EMULATED_NCCL_FAULT", "sum", 1);
  const Json result =
      result_of(Json::array({training(2)}), 4, with_unlike_ranks("", "-x EMULATED_CUDA_FIRST=1"));
  EXPECT_THAT(result.at("cases")[0].at("reason"),
              AllOf(HasSubstr("an emulated error"), HasSubstr("--gpu-bind=none"), HasSubstr("rank 1 on ")));
}

TEST_F(GpuRanks, ThatNcclDoesNotConnectEndAndAreNotStartedAgain) {
  if (!is_emulated()) GTEST_SKIP() << "only the emulated NCCL fails on demand";
  setenv("BREAKEVEN_NCCL_SECONDS", "1.5", 1);
  for (const auto* fault : {"stall", "spin"}) {
    setenv("EMULATED_NCCL_FAULT", fault, 1);
    const Json result = result_of(Json::array({training(2), training(2, {{"batch", 32}})}), 4);
    const auto reason = [&](std::size_t i) { return result.at("cases")[i].at("reason").get<std::string>(); };
    EXPECT_THAT(reason(0), AllOf(HasSubstr("NCCL has not connected the ranks within 1.5 s"),
                                 AnyOf(HasSubstr("rank 0 on "), HasSubstr("rank 1 on "))));
    EXPECT_EQ(reason(1), "as an earlier case: " + reason(0));
  }
}

TEST_F(GpuRanks, OfWhichOneLosesItsContextSayWhich) {
  if (!is_emulated()) GTEST_SKIP() << "a launcher plants the fault into one rank";
  for (const int lost : {0, 1}) {
    const std::string fault =
        fmt::format("-x LD_PRELOAD={} -x BREAKEVEN_PLANTED=wild", planted("planted-cublaslt").string());
    const Json result = result_of(Json::array({training(2)}), 4,
                                  with_unlike_ranks(lost == 0 ? fault : "", lost == 1 ? fault : ""));
    EXPECT_THAT(result.at("cases")[0].at("reason"), AllOf(HasSubstr(fmt::format("rank {} on ", lost)),
                                                          HasSubstr("the device's context is lost")));
  }
}

/// Both GPUs are near one CPU, whatever the number of threads.
TEST_F(GpuRanks, StayNearTheirGpusAndAreCountedOnACardInExclusiveMode) {
  if (!is_emulated()) GTEST_SKIP() << "needs a scripted NVML";
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  if (CPU_COUNT(&set) < 2) GTEST_SKIP() << "there is one CPU";
  int first = 0;
  while (!CPU_ISSET(first, &set)) ++first;
  const Json near{{"GPU-00000000-0000-0000-0000-000000000000", {first}},
                  {"GPU-00000000-0000-0000-0000-000000000001", {first}}};
  Launch launched = launch({"run", config(Json::array({training(1), training(2)}), {"cuda"}), "--out",
                            file("result.json"), "--seconds", "0.05", "--threads", "2"});
  launched.environment.emplace_back("LD_LIBRARY_PATH", FAKE_NVML);
  launched.environment.emplace_back("FAKE_NVML", Json{{"near_cpus", near}}.dump());
  with_status(0, run(launched));
  const Json result = parse_file(file("result.json"));
  for (const Json& row : result.at("cases")) EXPECT_EQ(row.at("conditions").at("cpus"), Json({first}));
  EXPECT_THAT(result.at("warnings").dump(),
              AllOf(HasSubstr("2 programs of this run compute on it"), HasSubstr("one number of ranks")));
}

}  // namespace
}  // namespace breakeven::cli_tests
