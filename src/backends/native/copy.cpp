#include "workloads/copy.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backends/native/arrays.h"
#include "backends/native/operation.h"
#include "worker/tuning.h"
#include "worker/vectorised.h"

namespace breakeven::native {
namespace {

// Function templates cannot be cloned for several CPUs, so there is a function for each type. CMakeLists.txt
// prevents the compiler from replacing it with memcpy.
BREAKEVEN_VECTORISED void copy_by_vectors(const float* __restrict from, float* __restrict to,
                                          std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}
BREAKEVEN_VECTORISED void copy_by_vectors(const double* __restrict from, double* __restrict to,
                                          std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

template <typename T>
void copy_by_library(const T* from, T* to, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

#ifdef __SSE2__
/// Copies with stores that bypass the caches, because lines that are written completely need not be read
/// first. The arrays begin and end at cache lines.
template <typename T>
void copy_past_caches(const T* from, T* to, std::int64_t count) {
  const auto* source = reinterpret_cast<const __m128i*>(from);
  auto* target = reinterpret_cast<__m128i*>(to);
  constexpr auto in_one = static_cast<std::int64_t>(sizeof(__m128i) / sizeof(T));
  for (std::int64_t i = 0; i < count / in_one; ++i) _mm_stream_si128(target + i, _mm_load_si128(source + i));
  _mm_sfence();
}
#endif

template <typename T>
struct Way {
  const char* name;
  void (*copy)(const T* from, T* to, std::int64_t count);
};

template <typename T>
std::vector<Way<T>> ways_for(const Bandwidth& p) {
  std::vector<Way<T>> ways{{"memcpy", copy_by_library<T>}};
  if (!p.tuned) return ways;
  ways.push_back({"a loop of vectors", copy_by_vectors});
#ifdef __SSE2__
  if (leave_caches(2 * p.bytes)) ways.push_back({"stores past the caches", copy_past_caches<T>});
#endif
  return ways;
}

template <typename T>
class Copies final : public Prepared {
 public:
  Copies(const Case& problem, std::uint64_t seed)
      : p_(within_memory(problem)),
        seed_(seed),
        from_(random_array<T>(p_.dtype, p_.elements(), RandomStream(seed, stream::first_operand))),
        to_(p_.elements()),
        ways_(ways_for<T>(p_)),
        way_(ways_.front()) {
    if (ways_.size() == 1) return;
    constexpr std::int64_t worth_timing = 1 << 20;  // bytes; enough to make waking threads negligible
    select_fastest(
        ways_.size(), [&](std::size_t way) { way_ = ways_[way]; },
        [&] { run_many(1 + worth_timing / p_.bytes); });
  }

  void run() override { run_many(1); }
  void run_many(std::int64_t times) override {
    // No pass reads what another one writes, and each thread writes only its own part.
    on_parts_repeatedly<T>(times, p_.elements(), [&](std::int64_t first, std::int64_t last, int) {
      way_.copy(from_.data() + first, to_.data() + first, last - first);
    });
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.dtype, to_.data(), p_.elements());
    run();
    return evidence_of(p_.dtype, to_.data(), p_.shape(), seed_, elements);
  }

  std::string algorithm() const override {
    return ways_.size() == 1 ? way_.name : fmt::format("{}; tuned: best of {} ways", way_.name, ways_.size());
  }

 private:
  /// Throws Unsupported for a copy to or from a device.
  static Bandwidth within_memory(const Case& problem) {
    const Copy copy(problem.parameters);
    if (copy.direction != Direction::within)
      throw Unsupported("there is no device to copy to or from: a CPU backend computes in the host's memory");
    return copy.array;
  }

  Bandwidth p_;
  std::uint64_t seed_;
  Buffer<T> from_, to_;
  std::vector<Way<T>> ways_;
  Way<T> way_;
};

const OperationRegistration copy_registered(in_both_floats<Copies>("copy"));

}  // namespace
}  // namespace breakeven::native
