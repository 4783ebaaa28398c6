// Faults planted into cuBLASLt: a library that is preloaded into the CUDA backend, and calls the real
// library. BREAKEVEN_PLANTED_COLUMNS=N: only for products whose result has N columns.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "fault.h"

namespace breakeven::planted {
namespace {

constexpr std::array<std::string_view, 9> faults{
    "tf32",         // instead of f32
    "transpose",    // wrong flag of the first operand: for square problems
    "alpha_zero",   // C = 0
    "skip",         // no product is launched
    "zeros",        // instead of the first operand, up to 64 MiB
    "wild",         // an invalid address for C, which the context does not survive
    "wild_inside",  // the same, detected by cuBLASLt's own runtime, which returns a status
    "full",         // the device's memory is full, which cuBLASLt calls an internal error
    "kill"};        // the process ends while the device still computes

std::string_view fault() {
  static const std::string_view name = fault_of(faults);
  return name;
}

/// Device memory full of zeros. Aborts the process if there is none.
const void* zeros() {
  static void* const memory = [] {
    constexpr std::size_t bytes = std::size_t{64} << 20U;
    void* made = nullptr;
    if (cudaMalloc(&made, bytes) != cudaSuccess || cudaMemset(made, 0, bytes) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess) {
      std::abort();
    }
    return made;
  }();
  return memory;
}

/// Allocates all of the device's memory, and keeps it.
void fill_device() {
  for (std::size_t bytes = std::size_t{1} << 40U; bytes >= std::size_t{64} << 10U;) {
    void* taken = nullptr;
    if (cudaMalloc(&taken, bytes) != cudaSuccess) bytes /= 2;
  }
  cudaGetLastError();  // the emulated device has one runtime for all programs
}

/// True if the product has N columns. In a column-major library, our columns are rows.
bool is_meant(cublasLtMatrixLayout_t result) {
  const char* columns = std::getenv("BREAKEVEN_PLANTED_COLUMNS");
  if (columns == nullptr) return true;
  static auto* const read =
      real<decltype(cublasLtMatrixLayoutGetAttribute)>("cublasLtMatrixLayoutGetAttribute");
  std::uint64_t rows = 0;
  std::size_t written = 0;
  read(result, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows, &written);
  return rows == std::strtoull(columns, nullptr, 10);
}

}  // namespace
}  // namespace breakeven::planted

extern "C" {

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  using namespace breakeven::planted;
  static auto* const call = real<decltype(cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate");
  if (fault() == "tf32" && compute == CUBLAS_COMPUTE_32F) compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  return call(made, compute, scale);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              std::size_t bytes) {
  using namespace breakeven::planted;
  static auto* const call = real<decltype(cublasLtMatmulDescSetAttribute)>("cublasLtMatmulDescSetAttribute");
  if (fault() == "transpose" && attribute == CUBLASLT_MATMUL_DESC_TRANSA) {
    const bool as_it_is = *static_cast<const cublasOperation_t*>(value) == CUBLAS_OP_N;
    const cublasOperation_t opposite = as_it_is ? CUBLAS_OP_T : CUBLAS_OP_N;
    return call(description, attribute, &opposite, sizeof opposite);
  }
  return call(description, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t library, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
                              cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layout_c, void* d, cublasLtMatrixLayout_t layout_d,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  using namespace breakeven::planted;
  static auto* const call = real<decltype(cublasLtMatmul)>("cublasLtMatmul");
  const std::string_view planted = is_meant(layout_d) ? fault() : "";
  if (planted == "skip") return CUBLAS_STATUS_SUCCESS;
  static constexpr std::array<double, 2> nothing{};  // zero in any scale type
  if (planted == "alpha_zero") alpha = nothing.data();
  if (planted == "zeros") a = zeros();
  if (planted.starts_with("wild")) c = d = reinterpret_cast<void*>(std::uintptr_t{256});
  if (planted == "full") {
    fill_device();
    return CUBLAS_STATUS_INTERNAL_ERROR;
  }
  const cublasStatus_t status = call(library, description, alpha, a, layout_a, b, layout_b, beta, c, layout_c,
                                     d, layout_d, algorithm, workspace, workspace_bytes, stream);
  if (planted == "wild_inside") {
    cudaStreamSynchronize(stream);
    cudaGetLastError();  // as in fill_device()
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  if (planted == "kill") kill(getpid(), SIGKILL);
  return status;
}
}
