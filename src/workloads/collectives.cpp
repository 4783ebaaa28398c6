#include "workloads/collectives.h"

#include <fmt/format.h>

#include "workloads/ranks.h"

namespace breakeven {

Collective::Collective(const Parameters& parameters) : ranks(ranks_of(parameters)), array(parameters) {}

namespace {

class CollectiveWorkload : public Workload {
 public:
  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all{Bandwidth::bytes_parameter(), ranks_parameter(2),
                                            dtype_parameter({Dtype::f32})};
    return all;
  }

  std::string title(const Parameters& parameters) const override {
    const Collective p(parameters);
    return fmt::format("{}, {} ranks", p.array.title(), p.ranks);
  }

  void check(const Parameters& parameters) const override {
    const Collective p(parameters);
    p.array.check();
    if (p.ranks < 2)
      throw InvalidCase(
          "ranks", fmt::format("ranks is {} and must be at least 2: one has nobody to talk to", p.ranks));
    if (p.array.bytes % (64 * p.ranks) != 0)
      throw InvalidCase("bytes", fmt::format("bytes is {} and must be a multiple of 64 for each of {} ranks",
                                             p.array.bytes, p.ranks));
  }

  std::vector<Parameters> examples() const override {
    std::vector<Parameters> all;
    for (const std::int64_t bytes : {128, 100'096, 1 << 20}) all.push_back({{"bytes", bytes}});
    return all;
  }

  double flop(const Parameters&) const override { return 0; }
  bool is_collective() const override { return true; }

  /// The bytes of bus bandwidth, as nccl-tests define it (doc/PERFORMANCE.md there): those that each rank
  /// must send or receive, whatever the algorithm.
  double bytes(const Parameters& parameters) const override {
    const Collective p(parameters);
    return bus_share(static_cast<double>(p.ranks)) * static_cast<double>(p.array.bytes);
  }
  /// Every rank holds what it sends and what it receives.
  double memory(const Parameters& parameters) const override {
    const Collective p(parameters);
    return 2 * static_cast<double>(p.ranks) * static_cast<double>(p.array.bytes);
  }

  OutputShape output(const Parameters& parameters) const override { return Bandwidth(parameters).shape(); }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Collective p(parameters);
    const RandomStream numbers(seed, stream::first_operand);
    return array_truth(p.array.shape(), seed, elements,
                       [&](std::int64_t first, std::int64_t count, double* values) {
                         for (std::int64_t i = 0; i < count; ++i) values[i] = result(p, numbers, first + i);
                       });
  }

  /// Zero where values are only copied: see `copy`.
  Tolerance tolerance(const Parameters&, const Evidence&) const override { return {}; }

 private:
  /// The bytes of bus bandwidth, in sizes of the data.
  virtual double bus_share(double ranks) const = 0;
  /// Element i of the result, which is the same on every rank.
  virtual double result(const Collective& p, const RandomStream& numbers, std::int64_t i) const = 0;
};

class AllReduce final : public CollectiveWorkload {
 public:
  std::string_view op() const override { return "all_reduce"; }
  std::string_view plural() const override { return "all-reduces"; }
  std::string_view meaning() const override {
    return "the sum of an array over all ranks, which all receive; GB/s are bus bandwidth as nccl-tests "
           "define "
           "it, 2 (n - 1) / n times the array's bytes";
  }
  double flop(const Parameters& parameters) const override {
    const Collective p(parameters);
    return static_cast<double>((p.ranks - 1) * p.array.elements());
  }
  Tolerance tolerance(const Parameters& parameters, const Evidence&) const override {
    const Collective p(parameters);
    return sum_tolerance(p.array.dtype, p.ranks, p.array.shape());
  }

 private:
  double bus_share(double ranks) const override { return 2 * (ranks - 1) / ranks; }
  double result(const Collective& p, const RandomStream& numbers, std::int64_t i) const override {
    double sum = 0;
    for (std::int64_t rank = 0; rank < p.ranks; ++rank) sum += p.input(numbers, rank, i);
    return sum;
  }
};

class AllGather final : public CollectiveWorkload {
 public:
  std::string_view op() const override { return "all_gather"; }
  std::string_view plural() const override { return "all-gathers"; }
  std::string_view meaning() const override {
    return "an array collected from equal parts of all ranks, which all receive; GB/s are bus bandwidth as "
           "nccl-tests define it, (n - 1) / n times the array's bytes";
  }

 private:
  double bus_share(double ranks) const override { return (ranks - 1) / ranks; }
  double result(const Collective& p, const RandomStream& numbers, std::int64_t i) const override {
    return p.input(numbers, i / p.elements_of_rank(), i % p.elements_of_rank());
  }
};

class Broadcast final : public CollectiveWorkload {
 public:
  std::string_view op() const override { return "broadcast"; }
  std::string_view plural() const override { return "broadcasts"; }
  std::string_view meaning() const override {
    return "an array copied from one rank to all; GB/s are bus bandwidth as nccl-tests define it: the "
           "array's "
           "bytes";
  }

 private:
  double bus_share(double) const override { return 1; }
  double result(const Collective& p, const RandomStream& numbers, std::int64_t i) const override {
    return p.input(numbers, p.root(), i);
  }
};

const WorkloadRegistration<AllReduce> all_reduce;
const WorkloadRegistration<AllGather> all_gather;
const WorkloadRegistration<Broadcast> broadcast;

}  // namespace
}  // namespace breakeven
