#include <gmock/gmock.h>

#include <array>

#include "host/library_variables.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
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

}  // namespace
}  // namespace breakeven
