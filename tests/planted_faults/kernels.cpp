// Kernels that end or stop the programs in the race of variants.cpp, selected by a library's variable.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace {

__attribute__((constructor)) void begin() {
  const char* fault = std::getenv("BREAKEVEN_PLANTED");
  const bool is_steered =
      std::getenv("OPENBLAS_CORETYPE") != nullptr || std::getenv("BLIS_ARCH_TYPE") != nullptr;
  if (fault == nullptr || !is_steered) return;
  if (std::string_view(fault) == "illegal instruction") std::raise(SIGILL);
  if (std::string_view(fault) == "hang") pause();
}

}  // namespace
