#include "backends/cuda/capability.h"

#include <gmock/gmock.h>

namespace breakeven::cuda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Capability volta{7, 0}, turing{7, 5}, ampere{8, 0}, ada{8, 9}, hopper{9, 0}, blackwell{12, 0};
const std::vector<Capability> compiled{turing, ampere, ada, hopper};

TEST(CudaCapability, NarrowTypesNeedNewerDevices) {
  const std::vector all{Dtype::f64,  Dtype::f32,    Dtype::tf32, Dtype::f16,
                        Dtype::bf16, Dtype::f8e4m3, Dtype::s8};
  EXPECT_THAT(computed_by(turing, all), ElementsAre(Dtype::f64, Dtype::f32, Dtype::f16, Dtype::s8));
  EXPECT_EQ(computed_by(ampere, all).size(), 6U);
  EXPECT_EQ(computed_by(ada, all), all);
  EXPECT_EQ(computed_by(blackwell, all), all) << "a minor number below 9 of a later major one";
}

TEST(CudaCapability, AnUnsupportedDtypeIsNamedWithTheDevice) {
  EXPECT_EQ(why_not(Dtype::f8e4m3, "NVIDIA T4", turing),
            "f8e4m3 needs compute capability 8.9, NVIDIA T4 has 7.5");
  EXPECT_EQ(why_not(Dtype::bf16, "NVIDIA T4", turing),
            "bf16 needs compute capability 8.0, NVIDIA T4 has 7.5");
  EXPECT_EQ(why_not(Dtype::bf16, "NVIDIA A100", ampere), "");
  EXPECT_EQ(why_not(Dtype::f64, "NVIDIA T4", turing), "");
}

TEST(CudaCapability, AnOlderArchitectureIsNamedWithWhatTheProgramHas) {
  EXPECT_EQ(why_no_code("Tesla V100", volta, compiled),
            "Tesla V100 has compute capability 7.0, and this program is compiled for 7.5 and newer");
  EXPECT_THAT(why_no_code("NVIDIA A100", ampere, {hopper}), AllOf(HasSubstr("8.0"), HasSubstr("9.0")));
}

TEST(CudaCapability, NewerArchitecturesAreCompiledForByTheirDriver) {
  for (const Capability device : {turing, Capability{8, 6}, hopper, blackwell})
    EXPECT_EQ(why_no_code("it", device, compiled), "");
}

TEST(CudaDriver, ThatIsTooOldIsNamedWithTheOneThatIsNeeded) {
  EXPECT_EQ(
      why_driver_is_too_old(12040, 13020),
      "the driver serves CUDA 12.4, this program is of 13.2: install driver 580 or later, or build breakeven "
      "with a toolkit of CUDA 12");
  EXPECT_EQ(why_driver_is_too_old(11040, 12080),
            "the driver serves CUDA 11.4, this program is of 12.8: install driver 525 or later");
}

TEST(CudaDriver, ThatAContainerLacksIsNotTakenForMissing) {
  EXPECT_EQ(why_no_driver(false), "NVIDIA's driver is not installed");
  EXPECT_THAT(why_no_driver(true), AllOf(HasSubstr("libcuda.so.1"), HasSubstr("--gpus all")));
}

}  // namespace
}  // namespace breakeven::cuda
