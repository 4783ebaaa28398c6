#include "host/library_variables.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace breakeven {

// The names come from the libraries' manuals. TensorFlow's prefix TF_ is also Terraform's. oneDNN and MKL
// always use the widest kernels that the processor runs: ONEDNN_MAX_CPU_ISA and MKL_ENABLE_INSTRUCTIONS can
// only limit them. Launchers of MPI set further variables, which differ from job to job.
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
      {.library = "NCCL", .beginnings = {"NCCL_"}, .of_ranks = true},
      {.library = "Gloo", .beginnings = {"GLOO_"}, .of_ranks = true},
      {.library = "MPI",
       .beginnings = {"UCX_", "OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl", "OMPI_MCA_coll", "I_MPI_ADJUST",
                      "I_MPI_FABRICS", "I_MPI_OFI", "I_MPI_PIN", "I_MPI_SHM"},
       .of_ranks = true},
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

namespace {

/// Endings of variables that only name a place, or say for whom a container was built.
constexpr std::array<std::string_view, 7> harmless{"_HOME", "_PATH",    "_ROOT",     "_DIR",
                                                   "_FILE", "_VERSION", "_ARCH_LIST"};
/// Beginnings of variables that only say what is logged.
constexpr std::array<std::string_view, 3> of_logs{"NCCL_DEBUG", "UCX_LOG", "GLOO_LOG"};
/// Files that steer although their variables end as those of mere places do.
constexpr std::array<std::string_view, 3> steering_files{"NCCL_TOPO_FILE", "NCCL_GRAPH_FILE",
                                                         "NCCL_CONF_FILE"};

bool is_harmless(std::string_view name) {
  if (std::find(steering_files.begin(), steering_files.end(), name) != steering_files.end()) return false;
  return std::any_of(harmless.begin(), harmless.end(), [&](auto one) { return name.ends_with(one); }) ||
         std::any_of(of_logs.begin(), of_logs.end(), [&](auto one) { return name.starts_with(one); });
}

bool is_of(const LibraryVariables& library, std::string_view name) {
  return std::any_of(library.beginnings.begin(), library.beginnings.end(),
                     [&](auto beginning) { return name.starts_with(beginning); });
}

}  // namespace

bool steers_libraries(std::string_view name) {
  const auto& libraries = library_variables();
  return !is_harmless(name) && std::any_of(libraries.begin(), libraries.end(),
                                           [&](const LibraryVariables& one) { return is_of(one, name); });
}

bool steers_ranks_alone(std::string_view name) {
  const auto& libraries = library_variables();
  return std::any_of(libraries.begin(), libraries.end(),
                     [&](const LibraryVariables& one) { return one.of_ranks && is_of(one, name); });
}

std::map<std::string, std::string> steering_variables(const char* const* environment) {
  std::map<std::string, std::string> found;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !steers_libraries(text.substr(0, equals))) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace breakeven
