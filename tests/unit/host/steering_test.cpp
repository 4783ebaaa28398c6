#include <gmock/gmock.h>

#include <array>

#include "host/library_variables.h"
#include "unit/variable_for_now.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(SteeringVariables, AreThoseThatLibrariesHeed) {
  const std::array<const char*, 9> environment{"HOME=/home/user",
                                               "OPENBLAS_CORETYPE=Haswell",
                                               "CUDA_HOME=/usr/local/cuda",
                                               "CUDA_VISIBLE_DEVICES=",
                                               "TF_CLI_CONFIG_FILE=/home/user/.terraformrc",
                                               "TF_ENABLE_ONEDNN_OPTS=0",
                                               "XLA_FLAGS=--a=b --c=d",
                                               "no equals sign",
                                               nullptr};
  EXPECT_THAT(steering_variables(environment.data()),
              ElementsAre(Pair("CUDA_VISIBLE_DEVICES", ""), Pair("OPENBLAS_CORETYPE", "Haswell"),
                          Pair("TF_ENABLE_ONEDNN_OPTS", "0"), Pair("XLA_FLAGS", "--a=b --c=d")));
}

/// Images set variables of builds, and launchers of MPI those of a job.
TEST(SteeringVariables, AreNotThoseOfBuildsAndJobs) {
  for (const char* name :
       {"NCCL_P2P_DISABLE", "NCCL_SOCKET_IFNAME", "UCX_TLS", "OMPI_MCA_btl_tcp_if_include",
        "OMPI_MCA_coll_hcoll_enable", "I_MPI_FABRICS", "GLOO_SOCKET_IFNAME", "NCCL_TOPO_FILE"}) {
    EXPECT_TRUE(steers_libraries(name)) << name;
    EXPECT_TRUE(steers_ranks_alone(name)) << name;
  }
  EXPECT_FALSE(steers_ranks_alone("OMP_NUM_THREADS"));
  for (const char* name : {"CUDA_VERSION", "NCCL_VERSION", "TORCH_CUDA_ARCH_LIST", "OMPI_MCA_ess_base_jobid",
                           "I_MPI_ROOT", "I_MPI_MPIRUN", "NCCL_DEBUG", "NCCL_DEBUG_FILE", "UCX_LOG_LEVEL"})
    EXPECT_FALSE(steers_libraries(name)) << name;
}

/// With these a case would not be computed by the threads, or in the precision, that it says.
TEST(SteeringVariables, ThatContradictACaseAreWithheld) {
  for (const char* name : {"OMP_DYNAMIC", "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS", "BLIS_JC_NT", "BLIS_IR_NT",
                           "ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE", "NVIDIA_TF32_OVERRIDE",
                           "TF_ENABLE_AUTO_MIXED_PRECISION", "BENCHMARK_REPETITIONS"}) {
    EXPECT_TRUE(is_withheld(name)) << name;
    EXPECT_FALSE(steers_libraries(name)) << name;
  }
  for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "BLIS_NUM_THREADS", "ONEDNN_MAX_CPU_ISA",
                           "OPENBLAS_CORETYPE", "TF_ENABLE_ONEDNN_OPTS"}) {
    EXPECT_FALSE(is_withheld(name)) << name;
    EXPECT_TRUE(steers_libraries(name)) << name;
  }
  const std::array<const char*, 3> environment{"OMP_DYNAMIC=true", "BENCHMARK_REPETITIONS=3", nullptr};
  EXPECT_THAT(steering_variables(environment.data()), ElementsAre(Pair("OMP_DYNAMIC", "true")))
      << "recorded, because its user expects an effect";
}

TEST(ThreadLimits, AreTheUsersIfOpenMpReadsThem) {
  const auto limit = [](const char* value) -> std::optional<int> {
    const VariableForNow set("OMP_THREAD_LIMIT", value);
    const auto found = thread_limit();
    return found ? std::optional(found->most) : std::nullopt;
  };
  EXPECT_EQ(limit("3"), 3);
  for (const char* value : {static_cast<const char*>(nullptr), "", "0", "-1", "two", "2x"})
    EXPECT_EQ(limit(value), std::nullopt);
}

TEST(SpinSettings, OfTheUserHavePriority) {
  const VariableForNow openblas("OPENBLAS_THREAD_TIMEOUT", nullptr);
  const VariableForNow gnu("GOMP_SPINCOUNT", nullptr);
  {
    const VariableForNow llvm("KMP_BLOCKTIME", nullptr);
    EXPECT_THAT(missing_spin_settings(),
                ElementsAre(Pair("OPENBLAS_THREAD_TIMEOUT", "18"), Pair("GOMP_SPINCOUNT", "5000"),
                            Pair("KMP_BLOCKTIME", "0")));
  }
  const VariableForNow llvm("KMP_BLOCKTIME", "200");
  EXPECT_THAT(missing_spin_settings(),
              ElementsAre(Pair("OPENBLAS_THREAD_TIMEOUT", "18"), Pair("GOMP_SPINCOUNT", "5000")));
  const VariableForNow users_openblas("OPENBLAS_THREAD_TIMEOUT", "");
  const VariableForNow users_gnu("GOMP_SPINCOUNT", "0");
  EXPECT_THAT(missing_spin_settings(), IsEmpty());
}

}  // namespace
}  // namespace breakeven
