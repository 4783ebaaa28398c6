#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/peak.h"
#include "backends/cuda/kernels/peak_kernels.h"

namespace breakeven::cuda {
namespace {

constexpr int block_of_units = 256;    // threads per block
constexpr int blocks_a_processor = 2;  // 4 warps for each of its 4 schedulers
constexpr int warp = 32;

template <int unit_threads>
__device__ std::int64_t share_here(const PeakWork& work) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  return share_of(work.pieces, threads / unit_threads, thread / unit_threads);
}

__device__ void write_sum(const PeakWork& work, double sum) {
  work.sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

template <typename T>
__global__ void __launch_bounds__(block_of_units, blocks_a_processor) peak_fma(PeakWork work) {
  FmaUnit<T> unit(static_cast<const T*>(work.a), static_cast<const T*>(work.b));
  write_sum(work, accumulate_share(unit, share_here<1>(work), work.steps));
}

// ---- matrix instructions of a warp (PTX ISA, "Matrix multiply-accumulate operation using mma instruction")
//
// All rows of A and all columns of B are the same. So a lane's part of them depends only on its index in its
// group of four: every fourth word of each vector. A word is 32 bits, or one number of f64.

/// `registers`: accumulators per lane. `words`: of each vector, read by one instruction in a lane. `Partial`:
/// the type in which a lane adds its accumulators when it empties them.
template <typename SumType, typename WordType, int registers_of_lane, int words_of_lane,
          typename PartialType = double>
struct Instruction {
  using Sum = SumType;
  using Partial = PartialType;
  using Word = WordType;
  static constexpr int registers = registers_of_lane;
  static constexpr int words = words_of_lane;
};

/// Instructions for 32 bytes of depth: 16 x 8 dot products. They need compute capability 8.0 (8.9 for 8-bit
/// floats), and are not called below.
struct MmaF16 : Instruction<float, unsigned, 4, 2> {
  __device__ static void add(float (&d)[4], const unsigned* a, const unsigned* b) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#endif
  }
};
struct MmaBf16 : Instruction<float, unsigned, 4, 2> {
  __device__ static void add(float (&d)[4], const unsigned* a, const unsigned* b) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#endif
  }
};
struct MmaTf32 : Instruction<float, unsigned, 4, 2> {
  __device__ static void add(float (&d)[4], const unsigned* a, const unsigned* b) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#endif
  }
};
/// Accumulators of 8-bit floats are emptied every few instructions. In f64, with two units per multiprocessor
/// on most cards, that would take as long as the products. In f32 it loses far less than the accumulators do.
struct MmaF8 : Instruction<float, unsigned, 4, 2, float> {
  __device__ static void add(float (&d)[4], const unsigned* a, const unsigned* b) {
#if __CUDA_ARCH__ >= 890
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#endif
  }
};
struct MmaS8 : Instruction<int, unsigned, 4, 2> {
  __device__ static void add(int (&d)[4], const unsigned* a, const unsigned* b) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#endif
  }
};

/// Turing's instructions, for 16 bytes of depth: 16 x 8 dot products; 8 x 8 for 8-bit integers.
struct TuringF16 : Instruction<float, unsigned, 4, 1> {
  __device__ static void add(float (&d)[4], const unsigned* a, const unsigned* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(b[0]));
  }
};
struct TuringS8 : Instruction<int, unsigned, 2, 1> {
  __device__ static void add(int (&d)[2], const unsigned* a, const unsigned* b) {
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(b[0]));
  }
};

/// f64 on Ampere and later: 8 x 8 dot products, four numbers deep.
struct AmpereF64 : Instruction<double, double, 2, 1> {
  __device__ static void add(double (&d)[2], const double* a, const double* b) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[0]), "d"(b[0]));
#endif
  }
};
/// f64 on Hopper and later: 16 x 8 dot products, eight numbers deep.
struct HopperF64 : Instruction<double, double, 4, 2> {
  __device__ static void add(double (&d)[4], const double* a, const double* b) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(b[0]), "d"(b[1]));
#endif
  }
};

constexpr int tiles = 8;  // accumulators per warp: enough to hide an instruction's latency

template <typename Mma>
struct MmaUnit {
  using Word = typename Mma::Word;
  static constexpr int dots = tiles * warp * Mma::registers;
  static constexpr int words = 16 / static_cast<int>(sizeof(Word));  // that a lane has of 64 bytes
  typename Mma::Sum sums[tiles][Mma::registers];
  Word a[words], b[words];

  __device__ MmaUnit(const Word* first, const Word* second, int lane_in_group) {
    for (int word = 0; word < words; ++word) {
      a[word] = first[word * 4 + lane_in_group];
      b[word] = second[word * 4 + lane_in_group];
    }
  }
  __device__ void clear() {
    for (auto& tile : sums) {
      for (auto& sum : tile) sum = 0;
    }
  }
  __device__ void add() {
#pragma unroll
    for (int word = 0; word < words; word += Mma::words) {
#pragma unroll
      for (auto& tile : sums) Mma::add(tile, a + word, b + word);
    }
  }
  __device__ double sum() const {
    typename Mma::Partial all = 0;
    for (const auto& tile : sums) {
      for (const auto one : tile) all += static_cast<typename Mma::Partial>(one);
    }
    return static_cast<double>(all);
  }
};

template <typename Mma>
__global__ void __launch_bounds__(block_of_units, blocks_a_processor) peak_mma(PeakWork work) {
  using Word = typename Mma::Word;
  MmaUnit<Mma> unit(static_cast<const Word*>(work.a), static_cast<const Word*>(work.b), threadIdx.x % 4);
  write_sum(work, accumulate_share(unit, share_here<warp>(work), work.steps));
}

template <typename T>
PeakUnit by_fma() {
  return {.name = "fma",
          .dots = FmaUnit<T>::dots,
          .threads = block_of_units,
          .blocks = blocks_a_processor,
          .enqueue = [](const PeakWork& work, unsigned blocks, unsigned threads, cudaStream_t stream) {
            peak_fma<T><<<blocks, threads, 0, stream>>>(work);
            check_launch();
          }};
}

template <typename Mma>
PeakUnit by_mma(const char* name) {
  return {.name = name,
          .dots = MmaUnit<Mma>::dots,
          .threads = block_of_units,
          .blocks = blocks_a_processor,
          .enqueue = [](const PeakWork& work, unsigned blocks, unsigned threads, cudaStream_t stream) {
            peak_mma<Mma><<<blocks, threads, 0, stream>>>(work);
            check_launch();
          }};
}

/// True for data-centre Blackwell. Its matrix units read operands from a memory of their own, with
/// instructions that this program does not have; the older instructions would measure too low a rate.
bool has_unknown_matrix_units(Capability capability) {
  return capability.major == 10 || capability.major == 11;
}

std::vector<PeakUnit> matrix_units(Dtype dtype, Capability capability) {
  const bool is_turing = capability < Capability{8, 0};
  switch (dtype) {
    case Dtype::f16:
      if (is_turing) return {by_mma<TuringF16>("mma.m16n8k8.f16")};
      return {by_mma<MmaF16>("mma.m16n8k16.f16")};
    case Dtype::s8:
      if (is_turing) return {by_mma<TuringS8>("mma.m8n8k16.s8")};
      return {by_mma<MmaS8>("mma.m16n8k32.s8")};
    case Dtype::bf16:
      return {by_mma<MmaBf16>("mma.m16n8k16.bf16")};
    case Dtype::tf32:
      return {by_mma<MmaTf32>("mma.m16n8k8.tf32")};
    case Dtype::f8e4m3:
      return {by_mma<MmaF8>("mma.m16n8k32.e4m3")};
    default:
      return {};
  }
}

}  // namespace

std::vector<PeakUnit> peak_units(Dtype dtype, Capability capability) {
  if (dtype == Dtype::f32) return {by_fma<float>()};
  std::vector<PeakUnit> units;
  if (dtype == Dtype::f64) {
    if (!(capability < Capability{9, 0})) units.push_back(by_mma<HopperF64>("mma.m16n8k8.f64"));
    if (!(capability < Capability{8, 0})) units.push_back(by_mma<AmpereF64>("mma.m8n8k4.f64"));
    units.push_back(by_fma<double>());
    return units;
  }
  if (has_unknown_matrix_units(capability)) return {};
  if (capability.major == 9 && capability.minor == 0) units = warpgroup_units(dtype);
  for (PeakUnit& unit : matrix_units(dtype, capability)) units.push_back(std::move(unit));
  return units;
}

}  // namespace breakeven::cuda
