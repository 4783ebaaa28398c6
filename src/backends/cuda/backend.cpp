#include "worker/backend.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include "backends/cuda/device.h"
#include "worker/loaded_library.h"

namespace breakeven {

Backend make_backend() {
  const cuda::DeviceFacts device = cuda::device_facts();
  const std::size_t cublas = cublasLtGetVersion();
  return {
      .name = "cuda",
      .role = "contender",
      .device = "gpu",
      .device_name = device.name,
      .libraries = {{"cuda", device.runtime},
                    {"cuda driver", device.driver},
                    {"cublasLt", fmt::format("{}.{}.{}", cublas / 10000, cublas / 100 % 100, cublas % 100)}},
      .library_files = {{"cuda", file_of_symbol("cudaMalloc")},
                        {"cublasLt", file_of_symbol("cublasLtMatmul")}},
      .use_threads = [](int) {},  // the host only enqueues
      .available_memory = cuda::free_memory,
      .device_id = device.uuid};
}

}  // namespace breakeven
