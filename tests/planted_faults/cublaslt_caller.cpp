// Calls the functions that the CUDA backend calls for a product in f32, and prints "done".
#include <cublasLt.h>

#include <cstdio>

int main() {
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const cublasOperation_t operation = CUBLAS_OP_N;
  for (const auto attribute : {CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB})
    cublasLtMatmulDescSetAttribute(description, attribute, &operation, sizeof operation);
  const float alpha = 1;
  const float beta = 0;
  cublasLtMatmul(nullptr, description, &alpha, nullptr, nullptr, nullptr, nullptr, &beta, nullptr, nullptr,
                 nullptr, nullptr, nullptr, nullptr, 0, nullptr);
  std::puts("done");
  std::fflush(stdout);
  return 0;
}
