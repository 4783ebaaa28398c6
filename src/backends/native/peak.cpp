#include "workloads/peak.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/native/arrays.h"
#include "backends/native/multiply_adds.h"
#include "worker/backend.h"
#include "worker/threads.h"
#include "worker/tuning.h"
#include "workloads/random.h"

namespace breakeven::native {
namespace {

/// An instruction, and the operands of a case in its type: one pair of vectors, or several if it multiplies
/// in a wider type.
struct UnitLoop {
  MultiplyAdds unit;
  std::vector<Vectors> vectors;
  bool widens = false;
};

Vectors vectors_as_stored(Dtype dtype, std::uint64_t seed) {
  Vectors made{};
  const auto count =
      static_cast<std::int64_t>(Peak::vector_bytes) / static_cast<std::int64_t>(facts(dtype).bytes());
  fill_inputs(dtype, made.a.data(), count, RandomStream(seed, stream::first_operand));
  fill_inputs(dtype, made.b.data(), count, RandomStream(seed, stream::second_operand));
  return made;
}

/// The same numbers converted to f32.
std::vector<Vectors> widened_vectors(const Peak& p, std::uint64_t seed) {
  constexpr std::int64_t floats = Peak::vector_bytes / static_cast<std::int64_t>(sizeof(float));
  std::vector<Vectors> made;
  for (std::int64_t first = 0; first < p.length(); first += floats) {
    Vectors& part = made.emplace_back();
    for (const auto& [numbers, to] :
         {std::pair(stream::first_operand, &part.a), {stream::second_operand, &part.b}}) {
      const auto values = input_values(p.dtype, RandomStream(seed, numbers), first, floats);
      const std::vector<float> wide(values.begin(), values.end());
      std::memcpy(to->data(), wide.data(), to->size());
    }
  }
  return made;
}

bool is_widened(Dtype dtype) {
  return dtype == Dtype::bf16 || dtype == Dtype::f16;
}

/// The variants for a dtype: its own instructions and, for bf16 and f16, those of f32, as libraries use if
/// the CPU has no others.
std::vector<UnitLoop> ways_of(const Peak& p, std::uint64_t seed) {
  std::vector<UnitLoop> ways;
  for (const MultiplyAdds& unit : multiply_adds(p.dtype))
    ways.push_back({.unit = unit, .vectors = {vectors_as_stored(p.dtype, seed)}});
  if (!is_widened(p.dtype)) return ways;
  for (const MultiplyAdds& unit : multiply_adds(Dtype::f32))
    ways.push_back({.unit = unit, .vectors = widened_vectors(p, seed), .widens = true});
  return ways;
}

class PeakOfUnits final : public Prepared {
 public:
  PeakOfUnits(const Case& problem, std::uint64_t seed)
      : p_(problem.parameters), seed_(seed), ways_(ways_of(p_, seed)) {
    select_fastest(
        p_.tuned ? ways_.size() : 1, [&](std::size_t way) { way_ = &ways_[way]; }, [&] { run(); });
  }

  void run() override {
    const MultiplyAdds& unit = way_->unit;
    parallel_ranges(p_.dots / unit.dots, [&](std::int64_t first, std::int64_t last, int thread) {
      double sum = 0;
      for (const Vectors& vectors : way_->vectors) sum += unit.sum(vectors, last - first, p_.steps);
      sums_.of(thread) = sum;
    });
    result_ = sums_.total();
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(Dtype::f64, &result_, 1);
    run();
    return evidence_of_number(result_, seed_, elements);
  }

  std::string algorithm() const override {
    return way_->unit.name + (way_->widens ? " in f32" : "") + (p_.tuned ? how_tuned(ways_.size()) : "");
  }

 private:
  static std::string how_tuned(std::size_t ways) {
    return ways > 1 ? "; tuned: best of " + std::to_string(ways) + " ways" : "";
  }

  Peak p_;
  std::uint64_t seed_;
  std::vector<UnitLoop> ways_;
  const UnitLoop* way_ = nullptr;
  SumOfThreads<double> sums_;
  double result_ = 0;
};

constexpr std::array dtypes_of_some_cpus{Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::s8};

std::vector<Dtype> dtypes() {
  std::vector<Dtype> here(dtypes_of_some_cpus.begin(), dtypes_of_some_cpus.end());
  std::erase_if(here,
                [](Dtype dtype) { return multiply_adds(is_widened(dtype) ? Dtype::f32 : dtype).empty(); });
  return here;
}

const OperationRegistration peak_registered({
    .op = "peak",
    .dtypes = dtypes,
    .prepare = prepare_as<PeakOfUnits>,
    .why_not = [](Dtype dtype) -> std::string {
      const bool some_cpu_has = std::ranges::find(dtypes_of_some_cpus, dtype) != dtypes_of_some_cpus.end();
      return some_cpu_has ? "needs a CPU of the x86-64 kind with AVX2 and FMA" : "";
    },
});

}  // namespace
}  // namespace breakeven::native
