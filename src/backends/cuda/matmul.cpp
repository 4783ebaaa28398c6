// Products by cuBLASLt (cuBLAS documentation, "Using the cuBLASLt API").
#include "workloads/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/race.h"
#include "backends/cuda/work.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"

namespace breakeven::cuda {
namespace {

/// How cuBLASLt is told of one of our types. Results are stored as Dtype says (workloads/dtype.h).
struct Types {
  cudaDataType_t input, output;
  cublasComputeType_t compute;
  cudaDataType_t scale;  // of alpha and beta
};

Types types_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case Dtype::f32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Dtype::tf32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F};
    case Dtype::f16:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Dtype::bf16:
      return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Dtype::f8e4m3:
      return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Dtype::s8:
      break;
  }
  return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I};
}

/// The dtypes whose tensor-core instructions want both operands with k as the fastest axis (before
/// Blackwell).
bool wants_k_fastest(Dtype dtype) {
  return dtype == Dtype::f8e4m3 || dtype == Dtype::s8;
}

std::vector<Dtype> dtypes() {
  const DeviceFacts device = device_facts();
  const int capability = 10 * device.major + device.minor;
  std::vector<Dtype> all{Dtype::f64, Dtype::f32, Dtype::f16, Dtype::s8};
  if (capability >= 80) all.insert(all.end(), {Dtype::tf32, Dtype::bf16});
  if (capability >= 89) all.push_back(Dtype::f8e4m3);
  return all;
}

template <auto Destroy>
struct Destroyed {
  template <typename T>
  void operator()(T* p) const {
    Destroy(p);
  }
};
template <typename T, auto Destroy>
using Owned = std::unique_ptr<T, Destroyed<Destroy>>;

using Handle = Owned<cublasLtContext, cublasLtDestroy>;
using Description = Owned<cublasLtMatmulDescOpaque_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayoutOpaque_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreferenceOpaque_t, cublasLtMatmulPreferenceDestroy>;

cublasLtHandle_t library() {
  static const Handle handle = [] {
    cublasLtHandle_t made = nullptr;
    check(cublasLtCreate(&made), "cublasLtCreate");
    return Handle(made);
  }();
  return handle.get();
}

template <typename T>
void set(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}
template <typename T>
void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const T& value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value),
        "cublasLtMatrixLayoutSetAttribute");
}

/// A row-major matrix rows x columns is, to cuBLASLt, a column-major one of columns x rows.
Layout layout_of(cudaDataType_t type, std::int64_t rows, std::int64_t columns, std::int64_t batch) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(columns),
                                   static_cast<std::uint64_t>(rows), columns),
        "cublasLtMatrixLayoutCreate");
  Layout layout(made);
  if (batch > 1) {
    set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch));
    set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, rows * columns);
  }
  return layout;
}

template <typename T>
T told(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  T value{};
  std::size_t written = 0;
  if (cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written) !=
      CUBLAS_STATUS_SUCCESS)
    return T{};
  return value;
}

/// cuBLASLt's own numbers: the same ones mean the same kernel.
std::string identity(const cublasLtMatmulHeuristicResult_t& found) {
  const auto& a = found.algo;
  return fmt::format(
      "cublasLt {} (tile {}, stages {}, cluster {}, inner {}, split-k {} by {}, swizzle {}, option {}), "
      "workspace {} KiB",
      told<std::int32_t>(a, CUBLASLT_ALGO_CONFIG_ID), told<std::uint32_t>(a, CUBLASLT_ALGO_CONFIG_TILE_ID),
      told<std::uint32_t>(a, CUBLASLT_ALGO_CONFIG_STAGES_ID),
      told<std::uint16_t>(a, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID),
      told<std::uint16_t>(a, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID),
      told<std::int32_t>(a, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
      told<std::uint32_t>(a, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME),
      told<std::uint32_t>(a, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
      told<std::uint32_t>(a, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION), found.workspaceSize / 1024);
}

class Product final : public Work {
 public:
  Product(const Matmul& problem, std::uint64_t seed)
      : p_(problem), types_(types_of(problem.dtype)), tensors_(HostTensors::of(problem, seed)) {
    if (std::max({p_.batch, p_.m, p_.n, p_.k}) > std::numeric_limits<std::int32_t>::max())
      throw Unsupported("cuBLASLt counts rows, columns and batches in 32 bits");
    upload_operands();
    describe();
    choose();
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    c_.upload(tensors_.output.data());
    run();
    wait();
    c_.download(tensors_.output.data());
    return tensors_.evidence(elements);
  }

  void run() override { check(call(), "cublasLtMatmul"); }

  std::string algorithm() const override { return algorithm_; }

 private:
  /// Where the instructions want k fastest, operands are held so: it is a layout, not a copy that a call pays
  /// for.
  void upload_operands() {
    if (wants_k_fastest(p_.dtype) && p_.transpose_a) {
      a_ = transposed(tensors_.first, p_.k, p_.m);
      p_.transpose_a = false;
      held_ += ", A held transposed";
    } else {
      a_ = Memory::of(tensors_.first.data(), tensors_.first.size());
    }
    if (wants_k_fastest(p_.dtype) && !p_.transpose_b) {
      b_ = transposed(tensors_.second, p_.k, p_.n);
      p_.transpose_b = true;
      held_ += ", B held transposed";
    } else {
      b_ = Memory::of(tensors_.second.data(), tensors_.second.size());
    }
    tensors_.first = {};
    tensors_.second = {};
    c_ = Memory(tensors_.output.size());
    workspace_ = Memory(workspace_bytes);
    if (p_.dtype == Dtype::f8e4m3) {
      constexpr float one = 1;
      scale_ = Memory::of(&one, sizeof one);
    }
  }

  Memory transposed(const Buffer<std::byte>& matrices, std::int64_t rows, std::int64_t columns) const {
    Buffer<std::byte> turned(matrices.size());
    transpose_matrices(matrices.data(), p_.batch, rows, columns, facts(p_.dtype).bytes, turned.data());
    return Memory::of(turned.data(), turned.size());
  }

  /// To a library that is column-major, C = A B is C' = B' A': B comes first.
  void describe() {
    cublasLtMatmulDesc_t made = nullptr;
    check(cublasLtMatmulDescCreate(&made, types_.compute, types_.scale), "cublasLtMatmulDescCreate");
    description_.reset(made);
    set(made, CUBLASLT_MATMUL_DESC_TRANSA, p_.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(made, CUBLASLT_MATMUL_DESC_TRANSB, p_.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (p_.dtype == Dtype::f8e4m3) {
      const void* const scale = scale_.data();
      set(made, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale);
      set(made, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale);
    }
    layout_a_ = layout_of(types_.input, p_.transpose_a ? p_.k : p_.m, p_.transpose_a ? p_.m : p_.k, p_.batch);
    layout_b_ = layout_of(types_.input, p_.transpose_b ? p_.n : p_.k, p_.transpose_b ? p_.k : p_.n, p_.batch);
    layout_c_ = layout_of(types_.output, p_.m, p_.n, p_.batch);
  }

  /// Asks for many candidates and keeps the one that is fastest here.
  void choose() {
    cublasLtMatmulPreference_t made = nullptr;
    check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
    const Preference preference(made);
    check(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &workspace_bytes, sizeof workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    std::array<cublasLtMatmulHeuristicResult_t, 32> found{};
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        library(), description_.get(), layout_b_.get(), layout_a_.get(), layout_c_.get(), layout_c_.get(),
        made, static_cast<int>(found.size()), found.data(), &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && count == 0)) {
      throw Unsupported(fmt::format("cuBLASLt has no kernel for {} at these sizes and transposes ({})",
                                    name(p_.dtype), cublasLtGetStatusString(status)));
    }
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    Race<cublasLtMatmulHeuristicResult_t> race;
    for (int i = 0; i < count; ++i) {
      chosen_ = found[static_cast<std::size_t>(i)];
      // Not every candidate takes every problem: some say so only when they are called.
      if (chosen_.state != CUBLAS_STATUS_SUCCESS || call() != CUBLAS_STATUS_SUCCESS) continue;
      race.add(chosen_, quick_seconds());
    }
    if (race.tried() == 0)
      throw Unsupported(
          fmt::format("none of cuBLASLt's {} candidates takes {} at these sizes", count, name(p_.dtype)));
    chosen_ = race.fastest();
    algorithm_ = fmt::format("{}{}; {}", identity(chosen_), held_, race.text());
  }

  cublasStatus_t call() {
    const double one_f64 = 1;
    const double zero_f64 = 0;
    const float one_f32 = 1;
    const float zero_f32 = 0;
    const std::int32_t one_s32 = 1;
    const std::int32_t zero_s32 = 0;
    const auto of_scale = [&](const void* f64, const void* f32, const void* s32) {
      return types_.scale == CUDA_R_64F ? f64 : types_.scale == CUDA_R_32F ? f32 : s32;
    };
    return cublasLtMatmul(library(), description_.get(), of_scale(&one_f64, &one_f32, &one_s32), b_.data(),
                          layout_b_.get(), a_.data(), layout_a_.get(),
                          of_scale(&zero_f64, &zero_f32, &zero_s32), c_.data(), layout_c_.get(), c_.data(),
                          layout_c_.get(), &chosen_.algo, workspace_.data(), workspace_bytes, stream().get());
  }

  /// cuBLAS recommends 32 MiB on Hopper (cuBLAS documentation, cublasSetWorkspace).
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;

  Matmul p_;
  Types types_;
  HostTensors tensors_;
  Memory a_, b_, c_, workspace_, scale_;
  std::string held_;  // which operands are not as given
  Description description_;
  Layout layout_a_, layout_b_, layout_c_;
  cublasLtMatmulHeuristicResult_t chosen_{};
  std::string algorithm_;
};

const OperationRegistration registered({.op = "matmul",
                                        .dtypes = dtypes,
                                        .prepare = [](const Case& problem,
                                                      std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                          return std::make_unique<Product>(Matmul(problem.parameters), seed);
                                        }});

}  // namespace
}  // namespace breakeven::cuda
