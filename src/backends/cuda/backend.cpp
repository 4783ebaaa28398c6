#include "worker/backend.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/cudnn_library.h"
#include "backends/cuda/device.h"
#include "backends/cuda/device_ranks.h"
#include "worker/communicator.h"
#include "worker/loaded_library.h"

namespace breakeven {
namespace {

/// Warns about what this build lacks, with the remedy. CMake leaves conv2d.cpp out if it does not find
/// cuDNN's headers.
std::vector<std::string> warnings_of_build() {
  if (std::ranges::any_of(operations(), [](const Operation& one) { return one.op == "conv2d"; })) return {};
  return {
      "convolutions are left out: the build found no cuDNN 9 or no front end for it; "
      "scripts/setup-cuda brings both, then build again"};
}

}  // namespace

Backend make_backend() {
  cuda::use_device_of_rank();
  const cuda::DeviceFacts& device = cuda::device_facts();
  const std::size_t cublas = cublasLtGetVersion();
  answer::Hello hello{
      .name = "cuda",
      .device = "gpu",
      .device_name = device.name,
      .device_id = device.uuid,
      .libraries = {{"cuda", device.runtime},
                    {"cuda driver", device.driver},
                    {"cublasLt", fmt::format("{}.{}.{}", cublas / 10000, cublas / 100 % 100, cublas % 100)}},
      .library_files = {{"cuda", file_of_symbol("cudaMalloc")},
                        {"cublasLt", file_of_symbol("cublasLtMatmul")}},
      .warnings = warnings_of_build()};
  if (const std::string cudnn = cuda::usable_cudnn_version(); !cudnn.empty()) {
    hello.libraries.emplace_back("cudnn", cudnn);
    hello.library_files.emplace_back("cudnn", file_of_symbol("cudnnGetVersion"));
  }
  // Ranks with different ones are refused.
  if (communicator().size() > 1) hello.libraries.emplace_back("ranks on GPUs", cuda::rank_library());
  return {.hello = std::move(hello),
          .use_threads = [](int) {},  // the host only enqueues
          .available_memory = cuda::free_memory};
}

}  // namespace breakeven
