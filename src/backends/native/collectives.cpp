// Collective operations on arrays in the host's memory.
#include "workloads/collectives.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/backend.h"
#include "worker/collective_operation.h"
#include "worker/communicator.h"
#include "workloads/buffer.h"

namespace breakeven::native {
namespace {

using Run = void (*)(const Collective& p, const float* from, float* to);

void all_reduce(const Collective& p, const float* from, float* to) {
  communicator().sum_of(from, to, p.array.elements());
}

void all_gather(const Collective& p, const float* from, float* to) {
  communicator().gather(from, p.array.bytes / p.ranks, to);
}

/// The root sends `from`; the others receive in `to`.
void broadcast(const Collective& p, const float* from, float* to) {
  // MPI does not write the root's array.
  float* place = communicator().rank() == p.root() ? const_cast<float*>(from) : to;
  communicator().broadcast(place, p.array.bytes, p.root());
}

template <Run run_once>
class CollectiveCase final : public Prepared {
 public:
  CollectiveCase(const Case& problem, std::uint64_t seed)
      : p_(checked(problem)), seed_(seed), from_(p_.array.elements()), to_(p_.array.elements()) {
    const RandomStream numbers(seed, stream::first_operand);
    for (std::int64_t i = 0; i < p_.array.elements(); ++i)
      from_[i] = static_cast<float>(p_.input(numbers, communicator().rank(), i));
    std::fill_n(to_.data(), to_.size(), 0.0F);
  }

  void run() override { run_once(p_, from_.data(), to_.data()); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    poison_output(p_.array.dtype, to_.data(), p_.array.elements());
    run();
    const bool is_root = run_once == broadcast && communicator().rank() == p_.root();
    return evidence_of(p_.array.dtype, is_root ? from_.data() : to_.data(), p_.array.shape(), seed_,
                       elements);
  }

  std::string algorithm() const override { return communicator().library(); }

 private:
  static Collective checked(const Case& problem) {
    Collective p(problem.parameters);
    check_size_for_mpi(p.array.bytes);
    return p;
  }

  Collective p_;
  std::uint64_t seed_;
  Buffer<float> from_, to_;
};

const OperationRegistration all_reduces(collective_operation<CollectiveCase<all_reduce>>("all_reduce"));
const OperationRegistration all_gathers(collective_operation<CollectiveCase<all_gather>>("all_gather"));
const OperationRegistration broadcasts(collective_operation<CollectiveCase<broadcast>>("broadcast"));

}  // namespace
}  // namespace breakeven::native
