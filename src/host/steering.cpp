#include "host/steering.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace breakeven {
namespace {

// From the manuals of OpenBLAS, BLIS, MKL, oneDNN, OpenMP (also GNU's and LLVM's), CUDA and its libraries,
// XLA, JAX, PyTorch, TensorFlow (whose TF_ is Terraform's, too) and glibc.
constexpr std::array<std::string_view, 32> beginnings{
    "OPENBLAS_",  "GOTO_",      "BLIS_",      "MKL_",      "DNNL_",     "ONEDNN_",   "OMP_",
    "GOMP_",      "KMP_",       "CUDA_",      "CUBLAS_",   "CUBLASLT",  "CUDNN_",    "NVIDIA_TF32",
    "XLA_",       "JAX_",       "TORCH_",     "TORCHINDU", "PYTORCH_",  "ATEN_",     "TF_XLA_",
    "TF_ENABLE_", "TF_DISABLE", "TF_NUM_",    "TF_GPU_",   "TF_FORCE_", "TF_CUDNN_", "TF_CUBLAS",
    "TF_DETER",   "MALLOC_",    "GLIBC_TUNA", "LD_PRELOAD"};
constexpr std::array<std::string_view, 5> of_places{"_HOME", "_PATH", "_ROOT", "_DIR", "_FILE"};

bool steers(std::string_view name) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto one) { return name.starts_with(one); }) &&
         std::none_of(of_places.begin(), of_places.end(), [&](auto one) { return name.ends_with(one); });
}

}  // namespace

std::map<std::string, std::string> steering_variables(const char* const* environment) {
  std::map<std::string, std::string> found;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !steers(text.substr(0, equals))) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace breakeven
