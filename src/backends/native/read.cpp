#include <array>
#include <numeric>

#include "backends/native/arrays.h"
#include "backends/native/operation.h"
#include "worker/vectorised.h"

namespace breakeven::native {
namespace {

/// Elements per cache line. As many sums are kept in parallel, so that no addition waits for the previous
/// one.
template <typename T>
using Line = std::array<T, 64 / sizeof(T)>;

template <typename T>
[[gnu::always_inline]] inline T sum_of(const T* values, std::int64_t count) {
  constexpr std::int64_t lines = 8;
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
  std::array<Line<T>, lines> sums{};
  std::int64_t i = 0;
  for (; i + lines * line <= count; i += lines * line) {
    for (std::int64_t l = 0; l < lines; ++l) {
      for (std::int64_t k = 0; k < line; ++k) sums[l][k] += values[i + l * line + k];
    }
  }
  T total = 0;
  for (const Line<T>& part : sums) total = std::accumulate(part.begin(), part.end(), total);
  return std::accumulate(values + i, values + count, total);
}

// Function templates cannot be cloned for several CPUs, so there is a function for each type.
BREAKEVEN_VECTORISED float sum(const float* values, std::int64_t count) {
  return sum_of(values, count);
}
BREAKEVEN_VECTORISED double sum(const double* values, std::int64_t count) {
  return sum_of(values, count);
}

template <typename T>
class Read final : public Prepared {
 public:
  Read(const Case& problem, std::uint64_t seed)
      : p_(problem.parameters),
        seed_(seed),
        array_(random_array<T>(p_.dtype, p_.elements(), RandomStream(seed, stream::first_operand))) {}

  void run() override { run_many(1); }
  void run_many(std::int64_t times) override {
    // Each thread has its own sum, and each pass computes it again; the sums of the last pass are the result.
    on_parts_repeatedly<T>(times, p_.elements(), [&](std::int64_t first, std::int64_t last, int thread) {
      sums_.of(thread) = sum(array_.data() + first, last - first);
    });
    result_ = sums_.total();
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.dtype, &result_, 1);
    run();
    return evidence_of_number(static_cast<double>(result_), seed_, elements);
  }

  std::string algorithm() const override { return ""; }

 private:
  Bandwidth p_;
  std::uint64_t seed_;
  Buffer<T> array_;
  SumOfThreads<T> sums_;
  T result_ = 0;
};

const OperationRegistration read_registered(in_both_floats<Read>("read"));

}  // namespace
}  // namespace breakeven::native
