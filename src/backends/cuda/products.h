// Matrix products by cuBLASLt (cuBLAS documentation, "Using the cuBLASLt API"), with its epilogues, and with
// its fastest algorithm on this device.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/moved.h"
#include "backends/cuda/recording.h"
#include "backends/cuda/stopwatch.h"
#include "workloads/dtype.h"

namespace breakeven::cuda {

/// cuBLASLt's types for a dtype. Results are stored in the type that Dtype defines (workloads/dtype.h).
struct ProductTypes {
  cudaDataType_t input, output;
  cublasComputeType_t compute;
  cudaDataType_t scale;  // of alpha and beta
};
ProductTypes product_types(Dtype dtype);
/// The dtypes in which this device multiplies matrices.
std::vector<Dtype> product_dtypes();

/// C = op(A) op(B) + addend, row-major. op(A) is m x k and op(B) k x n; the matrices of a batch are stored
/// contiguously. A is stored k x m if transpose_a, B is stored n x k if transpose_b.
struct ProductProblem {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  bool transpose_a = false, transpose_b = false;
  bool fast_accumulation = false;  // for f8e4m3 (workloads/matmul.h)
  ProductTypes types{};
  /// cuBLASLt is column-major and computes C' = B' A': its matrix B is our A, and a row of its D is our
  /// column.
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
};

/// Device memory, aligned to 256 bytes. Its addresses do not change.
struct ProductOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* addend = nullptr;  // m x n, of C's type
  void* bias = nullptr;          // of C's type: n values to add, or m to write (BGRADB: sums of op(A) over k)
  /// One bit for each element of C, mask_bytes(m, n): written (RELU_AUX) or read (DRELU).
  void* mask = nullptr;
  const void* scales = nullptr;  // one f32 factor for A and B of f8e4m3
  /// product_workspace_bytes, used while the product is computed; products of one stream share it.
  void* workspace = nullptr;
  Turns turns{};  // sets of A, B and C, if there are several
};
std::int64_t mask_bytes(std::int64_t m, std::int64_t n);

/// cuBLAS recommends 32 MiB on Hopper (cuBLAS documentation, cublasSetWorkspace).
inline constexpr std::int64_t product_workspace_bytes = std::int64_t{32} << 20;

class Product {
 public:
  /// Value of `tries` for the first algorithm named, which is not called before enqueue().
  static constexpr int untried = 0;

  /// Tries up to `tries` algorithms in cuBLASLt's order and keeps the fastest, which overwrites C. Throws
  /// Unsupported if cuBLASLt has none.
  Product(const ProductProblem& problem, const ProductOperands& operands, Stopwatch& stopwatch, int tries);

  /// For a product that is a case of its own. If the host may take longer to launch it than the device to
  /// compute it, keeps what is fastest by the host's clock among the last algorithms of the race, each called
  /// or launched as a CUDA graph of one call. Nothing if there was no race.
  void choose_by_host_clock(Stopwatch& stopwatch);

  /// Enqueues a run on the operands of the next set.
  void enqueue(cudaStream_t stream);
  /// cuBLASLt's own numbers, and the speedup from the race.
  const std::string& algorithm() const { return algorithm_; }

 private:
  using Algorithm = cublasLtMatmulHeuristicResult_t;
  using Description = Owned<cublasLtMatmulDescOpaque_t, cublasLtMatmulDescDestroy>;
  using Layout = Owned<cublasLtMatrixLayoutOpaque_t, cublasLtMatrixLayoutDestroy>;
  using Preference = Owned<cublasLtMatmulPreferenceOpaque_t, cublasLtMatmulPreferenceDestroy>;

  static Layout layout_of(cudaDataType_t type, std::int64_t rows, std::int64_t columns, std::int64_t batch);
  void describe(const ProductProblem& problem);
  void choose(const ProductTypes& types, Stopwatch& stopwatch, int tries);
  std::vector<Algorithm> named(const ProductTypes& types, int tries) const;
  cublasStatus_t call(cudaStream_t stream);
  void call_with(const Algorithm& algorithm, cudaStream_t stream);
  void race_calls_and_graphs(Stopwatch& stopwatch);

  ProductOperands operands_;
  cudaDataType_t scale_;
  Description description_;
  Layout layout_a_, layout_b_, layout_c_;
  Algorithm chosen_{};
  std::string algorithm_;
  std::string race_;                  // by the device's clock, for algorithm()
  std::vector<Algorithm> finalists_;  // of that race, the fastest first; empty if there was none
  double device_seconds_ = 0;         // of the fastest; 0 if it is not known
  RecordedCalls recorded_;            // if graphs are faster
};

}  // namespace breakeven::cuda
