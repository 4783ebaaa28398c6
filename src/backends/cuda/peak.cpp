#include "workloads/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>

#include "backends/cuda/kernels/peak_kernels.h"
#include "backends/cuda/race.h"
#include "backends/cuda/work.h"
#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

/// One of the two vectors. Numbers of TF32 are rounded here, as libraries do; the units would truncate them.
Memory vector_of(Dtype dtype, const RandomStream& numbers) {
  std::array<std::byte, Peak::vector_bytes> values{};
  fill_inputs(dtype, values.data(), Peak::vector_bytes / static_cast<std::int64_t>(facts(dtype).bytes()),
              numbers);
  if (dtype == Dtype::tf32) {
    constexpr std::uint32_t cut = 0x1FFF;  // bits beyond TF32's precision
    auto words = std::bit_cast<std::array<std::uint32_t, Peak::vector_bytes / sizeof(std::uint32_t)>>(values);
    for (std::uint32_t& bits : words) bits = (bits + (cut + 1) / 2) & ~cut;
    values = std::bit_cast<decltype(values)>(words);
  }
  return Memory::of(values.data(), Peak::vector_bytes);
}

/// Throws if a launch has so few dot products that it ends before all of the device works: the ceiling would
/// be too low.
void check_fills_device(const Peak& p, const DeviceFacts& device) {
  constexpr double least_of_a_processor = 1 << 25;  // 0.1 ms of an H100's fastest type
  const double needed = least_of_a_processor * device.processors;
  const double asked = static_cast<double>(p.dots) * static_cast<double>(p.steps);
  if (asked >= needed) return;
  throw Unsupported(
      fmt::format("{:.2g} dot products added are too few to fill the {} processors of {}, which takes {:.2g} "
                  "(dots x steps); configs/ceilings-gpu.json asks for enough",
                  asked, device.processors, device.name, needed));
}

std::vector<PeakUnit> units_of(const Peak& p, const DeviceFacts& device) {
  std::vector<PeakUnit> units = peak_units(p.dtype, device.capability);
  if (units.empty())
    throw Unsupported(fmt::format(
        "{} has units for {} that this program has no instructions for; what it has would show too little",
        device.name, name(p.dtype)));
  // `steps` times all of `dots` must be divisible by a unit's dots.
  std::erase_if(units, [&](const PeakUnit& unit) { return p.dots * p.steps % unit.dots != 0; });
  if (units.empty()) throw Unsupported("dots x steps does not come out even; give a multiple of 3072 dots");
  return units;
}

class PeakOfDevice final : public Work {
 public:
  PeakOfDevice(const Case& problem, std::uint64_t seed)
      : p_(problem.parameters),
        seed_(seed),
        a_(vector_of(p_.dtype, RandomStream(seed, stream::first_operand))),
        b_(vector_of(p_.dtype, RandomStream(seed, stream::second_operand))) {
    const DeviceFacts& device = device_facts();
    check_fills_device(p_, device);
    processors_ = device.processors;
    const std::vector<PeakUnit> units = units_of(p_, device);
    std::int64_t most_threads = 0;
    for (const PeakUnit& unit : units) most_threads = std::max(most_threads, threads_of(unit));
    sums_ = Memory(most_threads * static_cast<std::int64_t>(sizeof(double)));
    const auto raced = race(stopwatch(), units, p_.tuned, [this](const PeakUnit& unit) { enqueue(unit); });
    unit_ = raced.fastest;
    algorithm_ = fmt::format("{}; {}", unit_.name, raced.text);
  }

  void run() override { enqueue(unit_); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    sums_.poison(stream());
    run();
    wait();
    std::vector<double> sums(static_cast<std::size_t>(threads_of(unit_)));
    sums_.download(sums.data(), 0, static_cast<std::int64_t>(sums.size() * sizeof(double)));
    return evidence_of_number(std::accumulate(sums.begin(), sums.end(), 0.0), seed_, elements);
  }

  std::string algorithm() const override { return algorithm_; }

 private:
  void enqueue(const PeakUnit& unit) {
    unit.enqueue({.a = a_.data(),
                  .b = b_.data(),
                  .pieces = p_.dots * p_.steps / unit.dots,
                  .steps = p_.accumulated_steps(),
                  .sums = sums_.as<double>()},
                 static_cast<unsigned>(unit.blocks * processors_), static_cast<unsigned>(unit.threads),
                 stream());
  }

  std::int64_t threads_of(const PeakUnit& unit) const {
    return std::int64_t{unit.threads} * unit.blocks * processors_;
  }

  Peak p_;
  std::uint64_t seed_;
  Memory a_, b_, sums_;
  int processors_ = 0;
  PeakUnit unit_;
  std::string algorithm_;
};

const OperationRegistration peak_registered({.op = "peak",
                                             .dtypes = [] { return computed_here(all_dtypes()); },
                                             .prepare = prepare_as<PeakOfDevice>,
                                             .why_not = why_not_here});

}  // namespace
}  // namespace breakeven::cuda
