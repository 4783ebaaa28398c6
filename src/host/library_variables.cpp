#include "host/library_variables.h"

#include <algorithm>
#include <cstdlib>

namespace breakeven {

// The names come from the libraries' manuals. TensorFlow's prefix TF_ is also Terraform's. oneDNN and MKL
// always use the widest kernels that the processor runs: ONEDNN_MAX_CPU_ISA and MKL_ENABLE_INSTRUCTIONS can
// only limit them.
const std::vector<LibraryVariables>& library_variables() {
  static const std::vector<LibraryVariables> all{
      {.library = "openblas",
       .beginnings = {"OPENBLAS_", "GOTO_"},
       .kernels = "OPENBLAS_CORETYPE",
       .spin = "OPENBLAS_THREAD_TIMEOUT",
       .short_spin = "18"},
      {.library = "blis", .beginnings = {"BLIS_"}, .kernels = "BLIS_ARCH_TYPE"},
      {.library = "mkl", .beginnings = {"MKL_"}},
      {.library = "onednn", .beginnings = {"DNNL_", "ONEDNN_"}},
      {.library = "GNU OpenMP",
       .beginnings = {"OMP_", "GOMP_"},
       .spin = "GOMP_SPINCOUNT",
       .short_spin = "5000"},
      {.library = "LLVM OpenMP", .beginnings = {"KMP_"}, .spin = "KMP_BLOCKTIME", .short_spin = "0"},
      {.library = "CUDA", .beginnings = {"CUDA_", "CUBLAS_", "CUBLASLT", "CUDNN_", "NVIDIA_TF32"}},
      {.library = "JAX", .beginnings = {"XLA_", "JAX_"}},
      {.library = "PyTorch", .beginnings = {"TORCH_", "TORCHINDU", "PYTORCH_", "ATEN_"}},
      {.library = "TensorFlow",
       .beginnings = {"TF_XLA_", "TF_ENABLE_", "TF_DISABLE", "TF_NUM_", "TF_GPU_", "TF_FORCE_", "TF_CUDNN_",
                      "TF_CUBLAS", "TF_DETER"}},
      {.library = "glibc", .beginnings = {"MALLOC_", "GLIBC_TUNA", "LD_PRELOAD"}}};
  return all;
}

std::vector<std::pair<std::string, std::string>> missing_spin_settings() {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const LibraryVariables& library : library_variables()) {
    const std::string name(library.spin);
    if (!name.empty() && std::getenv(name.c_str()) == nullptr)
      settings.emplace_back(name, library.short_spin);
  }
  return settings;
}

std::string_view kernels_variable(std::string_view library) {
  const auto& all = library_variables();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.library == library; });
  return found == all.end() ? std::string_view() : found->kernels;
}

}  // namespace breakeven
