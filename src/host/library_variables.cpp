#include "host/library_variables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace breakeven {

// The names come from the libraries' manuals. TensorFlow's prefix TF_ is also Terraform's. oneDNN and MKL
// always use the widest kernels that the processor runs: ONEDNN_MAX_CPU_ISA and MKL_ENABLE_INSTRUCTIONS can
// only limit them. Launchers of MPI set further variables, which differ from job to job. The other variables
// of threads, such as OMP_NUM_THREADS, OPENBLAS_NUM_THREADS and BLIS_NUM_THREADS, need not be withheld: they
// give way to the number that a program sets.
const std::vector<LibraryVariables>& library_variables() {
  static const std::vector<LibraryVariables> all{
      {.library = "openblas",
       .beginnings = {"OPENBLAS_", "GOTO_"},
       .kernels = "OPENBLAS_CORETYPE",
       .spin = "OPENBLAS_THREAD_TIMEOUT",
       .short_spin = "18"},
      {.library = "blis",
       .beginnings = {"BLIS_"},
       .kernels = "BLIS_ARCH_TYPE",
       .withheld = {"BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"}},
      {.library = "mkl", .beginnings = {"MKL_"}},
      {.library = "onednn",
       .beginnings = {"DNNL_", "ONEDNN_"},
       .withheld = {"DNNL_DEFAULT_FPMATH_MODE", "ONEDNN_DEFAULT_FPMATH_MODE"}},
      {.library = "GNU OpenMP",
       .beginnings = {"OMP_", "GOMP_"},
       .spin = "GOMP_SPINCOUNT",
       .short_spin = "5000",
       .withheld = {"OMP_DYNAMIC", "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS", "OMP_STACKSIZE", "GOMP_STACKSIZE"},
       .thread_limit = "OMP_THREAD_LIMIT"},
      {.library = "LLVM OpenMP",
       .beginnings = {"KMP_"},
       .spin = "KMP_BLOCKTIME",
       .short_spin = "0",
       .withheld = {"KMP_STACKSIZE"}},
      {.library = "CUDA",
       .beginnings = {"CUDA_", "CUBLAS_", "CUBLASLT", "CUDNN_", "NVIDIA_TF32"},
       .withheld = {"NVIDIA_TF32_OVERRIDE"}},
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
                      "TF_CUBLAS", "TF_DETER", "TF_SET_"},
       .withheld = {"TF_ENABLE_AUTO_MIXED_PRECISION", "TF_SET_ONEDNN_FPMATH_MODE"}},
      {.library = "glibc", .beginnings = {"MALLOC_", "GLIBC_TUNA", "LD_PRELOAD"}},
      // The driver's own: it makes times longer than those of the library.
      {.library = "breakeven", .beginnings = {extra_work_variable}},
      // It times inside of the programs: with BENCHMARK_REPETITIONS a sample would be several.
      {.library = "Google Benchmark", .beginnings = {}, .withheld = {"BENCHMARK_"}}};
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

bool begins_with_one_of(std::string_view name, const std::vector<std::string_view>& beginnings) {
  return std::ranges::any_of(beginnings, [&](auto beginning) { return name.starts_with(beginning); });
}

/// True if a library uses a variable of this name unless it is withheld.
bool is_of_a_library(std::string_view name) {
  return !is_harmless(name) && std::ranges::any_of(library_variables(), [&](const auto& one) {
    return begins_with_one_of(name, one.beginnings);
  });
}

}  // namespace

bool is_withheld(std::string_view name) {
  return std::ranges::any_of(library_variables(),
                             [&](const auto& one) { return begins_with_one_of(name, one.withheld); });
}

std::optional<ThreadLimit> thread_limit() {
  std::optional<ThreadLimit> least;
  for (const LibraryVariables& library : library_variables()) {
    const std::string name(library.thread_limit);
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value == nullptr) continue;
    const std::string_view text(value);
    int most = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), most).ptr;
    if (most > 0 && end == text.data() + text.size() && (!least || most < least->most))
      least = {.variable = name, .most = most};
  }
  return least;
}

bool steers_libraries(std::string_view name) {
  return is_of_a_library(name) && !is_withheld(name);
}

bool steers_ranks_alone(std::string_view name) {
  return std::ranges::any_of(library_variables(), [&](const auto& one) {
    return one.of_ranks && begins_with_one_of(name, one.beginnings);
  });
}

std::map<std::string, std::string> steering_variables(const char* const* environment) {
  std::map<std::string, std::string> found;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !is_of_a_library(text.substr(0, equals))) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace breakeven
