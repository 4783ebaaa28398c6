#include "backends/cuda/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <type_traits>

namespace breakeven::cuda::nccl {
namespace {

constexpr int oldest = 20900;  // earlier versions cannot be part of a CUDA graph

Library opened() {
  Library nccl;
  const char* const variable = std::getenv("BREAKEVEN_NCCL");
  const std::string file = variable == nullptr ? "libnccl.so.2" : variable;
  if (file == "none") {
    nccl.why_not = "BREAKEVEN_NCCL is none";
    nccl.is_unwanted = true;
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
  find(nccl.comm_get_async_error, "ncclCommGetAsyncError");
  find(nccl.all_reduce, "ncclAllReduce");
  find(nccl.all_gather, "ncclAllGather");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.get_error_string, "ncclGetErrorString");
  if (!nccl.why_not.empty()) return nccl;
  find(nccl.get_last_error, "ncclGetLastError");
  nccl.why_not.clear();  // older versions do without it
  int number = 0;
  if (nccl.get_version(&number) != success || number < oldest) {
    nccl.why_not = fmt::format("{} is older than 2.9", file);
    return nccl;
  }
  nccl.version = fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  return nccl;
}

}  // namespace

const Library& library() {
  static const Library nccl = opened();
  return nccl;
}

std::string words_for(Result result, Comm* comm) {
  std::string words = library().get_error_string(result);
  if (library().get_last_error == nullptr) return words;
  const char* const more = library().get_last_error(comm);
  if (more != nullptr && *more != '\0') words += fmt::format(" ({})", more);
  return words;
}

}  // namespace breakeven::cuda::nccl
