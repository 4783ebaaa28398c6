// Collective operations on arrays in device memory.
#include "workloads/collectives.h"

#include <string>
#include <vector>

#include "backends/cuda/arrays.h"
#include "backends/cuda/device_ranks.h"
#include "backends/cuda/work.h"
#include "worker/collective_operation.h"
#include "worker/communicator.h"

namespace breakeven::cuda {
namespace {

struct Arrays {
  const float* from = nullptr;
  float* to = nullptr;
};
using Enqueue = void (*)(DeviceRanks& ranks, const Collective& p, const Arrays& arrays, cudaStream_t stream);

void all_reduce(DeviceRanks& ranks, const Collective& p, const Arrays& arrays, cudaStream_t stream) {
  ranks.sum_of(arrays.from, arrays.to, p.array.elements(), stream);
}

void all_gather(DeviceRanks& ranks, const Collective& p, const Arrays& arrays, cudaStream_t stream) {
  ranks.gather(arrays.from, p.array.bytes / p.ranks, arrays.to, stream);
}

/// The root sends `to`, which stays as it is.
void broadcast(DeviceRanks& ranks, const Collective& p, const Arrays& arrays, cudaStream_t stream) {
  ranks.broadcast(arrays.to, p.array.bytes, p.root(), stream);
}

template <Enqueue enqueue>
class CollectiveCase final : public Work {
 public:
  CollectiveCase(const Case& problem, std::uint64_t seed) : p_(problem.parameters), seed_(seed) {
    if (!ranks_enqueue()) check_size_for_mpi(p_.array.bytes);
    const RandomStream numbers(seed, stream::first_operand);
    const auto count = p_.array.elements();
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      values[static_cast<std::size_t>(i)] = static_cast<float>(p_.input(numbers, communicator().rank(), i));
    from_ = Memory::of(values.data(), p_.array.bytes);
    to_ = sends_result() ? Memory::of(values.data(), p_.array.bytes) : Memory(p_.array.bytes);
  }

  void begin_with_ranks() override {
    ranks_ = &device_ranks();
    run();  // NCCL connects the ranks
    wait();
    ranks_->note_connected();
  }

  void run() override { enqueue(*ranks_, p_, {.from = from_.as<float>(), .to = to_.as<float>()}, stream()); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    if (!sends_result()) to_.poison(stream());
    run();
    wait();
    return show_array(p_.array, to_, seed_, elements);
  }

  std::string algorithm() const override { return rank_library(); }

 private:
  bool sends_result() const { return enqueue == broadcast && communicator().rank() == p_.root(); }
  /// Behind a closed gate the host must not take part.
  std::int64_t most_queued() const override { return ranks_enqueue() ? Stopwatch::most_queued : 0; }

  Collective p_;
  std::uint64_t seed_;
  Memory from_, to_;
  DeviceRanks* ranks_ = nullptr;
};

const OperationRegistration all_reduces(collective_operation<CollectiveCase<all_reduce>>("all_reduce"));
const OperationRegistration all_gathers(collective_operation<CollectiveCase<all_gather>>("all_gather"));
const OperationRegistration broadcasts(collective_operation<CollectiveCase<broadcast>>("broadcast"));

}  // namespace
}  // namespace breakeven::cuda
