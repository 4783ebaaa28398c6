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
