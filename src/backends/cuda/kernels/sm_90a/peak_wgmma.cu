// Matrix instructions of a warp group, which only compute capability 9.0 has (PTX ISA, "Asynchronous
// warpgroup level multiply-and-accumulate operation using wgmma.mma_async instruction"). This folder is
// compiled for it.
#include <cstdint>

#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/peak.h"
#include "backends/cuda/kernels/peak_kernels.h"

namespace breakeven::cuda {
namespace {

constexpr int group = 128;             // threads per group
constexpr int groups_a_processor = 3;  // limit of registers and shared memory
constexpr int rows = 64;               // of A
constexpr int vector_bytes = 64;       // depth of two instructions

#define BREAKEVEN_4(C, d, i) C(d[i]), C(d[(i) + 1]), C(d[(i) + 2]), C(d[(i) + 3])
#define BREAKEVEN_24(C, d, i)                                                                                \
  BREAKEVEN_4(C, d, i), BREAKEVEN_4(C, d, (i) + 4), BREAKEVEN_4(C, d, (i) + 8), BREAKEVEN_4(C, d, (i) + 12), \
      BREAKEVEN_4(C, d, (i) + 16), BREAKEVEN_4(C, d, (i) + 20)
#define BREAKEVEN_96(C, d) \
  BREAKEVEN_24(C, d, 0), BREAKEVEN_24(C, d, 24), BREAKEVEN_24(C, d, 48), BREAKEVEN_24(C, d, 72)
#define BREAKEVEN_FLOAT(x) "+f"(x)
#define BREAKEVEN_INT(x) "+r"(x)

// Names of the accumulators: each thread has N / 2 of the 64 x N.
#define BREAKEVEN_NAMES_24                                                 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23"
#define BREAKEVEN_NAMES_96                                                           \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"

/// An instruction with 48 or 192 columns of B. The descriptors of A and B are the two operands after the
/// accumulators. It compiles for one architecture only. `ENDING`: a type's further operands.
#define BREAKEVEN_WGMMA(NAME, TYPES, SUM, PARTIAL, CONSTRAINT, ENDING)                  \
  struct NAME {                                                                         \
    using Sum = SUM;                                                                    \
    using Partial = PARTIAL; /* holds a few of them together */                         \
    __device__ static void add(SUM (&d)[24], std::uint64_t a, std::uint64_t b) {        \
      asm volatile("wgmma.mma_async.sync.aligned.m64n48" TYPES " {" BREAKEVEN_NAMES_24  \
                   "}, %24, %25, 1" ENDING ";"                                          \
                   : BREAKEVEN_24(CONSTRAINT, d, 0)                                     \
                   : "l"(a), "l"(b));                                                   \
    }                                                                                   \
    __device__ static void add(SUM (&d)[96], std::uint64_t a, std::uint64_t b) {        \
      asm volatile("wgmma.mma_async.sync.aligned.m64n192" TYPES " {" BREAKEVEN_NAMES_96 \
                   "}, %96, %97, 1" ENDING ";"                                          \
                   : BREAKEVEN_96(CONSTRAINT, d)                                        \
                   : "l"(a), "l"(b));                                                   \
    }                                                                                   \
  }

// Neither operand is negated. 16-bit operands are not transposed.
BREAKEVEN_WGMMA(GroupF16, "k16.f32.f16.f16", float, float, BREAKEVEN_FLOAT, ", 1, 1, 0, 0");
BREAKEVEN_WGMMA(GroupBf16, "k16.f32.bf16.bf16", float, float, BREAKEVEN_FLOAT, ", 1, 1, 0, 0");
BREAKEVEN_WGMMA(GroupTf32, "k8.f32.tf32.tf32", float, float, BREAKEVEN_FLOAT, ", 1, 1");
BREAKEVEN_WGMMA(GroupF8, "k32.f32.e4m3.e4m3", float, float, BREAKEVEN_FLOAT, ", 1, 1");
BREAKEVEN_WGMMA(GroupS8, "k32.s32.s8.s8", int, double, BREAKEVEN_INT, "");

template <typename Instruction, int columns>
struct GroupUnit {
  static constexpr int dots = rows * columns;
  typename Instruction::Sum sums[columns / 2];
  std::uint64_t a[2], b[2];  // descriptors, one for each half of the 64 bytes

  __device__ GroupUnit(std::uint32_t tile_a, std::uint32_t tile_b) {
    constexpr int half_bytes = vector_bytes / 2;
    for (int half = 0; half < 2; ++half) {
      a[half] = operand_descriptor(
          tile_a + static_cast<std::uint32_t>(operand_place(0, half * half_bytes, rows)), rows);
      b[half] = operand_descriptor(
          tile_b + static_cast<std::uint32_t>(operand_place(0, half * half_bytes, columns)), columns);
    }
  }
  __device__ void clear() {
#pragma unroll
    for (auto& sum : sums) sum = 0;
  }
  __device__ void add() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    Instruction::add(sums, a[0], b[0]);
    Instruction::add(sums, a[1], b[1]);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // Waits for the previous one: enough remain in flight to keep the units busy.
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  __device__ double sum() {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    // Instructions write these registers until they have been waited for: nothing may read them earlier.
#pragma unroll
    for (auto& one : sums) one = opaque(one);
    // A few are added in f32 first: conversions to f64 are slow, and f8e4m3 sums are emptied often.
    constexpr int together = 8;
    double all = 0;
#pragma unroll
    for (int i = 0; i < columns / 2; i += together) {
      typename Instruction::Partial part = 0;
#pragma unroll
      for (int j = 0; j < together; ++j) part += sums[i + j];
      all += static_cast<double>(part);
    }
    return all;
  }
};

__device__ void fill_operand(const void* vector, int operand_rows, unsigned char* tile) {
  const auto* bytes = static_cast<const unsigned char*>(vector);
  for (int i = static_cast<int>(threadIdx.x); i < operand_rows * vector_bytes; i += group)
    tile[operand_place(i / vector_bytes, i % vector_bytes, operand_rows)] = bytes[i % vector_bytes];
}

template <typename Instruction, int columns>
__global__ void __launch_bounds__(group, groups_a_processor) peak_wgmma(PeakWork work) {
  alignas(core_bytes) __shared__ unsigned char tile_a[rows * vector_bytes];
  alignas(core_bytes) __shared__ unsigned char tile_b[columns * vector_bytes];
  fill_operand(work.a, rows, tile_a);
  fill_operand(work.b, columns, tile_b);
  // Makes what threads wrote visible to the matrix units, which read through another proxy.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  GroupUnit<Instruction, columns> unit(static_cast<std::uint32_t>(__cvta_generic_to_shared(tile_a)),
                                       static_cast<std::uint32_t>(__cvta_generic_to_shared(tile_b)));
  const std::int64_t share = share_of(work.pieces, gridDim.x, blockIdx.x);
  work.sums[std::int64_t{blockIdx.x} * group + threadIdx.x] = accumulate_share(unit, share, work.steps);
}

template <typename Instruction, int columns>
PeakUnit by_group(const char* name) {
  return {.name = name,
          .dots = GroupUnit<Instruction, columns>::dots,
          .threads = group,
          .blocks = groups_a_processor,
          .enqueue = [](const PeakWork& work, unsigned blocks, unsigned threads, cudaStream_t stream) {
            peak_wgmma<Instruction, columns><<<blocks, threads, 0, stream>>>(work);
            check_launch();
          }};
}

}  // namespace

std::vector<PeakUnit> warpgroup_units(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return {by_group<GroupF16, 192>("wgmma.m64n192k16.f16"), by_group<GroupF16, 48>("wgmma.m64n48k16.f16")};
    case Dtype::bf16:
      return {by_group<GroupBf16, 192>("wgmma.m64n192k16.bf16"),
              by_group<GroupBf16, 48>("wgmma.m64n48k16.bf16")};
    case Dtype::tf32:
      return {by_group<GroupTf32, 192>("wgmma.m64n192k8.tf32"),
              by_group<GroupTf32, 48>("wgmma.m64n48k8.tf32")};
    case Dtype::f8e4m3:
      return {by_group<GroupF8, 192>("wgmma.m64n192k32.e4m3"), by_group<GroupF8, 48>("wgmma.m64n48k32.e4m3")};
    case Dtype::s8:
      return {by_group<GroupS8, 192>("wgmma.m64n192k32.s8"), by_group<GroupS8, 48>("wgmma.m64n48k32.s8")};
    default:
      return {};
  }
}

}  // namespace breakeven::cuda
