#include "backends/cuda/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backends/cuda/race.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

cublasLtHandle_t library() {
  static const Owned<cublasLtContext, cublasLtDestroy> handle([] {
    cublasLtHandle_t made = nullptr;
    check(cublasLtCreate(&made), "cublasLtCreate");
    return made;
  }());
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

template <typename T>
T told(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  T value{};
  std::size_t written = 0;
  if (cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written) !=
      CUBLAS_STATUS_SUCCESS)
    return T{};
  return value;
}

/// cuBLASLt's own numbers for an algorithm. Equal numbers mean the same kernel.
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

/// Bits from one row of a mask to the next: cuBLASLt requires a multiple of 128.
std::int64_t mask_stride(std::int64_t columns) {
  return (columns + 127) / 128 * 128;
}

const std::map<Dtype, ProductTypes>& types_of_products() {
  static const std::map<Dtype, ProductTypes> all{
      {Dtype::f64, {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F}},
      {Dtype::f32, {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F}},
      {Dtype::tf32, {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F}},
      {Dtype::f16, {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F}},
      {Dtype::bf16, {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F}},
      {Dtype::f8e4m3, {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F}},
      {Dtype::s8, {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I}}};
  return all;
}

}  // namespace

ProductTypes product_types(Dtype dtype) {
  return types_of_products().at(dtype);
}

std::vector<Dtype> product_dtypes() {
  std::vector<Dtype> all;
  for (const auto& [dtype, types] : types_of_products()) all.push_back(dtype);
  return computed_here(all);
}

std::int64_t mask_bytes(std::int64_t m, std::int64_t n) {
  return m * mask_stride(n) / 8;
}

Product::Product(const ProductProblem& problem, const ProductOperands& operands, Stopwatch& stopwatch,
                 int tries)
    : operands_(operands), scale_(problem.types.scale) {
  if (std::max({problem.batch, problem.m, problem.n, problem.k}) > std::numeric_limits<std::int32_t>::max())
    throw Unsupported("cuBLASLt counts rows, columns and batches in 32 bits");
  describe(problem);
  choose(problem.types, stopwatch, tries);
}

/// cuBLASLt's layout of a row-major matrix, rows x columns: a column-major matrix of columns x rows.
Product::Layout Product::layout_of(cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                                   std::int64_t batch) {
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

/// Describes the problem to cuBLASLt. It is column-major, where C = A B is C' = B' A': B comes first.
void Product::describe(const ProductProblem& p) {
  cublasLtMatmulDesc_t made = nullptr;
  check(cublasLtMatmulDescCreate(&made, p.types.compute, p.types.scale), "cublasLtMatmulDescCreate");
  description_.reset(made);
  set(made, CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(made, CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(made, CUBLASLT_MATMUL_DESC_EPILOGUE, p.epilogue);
  if (operands_.bias != nullptr) {
    set(made, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands_.bias);
    set(made, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(p.types.output));
  }
  if (operands_.mask != nullptr) {
    set(made, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, operands_.mask);
    set(made, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, mask_stride(p.n));
  }
  if (p.fast_accumulation) set(made, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
  if (operands_.scales != nullptr) {
    set(made, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands_.scales);
    set(made, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands_.scales);
  }
  layout_a_ = layout_of(p.types.input, p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k, p.batch);
  layout_b_ = layout_of(p.types.input, p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n, p.batch);
  layout_c_ = layout_of(p.types.output, p.m, p.n, p.batch);
}

/// Returns the algorithms that cuBLASLt names, in its order. On an H100 and an H200 it named no more than
/// eight, however many were requested; with less workspace it names others.
std::vector<Product::Algorithm> Product::named(const ProductTypes& types, int tries) const {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
  const Preference preference(made);
  const auto prefer = [made](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    check(cublasLtMatmulPreferenceSetAttribute(made, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  // If a sum is split, its parts are kept in the accumulator's type, not in the result's 16-bit type.
  const bool narrow_result = types.output == CUDA_R_16F || types.output == CUDA_R_16BF;
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         static_cast<std::uint32_t>(narrow_result ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                                  : CUBLASLT_REDUCTION_SCHEME_MASK));
  const int asked = std::max(tries, 8);  // some candidates do not accept the problem
  std::vector<Algorithm> found(static_cast<std::size_t>(asked));
  const auto ask = [&](std::int64_t most_workspace) {
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::size_t>(most_workspace));
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(library(), description_.get(), layout_b_.get(), layout_a_.get(),
                                       layout_c_.get(), layout_c_.get(), made, asked, found.data(), &count);
    return std::pair(status, count);
  };
  std::vector<Algorithm> all;
  std::set<std::string> identities;
  const auto keep = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const Algorithm& one = found[static_cast<std::size_t>(i)];
      if (identities.insert(identity(one)).second) all.push_back(one);
    }
  };
  const auto [status, count] = ask(product_workspace_bytes);
  // cuBLASLt documents either of these for a configuration that is not possible.
  const bool refused = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
  if (refused || (status == CUBLAS_STATUS_SUCCESS && count == 0)) {
    throw Unsupported(fmt::format("cuBLASLt has no kernel for this type, these sizes and transposes ({})",
                                  words_for(status)));
  }
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  keep(count);
  if (tries <= 1) return all;
  for (const std::int64_t most_workspace : {std::int64_t{4} << 20, std::int64_t{0}}) {
    const auto [other_status, other_count] = ask(most_workspace);
    if (other_status == CUBLAS_STATUS_SUCCESS) keep(other_count);
  }
  return all;
}

/// Tries up to `tries` candidates and keeps the fastest.
void Product::choose(const ProductTypes& types, Stopwatch& stopwatch, int tries) {
  const std::vector<Algorithm> found = named(types, tries);
  if (tries == untried) {
    chosen_ = found.front();
    algorithm_ = identity(chosen_);
    return;
  }
  std::vector<Algorithm> candidates;
  Refusals refusals;
  for (const Algorithm& one : found) {
    if (std::ssize(candidates) == tries) break;
    chosen_ = one;
    // Some candidates reject a problem only when they are called.
    const cublasStatus_t called =
        chosen_.state == CUBLAS_STATUS_SUCCESS ? call(stopwatch.stream()) : chosen_.state;
    if (called == CUBLAS_STATUS_SUCCESS) {
      candidates.push_back(chosen_);
    } else {
      refusals.add(fmt::format("cublasLtMatmul: {}", words_for(called)));
    }
  }
  if (candidates.empty())
    refusals.none_left(
        fmt::format("none of cuBLASLt's {} candidates takes this type and these sizes", found.size()));
  auto raced = race(stopwatch, candidates, tries > 1,
                    [&](const Algorithm& candidate) { call_with(candidate, stopwatch.stream()); });
  chosen_ = raced.fastest;
  algorithm_ = fmt::format("{}; {}", identity(chosen_), raced.text);
  race_ = std::move(raced.text);
  finalists_ = std::move(raced.finalists);
  device_seconds_ = raced.seconds;
}

void Product::choose_by_host_clock(Stopwatch& stopwatch) {
  // A call takes the host up to 9 us on an H100's machine.
  constexpr double longest_launch = 12e-6;
  if (finalists_.empty()) return;
  if (device_seconds_ == 0) {
    stopwatch.wait();
    device_seconds_ =
        stopwatch.quick_seconds([&] { enqueue(stopwatch.stream()); }, 1e-3, Stopwatch::most_queued);
  }
  if (device_seconds_ > longest_launch) return;
  try {
    race_calls_and_graphs(stopwatch);
  } catch (const std::runtime_error&) {
    // The device's choice has been called before, so it runs.
    recorded_ = {};
    chosen_ = finalists_.front();
    stopwatch.wait();
  }
}

void Product::race_calls_and_graphs(Stopwatch& stopwatch) {
  struct Way {
    std::size_t finalist;
    bool is_graph;
  };
  std::vector<RecordedCalls> recorded(finalists_.size());
  std::vector<Way> ways;
  std::vector<std::function<void()>> launches;  // of each way
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    const auto call = [this, &stopwatch, i] { call_with(finalists_[i], stopwatch.stream()); };
    ways.push_back({i, false});
    launches.emplace_back(call);
    if (static_cast<std::int64_t>(i + 1) * operands_.turns.sets > RecordedCalls::most) continue;
    recorded[i] = RecordedCalls(stopwatch.stream(), operands_.turns.sets, call);
    if (recorded[i].empty()) continue;
    ways.push_back({i, true});
    launches.emplace_back([&recorded, &stopwatch, i] { recorded[i].launch(stopwatch.stream()); });
  }
  if (ways.size() == 1) return;
  for (const auto& launch : launches) launch();
  stopwatch.wait();
  const std::vector<double> seconds = seconds_of_host(stopwatch, launches);
  // The first that is not clearly slower than the fastest, so that noise does not change the algorithm.
  constexpr double clearly = 1.03;
  const double least = *std::ranges::min_element(seconds);
  std::size_t best = 0;
  while (seconds[best] > clearly * least) ++best;
  const Way chosen = ways[best];
  std::vector<std::string> others;
  const auto took = [&](const char* what, std::size_t way) {
    others.push_back(fmt::format("{} took {:.2f}x", what, seconds[way] / seconds[best]));
  };
  if (chosen.finalist != 0) took("the device's fastest", 0);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    if (ways[way].finalist == chosen.finalist && way != best)
      took(chosen.is_graph ? "the call" : "a CUDA graph", way);
  }
  chosen_ = finalists_[chosen.finalist];
  if (chosen.is_graph) recorded_ = std::move(recorded[chosen.finalist]);
  algorithm_ = fmt::format("{}{}; {}{}{}", identity(chosen_), chosen.is_graph ? "; as a CUDA graph" : "",
                           race_, others.empty() ? "" : "; by the host's clock: ", fmt::join(others, ", "));
}

void Product::enqueue(cudaStream_t stream) {
  if (!recorded_.empty()) return recorded_.launch(stream);
  check(call(stream), "cublasLtMatmul");
}

void Product::call_with(const Algorithm& algorithm, cudaStream_t stream) {
  chosen_ = algorithm;
  check(call(stream), "cublasLtMatmul");
}

cublasStatus_t Product::call(cudaStream_t stream) {
  struct Number {
    double f64;
    float f32;
    std::int32_t s32;
    const void* of(cudaDataType_t type) const {
      return type == CUDA_R_64F   ? static_cast<const void*>(&f64)
             : type == CUDA_R_32F ? static_cast<const void*>(&f32)
                                  : static_cast<const void*>(&s32);
    }
  };
  static constexpr Number zero{0, 0, 0};
  static constexpr Number one{1, 1, 1};
  Turns& turns = operands_.turns;
  turns.next();
  const void* const a = static_cast<const std::byte*>(operands_.a) + turns.set * turns.first_step;
  const void* const b = static_cast<const std::byte*>(operands_.b) + turns.set * turns.second_step;
  void* const c = static_cast<std::byte*>(operands_.c) + turns.set * turns.output_step;
  const bool adds = operands_.addend != nullptr;
  return cublasLtMatmul(library(), description_.get(), one.of(scale_), b, layout_b_.get(), a, layout_a_.get(),
                        (adds ? one : zero).of(scale_), adds ? operands_.addend : c, layout_c_.get(), c,
                        layout_c_.get(), &chosen_.algo, operands_.workspace,
                        static_cast<std::size_t>(product_workspace_bytes), stream);
}

}  // namespace breakeven::cuda
