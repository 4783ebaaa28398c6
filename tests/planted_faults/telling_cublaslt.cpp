// Replaces cuBLASLt: prints a line for each call, and computes nothing.
#include <cublasLt.h>

#include <cstdint>
#include <cstdio>

extern "C" {

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t*, cublasComputeType_t compute, cudaDataType_t) {
  std::printf("compute %s\n", compute == CUBLAS_COMPUTE_32F             ? "32F"
                              : compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? "32F_FAST_TF32"
                                                                        : "?");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t) {
  std::printf("%s %s\n", attribute == CUBLASLT_MATMUL_DESC_TRANSA ? "first" : "second",
              *static_cast<const cublasOperation_t*>(value) == CUBLAS_OP_N ? "as it is" : "transposed");
  return CUBLAS_STATUS_SUCCESS;
}

/// Every result has 64 columns.
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t,
                                                void* value, std::size_t, std::size_t*) {
  *static_cast<std::uint64_t*>(value) = 64;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void* alpha, const void*,
                              cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t, const void*,
                              const void* c, cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t*, void*, std::size_t, cudaStream_t) {
  std::printf("alpha %g, C %s\n", static_cast<double>(*static_cast<const float*>(alpha)),
              c == d && d == nullptr ? "as given" : "elsewhere");
  return CUBLAS_STATUS_SUCCESS;
}
}
