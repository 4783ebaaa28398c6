#include "backends/cuda/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <type_traits>

namespace breakeven::cuda::nccl {
namespace {

/// 22809 is 2.28.9, and 2708 is 2.7.8: NCCL's numbers have another form since version 2.9.
std::string version_text(int number) {
  const int minor = number < 10000 ? number / 100 % 10 : number / 100 % 100;
  return fmt::format("{}.{}.{}", number < 10000 ? number / 1000 : number / 10000, minor, number % 100);
}

Library opened() {
  Library nccl;
  const char* const variable = std::getenv("BREAKEVEN_NCCL");
  const std::string file = variable == nullptr ? "libnccl.so.2" : variable;
  if (file == "none") {
    nccl.why_not = "BREAKEVEN_NCCL is none";
    return nccl;
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    nccl.why_not = dlerror();
    return nccl;
  }
  const auto find = [&](auto& function, const char* name) {
    void* const found = dlsym(handle, name);
    if (found == nullptr && nccl.why_not.empty()) nccl.why_not = fmt::format("{} has no {}", file, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find(nccl.get_version, "ncclGetVersion");
  find(nccl.get_unique_id, "ncclGetUniqueId");
  find(nccl.comm_init_rank, "ncclCommInitRank");
  find(nccl.all_reduce, "ncclAllReduce");
  find(nccl.all_gather, "ncclAllGather");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.get_error_string, "ncclGetErrorString");
  if (!nccl.why_not.empty()) return nccl;
  find(nccl.get_last_error, "ncclGetLastError");
  nccl.why_not.clear();  // older versions do without it
  int number = 0;
  nccl.get_version(&number);
  nccl.version = version_text(number);
  return nccl;
}

}  // namespace

const Library& library() {
  static const Library nccl = opened();
  return nccl;
}

void check(Result result, const char* call, Comm* comm) {
  if (result == success) return;
  std::string words = fmt::format("{}: {}", call, library().get_error_string(result));
  if (library().get_last_error != nullptr) {
    const char* const more = library().get_last_error(comm);
    if (more != nullptr && *more != '\0') words += fmt::format(" ({})", more);
  }
  throw std::runtime_error(words);
}

}  // namespace breakeven::cuda::nccl
