#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "host/library_variables.h"

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

/// Sets a variable of this process, or removes it if `value` is null, and restores it at the end.
class VariableForNow {
 public:
  VariableForNow(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    put(value);
  }
  ~VariableForNow() { put(before_ ? before_->c_str() : nullptr); }
  VariableForNow(const VariableForNow&) = delete;
  VariableForNow& operator=(const VariableForNow&) = delete;
  VariableForNow(VariableForNow&&) = delete;
  VariableForNow& operator=(VariableForNow&&) = delete;

 private:
  void put(const char* value) const {
    if (value != nullptr) {
      setenv(name_.c_str(), value, 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> before_;
};

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
