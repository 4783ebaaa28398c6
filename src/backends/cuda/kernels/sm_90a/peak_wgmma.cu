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
#define BREAKEVEN_48(C, d) BREAKEVEN_24(C, d, 0), BREAKEVEN_24(C, d, 24)
#define BREAKEVEN_96(C, d) \
  BREAKEVEN_24(C, d, 0), BREAKEVEN_24(C, d, 24), BREAKEVEN_24(C, d, 48), BREAKEVEN_24(C, d, 72)
#define BREAKEVEN_FLOAT(x) "+f"(x)
#define BREAKEVEN_INT(x) "+r"(x)

// Names of the accumulators: each thread has N / 2 of the 64 x N.
#define BREAKEVEN_NAMES_24                                                 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23"
#define BREAKEVEN_NAMES_48                                                           \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define BREAKEVEN_NAMES_96                                                           \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"

/// add(), or replace(), which writes the products without the accumulators' old values: `ADDS` is 1 or 0. The
/// descriptors of A and B are the two operands after the accumulators, which come last here.
#define BREAKEVEN_CALL(FUNCTION, ADDS, COUNT, SHAPE, TYPES, NAMES, DESCRIPTORS, SUM, ENDING, ...)          \
  __device__ static void FUNCTION(SUM(&d)[COUNT], std::uint64_t a, std::uint64_t b) {                      \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE TYPES " {" NAMES "}, " DESCRIPTORS ", " ADDS ENDING \
                 ";"                                                                                       \
                 : __VA_ARGS__                                                                             \
                 : "l"(a), "l"(b));                                                                        \
  }
#define BREAKEVEN_CALLS(COUNT, SHAPE, TYPES, NAMES, DESCRIPTORS, SUM, ENDING, ...)            \
  BREAKEVEN_CALL(add, "1", COUNT, SHAPE, TYPES, NAMES, DESCRIPTORS, SUM, ENDING, __VA_ARGS__) \
  BREAKEVEN_CALL(replace, "0", COUNT, SHAPE, TYPES, NAMES, DESCRIPTORS, SUM, ENDING, __VA_ARGS__)

#pragma nv_diag_suppress 177  // not every type uses every number of columns
/// An instruction with 48, 96 or 192 columns of B. It compiles for one architecture only. `EMPTIED`: how
/// often accumulators are emptied into values of type PARTIAL before those are. `ENDING`: a type's further
/// operands.
#define BREAKEVEN_WGMMA(NAME, TYPES, SUM, PARTIAL, EMPTIED, CONSTRAINT, ENDING)        \
  struct NAME {                                                                        \
    using Sum = SUM;                                                                   \
    using Partial = PARTIAL; /* holds a few of them together */                        \
    static constexpr int emptied_into_partial = EMPTIED;                               \
    BREAKEVEN_CALLS(24, "m64n48", TYPES, BREAKEVEN_NAMES_24, "%24, %25", SUM, ENDING,  \
                    BREAKEVEN_24(CONSTRAINT, d, 0))                                    \
    BREAKEVEN_CALLS(48, "m64n96", TYPES, BREAKEVEN_NAMES_48, "%48, %49", SUM, ENDING,  \
                    BREAKEVEN_48(CONSTRAINT, d))                                       \
    BREAKEVEN_CALLS(96, "m64n192", TYPES, BREAKEVEN_NAMES_96, "%96, %97", SUM, ENDING, \
                    BREAKEVEN_96(CONSTRAINT, d))                                       \
  }

// Neither operand is negated. 16-bit operands are not transposed. Accumulators of f8e4m3 are emptied every
// few steps. f32 loses far less than they do: adding a value 128 times loses at most 2^-17 of the sum.
BREAKEVEN_WGMMA(GroupF16, "k16.f32.f16.f16", float, float, 1, BREAKEVEN_FLOAT, ", 1, 1, 0, 0");
BREAKEVEN_WGMMA(GroupBf16, "k16.f32.bf16.bf16", float, float, 1, BREAKEVEN_FLOAT, ", 1, 1, 0, 0");
BREAKEVEN_WGMMA(GroupTf32, "k8.f32.tf32.tf32", float, float, 1, BREAKEVEN_FLOAT, ", 1, 1");
BREAKEVEN_WGMMA(GroupF8, "k32.f32.e4m3.e4m3", float, float, 16, BREAKEVEN_FLOAT, ", 1, 1");
BREAKEVEN_WGMMA(GroupS8, "k32.s32.s8.s8", int, double, 1, BREAKEVEN_INT, "");

/// Waits for the groups of instructions that were committed.
__device__ void wait_for_all() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
__device__ void wait_for_all_but_one() {
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}

template <typename Instruction, int columns>
struct GroupUnit {
  static constexpr int together = 8;  // accumulators in one partial sum
  using Partial = typename Instruction::Partial;
  typename Instruction::Sum sums[columns / 2] = {};
  Partial parts[columns / 2 / together] = {};
  int emptied = 0;  // since the partial sums were
  double all = 0;
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
  /// Makes registers that were written visible to the instructions that follow.
  __device__ static void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
  __device__ static void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  /// Enqueues the first step since the accumulators were emptied. It overwrites them, which takes no other
  /// instructions.
  __device__ void replace() {
    Instruction::replace(sums, a[0], b[0]);
    Instruction::add(sums, a[1], b[1]);
  }
  __device__ void add() {
    Instruction::add(sums, a[0], b[0]);
    Instruction::add(sums, a[1], b[1]);
  }
  /// Adds the accumulators, whose instructions have been waited for, to the sum.
  __device__ void empty() {
    // Instructions write these registers until they have been waited for: nothing may read them earlier.
#pragma unroll
    for (auto& one : sums) one = opaque(one);
#pragma unroll
    for (int i = 0; i < columns / 2; ++i) parts[i / together] += static_cast<Partial>(sums[i]);
    if (++emptied == Instruction::emptied_into_partial) empty_parts();
  }
  __device__ double total() {
    empty_parts();
    return all;
  }

 private:
  /// Conversions to f64 are slow.
  __device__ void empty_parts() {
#pragma unroll
    for (auto& part : parts) {
      all += static_cast<double>(part);
      part = 0;
    }
    emptied = 0;
  }
};

/// Adds a share of pieces, in runs of at most `steps`; the first run is of `first` steps.
template <typename Unit>
__device__ void accumulate(Unit& unit, std::int64_t share, std::int64_t steps, std::int64_t first) {
  for (std::int64_t most = first; share > 0; most = steps) {
    const std::int64_t turn = share < most ? share : most;
    Unit::fence();
    unit.replace();
    Unit::commit();
#pragma unroll 2
    for (std::int64_t step = 1; step < turn; ++step) {
      Unit::fence();
      unit.add();
      Unit::commit();
      wait_for_all_but_one();  // enough remain in flight to keep the units busy
    }
    wait_for_all();
    unit.empty();
    share -= turn;
  }
}

__device__ void fill_operand(const void* vector, int operand_rows, unsigned char* tile) {
  const auto* bytes = static_cast<const unsigned char*>(vector);
  for (int i = static_cast<int>(threadIdx.x); i < operand_rows * vector_bytes; i += group)
    tile[operand_place(i / vector_bytes, i % vector_bytes, operand_rows)] = bytes[i % vector_bytes];
}

/// Makes the operands in shared memory.
template <int columns>
__device__ void fill_tiles(const PeakWork& work, unsigned char* tile_a, unsigned char* tile_b) {
  fill_operand(work.a, rows, tile_a);
  fill_operand(work.b, columns, tile_b);
  // Makes what threads wrote visible to the matrix units, which read through another proxy.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

/// The groups of a multiprocessor share its matrix units evenly. If all began alike, all would empty their
/// accumulators at the same time, and the units would wait. So each group's first run has another length.
__device__ std::int64_t first_steps(std::int64_t steps) {
  const std::int64_t place = std::int64_t{blockIdx.x} * groups_a_processor / gridDim.x;
  const std::int64_t first = steps * (place + 1) / groups_a_processor;
  return first > 0 ? first : 1;
}

template <typename Instruction, int columns>
__global__ void __launch_bounds__(group, groups_a_processor) peak_wgmma(PeakWork work) {
  alignas(core_bytes) __shared__ unsigned char tile_a[rows * vector_bytes];
  alignas(core_bytes) __shared__ unsigned char tile_b[columns * vector_bytes];
  fill_tiles<columns>(work, tile_a, tile_b);
  GroupUnit<Instruction, columns> unit(static_cast<std::uint32_t>(__cvta_generic_to_shared(tile_a)),
                                       static_cast<std::uint32_t>(__cvta_generic_to_shared(tile_b)));
  accumulate(unit, share_of(work.pieces, gridDim.x, blockIdx.x), work.steps, first_steps(work.steps));
  work.sums[std::int64_t{blockIdx.x} * group + threadIdx.x] = unit.total();
}

/// The same with two sets of accumulators, if they are emptied every `steps` steps: one is emptied while
/// instructions add to the other.
template <typename Instruction, int columns, int steps>
__global__ void __launch_bounds__(group, groups_a_processor) peak_wgmma_in_turn(PeakWork work) {
  alignas(core_bytes) __shared__ unsigned char tile_a[rows * vector_bytes];
  alignas(core_bytes) __shared__ unsigned char tile_b[columns * vector_bytes];
  fill_tiles<columns>(work, tile_a, tile_b);
  using Unit = GroupUnit<Instruction, columns>;
  const auto a = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile_a));
  const auto b = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile_b));
  Unit one(a, b);
  Unit other(a, b);
  const auto run = [](Unit& unit) {
    Unit::fence();
    unit.replace();
#pragma unroll
    for (int step = 1; step < steps; ++step) unit.add();
    Unit::commit();
  };
  std::int64_t share = share_of(work.pieces, gridDim.x, blockIdx.x);
  if (work.steps == steps) {
    const std::int64_t first = first_steps(steps) < share ? first_steps(steps) : share;
    accumulate(one, first, steps, first);
    for (share -= first; share >= 2 * steps; share -= 2 * steps) {
      run(one);
      run(other);
      wait_for_all_but_one();
      one.empty();
      wait_for_all();
      other.empty();
    }
  }
  accumulate(one, share, work.steps, work.steps);
  work.sums[std::int64_t{blockIdx.x} * group + threadIdx.x] = one.total() + other.total();
}

using Kernel = void (*)(PeakWork);

template <Kernel kernel, int dots>
PeakUnit by_group(const char* name) {
  return {.name = name,
          .dots = dots,
          .threads = group,
          .blocks = groups_a_processor,
          .enqueue = [](const PeakWork& work, unsigned blocks, unsigned threads, cudaStream_t stream) {
            kernel<<<blocks, threads, 0, stream>>>(work);
            check_launch();
          }};
}

}  // namespace

std::vector<PeakUnit> warpgroup_units(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return {by_group<peak_wgmma<GroupF16, 192>, rows * 192>("wgmma.m64n192k16.f16"),
              by_group<peak_wgmma<GroupF16, 48>, rows * 48>("wgmma.m64n48k16.f16")};
    case Dtype::bf16:
      return {by_group<peak_wgmma<GroupBf16, 192>, rows * 192>("wgmma.m64n192k16.bf16"),
              by_group<peak_wgmma<GroupBf16, 48>, rows * 48>("wgmma.m64n48k16.bf16")};
    case Dtype::tf32:
      return {by_group<peak_wgmma<GroupTf32, 192>, rows * 192>("wgmma.m64n192k8.tf32"),
              by_group<peak_wgmma<GroupTf32, 48>, rows * 48>("wgmma.m64n48k8.tf32")};
    case Dtype::f8e4m3:
      return {by_group<peak_wgmma<GroupF8, 192>, rows * 192>("wgmma.m64n192k32.e4m3"),
              by_group<peak_wgmma_in_turn<GroupF8, 96, 8>, rows * 96>("wgmma.m64n96k32.e4m3 in turn"),
              by_group<peak_wgmma<GroupF8, 48>, rows * 48>("wgmma.m64n48k32.e4m3")};
    case Dtype::s8:
      return {by_group<peak_wgmma<GroupS8, 192>, rows * 192>("wgmma.m64n192k32.s8"),
              by_group<peak_wgmma<GroupS8, 48>, rows * 48>("wgmma.m64n48k32.s8")};
    default:
      return {};
  }
}

}  // namespace breakeven::cuda
