#include "workloads/copy.h"

#include <cstddef>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backends/native/arrays.h"
#include "backends/native/operation.h"
#include "worker/tuning.h"

namespace breakeven::native {
namespace {

#ifdef __SSE2__
/// Past the caches: what is written whole need not be read first. `bytes` is a multiple of 64, and so are the
/// addresses.
void copy_past_caches(const void* from, void* to, std::int64_t bytes) {
  const auto* source = static_cast<const __m128i*>(from);
  auto* target = static_cast<__m128i*>(to);
  constexpr auto size = static_cast<std::int64_t>(sizeof(__m128i));
  for (std::int64_t i = 0; i < bytes / size; ++i) _mm_stream_si128(target + i, _mm_load_si128(source + i));
  _mm_sfence();
}
constexpr std::size_t ways = 2;
#else
void copy_past_caches(const void* from, void* to, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
constexpr std::size_t ways = 1;
#endif

template <typename T>
class Copies final : public Prepared {
 public:
  Copies(const Bandwidth& problem, std::uint64_t seed)
      : p_(problem),
        seed_(seed),
        from_(random_array<T>(p_.dtype, p_.elements(), RandomStream(seed, stream::first_operand))),
        to_(p_.elements()) {
    select_fastest(
        p_.tuned ? ways : 1, [&](std::size_t way) { past_caches_ = way == 1; }, [&] { run(); });
  }

  void run() override {
    on_parts<T>(p_.elements(), [&](std::int64_t first, std::int64_t last, int) {
      const T* const from = from_.data() + first;
      T* const to = to_.data() + first;
      const std::int64_t bytes = (last - first) * static_cast<std::int64_t>(sizeof(T));
      if (past_caches_) return copy_past_caches(from, to, bytes);
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    });
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.dtype, to_.data(), p_.elements());
    run();
    return evidence_of(p_.dtype, to_.data(), p_.shape(), seed_, elements);
  }

  std::string algorithm() const override {
    return ways == 1 || !p_.tuned ? "memcpy"
           : past_caches_         ? "stores past the caches; tuned: best of 2 ways"
                                  : "memcpy; tuned: best of 2 ways";
  }

 private:
  Bandwidth p_;
  std::uint64_t seed_;
  Buffer<T> from_, to_;
  bool past_caches_ = false;
};

Operation within_memory() {
  Operation copy = in_both_floats<Copies>("copy");
  copy.prepare = [prepare = copy.prepare](const Case& problem, std::uint64_t seed) {
    if (Copy(problem.parameters).direction != Direction::within)
      throw Unsupported("there is no device to copy to or from: a CPU backend computes in the host's memory");
    return prepare(problem, seed);
  };
  return copy;
}

const OperationRegistration registered(within_memory());

}  // namespace
}  // namespace breakeven::native
