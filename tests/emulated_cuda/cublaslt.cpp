// The part of cuBLASLt that breakeven calls, computed in double precision. It checks the requirements in the
// documentation for types, sizes, leading dimensions and addresses ("cublasLtMatmul()"). One of its
// algorithms rejects the problem when it is called.
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "device.h"
#include "fp22.h"
#include "numbers.h"

namespace {

using emulated::bytes_of;

struct Description {
  cublasComputeType_t compute{};
  cudaDataType_t scale{};
  cublasOperation_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  std::int32_t bias_type = -1;  // the bias has the result's type
  void* mask = nullptr;
  std::int64_t mask_stride = 0;  // bits
  const void *scale_a = nullptr, *scale_b = nullptr;
  std::int8_t fast_accumulation = 0;
};

struct Layout {
  cudaDataType_t type{};
  std::int64_t rows = 0, columns = 0, stride = 0;  // `stride`: from column to column
  std::int32_t batch = 1;
  std::int64_t batch_stride = 0;

  std::int64_t at(std::int64_t row, std::int64_t column) const { return row + column * stride; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(at(rows - 1, columns - 1) + 1 + (batch - 1) * batch_stride) *
           bytes_of(type);
  }
};

template <typename Made, typename Opaque>
Made& made(Opaque* opaque) {
  static_assert(sizeof(Made) <= sizeof(Opaque));
  return *reinterpret_cast<Made*>(opaque);
}
template <typename Made, typename Opaque>
const Made& made(const Opaque* opaque) {
  return *reinterpret_cast<const Made*>(opaque);
}

template <typename T>
cublasStatus_t set(T& to, const void* value, std::size_t bytes) {
  if (bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

/// True for the combinations of types that breakeven uses.
bool takes_types(const Description& d, cudaDataType_t a, cudaDataType_t b, cudaDataType_t c) {
  const bool narrow = a == CUDA_R_16F || a == CUDA_R_16BF;
  if (a != b) return false;
  switch (d.compute) {
    case CUBLAS_COMPUTE_64F:
      return d.scale == CUDA_R_64F && a == CUDA_R_64F && c == CUDA_R_64F;
    case CUBLAS_COMPUTE_32F:
      if (d.scale != CUDA_R_32F) return false;
      if (a == CUDA_R_8F_E4M3) return c == CUDA_R_16BF || c == CUDA_R_16F || c == CUDA_R_32F;
      return c == CUDA_R_32F ? narrow || a == CUDA_R_32F : narrow && c == a;
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return d.scale == CUDA_R_32F && a == CUDA_R_32F && c == CUDA_R_32F;
    case CUBLAS_COMPUTE_32I:
      return d.scale == CUDA_R_32I && a == CUDA_R_8I && c == CUDA_R_32I;
    default:
      return false;
  }
}

bool multiple(std::int64_t value, std::int64_t of) {
  return value % of == 0;
}
bool aligned(const void* memory, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(memory) % to == 0;
}

/// True if the requirements of tensor cores' 8-bit types hold: A transposed, B not, and sizes that
/// instructions of 16 bytes can read.
bool takes_8_bits(const Description& d, const Layout& a, const Layout& b, const Layout& c) {
  const std::int64_t step = a.type == CUDA_R_8I ? 4 : 16;
  return d.transpose_a == CUBLAS_OP_T && d.transpose_b == CUBLAS_OP_N && multiple(a.stride, step) &&
         multiple(b.stride, step) && multiple(c.rows, a.type == CUDA_R_8I ? 4 : 8) && multiple(a.rows, step);
}

bool takes_epilogue(const Description& d, const Layout& c) {
  const bool plain = d.epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  if (d.compute == CUBLAS_COMPUTE_32I || d.compute == CUBLAS_COMPUTE_64F) return plain;
  const bool has_bias = d.bias != nullptr && (d.bias_type < 0 || d.bias_type == c.type);
  const bool has_mask =
      d.mask != nullptr && aligned(d.mask, 16) && multiple(d.mask_stride, 128) && d.mask_stride >= c.rows;
  switch (d.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
      return d.bias == nullptr && d.mask == nullptr;
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_BGRADB:
      return has_bias && d.mask == nullptr;
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
      return has_bias && has_mask;
    case CUBLASLT_EPILOGUE_DRELU:
      return d.bias == nullptr && has_mask;
    default:
      return false;
  }
}

cublasStatus_t judged(const Description& d, const Layout& a, const Layout& b, const Layout& c) {
  const bool transposed_a = d.transpose_a == CUBLAS_OP_T;
  const bool transposed_b = d.transpose_b == CUBLAS_OP_T;
  const std::int64_t k = transposed_a ? a.rows : a.columns;
  const bool fits =
      (transposed_a ? a.columns : a.rows) == c.rows && (transposed_b ? b.columns : b.rows) == k &&
      (transposed_b ? b.rows : b.columns) == c.columns && a.batch == b.batch && a.batch == c.batch;
  if (!fits || a.stride < a.rows || b.stride < b.rows || c.stride < c.rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (d.fast_accumulation != 0 && a.type != CUDA_R_8F_E4M3) return CUBLAS_STATUS_INVALID_VALUE;
  if ((d.scale_a == nullptr) != (d.scale_b == nullptr) || (d.scale_a != nullptr && a.type != CUDA_R_8F_E4M3))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!takes_types(d, a.type, b.type, c.type) || !takes_epilogue(d, c)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (bytes_of(a.type) == 1 && !takes_8_bits(d, a, b, c)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

/// One matrix of the batch, column by column.
std::vector<double> loaded(const Layout& layout, const void* memory, std::int64_t one, bool tf32) {
  std::vector<double> values(static_cast<std::size_t>(layout.rows * layout.columns));
  for (std::int64_t c = 0; c < layout.columns; ++c)
    emulated::load_all(layout.type, memory, one * layout.batch_stride + layout.at(0, c),
                       std::span(values).subspan(static_cast<std::size_t>(c * layout.rows),
                                                 static_cast<std::size_t>(layout.rows)));
  if (tf32) std::ranges::transform(values, values.begin(), emulated::truncated_to_tf32);
  return values;
}

struct Operands {
  const void *a, *b, *c;
  void* d;
  double alpha, beta;
};

bool bit(const void* mask, std::int64_t at) {
  return (static_cast<const unsigned char*>(mask)[at / 8] >> (at % 8) & 1U) != 0;
}
void set_bit(void* mask, std::int64_t at, bool value) {
  unsigned char& byte = static_cast<unsigned char*>(mask)[at / 8];
  const auto one = static_cast<unsigned char>(1U << (at % 8));
  byte = static_cast<unsigned char>(value ? byte | one : byte & ~one);
}

/// Applies the epilogue to a column of the result.
void apply_epilogue(const Description& d, std::span<const double> bias, std::int64_t column,
                    std::span<double> sums) {
  for (std::size_t row = 0; row < sums.size(); ++row) {
    double& sum = sums[row];
    const std::int64_t masked = static_cast<std::int64_t>(row) + column * d.mask_stride;
    switch (d.epilogue) {
      case CUBLASLT_EPILOGUE_BIAS:
        sum += bias[row];
        break;
      case CUBLASLT_EPILOGUE_RELU_BIAS:
        sum = std::max(0.0, sum + bias[row]);
        break;
      case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
        sum += bias[row];
        set_bit(d.mask, masked, sum > 0);
        sum = std::max(0.0, sum);
        break;
      case CUBLASLT_EPILOGUE_DRELU:
        if (!bit(d.mask, masked)) sum = 0;
        break;
      default:
        break;
    }
  }
}

/// Sums products in a tensor core's accumulator, as many at a time as one instruction adds.
double fast_sum(const double* a, const double* b, std::int64_t k) {
  constexpr std::int64_t at_once = 32;
  double sum = 0;
  for (std::int64_t first = 0; first < k; first += at_once) {
    std::array<double, at_once> products{};
    for (std::int64_t i = first; i < std::min(first + at_once, k); ++i)
      products[static_cast<std::size_t>(i - first)] = a[i] * b[i];
    sum = emulated::add_fp22(sum, products);
  }
  return sum;
}

void multiply(const Description& d, const Layout& la, const Layout& lb, const Layout& lc, const Layout& ld,
              const Operands& o) {
  const bool tf32 = d.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const double scale = d.scale_a == nullptr ? 1
                                            : emulated::load(CUDA_R_32F, d.scale_a, 0) *
                                                  emulated::load(CUDA_R_32F, d.scale_b, 0);
  const auto rows = static_cast<std::size_t>(lc.rows);
  std::vector<double> bias(d.epilogue != CUBLASLT_EPILOGUE_BGRADB && d.bias != nullptr ? rows : 0);
  emulated::load_all(ld.type, d.bias, 0, bias);
  std::vector<double> sums(rows);
  std::vector<double> added(o.beta != 0 ? rows : 0);
  const std::int64_t k = d.transpose_a == CUBLAS_OP_T ? la.rows : la.columns;
  std::vector<double> of_b(static_cast<std::size_t>(k));  // a column of op(B)
  for (std::int64_t one = 0; one < lc.batch; ++one) {
    const auto a = loaded(la, o.a, one, tf32);
    const auto b = loaded(lb, o.b, one, tf32);
    for (std::int64_t column = 0; column < lc.columns; ++column) {
      const bool in_a_row = d.transpose_b == CUBLAS_OP_T;
      const double* from = b.data() + (in_a_row ? column : column * lb.rows);
      for (double& value : of_b) {
        value = *from;
        from += in_a_row ? lb.rows : 1;
      }
      if (d.epilogue == CUBLASLT_EPILOGUE_BGRADB)
        emulated::store(ld.type, d.bias, column, std::accumulate(of_b.begin(), of_b.end(), 0.0));
      if (d.fast_accumulation != 0) {  // A is transposed
        for (std::size_t row = 0; row < rows; ++row)
          sums[row] = fast_sum(a.data() + static_cast<std::int64_t>(row) * k, of_b.data(), k);
      } else if (d.transpose_a == CUBLAS_OP_T) {
        emulated::sums_of_products(a.data(), lc.rows, of_b.data(), k, sums.data());
      } else {
        std::ranges::fill(sums, 0.0);
        emulated::add_combination(a.data(), k, of_b.data(), lc.rows, sums.data());
      }
      for (double& sum : sums) sum *= o.alpha * scale;
      emulated::load_all(lc.type, o.c, one * lc.batch_stride + lc.at(0, column), added);
      for (std::size_t row = 0; row < added.size(); ++row) sums[row] += o.beta * added[row];
      apply_epilogue(d, bias, column, sums);
      emulated::store_all(ld.type, o.d, one * ld.batch_stride + ld.at(0, column), sums);
    }
  }
}

void will_touch(cudaStream_t stream, const Description& d, const Layout& a, const Layout& b, const Layout& c,
                const Operands& o) {
  emulated::will_touch(stream, o.a, a.bytes(), "cuBLASLt's A");
  emulated::will_touch(stream, o.b, b.bytes(), "cuBLASLt's B");
  emulated::will_touch(stream, o.d, c.bytes(), "cuBLASLt's D");
  if (o.beta != 0) emulated::will_touch(stream, o.c, c.bytes(), "cuBLASLt's C");
  if (d.bias != nullptr) {
    const std::int64_t count = d.epilogue == CUBLASLT_EPILOGUE_BGRADB ? c.columns : c.rows;
    emulated::will_touch(stream, d.bias, static_cast<std::size_t>(count) * bytes_of(c.type),
                         "cuBLASLt's bias");
  }
  if (d.mask != nullptr)
    emulated::will_touch(stream, d.mask, static_cast<std::size_t>(d.mask_stride * c.columns / 8),
                         "cuBLASLt's mask");
  if (d.scale_a != nullptr) emulated::will_touch(stream, d.scale_a, sizeof(float), "cuBLASLt's scale");
}

/// The algorithms that are named for the largest workspace, and those for none.
constexpr std::array<std::uint64_t, 4> usual{0, 1, 2, 3};
constexpr std::array<std::uint64_t, 2> without_workspace{0, 4};
constexpr std::uint64_t refusing = 2;  // rejects the problem when it is called

struct Preference {
  std::uint64_t most_workspace = 0;
};

/// Takes as long as EMULATED_CUDA_SLOW_CALLS says, in microseconds: time of the host alone.
void be_slow() {
  static const char* const given = std::getenv("EMULATED_CUDA_SLOW_CALLS");
  if (given == nullptr) return;
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(std::atol(given));
  while (std::chrono::steady_clock::now() < until) {
  }
}

}  // namespace

struct cublasLtContext {};

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
std::size_t cublasLtGetVersion() {
  return CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH;
}
const char* cublasLtGetStatusString(cublasStatus_t /*status*/) {
  return "what the emulated cuBLASLt says of it";
}
const char* cublasLtGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED      ? "CUBLAS_STATUS_NOT_SUPPORTED"
         : status == CUBLAS_STATUS_INVALID_VALUE    ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED"
         : status == CUBLAS_STATUS_INTERNAL_ERROR   ? "CUBLAS_STATUS_INTERNAL_ERROR"
                                                    : "a status of the emulated cuBLASLt";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* to, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *to = new cublasLtMatmulDescOpaque_t;
  new (*to) Description{.compute = compute, .scale = scale};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete description;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              std::size_t bytes) {
  auto& d = made<Description>(description);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(d.transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(d.transpose_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(d.epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(d.bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return set(d.bias_type, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return set(d.mask, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return set(d.mask_stride, value, bytes);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return set(d.fast_accumulation, value, bytes);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      return set(d.scale_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      return set(d.scale_b, value, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* to, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t stride) {
  *to = new cublasLtMatrixLayoutOpaque_t;
  new (*to) Layout{.type = type,
                   .rows = static_cast<std::int64_t>(rows),
                   .columns = static_cast<std::int64_t>(columns),
                   .stride = stride};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* value,
                                                std::size_t bytes, std::size_t* written) {
  const auto rows = static_cast<std::uint64_t>(made<Layout>(layout).rows);
  if (attribute != CUBLASLT_MATRIX_LAYOUT_ROWS || bytes != sizeof rows) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, &rows, bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                std::size_t bytes) {
  auto& l = made<Layout>(layout);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return set(l.batch, value, bytes);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) return set(l.batch_stride, value, bytes);
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* to) {
  *to = new cublasLtMatmulPreferenceOpaque_t;
  new (*to) Preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return set(made<Preference>(preference).most_workspace, value, bytes);
  return bytes == 4 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t preference, int asked,
                                              cublasLtMatmulHeuristicResult_t found[], int* count) {
  *count = 0;
  const cublasStatus_t status =
      judged(made<Description>(description), made<Layout>(a), made<Layout>(b), made<Layout>(c));
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const std::span<const std::uint64_t> named = made<Preference>(preference).most_workspace == 0
                                                   ? std::span<const std::uint64_t>(without_workspace)
                                                   : usual;
  for (; *count < std::min(asked, static_cast<int>(named.size())); ++*count) {
    found[*count] = {};
    found[*count].algo.data[0] = named[static_cast<std::size_t>(*count)];
    found[*count].state = CUBLAS_STATUS_SUCCESS;
  }
  return status;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value, std::size_t bytes, std::size_t* written) {
  std::memset(value, 0, bytes);
  if (attribute == CUBLASLT_ALGO_CONFIG_ID) std::memcpy(value, algorithm->data, bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
                              cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layout_c, void* d, cublasLtMatrixLayout_t layout_d,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  const auto description_now = made<Description>(description);
  const auto la = made<Layout>(layout_a);
  const auto lb = made<Layout>(layout_b);
  const auto lc = made<Layout>(layout_c);
  const auto ld = made<Layout>(layout_d);
  const cublasStatus_t status = judged(description_now, la, lb, lc);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  be_slow();
  if (algorithm->data[0] == refusing) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!aligned(a, 16) || !aligned(b, 16) || !aligned(c, 16) || !aligned(d, 16) || !aligned(workspace, 16))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (c == d && lc.stride != ld.stride) return CUBLAS_STATUS_INVALID_VALUE;
  emulated::will_touch(stream, workspace, workspace_bytes, "cuBLASLt's workspace");
  const cudaDataType_t scale = description_now.scale;
  const Operands operands{a, b, c, d, emulated::load(scale, alpha, 0), emulated::load(scale, beta, 0)};
  // The library has its own CUDA runtime: the backend sees only the status.
  if (emulated::is_lost()) return CUBLAS_STATUS_EXECUTION_FAILED;
  will_touch(stream, description_now, la, lb, ld, operands);
  // cuBLASLt does not document which kernel it loads: one for each kind of product and algorithm is assumed.
  static std::set<std::tuple<cublasComputeType_t, cudaDataType_t, cublasLtEpilogue_t, std::uint64_t>> loaded;
  const auto kernel =
      std::tuple(description_now.compute, la.type, description_now.epilogue, algorithm->data[0]);
  if (loaded.count(kernel) == 0 && !emulated::loads_kernel("a kernel of cuBLASLt's"))
    return CUBLAS_STATUS_INTERNAL_ERROR;
  loaded.insert(kernel);
  emulated::enqueue(stream, [=] { multiply(description_now, la, lb, lc, ld, operands); });
  return status;
}
}
