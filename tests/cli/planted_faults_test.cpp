// Tests real backends with a wrong library: a library that is preloaded (tests/planted_faults) computes wrong
// results on demand, and every affected case must be `wrong`, without a speed.
//
// Verification only checks the runs that it requests: see FaultBetweenVerifications below.
#include "cli/driver.h"
#include "unit/idx_files.h"

namespace breakeven::cli_tests {
namespace {

using testing::ContainsRegex;

/// A fault, and a case that it must make wrong.
struct Planted {
  std::string backend, library, fault, problem, reason;
  friend void PrintTo(const Planted& planted, std::ostream* out) {
    *out << planted.fault << " for " << planted.problem << " of " << planted.backend;
  }
};

class PlantedFault : public DriverTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(file("data"));
    write_dataset(file("data"), 64, 32);
  }

  /// The workload of a problem, by its name in this file.
  Json workload(const std::string& problem) const {
    if (problem == "matmul") return {{"op", "matmul"}, {"m", 96}, {"n", "m"}, {"k", "m"}, {"dtype", "f32"}};
    // Without computing, so fast on the slowest machine that no processor could be.
    if (problem == "matmul_large")
      return {{"op", "matmul"}, {"m", 320}, {"n", "m"}, {"k", "m"}, {"dtype", "f32"}};
    if (problem == "matmul_f64")
      return {{"op", "matmul"}, {"m", 96}, {"n", "m"}, {"k", "m"}, {"dtype", "f64"}};
    if (problem == "conv2d") {
      return {{"op", "conv2d"}, {"n", 2}, {"c", 16},  {"h", 14},           {"w", 14},       {"k", 16},
              {"r", 3},         {"s", 3}, {"pad", 1}, {"pass", "forward"}, {"dtype", "f32"}};
    }
    return {{"op", problem},
            {"network", "mlp"},
            {"batch", 32},
            {"data", file("data").string()},
            {"dtype", "f32"}};
  }

  /// Measures one case of a backend, on one thread: with several, products are cut into tiles. Skips the test
  /// if the backend or the preloaded library was not built.
  std::pair<Outcome, Json> measure(const Planted& planted) const {
    const auto path = config(Json::array({workload(planted.problem)}), {planted.backend},
                             {{"max_seconds", 0.1}, {"timeout_seconds", 60}});
    Launch launched = launch({"run", path, "--threads", "1", "--out", file("out.json")});
    launched.environment.emplace_back("LD_PRELOAD", DriverTest::planted(planted.library).string());
    launched.environment.emplace_back("BREAKEVEN_PLANTED", planted.fault);
    const Outcome outcome = run(launched);
    if (!exists(file("out.json"))) return {outcome, Json::object()};
    const Json result = parse_file(file("out.json"));
    if (result.at("cases").size() != 1) return {outcome, Json::object()};
    return {outcome, result.at("cases")[0]};
  }

  void expect_caught(const Planted& planted) const {
    const auto [outcome, row] = measure(planted);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    ASSERT_EQ(row.value("status", ""), "wrong") << row;
    EXPECT_THAT(row.at("reason").get<std::string>(), ContainsRegex(planted.reason));
    EXPECT_TRUE(row.at("seconds").is_null()) << row;
    EXPECT_TRUE(row.at("gflops").is_null()) << row;
  }
  void expect_good(const Planted& planted) const {
    const auto [outcome, row] = measure(planted);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(row.value("status", ""), "ok") << row;
  }
};

std::string name_of_planted(const testing::TestParamInfo<Planted>& info) {
  return test_name(fmt::format("{}_{}_{}", info.param.backend, info.param.problem,
                               info.param.fault.empty() ? "none" : info.param.fault));
}

class PlantedFaultOnCpu : public PlantedFault, public testing::WithParamInterface<Planted> {
 protected:
  void SetUp() override {
    const auto folder = std::filesystem::path(BREAKEVEN_DRIVER).parent_path();
    if (!exists(folder / ("breakeven-backend-" + GetParam().backend)))
      GTEST_SKIP() << GetParam().backend << " was not built";
    PlantedFault::SetUp();
  }
};

constexpr const char* off = "off by [0-9a-z.+-]+ where ";  // or nan
constexpr const char* poison = "^element [0-9]+ is nan and should be ";
constexpr const char* zero = "^element [0-9]+ is -?0 and should be ";  // some kernels multiply by alpha
constexpr const char* projection = "^projection ";  // the elements that were checked are right

using IsCaught = PlantedFaultOnCpu;

TEST_P(IsCaught, AndHasNoSpeed) {
  expect_caught(GetParam());
}

std::vector<Planted> caught() {
  using Faults = std::vector<std::pair<std::string, std::string>>;
  std::vector<Planted> all;
  const auto plant = [&](const std::string& backend, const std::string& library, const std::string& problem,
                         const Faults& faults) {
    for (const auto& [fault, reason] : faults) all.push_back({backend, library, fault, problem, reason});
  };
  for (const char* problem : {"matmul", "matmul_f64"}) {
    plant("openblas", "planted-cblas", problem,
          {{"tf32", off},
           {"bf16", off},
           {"transpose", off},
           {"alpha_zero", zero},
           {"beta_one", poison},
           {"skip", poison},
           {"zeros", zero},
           {"one_element", projection},
           {"last_columns", poison}});
  }
  // The backend's calls depend on tiles and algorithms, and the effect of a call that is left out depends on
  // earlier memory contents.
  for (const char* problem : {"conv2d", "train", "infer"}) {
    plant("openblas", "planted-cblas", problem,
          {{"tf32", off},
           {"bf16", off},
           {"alpha_zero", off},
           {"skip", off},
           {"zeros", off},
           {"one_element", off},
           {"last_columns", off}});
  }
  for (const char* problem : {"matmul", "conv2d"})
    plant("onednn", "planted-onednn", problem, {{"skip", poison}, {"zeros", zero}});
  for (const char* problem : {"train", "infer"})
    plant("onednn", "planted-onednn", problem, {{"skip", off}, {"zeros", off}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, IsCaught, testing::ValuesIn(caught()), name_of_planted);

/// Preloading alone does not make a case wrong, and neither does taking longer.
using NoFault = PlantedFaultOnCpu;

TEST_P(NoFault, IsGood) {
  const auto [outcome, row] = measure(GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(row.value("status", ""), "ok") << row;
  EXPECT_GT(row.at("seconds").at("median"), 0);
}

std::vector<Planted> good() {
  std::vector<Planted> all;
  for (const char* problem : {"matmul", "matmul_f64", "conv2d", "train", "infer"}) {
    for (const char* fault : {"", "needless_copy"})
      all.push_back({"openblas", "planted-cblas", fault, problem, ""});
  }
  for (const char* problem : {"matmul", "conv2d", "train", "infer"})
    all.push_back({"onednn", "planted-onednn", "", problem, ""});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, NoFault, testing::ValuesIn(good()), name_of_planted);

/// Wrong only from the second call on, which the verification after the samples detects.
using FaultAfterVerification = PlantedFaultOnCpu;

TEST_P(FaultAfterVerification, IsSeenAtTheEnd) {
  expect_caught(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultAfterVerification,
                         testing::Values(Planted{"openblas", "planted-cblas", "break_later", "matmul",
                                                 "^when verified again after the samples"}),
                         name_of_planted);

/// A limit of verification: calls that are left out between two verifications only look fast. Here they do so
/// beyond what any processor does. Otherwise they can be detected by a second backend on the same problem.
using FaultBetweenVerifications = PlantedFaultOnCpu;

TEST_P(FaultBetweenVerifications, IsFasterThanAnyProcessor) {
  const auto [outcome, row] = measure(GetParam());
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(row.value("status", ""), "implausible") << row;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultBetweenVerifications,
                         testing::Values(Planted{"openblas", "planted-cblas", "skip_written", "matmul_large",
                                                 ""}),
                         name_of_planted);

/// TF32 where f32 was requested: the error shows which it was.
class PlantedTf32 : public PlantedFaultOnCpu {};

TEST_P(PlantedTf32, HasAnErrorOfItsSize) {
  const Json row = measure(GetParam()).second;
  constexpr double unit_roundoff = 1.0 / 2048;
  EXPECT_GT(row.at("verify").at("error"), unit_roundoff / 10);
  EXPECT_LT(row.at("verify").at("error"), unit_roundoff * 10);
  EXPECT_LT(row.at("verify").at("tolerance"), unit_roundoff / 10);
}

INSTANTIATE_TEST_SUITE_P(Faults, PlantedTf32,
                         testing::Values(Planted{"openblas", "planted-cblas", "tf32", "matmul", ""},
                                         Planted{"openblas", "planted-cblas", "tf32", "conv2d", ""}),
                         name_of_planted);

/// The same for the CUDA backend, on a machine with a GPU.
class GpuPlantedFault : public PlantedFault, public testing::WithParamInterface<Planted> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable("cuda"); !reason.empty()) GTEST_SKIP() << reason;
    PlantedFault::SetUp();
  }
};

TEST_P(GpuPlantedFault, IsCaught) {
  expect_caught(GetParam());
}

std::vector<Planted> caught_on_gpu() {
  const std::string library = "planted-cublaslt";
  std::vector<Planted> all{{"cuda", library, "tf32", "matmul", off},
                           {"cuda", library, "transpose", "matmul", off},
                           {"cuda", library, "alpha_zero", "matmul", zero},
                           {"cuda", library, "skip", "matmul", poison},
                           {"cuda", library, "zeros", "matmul", zero},
                           {"cuda", library, "transpose", "matmul_f64", off},
                           {"cuda", library, "alpha_zero", "matmul_f64", zero},
                           {"cuda", library, "skip", "matmul_f64", poison},
                           {"cuda", "planted-cudnn", "skip", "conv2d", poison}};
  for (const char* problem : {"train", "infer"}) {
    for (const char* fault : {"tf32", "alpha_zero", "skip", "zeros"})
      all.push_back({"cuda", library, fault, problem, off});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, GpuPlantedFault, testing::ValuesIn(caught_on_gpu()), name_of_planted);

using GpuNoFault = GpuPlantedFault;

TEST_P(GpuNoFault, IsGood) {
  expect_good(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Faults, GpuNoFault,
                         testing::Values(Planted{"cuda", "planted-cublaslt", "", "matmul", ""},
                                         Planted{"cuda", "planted-cublaslt", "", "matmul_f64", ""},
                                         Planted{"cuda", "planted-cublaslt", "", "train", ""},
                                         Planted{"cuda", "planted-cublaslt", "", "infer", ""},
                                         Planted{"cuda", "planted-cudnn", "", "conv2d", ""}),
                         name_of_planted);

/// Tests without a GPU that faults are planted into the calls of cuBLASLt; otherwise the tests above would
/// mean nothing.
class PlantedIntoCublasLt : public DriverTest {
 protected:
  /// The arguments of an f32 product that reach a library that only reports them.
  std::string told(const std::string& fault, const std::string& columns = "64") const {
    const std::filesystem::path folder(PLANTED_FAULTS_FOLDER);
    Launch caller = launch({});
    caller.program = folder / "cublaslt-caller";
    caller.environment = {{"LD_PRELOAD", (folder / "planted-cublaslt.so").string()},
                          {"BREAKEVEN_PLANTED", fault},
                          {"BREAKEVEN_PLANTED_COLUMNS", columns}};
    return run(caller).out;
  }
  void SetUp() override {
    if (!exists(std::filesystem::path(PLANTED_FAULTS_FOLDER) / "cublaslt-caller"))
      GTEST_SKIP() << "cuda was not built";
  }
  const std::string good_ = "compute 32F\nfirst as it is\nsecond as it is\nalpha 1, C as given\ndone\n";
};

TEST_F(PlantedIntoCublasLt, NothingChangesNothing) {
  EXPECT_EQ(told(""), good_);
  EXPECT_EQ(told("skip", "63"), good_) << "meant for products of another size";
}

TEST_F(PlantedIntoCublasLt, EachFaultReachesIt) {
  EXPECT_EQ(told("tf32"),
            "compute 32F_FAST_TF32\nfirst as it is\nsecond as it is\nalpha 1, C as given\ndone\n");
  EXPECT_EQ(told("transpose"), "compute 32F\nfirst transposed\nsecond as it is\nalpha 1, C as given\ndone\n");
  EXPECT_EQ(told("alpha_zero"), "compute 32F\nfirst as it is\nsecond as it is\nalpha 0, C as given\ndone\n");
  EXPECT_EQ(told("skip"), "compute 32F\nfirst as it is\nsecond as it is\ndone\n");
  EXPECT_EQ(told("wild"), "compute 32F\nfirst as it is\nsecond as it is\nalpha 1, C elsewhere\ndone\n");
  EXPECT_EQ(told("kill"), "") << "not even what had not been written out yet";
}

}  // namespace
}  // namespace breakeven::cli_tests
