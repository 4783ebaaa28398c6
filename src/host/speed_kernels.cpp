#include "host/speed_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

namespace breakeven {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr long throughput_repeats = 20'000;  // twelve multiply-adds each
constexpr long clock_repeats = 1'000;        // ten multiplications each

#if defined(__x86_64__)

bool has_fma() {
  return __builtin_cpu_supports("fma") != 0;
}

/// Runs twelve independent chains, which keep two units with a latency of up to six cycles busy. They are 128
/// bits wide, because every core with FMA starts two such instructions a cycle, and no core lowers its clock
/// for them.
void multiply_add_chains(long repeats) {
  asm volatile(
      "vxorps %%xmm15, %%xmm15, %%xmm15\n"
      "vxorps %%xmm0, %%xmm0, %%xmm0\n"
      "vxorps %%xmm1, %%xmm1, %%xmm1\n"
      "vxorps %%xmm2, %%xmm2, %%xmm2\n"
      "vxorps %%xmm3, %%xmm3, %%xmm3\n"
      "vxorps %%xmm4, %%xmm4, %%xmm4\n"
      "vxorps %%xmm5, %%xmm5, %%xmm5\n"
      "vxorps %%xmm6, %%xmm6, %%xmm6\n"
      "vxorps %%xmm7, %%xmm7, %%xmm7\n"
      "vxorps %%xmm8, %%xmm8, %%xmm8\n"
      "vxorps %%xmm9, %%xmm9, %%xmm9\n"
      "vxorps %%xmm10, %%xmm10, %%xmm10\n"
      "vxorps %%xmm11, %%xmm11, %%xmm11\n"
      ".p2align 6\n"
      "1:\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm0\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm1\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm2\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm3\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm4\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm5\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm6\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm7\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm8\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm9\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm10\n"
      "vfmadd231ps %%xmm15, %%xmm15, %%xmm11\n"
      "dec %0\n"
      "jnz 1b\n"
      : "+r"(repeats)
      :
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm15", "cc");
}

/// Runs a chain of 32-bit multiplications. Each takes three cycles according to LLVM's models of Haswell to
/// Sapphire Rapids and of Zen 1 to 3.
void multiply_chain(long repeats) {
  unsigned value = 3;
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "imul %1, %1\n"
      "dec %0\n"
      "jnz 1b\n"
      : "+r"(repeats), "+r"(value)
      :
      : "cc");
}

#elif defined(__aarch64__)

bool has_fma() {
  return true;
}

void multiply_add_chains(long repeats) {
  asm volatile(
      "movi v15.4s, #0\n"
      "1:\n"
      "fmla v0.4s, v15.4s, v15.4s\n"
      "fmla v1.4s, v15.4s, v15.4s\n"
      "fmla v2.4s, v15.4s, v15.4s\n"
      "fmla v3.4s, v15.4s, v15.4s\n"
      "fmla v4.4s, v15.4s, v15.4s\n"
      "fmla v5.4s, v15.4s, v15.4s\n"
      "fmla v6.4s, v15.4s, v15.4s\n"
      "fmla v7.4s, v15.4s, v15.4s\n"
      "fmla v16.4s, v15.4s, v15.4s\n"
      "fmla v17.4s, v15.4s, v15.4s\n"
      "fmla v18.4s, v15.4s, v15.4s\n"
      "fmla v19.4s, v15.4s, v15.4s\n"
      "subs %0, %0, #1\n"
      "b.ne 1b\n"
      : "+r"(repeats)
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v15", "v16", "v17", "v18", "v19", "cc");
}

void multiply_chain(long repeats) {
  unsigned value = 3;
  asm volatile(
      "1:\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "mul %w1, %w1, %w1\n"
      "subs %0, %0, #1\n"
      "b.ne 1b\n"
      : "+r"(repeats), "+r"(value)
      :
      : "cc");
}

#else

bool has_fma() {
  return false;
}

void multiply_add_chains(long) {}

void multiply_chain(long repeats) {
  volatile unsigned value = 3;
  for (long i = 0; i < 10 * repeats; ++i) value = value * value;
}

#endif

/// Replaces multiply_add_chains() on processors without FMA.
void plain_chains(long repeats) {
  volatile double zero = 0;
  const double factor = zero;
  std::array<double, 12> sums{};
  for (long i = 0; i < repeats / 4; ++i) {
    for (double& sum : sums) sum = sum * factor + factor;
  }
  zero = std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Reads a word in a way that the compiler cannot remove.
void read_word(const std::byte* place) {
  std::uint64_t word = 0;
  std::memcpy(&word, place, sizeof word);
  asm volatile("" : : "r"(word));
}

}  // namespace

void run_throughput_kernel() {
  static const bool fma = has_fma();
  if (fma) {
    multiply_add_chains(throughput_repeats);
  } else {
    plain_chains(throughput_repeats);
  }
}

void run_clock_kernel() {
  multiply_chain(clock_repeats);
}

FullThroughput full_throughput() {
#if defined(__x86_64__)
  if (!has_fma()) return {std::nullopt, "this processor has no FMA instructions"};
  // These are all Intel processors with FMA, and AMD's since Zen. Family 15h (Piledriver to Excavator) shares
  // its units between cores.
  const bool intel = __builtin_cpu_is("intel") != 0;
  const bool zen = __builtin_cpu_is("amd") != 0 && __builtin_cpu_is("amdfam15h") == 0;
  if (!intel && !zen) return {std::nullopt, "this processor's throughput is not known"};
  constexpr double throughput_cycles = 12.0 * throughput_repeats / 2;
  constexpr double clock_cycles = 3.0 * 10.0 * clock_repeats;
  return {throughput_cycles / clock_cycles, ""};
#else
  return {std::nullopt, "the throughput of processors other than x86-64 is not known"};
#endif
}

std::vector<std::uint32_t> random_line_order(std::size_t bytes) {
  std::vector<std::uint32_t> offsets(bytes / line_bytes);
  std::iota(offsets.begin(), offsets.end(), 0U);
  std::shuffle(offsets.begin(), offsets.end(), std::mt19937(1));
  for (std::uint32_t& offset : offsets) offset *= line_bytes;
  return offsets;
}

void read_lines(const std::byte* data, const std::vector<std::uint32_t>& offsets) {
  for (const std::uint32_t offset : offsets) read_word(data + offset);
}

void read_all_lines(const std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line_bytes) read_word(data + i);
}

bool flush_lines(const std::byte* data, std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < bytes; i += line_bytes) __builtin_ia32_clflush(data + i);
  __builtin_ia32_mfence();
  return true;
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < bytes; i += line_bytes)
    asm volatile("dc civac, %0" : : "r"(data + i) : "memory");
  asm volatile("dsb ish" : : : "memory");
  return true;
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
  return false;
#endif
}

}  // namespace breakeven
