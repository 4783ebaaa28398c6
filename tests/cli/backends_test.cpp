// Tests the real backends beside the driver, and the conformance of every program.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

#include "cli/driver.h"
#include "unit/idx_files.h"
#include "unit/variable_for_now.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The names of the backends that have been built, from the programs beside the driver.
std::vector<std::string> built_backends() {
  constexpr std::string_view prefix = "breakeven-backend-";
  std::vector<std::string> names;
  const auto folder = std::filesystem::path(BREAKEVEN_DRIVER).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename();
    if (file.starts_with(prefix) && access(entry.path().c_str(), X_OK) == 0 && !entry.is_directory())
      names.push_back(file.substr(prefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// True for a program that is built wherever CMake runs, and needs something that a machine may lack: a
/// Python framework, or a GPU. Any other program was linked with everything it needs.
bool may_be_unavailable(const std::string& name) {
  return name.ends_with("cuda") || name.ends_with("cuda-compiled") || name.starts_with("pytorch") ||
         name.starts_with("jax") || name.starts_with("tensorflow");
}

class SlowBuiltBackend : public DriverTest, public testing::WithParamInterface<std::string> {};

TEST_P(SlowBuiltBackend, Conforms) {
  const std::string why = GetParam() == "reference" ? "" : why_unavailable(GetParam());
  if (!why.empty()) {
    ASSERT_TRUE(may_be_unavailable(GetParam())) << why;
    GTEST_SKIP() << why;
  }
  const auto program =
      std::filesystem::path(BREAKEVEN_DRIVER).parent_path() / ("breakeven-backend-" + GetParam());
  std::vector<std::string> command{"conformance", program, "--timeout", "200"};
  // All cases of a framework take up to a quarter of an hour. Its own tests, peer_*_test.py, compare all
  // operations, networks and types of products with the reference, on CPUs.
  if (GetParam().ends_with("cuda")) {
    command.insert(command.end(), {"--filter", "b?f(16|32)"});
  } else if (may_be_unavailable(GetParam())) {
    command.insert(command.end(), {"--filter", "(matmul|copy|conv2d.*forward|infer.*mlp).*f32"});
  }
  Process process(launch(command));
  EXPECT_THAT(with_status(0, process.wait(std::chrono::seconds(1000))).out, HasSubstr(" 0 failed"));
}

INSTANTIATE_TEST_SUITE_P(Programs, SlowBuiltBackend, testing::ValuesIn(built_backends()),
                         [](const auto& name) { return test_name(name.param); });

class BackendsTest : public DriverTest {
 protected:
  /// The simulated backend in the test's folder of backends.
  std::string simulated() const { return file("backends") / "breakeven-backend-a"; }
};

/// If CMake no longer finds a backend's library, there would only be fewer tests. BREAKEVEN_EXPECTED_BACKENDS
/// names the backends that must be available on this machine, separated by spaces.
TEST_F(BackendsTest, ThoseThatAreExpectedAreAvailable) {
  const char* named = std::getenv("BREAKEVEN_EXPECTED_BACKENDS");
  std::istringstream names(named != nullptr ? named : "native reference");
  std::set<std::string> available;
  const Json devices = parse(breakeven({"devices", "--json"}).out);
  for (const auto& backend : devices.at("backends")) {
    if (backend.at("available") == true) available.insert(backend.at("name"));
  }
  for (std::string name; names >> name;) EXPECT_THAT(available, testing::Contains(name));
}

TEST_F(BackendsTest, WhatMakesOneSlowerHereIsShown) {
  const std::string says = "warning=its kernels are for another processor";
  EXPECT_THAT(breakeven({"devices"}, says).out, HasSubstr("warning: its kernels are for another processor"));
  const Json result = result_of_run(products({8, 16}, {"a"}), says);
  const Json& warnings = result.at("warnings");
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), "a: its kernels are for another processor"), 1);
  EXPECT_EQ(result.at("backends").at(0).at("warnings"),
            Json::array({"its kernels are for another processor"}));
  EXPECT_THAT(breakeven({"report", write("result.json", result.dump())}).out,
              HasSubstr("a: its kernels are for another processor"));
}

TEST_F(BackendsTest, ThreadsThatDoNotSleepBetweenSamplesAreNamed) {
  const auto path = products({8}, {"a"}, {{"max_seconds", 0.05}, {"placement", "free"}});
  const auto warnings = [&](const std::string& simulated) {
    return find_case(result_of_run(path, simulated), product_id(8), "a").at("warnings").dump();
  };
  const std::string busy =
      "its threads were still busy 50 ms after a sample: they disturb the other backends";
  EXPECT_THAT(warnings("busy=1"), HasSubstr(busy));
  EXPECT_THAT(warnings(""), Not(HasSubstr(busy)));
}

TEST_F(BackendsTest, AreToldNotToSpinUnlessTheUserSaysHowLong) {
  const auto program =
      write("backends/breakeven-backend-tells",
            "#!/bin/bash\nread -r line\necho '{\"ok\":false,\"status\":\"failed\",\"reason\":\"spins '"
            "$GOMP_SPINCOUNT,$KMP_BLOCKTIME,$OPENBLAS_THREAD_TIMEOUT'.\"}'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const VariableForNow no_count("GOMP_SPINCOUNT", nullptr), no_time("KMP_BLOCKTIME", nullptr),
      no_timeout("OPENBLAS_THREAD_TIMEOUT", nullptr);
  EXPECT_THAT(why_unavailable("tells"), HasSubstr("spins 5000,0,18."));
  const VariableForNow count("GOMP_SPINCOUNT", "77"), time("KMP_BLOCKTIME", "");
  EXPECT_THAT(why_unavailable("tells"), HasSubstr("spins 77,,18."));
}

TEST_F(BackendsTest, WhatTheEnvironmentSetsIsInTheResult) {
  const auto measured = [&](const char* name, const std::string& kernels) {
    Launch started = launch({"run", products({8}, {"a"}), "--out", file(name), "--quiet"});
    started.environment.emplace_back("OPENBLAS_CORETYPE", kernels);
    EXPECT_EQ(run(started).status, 0);
    return parse_file(file(name));
  };
  const Json haswell = measured("haswell.json", "Haswell");
  EXPECT_EQ(haswell.at("host").at("environment").at("OPENBLAS_CORETYPE"), "Haswell");
  EXPECT_THAT(haswell.at("warnings").dump(), HasSubstr("OPENBLAS_CORETYPE=Haswell"));
  measured("prescott.json", "Prescott");
  const Outcome compared = breakeven({"compare", file("haswell.json"), file("prescott.json")});
  EXPECT_THAT(compared.out + compared.err, HasSubstr("different OPENBLAS_CORETYPE: Haswell →"));
}

TEST_F(BackendsTest, TheExampleOfTheDocumentationConforms) {
  Launch python = launch({"python3", "--version"});
  python.program = "/usr/bin/env";
  if (run(python).status != 0) GTEST_SKIP() << "no python3 here";
  const auto example = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "docs" / "example-backend.py";
  with_status(0, breakeven({"conformance", example}));
}

TEST_F(BackendsTest, SimulatedConforms) {
  with_status(0, breakeven({"conformance", simulated()}, "supports=matmul"));
}

TEST_F(BackendsTest, ConformanceOfSomeCases) {
  const Outcome some =
      breakeven({"conformance", simulated(), "--verbose", "--filter", "transpose.*f32$"}, "supports=matmul");
  EXPECT_EQ(some.status, 0) << some.out << some.err;
  EXPECT_THAT(some.out, AllOf(testing::ContainsRegex("passed +matmul/.*transpose.*f32\n"),
                              Not(HasSubstr("f64\n")), HasSubstr("ends when asked to quit")));
  const Outcome none = breakeven({"conformance", simulated(), "--filter", "conv2d"}, "supports=matmul");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--filter conv2d: finds none of this program's cases"));
}

TEST_F(BackendsTest, ConformanceOfWhatIsNoProgramIsAnError) {
  EXPECT_EQ(breakeven({"conformance", file("nosuch")}).status, 2);
  EXPECT_EQ(breakeven({"conformance", folder_.path()}).status, 2);
  EXPECT_EQ(breakeven({"conformance", write("text", "words")}).status, 2);
}

struct Breach {
  std::string settings, message;
  friend void PrintTo(const Breach& breach, std::ostream* out) { *out << breach.settings; }
};

class Nonconformance : public BackendsTest, public testing::WithParamInterface<Breach> {};

TEST_P(Nonconformance, IsNamed) {
  const Outcome outcome = breakeven({"conformance", simulated(), "--timeout", "5"},
                                    "supports=matmul,case=matmul/m=64/n=48/k=32/f32," + GetParam().settings);
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("FAILED  matmul/m=64/n=48/k=32/f32: "),
                                 HasSubstr(GetParam().message), HasSubstr(" 1 failed")));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, Nonconformance,
    testing::Values(Breach{"at=prepare,fault=exit", "ended with exit status 7"},
                    Breach{"at=prepare,fault=rubbish", "not a JSON object"},
                    Breach{"at=prepare,fault=refuse", "it was told to refuse"},
                    Breach{"at=verify,fault=signal", "was killed by signal 9"},
                    Breach{"at=verify,fault=wrong", "wrong: element 0"},
                    Breach{"at=verify,fault=nan", "wrong: element 0 is nan"},
                    Breach{"at=verify,fault=fewer_elements", "values were shown where"},
                    Breach{"at=verify,nth=2,fault=wrong", "wrong: element 0"},
                    Breach{"at=sample,fault=hang", "no answer within 5 s"},
                    Breach{"at=sample,fault=null_seconds", "'seconds'"},
                    Breach{"at=sample,fault=negative_seconds", "must be above 0"},
                    Breach{"at=sample,fault=wrong_iterations", "iterations where"},
                    Breach{"at=sample,fault=print", "sent a line that nobody asked for: \"Some"},
                    Breach{"at=release,fault=twice", "sent a line that nobody asked for"},
                    Breach{"at=sample,fault=half_line", "ended with exit status 0"},
                    Breach{"at=sample,fault=long_line", "more than 1 MiB"},
                    Breach{"at=release,fault=close", "closed its output"},
                    Breach{"at=release,fault=refuse", "it was told to refuse"}),
    [](const auto& breach) { return test_name(breach.param.settings); });

TEST_F(BackendsTest, NonconformanceOutsideOfCasesIsNamed) {
  const Outcome hello = breakeven({"conformance", simulated()}, "supports=matmul,at=hello,fault=protocol");
  EXPECT_EQ(hello.status, 1);
  EXPECT_THAT(hello.out, HasSubstr("FAILED  hello"));
  const Outcome quit = breakeven({"conformance", simulated()}, "supports=matmul,at=quit,fault=exit");
  EXPECT_EQ(quit.status, 1);
  EXPECT_THAT(quit.out, HasSubstr("FAILED  ends when asked to quit"));
  EXPECT_THAT(
      with_status(1, breakeven({"conformance", simulated()}, "supports=matmul,at=quit,fault=twice")).out,
      HasSubstr("FAILED  ends when asked to quit: broke the protocol: sent a line that nobody"));
}

/// Without a race every process computes in the same way: noise must not influence what a gate compares.
TEST_F(BackendsTest, UntunedTheWayIsTheLibrarysFirst) {
  for (const char* backend : {"openblas", "onednn"}) {
    if (const auto why = why_unavailable(backend); !why.empty()) GTEST_SKIP() << why;
  }
  const auto path =
      config({{{"op", "matmul"}, {"m", 96}, {"n", 96}, {"k", 96}, {"dtype", "f32"}, {"tuned", false}},
              {{"op", "conv2d"},
               {"n", 1},
               {"c", 16},
               {"h", 14},
               {"w", 14},
               {"k", 16},
               {"r", 3},
               {"s", 3},
               {"pad", 1},
               {"dtype", "f32"},
               {"tuned", false}}},
             {"openblas", "onednn"}, {{"max_seconds", 0.05}, {"launches", 3}});
  const Json result = result_of_run(path);
  EXPECT_THAT(result.at("cases"), testing::SizeIs(4)) << "two operations of two backends";
  for (const Json& row : result.at("cases")) {
    EXPECT_EQ(row.at("status"), "ok") << row.at("id") << row.at("reason");
    EXPECT_THAT(row.at("algorithm").get<std::string>(), Not(HasSubstr("tuned"))) << row.at("backend");
    EXPECT_THAT(row.at("warnings").dump(), Not(HasSubstr("several algorithms")));
  }
}

/// For a product with one row or one column, gemm and gemv are raced; for an outer product, gemm and ger.
TEST_F(BackendsTest, RoutinesForVectorsAreRacedAndRight) {
  if (const auto why = why_unavailable("openblas"); !why.empty()) GTEST_SKIP() << why;
  std::filesystem::create_directories(file("data"));
  write_dataset(file("data"), 64, 32);
  const auto product = [](int m, int n, int k, const Json& others) {
    Json workload{{"op", "matmul"}, {"m", m}, {"n", n}, {"k", k}, {"dtype", "f32"}};
    workload.update(others);
    return workload;
  };
  const Json both{false, true};
  const auto network = [&](const char* op) {
    return Json{
        {"op", op}, {"network", "mlp"}, {"batch", 1}, {"data", file("data").string()}, {"dtype", "f32"}};
  };
  const auto path = config({product(1, 512, 784, {{"transpose_a", both}, {"transpose_b", both}}),
                            product(512, 1, 784, {{"transpose_a", both}, {"transpose_b", both}}),
                            product(1, 65, 129, {{"batch", 3}, {"dtype", {"f64", "bf16"}}}),
                            product(65, 129, 1, {{"transpose_a", both}, {"transpose_b", both}}),
                            network("train"), network("infer")},
                           {"openblas"}, {{"max_seconds", 0.01}});
  const Json result = result_of_run(path);
  EXPECT_THAT(not_ok(result), testing::IsEmpty());
  for (const Json& row : result.at("cases")) {
    EXPECT_THAT(row.at("algorithm").get<std::string>(),
                AllOf(testing::ContainsRegex("gemm|gemv|ger"), HasSubstr("tuned")))
        << row.at("id");
  }
}

/// A race decided by noise once selected stores past the caches for a copy of 256 KiB, at a third of the
/// speed.
TEST_F(BackendsTest, ArraysThatFitTheCachesAreNotStoredPastThem) {
  const auto path =
      config({{{"op", "copy"}, {"direction", "within"}, {"bytes", 262144}, {"dtype", {"f32", "f64"}}},
              {{"op", "triad"}, {"bytes", 262144}, {"dtype", {"f32", "f64"}}},
              {{"op", "read"}, {"bytes", 262144}, {"dtype", "f32"}}},
             {"native"}, {{"max_seconds", 0.01}});
  const Json result = result_of_run(path);
  EXPECT_EQ(result.at("cases").size(), 5U);
  for (const Json& row : result.at("cases"))
    EXPECT_THAT(row.at("algorithm").get<std::string>(), Not(HasSubstr("past"))) << row.at("id");
}

/// This is checked before allocating: a machine that overcommits would kill a process instead.
TEST_F(BackendsTest, AProductLargerThanMemoryIsOutOfMemory) {
  const auto path = products({8, 400000}, {"reference"}, {{"timeout_seconds", 60}});
  const Outcome outcome = with_status(4, breakeven({"run", path, "--out", "-"}));
  const Json result = parse(outcome.out);
  const Json large = find_case(result, product_id(400000), "reference");
  EXPECT_EQ(large.at("status"), "out_of_memory");
  EXPECT_THAT(large.at("reason").get<std::string>(), AllOf(HasSubstr("needs "), HasSubstr("available")));
  EXPECT_EQ(find_case(result, product_id(8), "reference").at("status"), "ok");
}

/// A race holds several copies: what fits once only is refused before any memory is allocated.
TEST_F(BackendsTest, SlowConvolutionsWhoseRaceDoesNotFitAreOutOfMemory) {
  if (const auto reason = why_unavailable("onednn"); !reason.empty()) GTEST_SKIP() << reason;
  constexpr std::int64_t image = std::int64_t{4} * 2 * 64 * 56 * 56;  // bytes of source and result
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const Json workloads = Json::array({{{"op", "conv2d"},
                                       {"n", memory * 4 / 10 / image},
                                       {"c", 64},
                                       {"h", 56},
                                       {"w", 56},
                                       {"k", 64},
                                       {"r", 3},
                                       {"s", 3},
                                       {"pad", 1}}});
  const Json result =
      parse(with_status(
                4, breakeven({"run", config(workloads, {"onednn"}, {{"timeout_seconds", 60}}), "--out", "-"}))
                .out);
  EXPECT_EQ(result.at("cases")[0].at("status"), "out_of_memory") << result.at("cases")[0].at("reason");
}

/// Each damaged data set costs its case, whose reason names the file and the remedy.
TEST_F(BackendsTest, DamagedDataCostsItsCaseAlone) {
  const auto dataset = [&](const std::string& name) {
    std::filesystem::create_directories(file(name));
    write_dataset(file(name), 64, 32);
    return file(name);
  };
  const std::string images = "train-images-idx3-ubyte", labels = "train-labels-idx1-ubyte";
  const std::vector<std::pair<std::string, std::string>> damaged{
      {"cut_short", images}, {"another_kind", images}, {"missing", labels}, {"corrupt", images + ".gz"}};
  std::filesystem::resize_file(dataset("cut_short") / images, 1000);
  write_file(dataset("another_kind") / images, "GIF89a, and no IDX file");
  std::filesystem::remove(dataset("missing") / labels);
  const auto plain = dataset("corrupt") / images;
  const auto packed = file("corrupt") / (images + ".gz");
  write_gzip(packed, read_file(plain));
  std::filesystem::remove(plain);
  std::string bytes = read_file(packed);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  write_file(packed, bytes);

  Json folders = Json::array();
  for (const auto& [folder, culprit] : damaged) folders.push_back(file(folder).string());
  const auto path =
      config({{{"op", "train"}, {"network", "mlp"}, {"batch", 4}, {"data", folders}, {"dtype", "f32"}},
              {{"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}, {"dtype", "f32"}}},
             {"reference"});
  const Outcome outcome = with_status(4, breakeven({"run", path, "--out", "-"}));
  const auto failures = not_ok(parse(outcome.out));
  ASSERT_EQ(failures.size(), damaged.size()) << "the product is good";
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    const auto& [folder, culprit] = damaged[i];
    EXPECT_THAT(failures[i], AllOf(HasSubstr("train/"), HasSubstr(file(folder).string()), HasSubstr("failed"),
                                   HasSubstr(culprit), HasSubstr("apt-get install dataset-fashion-mnist")));
  }
}

}  // namespace
}  // namespace breakeven::cli_tests
