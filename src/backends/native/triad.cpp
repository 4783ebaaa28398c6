#include <array>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backends/native/arrays.h"
#include "backends/native/operation.h"
#include "worker/tuning.h"
#include "worker/vectorised.h"

namespace breakeven::native {
namespace {

// Function templates cannot be cloned for several CPUs, so there is a function for each type.
BREAKEVEN_VECTORISED void triad(const float* __restrict b, const float* __restrict c, float* __restrict a,
                                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) a[i] = b[i] + static_cast<float>(triad_factor) * c[i];
}
BREAKEVEN_VECTORISED void triad(const double* __restrict b, const double* __restrict c, double* __restrict a,
                                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) a[i] = b[i] + triad_factor * c[i];
}

#ifdef __SSE2__
// Uses stores that bypass the caches, because lines that are written completely need not be read first.
// `count` is a multiple of a cache line's elements.
void triad_past_caches(const float* b, const float* c, float* a, std::int64_t count) {
  const __m128 factor = _mm_set1_ps(static_cast<float>(triad_factor));
  for (std::int64_t i = 0; i < count; i += 4)
    _mm_stream_ps(a + i, _mm_add_ps(_mm_load_ps(b + i), _mm_mul_ps(factor, _mm_load_ps(c + i))));
  _mm_sfence();
}
void triad_past_caches(const double* b, const double* c, double* a, std::int64_t count) {
  const __m128d factor = _mm_set1_pd(triad_factor);
  for (std::int64_t i = 0; i < count; i += 2)
    _mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(factor, _mm_load_pd(c + i))));
  _mm_sfence();
}
constexpr std::size_t ways = 2;
#else
template <typename T>
void triad_past_caches(const T* b, const T* c, T* a, std::int64_t count) {
  triad(b, c, a, count);
}
constexpr std::size_t ways = 1;
#endif

template <typename T>
class Triad final : public Prepared {
 public:
  Triad(const Case& problem, std::uint64_t seed)
      : p_(problem.parameters),
        seed_(seed),
        b_(random_array<T>(p_.dtype, p_.elements(), RandomStream(seed, stream::first_operand))),
        c_(random_array<T>(p_.dtype, p_.elements(), RandomStream(seed, stream::second_operand))),
        a_(p_.elements()) {
    if (!raced_) return;
    select_fastest(
        ways, [&](std::size_t way) { past_caches_ = way == 1; }, [&] { run(); });
  }

  void run() override { run_many(1); }
  void run_many(std::int64_t times) override {
    // No pass reads what another one writes, and each thread writes only its own part.
    on_parts_repeatedly<T>(times, p_.elements(), [&](std::int64_t first, std::int64_t last, int) {
      const T* const b = b_.data() + first;
      const T* const c = c_.data() + first;
      T* const a = a_.data() + first;
      past_caches_ ? triad_past_caches(b, c, a, last - first) : triad(b, c, a, last - first);
    });
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.dtype, a_.data(), p_.elements());
    run();
    return evidence_of(p_.dtype, a_.data(), p_.shape(), seed_, elements);
  }

  std::string algorithm() const override {
    return past_caches_ ? "stores past the caches; tuned: best of 2 ways"
           : raced_     ? "stores through the caches; tuned: best of 2 ways"
                        : "";
  }

 private:
  Bandwidth p_;
  std::uint64_t seed_;
  Buffer<T> b_, c_, a_;
  bool raced_ = ways > 1 && leave_caches(3 * p_.bytes) && p_.tuned;
  bool past_caches_ = false;
};

const OperationRegistration triad_registered(in_both_floats<Triad>("triad"));

}  // namespace
}  // namespace breakeven::native
