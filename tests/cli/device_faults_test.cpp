// Tests on a machine with a GPU that an error on it costs one case.
//
// faults_test.cpp has the driver's side, with all the ways in which a worker can end.
#include "cli/driver.h"
#include "unit/idx_files.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GpuDeviceFault : public DriverTest {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable("cuda"); !reason.empty()) GTEST_SKIP() << reason;
  }

  /// A run of the products of these sizes, with a fault planted into those of `planted_size`.
  Outcome products_with(const std::string& fault, int planted_size, const std::vector<int>& sizes) const {
    Launch launched = launch({"run", products(sizes, {"cuda"}), "--out", file("out.json")});
    launched.environment.emplace_back("LD_PRELOAD", planted("planted-cublaslt").string());
    launched.environment.emplace_back("BREAKEVEN_PLANTED", fault);
    launched.environment.emplace_back("BREAKEVEN_PLANTED_COLUMNS", std::to_string(planted_size));
    return run(launched);
  }
};

TEST_F(GpuDeviceFault, OutOfMemoryIsAResult) {
  // The larger result needs 512 GiB, which no device has.
  const Json workload{{"op", "matmul"}, {"m", {256, 1 << 18}}, {"n", "m"}, {"k", 16}, {"dtype", "f64"}};
  with_status(4, breakeven({"run", config(Json::array({workload}), {"cuda"}), "--out", file("out.json")}));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))),
              ElementsAre(AllOf(HasSubstr("m=262144/"), HasSubstr(" cuda out_of_memory: "))));
}

/// An invalid address leaves the context unusable: the worker exits, and the next case gets a new one.
TEST_F(GpuDeviceFault, ALostContextCostsOneCase) {
  with_status(4, products_with("wild", 512, {256, 512, 128}));
  EXPECT_THAT(
      not_ok(parse_file(file("out.json"))),
      ElementsAre(AllOf(HasSubstr(product_id(512) + " cuda failed: "), HasSubstr("illegal memory access"),
                        HasSubstr("the device's context is lost"))));
}

/// cuBLASLt has its own CUDA runtime: the backend sees only its status.
TEST_F(GpuDeviceFault, AContextThatIsLostInsideALibraryCostsOneCase) {
  with_status(4, products_with("wild_inside", 512, {256, 512, 128}));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))),
              ElementsAre(AllOf(HasSubstr(product_id(512) + " cuda failed: "),
                                HasSubstr("the device's context is lost: an illegal memory access"))));
}

/// The library does not report this as "out of memory".
TEST_F(GpuDeviceFault, AFullDeviceIsOutOfMemory) {
  with_status(4, products_with("full", 512, {256, 512}));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))),
              ElementsAre(AllOf(HasSubstr(product_id(512) + " cuda out_of_memory: "),
                                HasSubstr("CUBLAS_STATUS_INTERNAL_ERROR"))));
}

TEST_F(GpuDeviceFault, AWorkerKilledInMidKernelCostsOneCase) {
  with_status(4, products_with("kill", 8192, {256, 8192, 128}));
  EXPECT_THAT(
      not_ok(parse_file(file("out.json"))),
      ElementsAre(AllOf(HasSubstr(product_id(8192) + " cuda failed: "), HasSubstr("killed by signal 9"))));
}

/// cuDNN is only opened for a convolution. A version that is too old is as bad as none.
TEST_F(GpuDeviceFault, WithoutCudnnOnlyConvolutionsAreUnsupported) {
  std::filesystem::create_directories(file("data"));
  write_dataset(file("data"), 64, 32);
  const auto network = [&](const char* name) -> Json {
    return {
        {"op", "infer"}, {"network", name}, {"batch", 4}, {"data", file("data").string()}, {"dtype", "f32"}};
  };
  const Json small_product{{"op", "matmul"}, {"m", 256}, {"n", "m"}, {"k", "m"}, {"dtype", "f32"}};
  const Json convolution{{"op", "conv2d"}, {"n", 2}, {"c", 16}, {"h", 14},  {"w", 14},
                         {"k", 16},        {"r", 3}, {"s", 3},  {"pad", 1}, {"pass", "forward"},
                         {"dtype", "f32"}};
  const auto path =
      config(Json::array({small_product, convolution, network("mlp"), network("cnn")}), {"cuda"});
  Launch launched = launch({"run", path, "--out", file("out.json")});
  const char* others = std::getenv("LD_LIBRARY_PATH");
  launched.environment.emplace_back(
      "LD_LIBRARY_PATH", fmt::format("{}/8907:{}", FAKE_CUDNN_FOLDER, others == nullptr ? "" : others));
  with_status(0, run(launched));
  const auto unsupported = [](const char* id) {
    return AllOf(HasSubstr(id),
                 HasSubstr(" cuda unsupported: no cuDNN 9 can be used: libcudnn.so.9 is cuDNN 8.9.7"));
  };
  EXPECT_THAT(not_ok(parse_file(file("out.json"))),
              ElementsAre(unsupported("conv2d/"), unsupported("infer/network=cnn")));
}

TEST_F(GpuDeviceFault, NoneIsSeenWhereNoneIsPlanted) {
  with_status(0, products_with("wild", 511, {256, 512}));
  EXPECT_THAT(not_ok(parse_file(file("out.json"))), IsEmpty());
}

}  // namespace
}  // namespace breakeven::cli_tests
